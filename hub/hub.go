// Package hub is the HTTP server between environments and trainers. It takes scored groups,
// keeps them in a queue, and hands them out in batches, over the API of Atropos and over its
// own, /v1, which is faster and more capable. docs/hub.md lists the intended differences from
// Atropos.
//
// A post is answered when its groups are durable. A batch belongs to the trainer until the
// trainer asks for the next one or acknowledges it. The hub hands it out again, with the same
// groups, if its reply did not arrive, if the trainer registers again, if another trainer asks
// after the lease has run out, and after a restart.
//
// A [Server] has a [Run] for each training run. The routes of Atropos serve the default one.
package hub

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue/groupform"
)

// DefaultRun is the name of the run that the routes of Atropos serve.
const DefaultRun = "default"

// A Server is the hub of one or more runs. Many goroutines may use it at once.
type Server struct {
	config Config
	web    *web.Server
	since  time.Time // its start

	codec    *groupform.Codec
	reply    *replyWriter
	readers  *web.FreeList[*atropos.Reader]
	draining atomic.Bool // refuse groups

	main    *Run
	opening sync.Mutex      // held to open a run; guards further, and the record of names
	further map[string]*Run // open runs, by name
}

// New returns a server that continues where an earlier one over the same queue ended.
func New(c Config) (*Server, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("hub: %w", err)
	}
	s := &Server{config: c.withDefaults(), since: time.Now(), further: make(map[string]*Run)}
	var err error
	s.web, err = web.New(web.Config{
		Settings: s.config.Web, Name: "hub", Routes: append(s.routes(), s.config.Routes...), Keys: s.config.Keys, Expose: batchHeaders(), Log: s.config.Log,
	})
	if err != nil {
		return nil, fmt.Errorf("hub: %w", err)
	}
	inflated := cmp.Or(s.config.Web.MaxInflated, web.Default().MaxInflated)
	s.codec = groupform.NewCodec(int(min(inflated, math.MaxInt32)))
	s.reply = newReplyWriter(s.codec, s.web)
	s.readers = web.NewFreeList[*atropos.Reader](s.web.Keep())
	if s.main, err = s.newRun(context.Background(), DefaultRun, s.config.Queue); err != nil {
		return nil, fmt.Errorf("hub: %w", err)
	}
	s.web.Register(runCollector{s})
	return s, nil
}

// Run serves on l, which it closes, until ctx ends or l fails; see [web.Server.Run].
func (s *Server) Run(ctx context.Context, l net.Listener) error { return s.web.Run(ctx, l) }

// Succeed has s answer the requests of before, which runs, in place of Run.
func (s *Server) Succeed(before *web.Server) { before.HandOver(s.web) }

// Handler answers the requests of the hub. Under any [http.Server] but Run's, a reply counts
// as delivered once it is written.
func (s *Server) Handler() http.Handler { return s.web }

// Register adds metrics to those of the server.
func (s *Server) Register(c prometheus.Collector) { s.web.Register(c) }

// Memory is how many bytes of memory requests should take, with garbage.
func (s *Server) Memory() int64 { return s.web.Memory() }

// Default returns the run of Config.Queue.
func (s *Server) Default() *Run { return s.main }
