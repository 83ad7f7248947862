// Package hub is the HTTP server between environments and a trainer: it takes
// scored groups, keeps them in a queue, and hands them out in batches, over the
// API of Atropos and over one of its own, /v1, which is faster and can do more.
// What differs from the original, on purpose, is listed in docs/hub.md.
//
// A post is answered when its groups are on disk. A batch is the trainer's until
// it asks for the next, or says that it has it; it is handed out again, as it was,
// where its reply did not reach the trainer, where the trainer registers anew, where
// another asks after the time of its lease, and after a restart of the hub.
package hub

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/queue"
)

// consumer is the name under which the hub has groups of batches from the queue,
// whichever trainer has them from the hub.
const consumer = "trainer"

// mainRun is the name of the run that the routes of Atropos speak of.
const mainRun = "default"

// A Server is the hub over one queue, or over several, one for each run. All its
// methods may be called from many goroutines at once; but for Run and Handler they
// speak of the run of Config.Queue.
type Server struct {
	*site
	name  string
	queue *queue.Queue

	events journal
	ledger ledger

	// trade is held while a batch is chosen, and while the run changes; sorting
	// while groups of an odd size come in. Both are taken before mu, and calls of
	// the queue come under them. Nothing is encoded under any of them.
	trade   sync.Mutex
	sorting sync.Mutex

	// mu guards what follows. The queue is never called under it; functions that
	// the queue calls may take it.
	mu       sync.RWMutex
	run      run
	changes  uint64 // of run
	step     int
	stepped  chan struct{} // nil: nobody waits for the next step
	open     []*delivery   // batches that are formed and not acknowledged, oldest first
	next     uint64        // number of the last batch that was formed
	acked    ring          // numbers of the last batches that were acknowledged
	moved    chan struct{} // closed when a batch may have become possible; nil: nobody waits
	held     holding
	heard    map[int]time.Time // last sign of life of environments
	latest   []byte            // the group that came last, in the binary form; nil: the one that was put last
	reported map[int]bool      // sizes of groups that fit into no batch, as the log has said already
	counts   counts
}

// counts is what a run has done since the server was made.
type counts struct {
	posts, refused, unfit, torn, again, expired, nacked uint64
	groupsIn, tokensIn, groupsOut, tokensOut            uint64
	batches, acked, full, dropped, letGo                uint64
}

// New returns a server, which goes on where an earlier one over the same queue
// ended.
func New(c Config) (*Server, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return newSite(c.withDefaults()).newServer(context.Background(), mainRun, c.Queue)
}

// newServer returns the server of one run.
func (t *site) newServer(ctx context.Context, name string, q *queue.Queue) (*Server, error) {
	s := &Server{
		site:     t,
		name:     name,
		queue:    q,
		heard:    make(map[int]time.Time),
		reported: make(map[int]bool),
	}
	if err := s.load(ctx); err != nil {
		return nil, fmt.Errorf("hub: %w", err)
	}
	if name == mainRun {
		t.runs.main = s
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
	Envs       int         `json:"envs"`       // environments that registered
	Connected  int         `json:"connected"`  // of those, how many gave a sign of life of late

	Posts     uint64 `json:"posts"`   // requests that brought groups
	Refused   uint64 `json:"refused"` // requests that made no sense
	Full      uint64 `json:"full"`    // requests that brought groups for which there was no room
	GroupsIn  uint64 `json:"groups_in"`
	TokensIn  uint64 `json:"tokens_in"`
	GroupsOut uint64 `json:"groups_out"` // of batches, each time that they are handed out
	TokensOut uint64 `json:"tokens_out"`
	Batches   uint64 `json:"batches"` // that were handed out for the first time
	Again     uint64 `json:"again"`   // batches that were handed out once more
	Acked     uint64 `json:"acked"`   // batches that were acknowledged
	Torn      uint64 `json:"torn"`    // replies with a batch that did not reach the trainer
	Expired   uint64 `json:"expired"` // leases of batches that ran out
	Nacked    uint64 `json:"nacked"`  // batches that were given back
	Unfit     uint64 `json:"unfit"`   // groups whose advantages did not fit their tokens, and were dropped
	Dropped   uint64 `json:"dropped"` // groups that were dropped because there was no room
	LetGo     uint64 `json:"let_go"`  // groups of an odd size that were packed as they were, as nothing made them up
}

// Stats returns what the server holds and has done. Its cost grows with the number of
// kinds of groups that wait, not with how many wait.
func (s *Server) Stats() Stats {
	now := time.Now()
	s.lapse(now)
	st := Stats{Unpackable: s.unpackable(now), Queue: s.queue.Stats()}
	s.mu.RLock()
	defer s.mu.RUnlock()
	st.Registered, st.BatchSize, st.Step = s.run.Registered, s.run.batchSize(), s.step
	st.Held, st.Open = len(s.held.sizes), len(s.open)
	st.Envs = len(s.run.Envs)
	for id := range s.run.Envs {
		if s.alive(id, now) {
			st.Connected++
		}
	}
	c := s.counts
	st.Posts, st.Refused, st.Full, st.Unfit, st.Dropped, st.LetGo = c.posts, c.refused, c.full, c.unfit, c.dropped, c.letGo
	st.GroupsIn, st.TokensIn, st.GroupsOut, st.TokensOut = c.groupsIn, c.tokensIn, c.groupsOut, c.tokensOut
	st.Batches, st.Again, st.Acked, st.Torn, st.Expired, st.Nacked = c.batches, c.again, c.acked, c.torn, c.expired, c.nacked
	return st
}

// count changes the counts.
func (s *Server) count(change func(*counts)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.counts)
}

// A ring is the last numbers that were put into it.
type ring struct {
	last [64]uint64 // 0 is none
	at   int
}

func (r *ring) put(n uint64) {
	r.last[r.at%len(r.last)] = n
	r.at++
}

func (r *ring) has(n uint64) bool { return n != 0 && slices.Contains(r.last[:], n) }

// list returns the numbers, the oldest first.
func (r *ring) list() []uint64 {
	var all []uint64
	for i := range r.last {
		if n := r.last[(r.at+i)%len(r.last)]; n != 0 {
			all = append(all, n)
		}
	}
	return all
}

// BatchSize is the number of sequences in a batch; -1 before a trainer registers.
func (s *Server) BatchSize() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.run.batchSize()
}
