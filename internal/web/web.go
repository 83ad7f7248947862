// Package web is what every HTTP server of this program needs: a port that is open
// beyond this machine only to those who bring a key, routes with roles, limits on what
// a client may send and on how long it may take, gzip both ways, errors as JSON,
// metrics, a log, and an orderly end.
//
// A server is made of routes, whose functions answer a [Call] each:
//
//	s, err := web.New(web.Config{Name: "demo", Routes: []web.Route{
//		{Method: "GET", Path: "/things/{id}", For: web.AnyKey, Serve: show},
//	}})
//	door, err := web.Listen(ctx, settings)
//	err = s.Run(ctx, door)
package web

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/prometheus/client_golang/prometheus"
)

// A Config says how a [Server] behaves. Name and Routes are required.
type Config struct {
	// Settings are the limits. Its zeros stand for the values of [Default]; New does not
	// look at host, port and key file, which are for [Listen].
	Settings Settings

	Name   string   // one word, with which the names of metrics begin: "quintain_NAME_"
	Routes []Route  // that there are
	Keys   []Key    // that open the server; none: it is open to all
	Expose []string // headers of replies that web pages of the origins may read
	Log    *slog.Logger
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
	bodies  *Shelf[[]byte]
	zips    *Shelf[*gzip.Writer]
	desks   chan struct{} // holds an element for each call of Compute under way

	calls    sync.WaitGroup // under way
	stop     sync.Once
	stopping chan struct{} // closed when Run ends
}

// New returns a server. The error is about a route that is declared twice, or a key
// that is empty or has no role.
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
		desks: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1)), stopping: make(chan struct{}),
	}
	s.bodies, s.zips = NewShelf[[]byte](s.Keep()), NewShelf[*gzip.Writer](s.Keep())
	return s, nil
}

// ServeHTTP answers one request. Under an [http.Server] other than that of Run,
// [Call.Exchange] is nil.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
	control := http.NewResponseController(w) // what cannot set a deadline watches the time itself
	if r.ContentLength != 0 {                // net/http reads the body even if no handler does
		control.SetReadDeadline(c.start.Add(s.config.Settings.Stall))
		control.SetWriteDeadline(c.start.Add(s.config.Settings.Stall)) // net/http may ask the client to continue
	}
	s.dispatch(c)
	control.SetWriteDeadline(time.Now().Add(s.config.Settings.Stall)) // net/http writes what is left of the reply
}

// Stopping is closed when Run is about to end: calls that wait for something must not
// wait any longer.
func (s *Server) Stopping() <-chan struct{} { return s.stopping }

// Register adds metrics to the page of the server.
func (s *Server) Register(c prometheus.Collector) { s.metrics.registry.MustRegister(c) }

// Metrics answers a call with all metrics, in the text form of Prometheus.
func (s *Server) Metrics(c *Call) error {
	s.metrics.page.ServeHTTP(page{c.W, c.Paced()}, c.R)
	return nil
}

// A page is a reply that another package writes, at the pace that clients must keep.
type page struct {
	*Recorder
	body *Paced
}

// Write implements [http.ResponseWriter].
func (p page) Write(b []byte) (int, error) { return p.body.Write(b) }

// Compute calls f, which takes long and waits for nothing, when it is its turn. At most
// [Server.Desks] such calls run at once, so that a processor is left for requests that
// are answered at once.
func (s *Server) Compute(f func()) {
	s.desks <- struct{}{}
	defer func() { <-s.desks }()
	f()
}

// Compute is [Server.Compute] for a call. If its client has gone when it is its turn, or
// the server ends, it does not call f and returns an error for the route to return.
func (c *Call) Compute(f func() error) (err error) {
	c.server.Compute(func() {
		if err = c.Context().Err(); err == nil {
			err = f()
		}
	})
	return err
}

// Desks is how many calls of Compute may run at once: one less than there are
// processors, and at least one.
func (s *Server) Desks() int { return cap(s.desks) }

// An Error refuses a request: a route returns it, and the server replies with it.
type Error struct {
	Status int    // of HTTP
	Detail string // why, for people
}

// Error is the detail.
func (e *Error) Error() string { return e.Detail }

// Errorf returns an [Error].
func Errorf(status int, format string, args ...any) *Error {
	return &Error{status, fmt.Sprintf(format, args...)}
}
