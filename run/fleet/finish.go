package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run/rollout"
)

// mostEpisodes bounds the body of a finish, in bytes.
const mostEpisodes = 1 << 30

// finish closes a lease.
func (c handlers) finish(call *web.Call) error {
	number, err := leaseOfCall(call)
	if err != nil {
		call.SkipBody()
		return err
	}
	f, err := readFinish(call)
	if err != nil {
		return err
	}
	h, verdict, err := c.begin(call, number, f.Instance)
	if err != nil {
		return err
	}
	if h != nil {
		if verdict, err = c.settle(call, h, &f); err != nil {
			return err
		}
	}
	return send(call, verdict)
}

// leaseOfCall is the number of the lease in the path of a call.
func leaseOfCall(call *web.Call) (uint64, error) {
	number, err := strconv.ParseUint(call.Param("number"), 10, 64)
	if err != nil {
		return 0, web.Errorf(http.StatusNotFound, "there is no lease %q", call.Param("number"))
	}
	return number, nil
}

// holding returns a lease that the worker of a call holds; what comes for another one is fenced.
// c.mu is held.
func (c handlers) holding(call *web.Call, number uint64, instance string) (*held, error) {
	w, err := c.known(call, instance)
	if err != nil {
		return nil, err
	}
	if c.over != "" {
		return nil, web.Errorf(http.StatusGone, "lease %d: %v", number, farewell(c.over))
	}
	if h := w.holds[number]; h != nil {
		return h, nil
	}
	w.Fenced++
	c.past.over(Fenced, 1)
	return nil, web.Errorf(http.StatusGone, "lease %d is not this worker's: it ran out, and the problem is another's", number)
}

// begin returns the lease that a worker gives back, which is then busy, or the verdict that it
// got before.
func (c handlers) begin(call *web.Call, number uint64, instance string) (*held, Verdict, error) {
	for {
		c.mu.Lock()
		if answer, finished := c.answer(number); finished { // a lease is held or has an answer: c.mu guards both
			c.mu.Unlock()
			return nil, Verdict{rollout.Drop(answer)}, nil
		}
		h, err := c.holding(call, number, instance)
		if err != nil {
			c.mu.Unlock()
			return nil, Verdict{}, err
		}
		busy := h.busy
		if busy == nil {
			h.busy = make(chan struct{})
			c.mu.Unlock()
			return h, Verdict{}, nil
		}
		c.mu.Unlock()
		select {
		case <-busy:
		case <-call.Context().Done():
			return nil, Verdict{}, call.Context().Err()
		}
	}
}

// answer is what a lease got that is finished.
func (c handlers) answer(number uint64) (answer string, finished bool) {
	if number >= firstExam {
		return c.exams.book.Answer(number)
	}
	return c.book.Answer(number)
}

// settle closes a busy lease as its worker says.
func (c handlers) settle(call *web.Call, h *held, f *Finish) (v Verdict, err error) {
	defer c.release(h)
	ctx, t := context.WithoutCancel(call.Context()), c.tableNow()
	switch {
	case h.asked == nil && (t == nil || h.job.Number() < 0):
		return v, closed(call)
	case f.Returned:
		c.end(h, func(w *worker) { w.Returned++ }, func() {})
		c.giveBack(t, Returned, h)
		return v, c.keep(ctx, h, t)
	}
	if err := c.examine(h, f); err != nil {
		c.fault(h, err)
		return v, web.Errorf(http.StatusUnprocessableEntity, "%v", err)
	}
	r := rollout.Result{Job: h.job, Trajectories: f.Episodes, Again: f.Again, Drop: f.Drop, Lease: c.leaseOf(h)}
	if h.asked != nil {
		c.exams.settle(h, &r)
	} else {
		if v.Drop, err = t.Judge(ctx, r); err != nil {
			return v, c.unkept(t, h, err)
		}
		c.end(h, func(w *worker) { w.Groups++ }, func() { c.book.Finish(h.Number, string(v.Drop)) })
	}
	c.forget(h)
	c.past.over(Played, 1)
	return v, c.keep(ctx, h, t)
}

// keep keeps what became of a lease, unless no record has it.
func (c handlers) keep(ctx context.Context, h *held, t Table) error {
	if h.asked != nil {
		return nil
	}
	return t.Keep(ctx)
}

// end closes a lease, which counts for its worker, and its record.
func (c *Coordinator) end(h *held, count func(*worker), record func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.workers[h.Instance]; w != nil {
		count(w)
	}
	c.drop(h)
	record()
}

// release ends the time in which a lease is busy.
func (c *Coordinator) release(h *held) {
	c.mu.Lock()
	defer c.mu.Unlock()
	close(h.busy)
	h.busy = nil
	if w := c.workers[h.Instance]; w != nil && w.left && len(w.holds) == 0 {
		delete(c.workers, h.Instance)
	}
}

// unkept has the worker try again with a group that the disk does not take.
func (c *Coordinator) unkept(t Table, h *held, err error) error {
	job := t.Job(h.Problem)
	if job.Number() < 0 { // another worker got it meanwhile
		c.end(h, func(*worker) {}, func() { c.book.Return(h.Number) })
		t.Leave()
		return err
	}
	h.job = job
	if errors.Is(err, queue.ErrNoSpace) {
		return web.Errorf(http.StatusInsufficientStorage, "%v: keep the group, and try again", err)
	}
	return err
}

// fault ends a worker that lied: its problems are granted to others.
func (c *Coordinator) fault(h *held, why error) {
	c.mu.Lock()
	w := c.workers[h.Instance]
	if w != nil {
		w.Fault = why.Error()
	}
	var others []*held
	c.drop(h)
	if w != nil {
		others = c.take(w, anyLease)
		c.config.Log.Error("a worker lies, and gets nothing more", "worker", w.Name, "instance", w.Instance, "why", why)
	}
	c.mu.Unlock()
	c.forget(append(others, h)...)
	c.giveBack(c.tableNow(), Lie, h)
	c.giveBack(c.tableNow(), Returned, others...)
}

// examine checks what a worker says that it played, and fills in the problem.
func (c *Coordinator) examine(h *held, f *Finish) error {
	of := h.job.Scenario
	if h.asked != nil {
		of = nil // an evaluation has no tables
	}
	if err := rollout.CheckPlayed(of, h.size, f.Episodes); err != nil {
		return fmt.Errorf("episodes: %w", err)
	}
	for i := range f.Episodes {
		t := &f.Episodes[i]
		if p := t.Problem; p.Task != "" && p.ID() != h.Problem.ID() {
			return fmt.Errorf("episodes[%d].problem: it is %s, and the lease is of %s", i, p.ID(), h.Problem.ID())
		}
		if t.Problem = h.job.Problem; t.Match != nil {
			t.Problem = t.Problem.At(t.Match.Seat)
		}
		if err := cmp.Or(checkEpisode(t), c.config.Weights.check(t)); err != nil {
			return fmt.Errorf("episodes[%d]: %w", i, err)
		}
	}
	return nil
}

// checkEpisode reports the first thing of an episode that no player of ours writes.
func checkEpisode(t *quintain.Trajectory) error {
	if !slices.Contains(quintain.Outcomes, t.Outcome) {
		return fmt.Errorf("outcome: %q is none", t.Outcome)
	}
	if t.Outcome.Rewarded() && len(t.Turns) == 0 && t.Match == nil {
		return errors.New("turns: there are none, and the outcome is rewarded")
	}
	return checkTurns(t)
}

// checkTurns reports the first thing of turns that no player of ours writes.
func checkTurns(t *quintain.Trajectory) error {
	for k := range t.Turns {
		turn := &t.Turns[k]
		if err := quintain.CheckReward(turn.Reward); err != nil {
			return fmt.Errorf("turns[%d]: %w", k, err)
		}
		if err := turn.Check(); err != nil {
			return fmt.Errorf("turns[%d]: %w", k, err)
		}
		if turn.Call != nil && (turn.Call.Parent < -1 || turn.Call.Parent >= k) {
			return fmt.Errorf("turns[%d].call.parent: it is %d", k, turn.Call.Parent)
		}
	}
	return nil
}
