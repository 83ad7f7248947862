package hub

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// A route is what may be asked for under one path.
type route struct {
	method string
	serve  func(*Server, *call)
	open   bool // needs no key
}

// routes are all paths of the Atropos API.
func routes() map[string]route {
	return map[string]route{
		"/":                 {"GET", (*Server).root, true},
		"/register":         {"POST", (*Server).register, false},
		"/wandb_info":       {"GET", (*Server).wandbInfo, false},
		"/info":             {"GET", (*Server).info, false},
		"/batch":            {"GET", (*Server).batch, false},
		"/status":           {"GET", (*Server).status, false},
		"/reset_data":       {"GET", (*Server).reset, false},
		"/register-env":     {"POST", (*Server).registerEnv, false},
		"/disconnect-env":   {"POST", (*Server).disconnectEnv, false},
		"/status-env":       {"GET", (*Server).statusEnv, false},
		"/scored_data":      {"POST", (*Server).scoredData, false},
		"/scored_data_list": {"POST", (*Server).scoredDataList, false},
		"/latest_example":   {"GET", (*Server).latestExample, false},
	}
}

// A call is a request and its reply.
type call struct {
	r        *http.Request
	w        *recorder
	exchange *exchange // nil: the connection is not known
}

// A recorder remembers what a reply was.
type recorder struct {
	http.ResponseWriter
	status int // 0: nothing is written
	bytes  int64
}

// WriteHeader opens the reply.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write writes a part of the reply.
func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// Handler returns the server as a handler of HTTP requests. Under a server other
// than [Server.Run], a reply counts as having reached the trainer when it is
// written.
func (s *Server) Handler() http.Handler { return s.handler(routes()) }

func (s *Server) handler(all map[string]route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{r, &recorder{ResponseWriter: w}, newExchange(r.Context())}
		start := time.Now()
		defer func() {
			if fault := recover(); fault != nil {
				s.rescue(c, fault)
			}
			s.log.Debug("request", "method", r.Method, "path", r.URL.Path, "status", c.w.status,
				"in", r.ContentLength, "out", c.w.bytes, "took", time.Since(start), "from", r.RemoteAddr)
		}()
		if r.ContentLength != 0 { // the server reads the body even where no handler does
			http.NewResponseController(w).SetReadDeadline(start.Add(s.config.Stall))
		}
		s.dispatch(c, all)
	})
}

// dispatch hands a request to the route that it is for.
func (s *Server) dispatch(c *call, all map[string]route) {
	path := c.r.URL.Path
	to, ok := all[path]
	if short := strings.TrimRight(path, "/"); !ok && short != path {
		if _, ok := all[short]; ok {
			target := short
			if c.r.URL.RawQuery != "" {
				target += "?" + c.r.URL.RawQuery
			}
			c.w.Header().Set("Location", target)
			c.w.WriteHeader(http.StatusTemporaryRedirect)
			return
		}
	}
	switch {
	case !ok:
		s.detail(c, http.StatusNotFound, "Not Found")
	case c.r.Method != to.method:
		c.w.Header().Set("Allow", to.method)
		s.detail(c, http.StatusMethodNotAllowed, "Method Not Allowed")
	case !to.open && !s.authorized(c.r):
		c.w.Header().Set("WWW-Authenticate", "Bearer")
		s.detail(c, http.StatusUnauthorized, "Not authenticated")
	default:
		to.serve(s, c)
	}
}

// authorized reports whether a request has the key, in a time that tells nothing of
// it.
func (s *Server) authorized(r *http.Request) bool {
	if s.config.Key == "" {
		return true
	}
	given := r.Header.Get("X-API-Key")
	if scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " "); ok && strings.EqualFold(scheme, "Bearer") {
		given = strings.TrimSpace(token)
	}
	sum := sha256.Sum256([]byte(given))
	return subtle.ConstantTimeCompare(sum[:], s.key[:]) == 1
}

// rescue answers a request whose handler has panicked.
func (s *Server) rescue(c *call, fault any) {
	if fault == http.ErrAbortHandler {
		panic(fault) // the connection is to be closed, and no more
	}
	s.log.Error("a request panicked", "path", c.r.URL.Path, "fault", fault, "stack", string(debug.Stack()))
	if c.w.status != 0 {
		panic(http.ErrAbortHandler) // half a reply must not look like a whole one
	}
	c.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	c.w.WriteHeader(http.StatusInternalServerError)
	_, _ = c.w.Write([]byte("Internal Server Error")) // a client that is gone has no use for it
}

// jsonBody reports whether a request says that its body is JSON.
func jsonBody(r *http.Request) bool {
	kind, _, _ := strings.Cut(strings.ToLower(r.Header.Get("Content-Type")), ";")
	kind = strings.TrimSpace(kind)
	return kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
}

// takesGzip reports whether the client of a request takes gzip.
func takesGzip(r *http.Request) bool {
	words := strings.Split(strings.ToLower(strings.Join(r.Header.Values("Accept-Encoding"), ",")), ",")
	return slices.ContainsFunc(words, func(word string) bool {
		name, params, _ := strings.Cut(strings.TrimSpace(word), ";")
		weight, ok := strings.CutPrefix(strings.ReplaceAll(params, " ", ""), "q=")
		refused := ok && strings.Trim(weight, "0.") == ""
		return strings.TrimSpace(name) == "gzip" && !refused
	})
}
