package fleet

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/fleet/lease"
	"github.com/quintain-rl/quintain/run/rollout"
)

// firstExam is where the numbers of the leases of evaluations begin: no run grants as many groups.
// Each process begins at random, since no record keeps them, and below 2⁵³, which any JSON can hold.
const firstExam = 1 << 52

// exams are the problems of an evaluation, for workers. No record keeps them: the process that
// takes a run over holds an evaluation of its own. The coordinator's mu guards them.
type exams struct {
	at      *Coordinator
	book    *lease.Book        // of their leases
	waiting []*asked           // for a worker
	come    context.Context    //nolint:containedctx // ends when the first comes to wait, or groups may begin
	tell    context.CancelFunc // ends come
}

// An asked is a problem of an evaluation.
type asked struct {
	job    rollout.Job
	stream int
	size   int                  // episodes
	lost   int                  // workers
	lease  *held                // the last one
	over   bool                 // it has an answer, or nobody wants one
	answer chan *rollout.Result // gets one; nil: no worker plays it
}

func newExams(at *Coordinator) *exams {
	e := &exams{at: at, book: lease.After(firstExam + rand.Uint64N(firstExam/2))}
	e.come, e.tell = context.WithCancel(context.Background())
	return e
}

// play is the [rollout.Delegate] of evaluations: a worker plays the job. It waits for workers, but
// once the run plays no more, it does not if there is none.
func (e *exams) play(ctx context.Context, job rollout.Job, size int) (r rollout.Result, did bool) {
	a := e.ask(job, size)
	if a == nil {
		return r, false
	}
	select {
	case played := <-a.answer:
		if played == nil {
			return r, false
		}
		return *played, true
	case <-ctx.Done():
		e.withdraw(a)
		return unplayed(job, size, quintain.Trajectory{Outcome: quintain.Cancelled, Error: context.Cause(ctx).Error(), Started: time.Now()}), true
	}
}

// ask lets a problem wait for a worker; nil: no worker may play it.
func (e *exams) ask(job rollout.Job, size int) *asked {
	c := e.at
	a := &asked{job: job, stream: slices.Index(c.config.Labels, job.Label), size: size, answer: make(chan *rollout.Result, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.stream < 0 || c.around.Err() != nil || e.deserted() {
		return nil
	}
	phases{c}.takeOver()
	e.wait(a, len(e.waiting))
	return a
}

// wait has a problem wait at a place of the line. The coordinator's mu is held.
func (e *exams) wait(a *asked, at int) {
	if a.over {
		return
	}
	if e.waiting = slices.Insert(e.waiting, at, a); len(e.waiting) == 1 {
		e.wake()
	}
}

// wake has those who wait for leases look again. The coordinator's mu is held.
func (e *exams) wake() {
	e.tell()
	e.come, e.tell = context.WithCancel(context.Background())
}

// end ends a problem with an answer, if it has none. The coordinator's mu is held.
func (a *asked) end(r *rollout.Result) {
	if !a.over {
		a.over = true
		a.answer <- r
	}
}

// deserted reports whether the run plays no more, and no worker is left. The coordinator's mu is held.
func (e *exams) deserted() bool {
	c := e.at
	if c.last == nil || c.table != nil {
		return false
	}
	for _, w := range c.workers {
		lives := w.asks > 0 || time.Since(w.LastSeen) < c.config.Settings.Lease // one that holds groups is kept
		if w.Fault == "" && !w.left && lives {
			return false
		}
	}
	return true
}

// desert gives up the problems that wait if they are deserted.
func (e *exams) desert() {
	e.at.mu.Lock()
	defer e.at.mu.Unlock()
	if !e.deserted() {
		return
	}
	for _, a := range e.waiting {
		a.end(nil)
	}
	e.waiting = nil
}

// withdraw ends a problem that nobody wants any more; a worker that holds it hears so.
func (e *exams) withdraw(a *asked) {
	c := e.at
	c.mu.Lock()
	defer c.mu.Unlock()
	a.over = true
	e.waiting = slices.DeleteFunc(e.waiting, func(other *asked) bool { return other == a })
	if h := a.lease; h != nil && h.busy == nil && c.held[h.Number] == h {
		c.drop(h)
		e.book.Return(h.Number)
	}
	c.journals.drop(a.job.Problem)
}

// give gives problems to a worker that may take so many groups. If there are none, come ends when
// there are.
func (e *exams) give(instance string, groups int) (leases []Lease, come context.Context, err error) {
	c := e.at
	c.mu.Lock()
	defer c.mu.Unlock()
	w := c.workers[instance]
	switch {
	case !c.isOpen():
		return nil, nil, errClosed
	case w == nil || w.Fault != "":
		return nil, nil, errUnknown
	}
	now := time.Now()
	for room := groups * c.config.GroupSize; len(e.waiting) > 0 && (len(leases) == 0 || room >= e.waiting[0].size); {
		a := e.waiting[0]
		e.waiting = e.waiting[1:]
		h := &held{Lease: e.book.Grant(instance, a.job.Problem), asked: a, size: a.size, job: a.job, granted: now}
		a.lease, h.Attempt = h, a.lost+1
		c.hold(w, h)
		w.LastSeen = now
		leases = append(leases, Lease{Number: h.Number, Attempt: h.Attempt, Stream: a.stream, Problem: a.job.Problem, Exam: a.size, Begun: c.journals.has(a.job.Problem)})
		room -= a.size
	}
	c.past.given(len(leases))
	return leases, e.come, nil
}

// settle closes a busy lease with what its worker played.
func (e *exams) settle(h *held, r *rollout.Result) {
	e.at.end(h, func(w *worker) { w.Examined++ }, func() {
		e.book.Finish(h.Number, "")
		h.asked.end(r)
	})
}

// again has another worker get the problem of a lease; lost says that this one was lost.
func (e *exams) again(h *held, lost bool) {
	e.book.Return(h.Number)
	e.at.mu.Lock()
	defer e.at.mu.Unlock()
	if lost {
		h.asked.lost = h.Attempt
	}
	e.wait(h.asked, 0)
}

// giveUp ends the problem of a lease that lost too many workers: its episodes failed.
func (e *exams) giveUp(h *held, r *rollout.Result) {
	e.book.Return(h.Number)
	e.at.mu.Lock()
	defer e.at.mu.Unlock()
	h.asked.end(r)
}
