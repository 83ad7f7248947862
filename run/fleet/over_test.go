package fleet

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// lead runs a coordinator as a run without evaluations does.
func lead(ctx context.Context, c *Coordinator, d *desk) error {
	running, over := context.WithCancel(context.WithoutCancel(ctx))
	around := make(chan error, 1)
	serve := c.Around(func(ctx context.Context) error { <-ctx.Done(); return nil }) // before the run begins
	go func() { around <- serve(running) }()
	err := c.Run(ctx, d)
	over()
	return errors.Join(err, <-around)
}

// A run that is over tells its workers, takes their leases back, and ends once they know.
func TestARunThatIsOverTellsItsWorkers(t *testing.T) {
	d := newDesk(t, 4)
	s := newSite(t, d, nil)
	s.join(1)
	s.join(2)
	mine := s.take(1, 2)
	s.take(2, 1)
	d.finished = "it made its 3 steps"
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.stop()
	}()
	var a Answer
	for s.ask("POST", "/workers/"+name(1)+"/beat", Beat{Leases: []uint64{mine[0].Number}}, &a) != http.StatusOK || a.Over == "" {
	}
	var g Grant
	for _, test := range []struct {
		why, method, path string
		body, got         any
		want              int
	}{
		{"leases", "POST", "/leases?wait=300&instance=" + name(2), nil, &g, http.StatusOK},
		{"a finish", "POST", "/leases/1/finish", played(1), nil, http.StatusGone},
		{"one more worker", "POST", "/workers", Registration{Instance: name(3), Name: "w", Slots: 1, Program: "quintain 1", Tasks: "all"}, nil, http.StatusGone},
		{"a worker that it does not know", "POST", "/workers/" + name(4) + "/beat", Beat{}, nil, http.StatusGone},
		{"what is to be played", "GET", "/play", nil, nil, http.StatusOK},
		{"the leave of one", "DELETE", "/workers/" + name(1), nil, nil, http.StatusOK},
	} {
		if status := s.ask(test.method, test.path, test.body, test.got); status != test.want {
			t.Errorf("%s: status %d, want %d", test.why, status, test.want)
		}
	}
	if a.Over != d.finished || g.Over != d.finished || len(g.Leases) > 0 {
		t.Errorf("a beat gets %+v, and whoever asks for leases %+v", a, g)
	}
	select {
	case <-ended:
		t.Error("it ended before all workers knew")
	default:
	}
	s.ask("DELETE", "/workers/"+name(2), nil, nil)
	<-ended
	if open := s.book.Open(); len(open) > 0 || d.Room() != 4 || d.kept == 0 {
		t.Errorf("still open are %+v; room for %d groups, want 4", open, d.Room())
	}
	if status := s.ask("POST", "/workers/"+name(1)+"/beat", Beat{}, nil); status != http.StatusGone {
		t.Errorf("a beat after the end: status %d", status)
	}
}

// A coordinator does not wait for workers that are gone, or lie; if somebody stops the run, its
// leases stay for the next process.
func TestTheEndOfARunIsBounded(t *testing.T) {
	for _, test := range []struct {
		why, finished, fault string
		lease, took          time.Duration
		open                 int
	}{
		{"nobody answers", "it is over", "", 10 * time.Second, 10 * time.Second, 0},
		{"nobody answers, for very long leases", "it is over", "", time.Hour, mostFarewell, 0},
		{"a liar", "it is over", "it lies", time.Hour, 0, 0},
		{"stopped", "", "", time.Hour, 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			d := newDesk(t, 2)
			d.finished = test.finished
			c := New(Config{Settings: Defaults(), GroupSize: size})
			c.config.Settings.Lease = test.lease
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- lead(ctx, c, d) }()
			synctest.Wait()
			c.workers["w"] = &worker{holds: map[uint64]*held{}}
			c.workers["w"].LastSeen = time.Now()
			if _, err := c.grant(t.Context(), "w", ask{most: 1}); err != nil {
				t.Error(err)
			}
			c.workers["w"].Fault = test.fault
			began := time.Now()
			stop()
			if err := <-ended; err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took > test.took+lookEvery || took < test.took {
				t.Errorf("%s: it took %v, want %v", test.why, took, test.took)
			}
			if open := c.book.Open(); len(open) != test.open {
				t.Errorf("%s: %d leases are open, want %d", test.why, len(open), test.open)
			}
		})
	}
}

// A worker that takes leave while a group of its own is judged is no worker once that is done.
func TestALeaveDuringAFinish(t *testing.T) {
	s := newSite(t, newDesk(t, 1), nil)
	s.join(1)
	l := s.take(1, 1)[0]
	s.desk.mu.Lock()
	status := make(chan int)
	go func() { status <- s.finish(l, played(1)) }()
	for busy := false; !busy; {
		s.mu.Lock()
		busy = s.held[l.Number].busy != nil
		s.mu.Unlock()
	}
	if status := s.ask("DELETE", "/workers/"+name(1), nil, nil); status != http.StatusOK {
		t.Errorf("the leave: status %d", status)
	}
	s.desk.mu.Unlock()
	if status := <-status; status != http.StatusOK || len(s.desk.judged) != 1 {
		t.Errorf("the group: status %d", status)
	}
	if w := s.Roster().Workers; len(w) > 0 {
		t.Errorf("still there are %+v", w)
	}
}
