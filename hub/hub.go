// Package hub is the HTTP server between environments and a trainer: it takes
// scored groups, keeps them in a queue, and hands them out in batches, over the
// API of Atropos. What differs from the original, on purpose, is listed in
// docs/hub.md.
//
// A post is answered when its groups are on disk. A batch is the trainer's until
// it asks for the next; it is handed out again, as it was, where its reply did
// not reach the trainer, where the trainer registers anew, and after a restart
// of the hub.
package hub

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
)

// consumer is the name under which the trainer has its groups.
const consumer = "trainer"

// A Config says how a [Server] behaves. Only Queue is required.
type Config struct {
	Queue *queue.Queue // remains the caller's to close, after Run

	// Key, if set, must come with every request but that for "/", as
	// "Authorization: Bearer KEY" or "X-API-Key: KEY".
	Key string

	MaxBody     int64 // bytes of a request as it comes; default 256 MiB
	MaxInflated int64 // bytes of a request after gzip; default 512 MiB

	// EnvTimeout is how long after its last sign of life an environment's minimum
	// part of each batch still binds; default 2 minutes.
	EnvTimeout time.Duration

	// Stall is how long a connection may neither take nor give a byte in the
	// middle of a request; default 1 minute.
	Stall time.Duration

	// Drain is how long Run lets requests under way go on after its context has
	// ended; default 5 seconds.
	Drain time.Duration

	Log *slog.Logger // default: none
}

// withDefaults returns c with its zeros filled in.
func (c Config) withDefaults() Config {
	if c.MaxBody <= 0 {
		c.MaxBody = 256 << 20
	}
	if c.MaxInflated <= 0 {
		c.MaxInflated = 512 << 20
	}
	if c.EnvTimeout <= 0 {
		c.EnvTimeout = 2 * time.Minute
	}
	if c.Stall <= 0 {
		c.Stall = time.Minute
	}
	if c.Drain <= 0 {
		c.Drain = 5 * time.Second
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// A Server is the hub over one queue. All its methods may be called from many
// goroutines at once.
type Server struct {
	config Config
	queue  *queue.Queue
	log    *slog.Logger
	key    [sha256.Size]byte
	bodies sync.Pool // of *bytes.Buffer
	zips   sync.Pool // of *gzip.Writer

	// trade is held while a batch is chosen, and while the run changes; sorting
	// while groups of an odd size come in. Both are taken before mu, and calls of
	// the queue come under them.
	trade   sync.Mutex
	sorting sync.Mutex

	// mu guards what follows. The queue is never called under it; functions that
	// the queue calls may take it.
	mu       sync.RWMutex
	run      run
	step     int
	stepped  chan struct{} // nil: nobody waits for the next step
	open     []*delivery   // batches that are formed and not acknowledged, oldest first
	held     holding
	heard    map[int]time.Time // last sign of life of environments
	latest   *quintain.Group
	reported map[int]bool // sizes of groups that fit into no batch, as the log has said already
	counts   counts
}

// counts is what a server has done since it was made.
type counts struct {
	posts, refused, unfit, torn, again uint64
}

// New returns a server, which goes on where an earlier one over the same queue
// ended.
func New(c Config) (*Server, error) {
	if c.Queue == nil {
		return nil, errors.New("hub: no queue")
	}
	c = c.withDefaults()
	s := &Server{
		config:   c,
		queue:    c.Queue,
		log:      c.Log,
		key:      sha256.Sum256([]byte(c.Key)),
		heard:    make(map[int]time.Time),
		reported: make(map[int]bool),
	}
	if err := s.load(context.Background()); err != nil {
		return nil, fmt.Errorf("hub: %w", err)
	}
	return s, nil
}

// Step is the number of batches that were handed out, on top of the step with
// which the trainer started: the version of its weights as far as the hub knows.
// It never falls, but by a reset.
func (s *Server) Step() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.step
}

// Stepped returns a channel that is closed when the step changes. Take the channel
// first, then look at Step, then wait.
func (s *Server) Stepped() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stepped == nil {
		s.stepped = make(chan struct{})
	}
	return s.stepped
}

// setStep changes the step. s.mu is held.
func (s *Server) setStep(step int) {
	if step != s.step && s.stepped != nil {
		close(s.stepped)
		s.stepped = nil
	}
	s.step = step
}

// Stats is what a server holds, and what it has done since it was made.
type Stats struct {
	Registered bool        `json:"registered"` // a trainer has
	BatchSize  int         `json:"batch_size"` // sequences; -1 before that
	Step       int         `json:"step"`
	Queue      queue.Stats `json:"queue"`
	Held       int         `json:"held"`       // groups that wait for others of their environment to make up its group size
	Open       int         `json:"open"`       // batches that are formed and not acknowledged
	Unpackable map[int]int `json:"unpackable"` // groups that fit into no batch, by their number of sequences

	Posts   uint64 `json:"posts"`   // requests that brought groups
	Refused uint64 `json:"refused"` // requests that made no sense
	Unfit   uint64 `json:"unfit"`   // groups whose advantages did not fit their tokens, and were dropped
	Torn    uint64 `json:"torn"`    // replies with a batch that did not reach the trainer
	Again   uint64 `json:"again"`   // batches that were handed out once more
}

// Stats returns what the server holds and has done.
func (s *Server) Stats() Stats {
	sizes := s.unpackable()
	st := Stats{Queue: s.queue.Stats(), Unpackable: sizes}
	s.mu.RLock()
	defer s.mu.RUnlock()
	st.Registered, st.BatchSize, st.Step = s.run.Registered, s.run.batchSize(), s.step
	st.Held, st.Open = len(s.held.sizes), len(s.open)
	st.Posts, st.Refused, st.Unfit, st.Torn, st.Again = s.counts.posts, s.counts.refused, s.counts.unfit, s.counts.torn, s.counts.again
	return st
}
