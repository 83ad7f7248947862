package hub

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// A route is what may be asked for under one path, by one method.
type route struct {
	serve func(*Server, *call)
	role  role
}

// A table has the routes of each path by their method. A path of a batch has {id}
// where its number stands.
type table map[string]map[string]route

// siteRoutes are the paths that are nobody's run's. That of a run itself is in it
// with {run} for its name.
func siteRoutes() table {
	return table{
		"/":                {"GET": {(*Server).root, anybody}},
		"/healthz":         {"GET": {(*Server).healthz, anybody}},
		"/readyz":          {"GET": {(*Server).readyz, anybody}},
		"/metrics":         {"GET": {(*Server).metricsPage, looker}},
		"/openapi.json":    {"GET": {(*Server).openAPI, anybody}},
		"/v1/openapi.json": {"GET": {(*Server).openAPI, anybody}},
		"/v1/drain":        {"POST": {(*Server).drain, admin}, "DELETE": {(*Server).undrain, admin}},
		"/v1/runs":         {"GET": {(*Server).listRuns, looker}},
		"/v1/runs/{run}":   {"GET": {(*Server).stats, looker}, "PUT": {(*Server).putRun, admin}},
	}
}

// atroposRoutes are the paths of the API of Atropos. They are there at the root, for
// the main run, and below the path of each run.
func atroposRoutes() table {
	return table{
		"/register":         {"POST": {(*Server).register, trainer}},
		"/wandb_info":       {"GET": {(*Server).wandbInfo, looker}},
		"/info":             {"GET": {(*Server).info, looker}},
		"/batch":            {"GET": {(*Server).batch, trainer}},
		"/status":           {"GET": {(*Server).status, looker}},
		"/reset_data":       {"GET": {(*Server).reset, admin}},
		"/register-env":     {"POST": {(*Server).registerEnv, producer}},
		"/disconnect-env":   {"POST": {(*Server).disconnectEnv, producer}},
		"/status-env":       {"GET": {(*Server).statusEnv, looker}},
		"/scored_data":      {"POST": {(*Server).scoredData, producer}},
		"/scored_data_list": {"POST": {(*Server).scoredDataList, producer}},
		"/latest_example":   {"GET": {(*Server).latestExample, looker}},
	}
}

// runRoutes are the paths below that of a run which are ours.
func runRoutes() table {
	return table{
		"/groups":              {"POST": {(*Server).postGroups, producer}, "GET": {(*Server).followGroups, looker}},
		"/batches":             {"POST": {(*Server).takeBatch, trainer}},
		"/batches/{id}/ack":    {"POST": {(*Server).ackBatch, trainer}},
		"/batches/{id}/nack":   {"POST": {(*Server).nackBatch, trainer}},
		"/batches/{id}/extend": {"POST": {(*Server).extendBatch, trainer}},
		"/stats":               {"GET": {(*Server).stats, looker}},
		"/events":              {"GET": {(*Server).streamEvents, looker}},
	}
}

// runsPath stands before the name of a run.
const runsPath = "/v1/runs/"

// routes are all paths, with {run} and {id} in them.
func routes() table {
	all := siteRoutes()
	for path, methods := range atroposRoutes() {
		all[path] = methods
		all[runsPath+"{run}"+path] = methods
	}
	for path, methods := range runRoutes() {
		all[runsPath+"{run}"+path] = methods
	}
	return all
}

// template returns path as the table has it, and what stands in the places of {run}
// and {id} in it.
func template(path string) (name, run, id string) {
	rest, ok := strings.CutPrefix(path, runsPath)
	if !ok || rest == "" {
		return path, "", ""
	}
	run, rest, has := strings.Cut(rest, "/")
	name = runsPath + "{run}"
	if !has {
		return name, run, ""
	}
	if below, ok := strings.CutPrefix(rest, "batches/"); ok {
		if id, verb, ok := strings.Cut(below, "/"); ok && id != "" {
			return name + "/batches/{id}/" + verb, run, id
		}
	}
	return name + "/" + rest, run, ""
}

// A call is a request and its reply.
type call struct {
	r        *http.Request
	w        *recorder
	exchange *exchange // nil: the connection is not known
	route    string    // path as the table has it; empty: none
	run      string    // name in the path
	id       string    // of a batch, in the path
	start    time.Time
	read     int64  // bytes of the body, as it came
	waits    bool   // it takes its time on purpose
	arrive   func() // called before the last byte of a reply, if it is not the end of a chunk; nil: nobody is
}

// lastByte is called before the last byte of a reply whose length the client knows. It
// returns why the client has no use for it any more.
func (c *call) lastByte() error {
	if c.r.Context().Err() != nil {
		return context.Cause(c.r.Context())
	}
	if c.arrive != nil {
		c.arrive()
	}
	return nil
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

func (s *Server) handler(all table) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := &call{r: r, w: &recorder{ResponseWriter: w}, exchange: newExchange(r.Context()), start: time.Now()}
		defer s.note(c)
		defer func() {
			if fault := recover(); fault != nil {
				s.rescue(c, fault)
			}
		}()
		if r.ContentLength != 0 { // the server reads the body even where no handler does
			http.NewResponseController(w).SetReadDeadline(c.start.Add(s.config.Stall))
		}
		s.dispatch(c, all)
	})
}

// note puts a request into the log and into the metrics.
func (s *Server) note(c *call) {
	took := time.Since(c.start)
	level := slog.LevelDebug
	if s.config.AccessLog {
		level = slog.LevelInfo
	}
	s.metrics.request(c, took)
	s.log.Log(c.r.Context(), level, "request", "method", c.r.Method, "path", c.r.URL.Path, "status", c.w.status,
		"in", c.r.ContentLength, "out", c.w.bytes, "took", took, "from", c.r.RemoteAddr)
}

// dispatch hands a request to the route that it is for.
func (s *Server) dispatch(c *call, all table) {
	if s.crossOrigin(c) {
		return
	}
	name, run, id := template(c.r.URL.Path)
	methods, ok := all[name]
	if short := strings.TrimRight(c.r.URL.Path, "/"); !ok && short != c.r.URL.Path {
		if name, _, _ := template(short); all[name] != nil {
			s.redirect(c, short)
			return
		}
	}
	to, fits := methods[c.r.Method]
	switch {
	case !ok:
		s.detail(c, http.StatusNotFound, "Not Found")
		return
	case !fits:
		c.w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(methods)), ", "))
		s.detail(c, http.StatusMethodNotAllowed, "Method Not Allowed")
		return
	}
	c.route, c.run, c.id = name, run, id
	if !s.admits(c, to) {
		return
	}
	if on := s.serverOf(c); on != nil {
		to.serve(on, c)
	}
}

// serverOf returns the run that a request is for, or answers it and returns nil.
func (s *Server) serverOf(c *call) *Server {
	if c.run == "" || c.route == runsPath+"{run}" && c.r.Method == http.MethodPut {
		return s
	}
	on, err := s.runByName(c.r.Context(), c.run)
	switch {
	case errors.Is(err, errNoRun):
		s.detail(c, http.StatusNotFound, err.Error())
		return nil
	case err != nil:
		s.fail(c, err)
		return nil
	}
	return on
}

// redirect sends a client to a path of this server.
func (s *Server) redirect(c *call, path string) {
	if c.r.URL.RawQuery != "" {
		path += "?" + c.r.URL.RawQuery
	}
	c.w.Header().Set("Location", path)
	c.w.WriteHeader(http.StatusTemporaryRedirect)
}

// crossOrigin lets a web page of an allowed origin call, and answers what its browser
// asks beforehand. It reports whether the request is answered.
func (s *Server) crossOrigin(c *call) bool {
	origin := c.r.Header.Get("Origin")
	if len(s.config.Origins) == 0 || origin == "" {
		return false
	}
	h := c.w.Header()
	h.Add("Vary", "Origin")
	if !slices.Contains(s.config.Origins, origin) && !slices.Contains(s.config.Origins, "*") {
		return false
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", strings.Join(batchHeaders(), ", "))
	asked := c.r.Header.Get("Access-Control-Request-Method")
	if c.r.Method != http.MethodOptions || asked == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", asked)
	if headers := c.r.Header.Get("Access-Control-Request-Headers"); headers != "" {
		h.Set("Access-Control-Allow-Headers", headers)
	}
	h.Set("Access-Control-Max-Age", "600")
	c.w.WriteHeader(http.StatusNoContent)
	return true
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
