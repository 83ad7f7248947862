// Package web is the base of this program's HTTP servers: keys with roles, routes, limits on
// the size and time of requests, gzip both ways, JSON errors, metrics, a log, and a graceful
// stop. Without keys, a server listens on loopback only.
//
// A server is a list of routes, each with a function that answers a [Call]:
//
//	s, err := web.New(web.Config{Name: "demo", Routes: []web.Route{
//		{Method: "GET", Path: "/things/{id}", For: web.AnyKey, Serve: show},
//	}})
//	l, err := web.Listen(ctx, settings)
//	err = s.Run(ctx, l)
package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/prometheus/client_golang/prometheus"
)

// A Config says how a [Server] behaves. Name and Routes are required.
type Config struct {
	// Settings are the limits; zeros stand for the values of [Default]. New ignores host, port
	// and key file, which are for [Listen].
	Settings Settings

	Name   string // one word, for the prefix of metrics: "quintain_NAME_"
	Routes []Route
	Keys   []Key    // none: anyone may call
	Expose []string // reply headers that pages of other origins may read
	Log    *slog.Logger

	// Rest answers the calls for which there is no route; nil: 404 or 405. It needs no key.
	Rest func(*Call) error
}

// A Server answers requests by its routes. Many goroutines may use it at once.
type Server struct {
	config  Config
	log     *slog.Logger
	routes  *node
	grants  []grant
	metrics *metrics
	faults  faults
	budget  *budget
	bodies  *FreeList[[]byte]
	zips    *FreeList[*gzip.Writer]
	slots   chan struct{} // a semaphore: an element for each running Compute

	enlarging sync.Mutex // held to allocate and fill a large buffer

	calls    sync.WaitGroup // running
	stop     sync.Once
	full     sync.Once     // tells of the first connection beyond the limit
	stopping chan struct{} // closed when Run ends

	heir atomic.Pointer[Server] // answers in its place; nil: none
}

// New returns a server. It fails if a route is declared twice, or if a key is empty or has
// no role.
func New(c Config) (*Server, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Settings = c.Settings.withDefaults()
	grants, err := grantsOf(c.Keys)
	if err != nil {
		return nil, err
	}
	routes, err := newRoutes(c.Routes)
	if err != nil {
		return nil, err
	}
	s := &Server{
		config: c, log: c.Log, routes: routes, grants: grants, metrics: newMetrics(c.Name),
		faults: faults{by: make(map[string]*fault)}, budget: newBudget(c.Settings.Memory),
		slots: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1)), stopping: make(chan struct{}),
	}
	s.bodies, s.zips = NewFreeList[[]byte](s.Keep()), NewFreeList[*gzip.Writer](s.Keep())
	return s, nil
}

// ServeHTTP answers one request. Under any [http.Server] but Run's, [Call.Exchange] is nil.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if heir := s.heir.Load(); heir != nil {
		heir.ServeHTTP(w, r)
		return
	}
	s.calls.Add(1)
	defer s.calls.Done()
	c := &Call{R: r, W: &Recorder{ResponseWriter: w}, Exchange: newExchange(r.Context()), server: s, start: time.Now()}
	defer c.note()
	defer func() { s.budget.used.Add(-c.held) }()
	defer func() {
		if fault := recover(); fault != nil {
			c.rescue(fault)
		}
	}()
	control := http.NewResponseController(w) // one that cannot set deadlines needs none
	if r.ContentLength != 0 {                // net/http reads the body even if the handler does not
		control.SetReadDeadline(c.start.Add(s.config.Settings.Stall))
		control.SetWriteDeadline(c.start.Add(s.config.Settings.Stall)) // net/http may write 100 Continue
	}
	s.dispatch(c)
	control.SetWriteDeadline(time.Now().Add(s.config.Settings.Stall)) // net/http writes the rest of the reply
}

// Stopping is closed when Run is about to end: waiting calls must stop waiting.
func (s *Server) Stopping() <-chan struct{} { return s.stopping }

// Register adds metrics to those of the server.
func (s *Server) Register(c prometheus.Collector) { s.metrics.registry.MustRegister(c) }

// Metrics answers with all metrics, in the text format of Prometheus.
func (s *Server) Metrics(c *Call) error {
	s.metrics.page.ServeHTTP(page{c.W, c.Paced()}, c.R)
	return nil
}

// A page paces a reply that another package writes.
type page struct {
	*Recorder
	body *Paced
}

// Write implements [http.ResponseWriter].
func (p page) Write(b []byte) (int, error) { return p.body.Write(b) }

// Compute calls f, which computes for long, when a slot is free. At most
// [Server.ComputeSlots] run at once, which leaves a processor for quick requests.
func (s *Server) Compute(f func()) {
	s.slots <- struct{}{}
	defer func() { <-s.slots }()
	f()
}

// Compute is [Server.Compute] for a call. If its client goes or the server ends before a
// slot is free, it does not call f and returns an error for the route to return.
func (c *Call) Compute(f func() error) (err error) {
	c.server.Compute(func() {
		if err = c.Context().Err(); err != nil {
			return
		}
		err = f()
	})
	return err
}

// ComputeSlots is how many calls of Compute run at once: the number of processors less one,
// at least one.
func (s *Server) ComputeSlots() int { return cap(s.slots) }

// An Error refuses a request: a route returns it, and the server replies with it.
type Error struct {
	Status int    // of HTTP
	Detail string // why, for people
}

// Error is the detail.
func (e *Error) Error() string { return e.Detail }

// Errorf returns an [*Error].
func Errorf(status int, format string, args ...any) *Error {
	return &Error{status, fmt.Sprintf(format, args...)}
}
