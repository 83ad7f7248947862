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

// A Call is a request and its reply. It is for one goroutine at a time.
type Call struct {
	R *http.Request
	W *Recorder

	Route    string    // the route's path, with parameter names; empty: no route fits
	Exchange *Exchange // nil: unknown connection
	Owner    string    // stands for the key of the call, and for no other; empty: the route needs none, or the server has none

	MaxBody int64 // limit of the body in bytes; the settings bound it; 0: as they say

	Plain  bool   // do not zip a reply of known length: speed counts more than size
	Waits  bool   // the call waits on purpose, so its duration is not measured
	Arrive func() // if set, called just before the last byte of a reply of known length

	// Refusal writes refusals in a form of the route's own, as JSON; nil: an object with
	// "detail".
	Refusal func(status int, why string) (int, []byte)

	server        *Server
	names, values []string // of the path's parameters
	start         time.Time
	read          int64 // bytes of the body on the wire
	unread        bool  // the body was refused before it was read to its end
	held          int64 // reserved bytes
}

// Param is the value of a path parameter, or empty if the route has none of this name.
func (c *Call) Param(name string) string {
	if i := slices.Index(c.names, name); i >= 0 {
		return c.values[i]
	}
	return ""
}

// Context ends when the client goes away, or when Run stops waiting for calls.
func (c *Call) Context() context.Context { return c.R.Context() }

// HasJSON reports whether Content-Type says JSON.
func (c *Call) HasJSON() bool {
	kind := c.Kind()
	return kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
}

// Kind is the body's media type, in lower case and without parameters.
func (c *Call) Kind() string {
	kind, _, _ := strings.Cut(strings.ToLower(c.R.Header.Get("Content-Type")), ";")
	return strings.TrimSpace(kind)
}

// LastByte must be called just before the last byte of a reply of known length is written,
// because the client may act on it before the write returns. Only code that writes such a
// reply itself needs it. The error says that the client has gone.
func (c *Call) LastByte() error {
	if c.R.Context().Err() != nil {
		return context.Cause(c.R.Context())
	}
	if c.Arrive != nil {
		c.Arrive()
	}
	return nil
}

// note logs and counts a call.
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

// rescue answers a call that panicked.
func (c *Call) rescue(fault any) {
	if fault == http.ErrAbortHandler {
		panic(fault) // the route wants the connection closed
	}
	c.server.log.Error("a request panicked", "path", c.R.URL.Path, "fault", fault, "stack", string(debug.Stack()))
	if c.W.status != 0 {
		panic(http.ErrAbortHandler) // half a reply must not look like a whole one
	}
	c.W.Header().Set("Content-Type", "text/plain; charset=utf-8")
	c.W.WriteHeader(http.StatusInternalServerError)
	_, _ = c.W.Write([]byte("Internal Server Error")) // it fails only if the client has gone
}

// A Recorder is a response writer that remembers the status and counts bytes.
type Recorder struct {
	http.ResponseWriter
	status int // 0: nothing written yet
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

// Begun reports whether the reply has begun.
func (r *Recorder) Begun() bool { return r.status != 0 }

// Unwrap is for [http.ResponseController].
func (r *Recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
