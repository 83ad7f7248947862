package fake

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/quintain-rl/quintain"
)

// A job is a request for samples.
type job struct {
	id       string
	prompt   []quintain.Token
	n        int
	sampling quintain.Sampling
	stream   bool
	interval int  // tokens of an event; 0: as the server is set
	ids      bool // the answer is to have token IDs
	text     bool // the prompt was a text, so the answer tells the texts of tokens
	top      int  // likeliest tokens for each given one; with score
	score    bool // only the log-probabilities of the prompt are wanted

	abort chan struct{} // closed when the job is aborted
	once  sync.Once
}

// An engine has jobs wait and run. Its zero value is to be started.
type engine struct {
	weights atomic.Pointer[Weights]
	entry   gate // shut: no job starts
	step    gate // shut: no job goes on
	sampled atomic.Int64

	mu      sync.Mutex
	most    int // sequences that run at once
	running int
	waiting []*waiter
	jobs    map[*job]bool // those that run or wait
	tokens  int           // of the jobs that run
	idle    chan struct{} // closed when none runs; nil: nobody waits for that
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

// A gate stops those who come to it while it is shut.
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

// pass waits until the gate is open, and returns why it was not.
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

// An end is why a job does not go on.
type end string

const (
	aborted end = "abort"
	hungUp  end = "hung up"
)

// wait waits for c, the abortion of j or the end of ctx.
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

// enter waits until there is room for j, in the order of arrival.
func (e *engine) enter(ctx context.Context, j *job) end {
	e.mu.Lock()
	e.jobs[j] = true
	e.mu.Unlock()
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
	if why != "" { // it had just been let in
		e.release(j)
	}
	return why
}

// leave makes room for those who wait, if j had entered.
func (e *engine) leave(j *job, entered bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.jobs, j)
	if entered {
		e.release(j)
	}
}

// release makes room for those who wait. It is called with the lock.
func (e *engine) release(j *job) {
	e.running -= min(j.n, e.most)
	e.tokens -= len(j.prompt)
	e.admit()
	if e.running == 0 && e.idle != nil {
		close(e.idle)
		e.idle = nil
	}
}

// admit lets in those who wait, as far as there is room. It is called with the lock.
func (e *engine) admit() {
	for len(e.waiting) > 0 && e.running+e.waiting[0].n <= e.most {
		e.running += e.waiting[0].n
		close(e.waiting[0].ready)
		e.waiting = e.waiting[1:]
	}
}

// abort ends the jobs of an id, or all.
func (e *engine) abort(id string, all bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for j := range e.jobs {
		if all || j.id == id && id != "" {
			j.once.Do(func() { close(j.abort) })
		}
	}
}

// drained returns a channel that is closed when no job runs.
func (e *engine) drained() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.idle == nil {
		e.idle = make(chan struct{})
	}
	idle := e.idle
	if e.running == 0 {
		close(e.idle)
		e.idle = nil
	}
	return idle
}

// load is how many sequences run and wait, and how many tokens they have.
func (e *engine) load() (running, waiting, tokens int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, w := range e.waiting {
		waiting += w.n
	}
	return e.running, waiting, e.tokens
}
