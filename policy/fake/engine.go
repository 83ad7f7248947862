package fake

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
)

// A job is a request for samples.
type job struct {
	id       string
	prompt   []quintain.Token
	n        int
	sampling quintain.Sampling
	stream   bool
	interval int  // tokens per event; 0: the server's setting
	ids      bool // the answer includes token IDs
	text     bool // the prompt was text, so the answer has the tokens' texts
	top      int  // likeliest tokens reported for each given one; with score
	score    bool // only score the prompt

	stop     []string // texts that end a reply
	keepStop bool     // the answer's text has the stop text

	schema json.RawMessage // that the reply should keep to; nil: none
	probs  bool            // of chat: its log-probabilities are wanted

	arrived time.Time

	abort chan struct{} // closed when the job is aborted
	once  sync.Once
}

// cancel aborts j.
func (j *job) cancel() { j.once.Do(func() { close(j.abort) }) }

// An engine queues jobs and runs them. Start it before use.
type engine struct {
	weights atomic.Pointer[Weights]
	entry   gate // shut: no job starts
	step    gate // shut: no job goes on
	sampled atomic.Int64

	mu      sync.Mutex
	most    int // sequences that run at once
	running int
	waiting []*waiter
	jobs    map[*job]bool // running or waiting
	tokens  int           // of the running jobs
	idle    pause.Signal  // no job runs
}

// A waiter is a job in the queue.
type waiter struct {
	n     int
	ready chan struct{}
}

func (e *engine) start(w *Weights, most int) {
	e.weights.Store(w)
	e.most, e.jobs = most, map[*job]bool{}
	if most == 0 {
		e.most = math.MaxInt
	}
}

// A gate, while shut, stops all comers.
type gate struct{ shut atomic.Pointer[chan struct{}] }

func (g *gate) close() {
	c := make(chan struct{})
	g.shut.CompareAndSwap(nil, &c)
}

func (g *gate) open() {
	if c := g.shut.Swap(nil); c != nil {
		close(*c)
	}
}

// pass waits until the gate opens, or returns why it did not.
func (g *gate) pass(ctx context.Context, j *job) end {
	for {
		c := g.shut.Load()
		if c == nil {
			return ""
		}
		if why := wait(ctx, j, *c); why != "" {
			return why
		}
	}
}

// An end says why a job stops.
type end string

const (
	aborted end = "abort"
	hungUp  end = "hung up"
)

// wait waits for c, j's abortion or the end of ctx.
func wait[T any](ctx context.Context, j *job, c <-chan T) end {
	select {
	case <-c:
		return ""
	case <-j.abort:
		return aborted
	case <-ctx.Done():
		return hungUp
	}
}

// enter waits for a slot for j, first come, first served.
func (e *engine) enter(ctx context.Context, j *job) end {
	e.mu.Lock()
	e.jobs[j] = true
	e.mu.Unlock()
	select {
	case <-j.abort:
		return aborted
	default:
	}
	if why := e.entry.pass(ctx, j); why != "" {
		return why
	}
	n := min(j.n, e.most)
	e.mu.Lock()
	if len(e.waiting) == 0 && e.running+n <= e.most {
		e.running += n
		e.tokens += len(j.prompt)
		e.mu.Unlock()
		return ""
	}
	w := &waiter{n, make(chan struct{})}
	e.waiting = append(e.waiting, w)
	e.mu.Unlock()
	why := wait(ctx, j, w.ready)
	e.mu.Lock()
	defer e.mu.Unlock()
	if at := slices.Index(e.waiting, w); at >= 0 {
		e.waiting = slices.Delete(e.waiting, at, at+1)
		e.admit()
		return why
	}
	e.tokens += len(j.prompt)
	if why != "" { // it was admitted just now
		e.release(j)
	}
	return why
}

// leave frees j's slot, if it had one, for the waiting jobs.
func (e *engine) leave(j *job, entered bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.jobs, j)
	if entered {
		e.release(j)
	}
}

// release frees j's slot for the waiting jobs. The caller holds the lock.
func (e *engine) release(j *job) {
	e.running -= min(j.n, e.most)
	e.tokens -= len(j.prompt)
	e.admit()
	if e.running == 0 {
		e.idle.Wake()
	}
}

// admit starts waiting jobs while slots are free. The caller holds the lock.
func (e *engine) admit() {
	for len(e.waiting) > 0 && e.running+e.waiting[0].n <= e.most {
		e.running += e.waiting[0].n
		close(e.waiting[0].ready)
		e.waiting = e.waiting[1:]
	}
}

// abort ends the jobs of an ID, or all.
func (e *engine) abort(id string, all bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for j := range e.jobs {
		if all || j.id == id && id != "" {
			j.cancel()
		}
	}
}

// drained returns a channel that is closed when no job runs.
func (e *engine) drained() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	idle := e.idle.Next()
	if e.running == 0 {
		e.idle.Wake()
	}
	return idle
}

// load returns the numbers of running and waiting sequences, and of their tokens.
func (e *engine) load() (running, waiting, tokens int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.waiting {
		waiting += w.n
	}
	return e.running, waiting, e.tokens
}
