package web

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// A Call is a request and its reply. One goroutine at a time may use it.
type Call struct {
	R *http.Request
	W *Recorder

	Route    string    // path of the route, with the names of its parameters; empty: none
	Exchange *Exchange // nil: the connection is not known

	MaxBody int64 // bytes of a body that is read; 0, or more than the settings say: as they say

	Plain  bool   // a reply whose length is known is not zipped: it is worth more time than bytes
	Waits  bool   // the call takes its time on purpose; its duration is not measured
	Arrive func() // called before the last byte of a reply whose length the client knows; nil: not called

	server        *Server
	names, values []string // of parameters
	start         time.Time
	read          int64 // bytes of the body, as it came
	held          int64 // bytes of the budget
}

// Param is the part of the path at the place of a parameter; empty if there is none.
func (c *Call) Param(name string) string {
	if i := slices.Index(c.names, name); i >= 0 {
		return c.values[i]
	}
	return ""
}

// Context is done when the client goes away, and when Run no longer waits.
func (c *Call) Context() context.Context { return c.R.Context() }

// HasJSON reports whether a request says that its body is JSON.
func (c *Call) HasJSON() bool {
	kind := c.Kind()
	return kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
}

// Kind is the content type of the body of a request, in lower case and without
// parameters.
func (c *Call) Kind() string {
	kind, _, _ := strings.Cut(strings.ToLower(c.R.Header.Get("Content-Type")), ";")
	return strings.TrimSpace(kind)
}

// LastByte must be called before the last byte of a reply whose length the client
// knows, by functions that write such a reply themselves: the client may act on it
// before the write returns. The error says why the client has no use for the reply.
func (c *Call) LastByte() error {
	if c.R.Context().Err() != nil {
		return context.Cause(c.R.Context())
	}
	if c.Arrive != nil {
		c.Arrive()
	}
	return nil
}

// note puts a call into the log and the metrics.
func (c *Call) note() {
	took, s := time.Since(c.start), c.server
	level := slog.LevelDebug
	if s.config.Settings.AccessLog {
		level = slog.LevelInfo
	}
	s.metrics.note(c, took)
	s.log.Log(c.R.Context(), level, "request", "method", c.R.Method, "path", c.R.URL.Path, "status", c.W.status,
		"in", c.R.ContentLength, "out", c.W.bytes, "took", took, "from", c.R.RemoteAddr)
}

// rescue answers a call whose function has panicked.
func (c *Call) rescue(fault any) {
	if fault == http.ErrAbortHandler {
		panic(fault) // only the connection is to be closed
	}
	c.server.log.Error("a request panicked", "path", c.R.URL.Path, "fault", fault, "stack", string(debug.Stack()))
	if c.W.status != 0 {
		panic(http.ErrAbortHandler) // half a reply must not look like a whole one
	}
	c.W.Header().Set("Content-Type", "text/plain; charset=utf-8")
	c.W.WriteHeader(http.StatusInternalServerError)
	_, _ = c.W.Write([]byte("Internal Server Error")) // a client that is gone has no use for it
}

// A Recorder is a response writer that remembers what was written.
type Recorder struct {
	http.ResponseWriter
	status int // 0: nothing is written
	bytes  int64
}

// WriteHeader implements [http.ResponseWriter].
func (r *Recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (r *Recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Begun reports whether anything was written.
func (r *Recorder) Begun() bool { return r.status != 0 }

// Unwrap is for [http.ResponseController].
func (r *Recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
