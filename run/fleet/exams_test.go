package fleet

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
)

// An exam is an evaluation under way: the results of its problems come from a channel.
type exam chan *rollout.Result

// asks has a coordinator hold an evaluation of n problems with some samples, in their order.
func asks(ctx context.Context, t *testing.T, c *Coordinator, n, samples int) exam {
	t.Helper()
	var to run.Config
	c.Join(&to)
	results, of := make(exam, n), streams(t)[0]
	for i := range n {
		p, err := of.Scenario.Problem(quintain.Draw{Seed: 99, Index: i})
		if err != nil {
			t.Fatal(err)
		}
		before := c.examined()
		go func() {
			r, did := to.Players.Examine(ctx, rollout.Job{Scenario: of.Scenario, Problem: p, Label: "spell_backward"}, samples)
			if results <- &r; !did {
				results <- nil
			}
		}()
		for c.examined() == before && len(results) == 0 { // it is not asked for yet
			runtime.Gosched()
		}
	}
	return results
}

// examined counts the problems of an evaluation that wait or are held.
func (c *Coordinator) examined() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.exams.waiting)
	for _, h := range c.held {
		if h.asked != nil {
			n++
		}
	}
	return n
}

// answers is what a worker plays of an evaluation: each episode with a score.
func answers(i, samples int) Finish {
	f := Finish{Instance: name(i)}
	for range samples {
		f.Episodes = append(f.Episodes, quintain.Trajectory{Outcome: quintain.Scored, Turns: []quintain.Turn{turn(1)}})
	}
	return f
}

// The problems of an evaluation go before groups, and their episodes back to whoever examines: never
// to the run, and not through its gate.
func TestWorkersPlayEvaluations(t *testing.T) {
	s := newSite(t, newDesk(t, 0), nil)
	s.join(1)
	woken := make(chan []Lease)
	go func() {
		var g Grant
		s.ask("POST", "/leases?wait=300&max=1&instance="+name(1), nil, &g)
		woken <- g.Leases
	}()
	for len(s.gate) == 0 { // it does not wait yet
	}
	results := asks(t.Context(), t, s.Coordinator, 1, 1)
	one := <-woken
	if len(one) != 1 || one[0].Exam != 1 || one[0].Problem.Seed != 99 || one[0].Problem.Prompt == "" || one[0].Number < firstExam {
		t.Fatalf("who waits at the closed gate gets %+v", one)
	}
	for range 2 { // its answer may be lost
		if status := s.finish(one[0], answers(1, 1)); status != http.StatusOK {
			t.Errorf("finish: status %d", status)
		}
	}
	if r := <-results; len(r.Trajectories) != 1 || r.Trajectories[0].Reward() != 0.5 || r.Trajectories[0].Problem.ID() != one[0].Problem.ID() || r.Lease.Worker != "w1" {
		t.Errorf("the result is %+v", r)
	}
	asks(t.Context(), t, s.Coordinator, 5, 3)
	var r Roster
	if s.ask("GET", "/workers", nil, &r); r.Wanted != 15 || r.WantedWorkers != 2 {
		t.Errorf("%d slots and %d workers are wanted for 15 episodes, by 8 slots", r.Wanted, r.WantedWorkers)
	}
	s.join(2)
	first, second := s.take(1, 3), s.take(2, 1)
	if len(first) != 2 || len(second) != 1 || first[1].Problem.Index != 1 || second[0].Problem.Index != 2 {
		t.Errorf("three groups of two give %d problems of three episodes, want 2; one group gives %d, want 1", len(first), len(second))
	}
	if status := s.finish(first[0], Finish{Instance: name(1), Returned: true}); status != http.StatusOK {
		t.Errorf("return: status %d", status)
	}
	if again := s.take(2, 2); len(again) != 1 || again[0].Problem.ID() != first[0].Problem.ID() || again[0].Attempt != 1 {
		t.Errorf("a returned problem comes back as %+v", again)
	}
	if s.ask("GET", "/workers", nil, &r); r.Workers[0].Examined != 1 || r.Workers[0].Groups != 0 || r.Held != 3 || !r.Oldest[0].Exam {
		t.Errorf("the roster is %+v", r)
	}
	if len(s.desk.judged) != 0 || len(s.book.Open()) != 0 {
		t.Errorf("the run has %+v, and its record %+v", s.desk.judged, s.book.Open())
	}
}

// A problem of a lost worker is another's; one that loses three has failed, which is no score of 0.
func TestEvaluationsOutliveTheirWorkers(t *testing.T) {
	s := newSite(t, newDesk(t, 0), nil)
	results := asks(t.Context(), t, s.Coordinator, 2, 1)
	s.join(1)
	old := s.take(1, 1)
	s.join(2)
	s.pass(2)
	if status := s.finish(old[0], answers(1, 1)); status != http.StatusGone {
		t.Errorf("a lost worker's answers: status %d", status)
	}
	now := s.take(2, 1)
	if len(old) != 2 || len(now) != 2 || now[0].Attempt != 2 || now[0].Number <= old[1].Number {
		t.Fatalf("the problems %+v of a lost worker come back as %+v", old, now)
	}
	if status := s.finish(now[1], answers(2, 1)); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	if r := <-results; r.Trajectories[0].Reward() != 0.5 || r.Lease.Attempt != 2 {
		t.Errorf("the result is %+v", r)
	}
	s.pass()
	s.join(3)
	s.take(3, 1)
	s.pass()
	if r := <-results; len(r.Trajectories) != 1 || r.Trajectories[0].Outcome != quintain.EnvFailed || !strings.HasPrefix(r.Trajectories[0].Error, "3 workers lost") {
		t.Errorf("the result of a problem that loses all workers is %+v", r)
	}
	if p := s.Roster().Poison; len(p) != 1 || p[0].Problem != now[0].Problem.ID() || len(s.desk.judged) > 0 {
		t.Errorf("given up are %+v; the run has %+v", p, s.desk.judged)
	}
}

// A worker that lies about an evaluation changes no result of it.
func TestLiesInEvaluations(t *testing.T) {
	s := newSite(t, newDesk(t, 0), nil)
	results := asks(t.Context(), t, s.Coordinator, 2, 1)
	s.join(1)
	all := s.take(1, 1)
	if status := s.finish(all[0], answers(1, 2)); status != http.StatusUnprocessableEntity {
		t.Errorf("two episodes in place of one: status %d", status)
	}
	s.join(2)
	if again := s.take(2, 1); len(again) != 2 || again[0].Attempt != 1 || len(results) > 0 {
		t.Errorf("others get %+v; results: %d", again, len(results))
	}
}

// What nobody wants any more is taken from the workers, and its answers are refused.
func TestAnEvaluationIsCut(t *testing.T) {
	s := newSite(t, newDesk(t, 0), nil)
	ctx, cut := context.WithCancel(t.Context())
	results := asks(ctx, t, s.Coordinator, 3, 1)
	s.join(1)
	all := s.take(1, 1)
	cut()
	for range 3 {
		if r := <-results; len(r.Trajectories) != 1 || r.Trajectories[0].Outcome != quintain.Cancelled {
			t.Errorf("the result is %+v", r)
		}
	}
	var a Answer
	s.ask("POST", "/workers/"+name(1)+"/beat", Beat{Leases: []uint64{all[0].Number}}, &a)
	if len(a.Gone) != 1 {
		t.Errorf("a beat is answered with %+v", a)
	}
	if status := s.finish(all[0], answers(1, 1)); status != http.StatusGone {
		t.Errorf("answers that nobody wants: status %d", status)
	}
	if more := s.take(1, 9); len(more) > 0 {
		t.Errorf("there are still %+v", more)
	}
}

// stage is a coordinator beside a run that does not play yet.
func stage(t *testing.T, c *Coordinator) (over func()) {
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	serve := c.Around(func(ctx context.Context) error { <-ctx.Done(); return nil })
	go func() { ended <- serve(ctx) }()
	synctest.Wait()
	return func() {
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}

// wait lets time pass in which a worker is lost.
func wait(t *testing.T) {
	pause.For(t.Context(), time.Minute)
	synctest.Wait()
}

// A view is what a coordinator has at a time.
type view struct {
	held             map[uint64]bool // leases, and whether the run knows their jobs
	waiting, workers int
	over             string
}

func (c *Coordinator) view() view {
	c.mu.Lock()
	defer c.mu.Unlock()
	v := view{map[uint64]bool{}, len(c.exams.waiting), len(c.workers), c.over}
	for n, h := range c.held {
		v.held[n] = h.job.Number() >= 0
	}
	return v
}

// enter registers a worker that was here just now.
func (c *Coordinator) enter(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.workers[id] == nil {
		c.workers[id] = &worker{holds: map[uint64]*held{}, Worker: Worker{Instance: id, Slots: 8}}
	}
	c.workers[id].LastSeen = time.Now()
}

// Evaluations before and after the run plays are the workers', too. An earlier process's groups stay
// with their workers meanwhile. When no worker is left at the end, the coordinator examines itself.
func TestEvaluationsBeforeAndAfterTheRunPlays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := newDesk(t, 1)
		job, err := before.Next()
		if err != nil {
			t.Fatal(err)
		}
		mix, err := before.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		d := newDesk(t, 1)
		if err := d.UnmarshalJSON(mix); err != nil {
			t.Fatal(err)
		}
		c := New(Config{Settings: Defaults(), GroupSize: size, Labels: []string{"other", "spell_backward"}})
		group := c.book.Grant("w", job.Problem)
		over := stage(t, c)
		if _, err := c.grant(t.Context(), "w", ask{most: 1}); err != errClosed {
			t.Errorf("before the first evaluation: error %v", err)
		}
		results := asks(t.Context(), t, c, 2, 1)
		c.enter("w")
		all, err := c.grant(t.Context(), "w", ask{most: 1})
		v := c.view()
		if known, ok := v.held[group.Number]; err != nil || len(all) != 2 || all[0].Stream != 1 || !ok || known {
			t.Fatalf("leases %+v, error %v; %+v", all, err, v)
		}
		wait(t) // the worker is lost with the evaluation
		v = c.view()
		if _, ok := v.held[group.Number]; !ok || v.waiting != 2 || v.workers != 1 {
			t.Errorf("%+v", v)
		}
		c.enter("w")
		playing, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(playing, d) }()
		synctest.Wait()
		if v = c.view(); !v.held[group.Number] || d.Room() != 0 {
			t.Errorf("when the run plays: %+v; room for %d", v, d.Room())
		}
		all, err = c.grant(t.Context(), "w", ask{most: 1})
		if err != nil || len(all) != 2 || all[0].Attempt != 2 {
			t.Errorf("leases %+v, error %v", all, err)
		}
		for _, l := range all {
			c.mu.Lock()
			h := c.held[l.Number]
			c.mu.Unlock()
			r := unplayed(h.job, 1, quintain.Trajectory{Outcome: quintain.Scored})
			c.exams.settle(h, &r)
			if r := <-results; r.Trajectories[0].Outcome != quintain.Scored {
				t.Errorf("the result is %+v", r)
			}
		}
		d.finished = "it made its 3 steps"
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if v = c.view(); len(c.book.Open()) > 0 || v.over != "" || v.workers != 1 || len(v.held) > 0 {
			t.Errorf("the run plays no more: open are %+v, and %+v", c.book.Open(), v)
		}
		results = asks(t.Context(), t, c, 1, 1)
		if all, err = c.grant(t.Context(), "w", ask{most: 5}); err != nil || len(all) != 1 {
			t.Errorf("the last evaluation: %+v, error %v", all, err)
		}
		wait(t)
		if <-results; <-results != nil {
			t.Error("the coordinator waits for workers of which none is left")
		}
		results = asks(t.Context(), t, c, 1, 1)
		if <-results; <-results != nil {
			t.Error("it does so again")
		}
		over()
		if v = c.view(); v.over != d.finished {
			t.Errorf("over: %q", v.over)
		}
	})
}

// Whoever waits for a lease while the run does not play gets a group when it does.
func TestAWaitOutlastsTheFirstEvaluation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := New(Config{Settings: Defaults(), GroupSize: size, Labels: []string{"spell_backward"}})
		over := stage(t, c)
		ctx, cut := context.WithCancel(t.Context())
		results := asks(ctx, t, c, 1, 1)
		cut()
		<-results
		c.enter("w")
		got := make(chan string, 1)
		go func() {
			all, err := c.grant(t.Context(), "w", ask{most: 1})
			got <- fmt.Sprint(len(all), " ", err)
		}()
		synctest.Wait()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx, newDesk(t, 1)) }()
		if text := <-got; text != "1 <nil>" {
			t.Errorf("it gets %s", text)
		}
		stop()
		<-ended
		over()
	})
}

// A worker that wants no groups gets none, though they may begin.
func TestEvaluationsAlone(t *testing.T) {
	s := newSite(t, newDesk(t, 2), nil)
	s.join(1)
	only := func() (g Grant) {
		if status := s.ask("POST", "/leases?exams=only&max=2&instance="+name(1), nil, &g); status != http.StatusOK {
			t.Errorf("status %d", status)
		}
		return g
	}
	if g := only(); len(g.Leases) != 0 || s.desk.Room() != 2 {
		t.Errorf("without an evaluation it gets %+v", g)
	}
	asks(t.Context(), t, s.Coordinator, 1, 1)
	if g := only(); len(g.Leases) != 1 || g.Leases[0].Exam != 1 {
		t.Errorf("it gets %+v", g)
	}
}
