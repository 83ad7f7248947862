package fleet

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/fleet/lease"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A Table is where a coordinator takes the problems of a run; see [run.Table].
type Table interface {
	Admit(ctx context.Context) error // until a group may start
	Leave()                          // of a group that was admitted
	Next() (rollout.Job, error)
	Return(job rollout.Job)
	Job(p quintain.Problem) rollout.Job
	Resume()
	Judge(ctx context.Context, result rollout.Result) (rollout.Drop, error)
	Keep(ctx context.Context) error
	Room() int
	Version() int
	Finished() string // why the run is over; empty: it is not, or somebody stopped it
}

// A Config configures a coordinator.
type Config struct {
	Settings  Settings
	Play      Play         // for workers
	Weights   *Weights     // that workers sample with; nil: the run trains no tiny policy
	GroupSize int          // episodes of a group
	Labels    []string     // of the streams, in their order; evaluations name them
	Slots     int          // of a worker, until one has come; default: one group
	Log       *slog.Logger // default: none
}

// A Coordinator grants the problems of a run to workers. Many goroutines may use it.
type Coordinator struct {
	config   Config
	process  string // see [HeaderProcess]
	book     *lease.Book
	past     *past
	journals journals
	gate     chan struct{} // whoever waits at the gate puts an element in

	servers servers

	mu      sync.Mutex
	around  context.Context //nolint:containedctx // ends when the run is over; see Around
	running context.Context //nolint:containedctx // ends when the run plays no more
	table   Table           // nil: the run does not play
	last    Table           // the one before that; nil: there was none
	taken   bool            // the leases of an earlier process are held
	why     string          // the run plays no more; empty: it may go on
	over    string          // why, and the workers are to hear it; empty: the run is not over
	exams   *exams
	workers map[string]*worker // by instance
	policy  player.Identity    // of the run, as far as it is known
	served  func() string      // the model of the run's own inference server; empty: not known. nil: there is none
	held    map[uint64]*held   // open leases, by number
	slots   int                // of a worker, in the mean; that of the last ones if there is none
}

// A worker is a process that plays.
type worker struct {
	Worker
	holds   map[uint64]*held
	servers map[string]Server // that it uses
	left    bool              // it has taken leave, and a finish is under way
	asks    int               // its calls for leases that wait
}

// A held is an open lease.
type held struct {
	lease.Lease
	job     rollout.Job // none: an earlier process granted it, and the run does not play yet
	asked   *asked      // for an evaluation; nil: by the run
	size    int         // episodes
	granted time.Time
	busy    chan struct{} // closed when the finish under way is over; nil: there is none
}

// New returns a coordinator. Run opens it.
func New(c Config) *Coordinator {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	to := &Coordinator{
		process: rand.Text(), config: c, book: lease.New(), past: &past{ended: map[Ending]int{}}, journals: journals{most: c.Settings.Journal << 20, of: map[string]*journal{}}, gate: make(chan struct{}, 1), workers: map[string]*worker{}, held: map[uint64]*held{},
		around: ended(context.Background()), policy: c.Play.Policy,
		slots: max(1, cmp.Or(c.Slots, c.GroupSize)), servers: servers{lags: remote.NewServerLags("quintain_fleet_server_"), last: remote.UnknownVersion},
	}
	to.exams = newExams(to)
	return to
}

// Part is what the run's record keeps of the coordinator; see [run.Config].
func (c *Coordinator) Part() run.Part { return c.book }

// Join has workers play the problems of a run and of its evaluations, and the run beside them if it
// has slots of its own.
func (c *Coordinator) Join(to *run.Config) {
	if of, ok := to.Policy.(interface{ Model() string }); ok {
		c.mu.Lock()
		c.served = of.Model
		c.mu.Unlock()
	}
	to.Players = run.Players{Part: c.Part(), Examine: c.exams.play, Play: func(ctx context.Context, t *run.Table) error {
		leases := func(ctx context.Context) error { return c.Run(ctx, t) }
		if c.config.Settings.OwnSlots == 0 {
			return leases(ctx)
		}
		return run.Together(ctx, leases, func(ctx context.Context) error { return t.Play(ctx, c.config.Settings.OwnSlots) })
	}}
}

// Run grants the problems of a run until ctx ends: those that an earlier process granted stay
// granted. It is the part of the run that plays; see [run.Config]. If the run is over then, the
// workers give everything back, and hear so after the last evaluation; see Around.
func (c *Coordinator) Run(ctx context.Context, t Table) error {
	phases{c}.open(ctx, t)
	tick := time.NewTicker(c.config.Settings.Lease / 15)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			phases{c}.close()
			if why := t.Finished(); why != "" {
				return phases{c}.takeBack(context.WithoutCancel(ctx), t, why)
			}
			return nil
		case now := <-tick.C:
			c.tick(ctx, now, true)
		}
	}
}

// tick looks after the workers, while the run plays, or does not.
func (c *Coordinator) tick(ctx context.Context, now time.Time, plays bool) {
	for _, h := range c.expire(now, plays) {
		c.lose(ctx, h)
	}
	c.look(now)
}

// isOpen reports whether workers may come: the run plays, or an evaluation may. c.mu is held.
func (c *Coordinator) isOpen() bool { return c.table != nil || c.taken && c.around.Err() == nil }

// hold enters an open lease. c.mu is held.
func (c *Coordinator) hold(w *worker, h *held) {
	c.held[h.Number], w.holds[h.Number] = h, h
	w.Leases = len(w.holds)
}

// drop takes an open lease out. c.mu is held.
func (c *Coordinator) drop(h *held) {
	delete(c.held, h.Number)
	if w := c.workers[h.Instance]; w != nil {
		delete(w.holds, h.Number)
		w.Leases = len(w.holds)
	}
}

// expire takes the leases from workers that gave no sign of life, and forgets the workers. To
// wait for a lease is a sign of life of one that holds none. While the run does not play, groups
// stay: their problems cannot be granted again.
func (c *Coordinator) expire(now time.Time, plays bool) (lost []*held) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if plays != (c.table != nil) {
		return nil
	}
	for id, w := range c.workers {
		idle := w.asks > 0 && len(w.holds) == 0
		if now.Sub(w.LastSeen) < c.config.Settings.Lease || idle || w.finishes() {
			continue
		}
		gone := w.Worker
		taken := c.take(w, func(h *held) bool { return plays || h.asked != nil })
		lost = append(lost, taken...)
		if len(w.holds) > 0 {
			continue
		}
		c.config.Log.Warn("a worker is lost", "worker", w.Name, "instance", id, "leases", len(taken))
		gone.Expired = len(taken)
		c.past.lose(gone)
		delete(c.workers, id)
	}
	return lost
}

// finishes reports whether a finish of the worker is under way.
func (w *worker) finishes() bool {
	for _, h := range w.holds {
		if h.busy != nil {
			return true
		}
	}
	return false
}

// anyLease says that any lease will do.
func anyLease(*held) bool { return true }

// take takes leases from a worker, but those that it is giving back. c.mu is held.
func (c *Coordinator) take(w *worker, which func(*held) bool) (all []*held) {
	for _, h := range w.holds {
		if h.busy == nil && which(h) {
			all = append(all, h)
			c.drop(h)
		}
	}
	return all
}

// lose grants the problem of a lost lease again, unless too many workers were lost with it.
func (c *Coordinator) lose(ctx context.Context, h *held) {
	c.past.over(Expired, 1)
	t, again := c.tableNow(), h.Attempt < c.config.Settings.Attempts
	switch {
	case again && h.asked != nil:
		c.exams.again(h, true)
		return
	case h.asked == nil && t == nil: // the run ends: the next process finds the lease
		return
	case again:
		c.book.Expire(h.Number)
		t.Return(h.job)
		return
	}
	why := fmt.Sprintf("%s lost while playing it", stats.Count(h.Attempt, "worker"))
	c.past.giveUp(h)
	c.forget(h)
	c.config.Log.Error("a problem is given up", "problem", h.Problem.ID(), "why", why)
	r := unplayed(h.job, h.size, quintain.Trajectory{Outcome: quintain.EnvFailed, Error: why, Started: h.granted})
	r.Lease = c.leaseOf(h)
	if h.asked != nil {
		c.exams.giveUp(h, &r)
		return
	}
	c.book.Finish(h.Number, string(rollout.DropEnvFailed))
	if _, err := t.Judge(ctx, r); err != nil {
		c.config.Log.Error("a problem that is given up cannot be kept", "problem", h.Problem.ID(), "err", err)
	}
}

// unplayed is the result of a job that nobody could play, with so many episodes alike.
func unplayed(job rollout.Job, size int, alike quintain.Trajectory) rollout.Result {
	r := rollout.Result{Job: job}
	for i := range size {
		alike.ID, alike.Problem = fmt.Sprintf("%s#%d", job.Problem.ID(), i), job.Problem
		r.Trajectories = append(r.Trajectories, alike)
	}
	return r
}

// leaseOf says who held a lease.
func (c *Coordinator) leaseOf(h *held) *rollout.Lease {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := &rollout.Lease{Number: h.Number, Attempt: h.Attempt, Granted: h.granted}
	if w := c.workers[h.Instance]; w != nil {
		l.Worker, l.Model = w.Name, w.Model
	}
	return l
}

// giveBack grants the problems of leases again, which ended so; t is nil if the run does not play.
func (c *Coordinator) giveBack(t Table, how Ending, all ...*held) {
	c.past.over(how, len(all))
	for _, h := range all {
		if h.asked != nil {
			c.exams.again(h, false)
			continue
		}
		c.book.Return(h.Number)
		if t != nil && h.job.Number() >= 0 {
			t.Return(h.job)
		}
	}
}

// tableNow is the table of the run; nil: it is not open.
func (c *Coordinator) tableNow() Table {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.table
}

// errClosed says that the run is not open.
var errClosed = errors.New("the run begins, or ends: ask again")

// An ask is what a worker asks for.
type ask struct {
	most  int  // groups
	exams bool // it takes problems of evaluations alone, with as many episodes
}

// grant waits for problems, and gives them to a worker.
func (c *Coordinator) grant(ctx context.Context, instance string, of ask) ([]Lease, error) {
	for {
		leases, come, err := c.exams.give(instance, of.most)
		if err != nil || len(leases) > 0 {
			return leases, err
		}
		waiting, end := context.WithCancel(ctx)
		stop := context.AfterFunc(come, end)
		leases, err = c.grantGroups(waiting, instance, of)
		stop()
		end()
		if err != nil || len(leases) > 0 || ctx.Err() != nil {
			return leases, err
		}
	}
}

// grantGroups waits for problems of the run, and gives them to a worker.
func (c *Coordinator) grantGroups(ctx context.Context, instance string, of ask) ([]Lease, error) {
	t := c.tableNow()
	if t == nil || of.exams {
		<-ctx.Done()
		return nil, nil
	}
	jobs, err := c.draw(ctx, t, of.most)
	if err != nil {
		return nil, err
	}
	leases, given := c.give(instance, jobs)
	if !given { // it was lost meanwhile
		for _, job := range jobs {
			t.Return(job)
		}
		return nil, errUnknown
	}
	if len(leases) == 0 {
		return nil, nil
	}
	return leases, t.Keep(context.WithoutCancel(ctx))
}

// draw waits until a group may start, and takes as many more problems as may start at once. One
// worker waits at the gate at a time, and the others for their turn.
func (c *Coordinator) draw(ctx context.Context, t Table, most int) (jobs []rollout.Job, err error) {
	n, err := c.admit(ctx, t, most)
	for range n {
		job, failed := t.Next()
		if failed != nil {
			t.Leave()
			err = errors.Join(err, failed)
			continue
		}
		jobs = append(jobs, job)
	}
	if err != nil {
		for _, job := range jobs {
			t.Return(job)
		}
		return nil, err
	}
	return jobs, nil
}

// admit waits until a group may start, and returns how many of up to most may. There are none if
// ctx ends first.
func (c *Coordinator) admit(ctx context.Context, t Table, most int) (n int, err error) {
	select {
	case c.gate <- struct{}{}:
	default:
		select {
		case c.gate <- struct{}{}:
		case <-ctx.Done():
			return 0, nil
		}
	}
	defer func() { <-c.gate }()
	for now := ended(ctx); n < most; n++ {
		at := now
		if n == 0 {
			at = ctx
		}
		err := t.Admit(at)
		if err != nil && at.Err() != nil {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// ended returns a context that has ended: what waits with it does not.
func ended(ctx context.Context) context.Context {
	over, end := context.WithCancel(ctx)
	end()
	return over
}

// give makes leases of jobs; given is false if the worker is not known any more.
func (c *Coordinator) give(instance string, jobs []rollout.Job) (leases []Lease, given bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.workers[instance]
	if w == nil || w.Fault != "" {
		return nil, false
	}
	w.LastSeen = time.Now()
	for _, job := range jobs {
		l := c.book.Grant(instance, job.Problem)
		c.hold(w, &held{Lease: l, size: c.config.GroupSize, job: job, granted: time.Now()})
		leases = append(leases, Lease{
			Number: l.Number, Attempt: l.Attempt, Stream: job.Number(), Problem: job.Problem, Begun: c.journals.has(job.Problem),
			Span: (&rollout.Lease{Number: l.Number}).Span(job.Span).String(),
		})
	}
	c.past.given(len(jobs))
	return leases, true
}

// Roster lists the workers.
func (c *Coordinator) Roster() Roster {
	r := Roster{Workers: []Worker{}, Oldest: []HeldLease{}}
	r.Wanted, r.WantedWorkers = c.wanted()
	c.mu.Lock()
	for _, w := range c.workers {
		r.Workers = append(r.Workers, w.Worker)
	}
	numbers := slices.Sorted(maps.Keys(c.held))
	r.Held = len(numbers)
	for _, n := range numbers[:min(r.Held, MostOldest)] {
		h := c.held[n]
		one := HeldLease{Number: h.Number, Attempt: h.Attempt, Problem: h.Problem.ID(), Exam: h.asked != nil, Since: h.granted}
		if w := c.workers[h.Instance]; w != nil {
			one.Worker = w.Name
		}
		r.Oldest = append(r.Oldest, one)
	}
	c.mu.Unlock()
	slices.SortFunc(r.Workers, func(a, b Worker) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Instance, b.Instance))
	})
	c.past.fill(&r)
	return r
}

// Collectors returns the metrics of the coordinator, to be registered.
func (c *Coordinator) Collectors() []prometheus.Collector {
	locked := func(n func() int) func() float64 {
		return func() float64 {
			c.mu.Lock()
			defer c.mu.Unlock()
			return float64(n())
		}
	}
	gauge := func(name, help string, of func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, of)
	}
	return []prometheus.Collector{
		c.past, c.servers.lags,
		gauge("quintain_fleet_workers", "Workers that gave a sign of life.", locked(func() int { return len(c.workers) })),
		gauge("quintain_fleet_leases", "Problems that workers hold.", locked(func() int { return len(c.held) })),
		gauge("quintain_fleet_journal_bytes", "Memory for the turns of episodes under way; see fleet.journal.", c.journals.size),
		gauge("quintain_wanted_slots", "Episodes that may be under way: what workers hold, and what the gate has room for.", func() float64 {
			episodes, _ := c.wanted()
			return float64(episodes)
		}),
		gauge("quintain_wanted_workers", "Workers that could play these episodes, by the mean of their slots: what to scale workers by.", func() float64 {
			_, workers := c.wanted()
			return float64(workers)
		}),
	}
}
