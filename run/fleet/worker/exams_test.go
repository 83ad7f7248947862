package worker_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/run/rollout"
)

// report holds an evaluation of a shop's problems, by its workers or by the script itself, and returns
// the report as JSON, without the time that it took.
func (s *shop) report(samples int, elsewhere rollout.Delegate) string {
	s.t.Helper()
	sets, err := exam.NewSets(s.t.Context(), s.streams, exam.Settings{Problems: 24, Split: exam.HeldOutSide})
	if err != nil {
		s.t.Fatal(err)
	}
	of := player.Default(player.Script)
	solver, err := of.Solver(s.streams, 1, func() int32 { return 0 })
	if err != nil {
		s.t.Fatal(err)
	}
	e := exam.Exam{
		Sets: sets, Policy: solver, Sampling: of.Sampling,
		Samples: samples, Parallel: 64, Delegate: elsewhere,
	}
	ctx, end := context.WithTimeout(s.t.Context(), 2*time.Hour)
	defer end()
	report, err := e.Run(ctx)
	if err != nil {
		s.t.Error(err)
	}
	report.Seconds = 0
	text, err := json.Marshal(report)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// Who plays an evaluation makes no difference to a bit of its report, also if a worker dies in it, and
// the run gets nothing of it. A group is played beside it.
func TestWorkersExamineAsTheCoordinatorDoes(t *testing.T) {
	for _, samples := range []int{1, 3} {
		synctest.Test(t, func(t *testing.T) {
			s := newShop(t)
			alone := s.report(samples, nil)
			defer s.open(nil)()
			var to run.Config
			s.leases.Join(&to)
			kill, _ := s.hire(0)
			_, stop := s.hire(0)
			synctest.Wait() // an evaluation without workers is the coordinator's own
			died := time.AfterFunc(90*time.Second, func() { kill() })
			if together := s.report(samples, to.Players.Examine); together != alone {
				t.Errorf("with %d samples, the coordinator reports\n%s\nand its workers\n%s", samples, alone, together)
			}
			if died.Stop() {
				t.Error("the first worker lives")
			}
			s.until("the group is played", func() bool { return len(s.judged) == 1 })
			has(t, stop(), "1 group played with 2 episodes, of which the run keeps 1", " problems of evaluations played")
			r := s.leases.Roster()
			if len(r.Workers) != 0 || r.Held != 0 || len(r.Poison) != 0 {
				t.Errorf("the roster is %+v", r)
			}
			pause.For(t.Context(), time.Minute)
		})
	}
}

// Workers hold the last evaluation of a run that was stopped although the coordinator takes none of the
// groups that they have finished, which are as many as they keep.
func TestWorkersExamineWhileTheirGroupsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShop(t)
		alone := s.report(1, nil)
		s.free = make(chan struct{}, 8)
		for range cap(s.free) {
			s.free <- struct{}{}
		}
		defer s.open(nil)()
		var to run.Config
		s.leases.Join(&to)
		_, stop := s.hire(0)
		pause.For(t.Context(), 3*time.Second)
		s.halt()
		pause.For(t.Context(), 20*time.Minute)
		if held := s.leases.Roster().Held; held != 5 {
			t.Errorf("the worker holds %d groups, want 4 and one more", held)
		}
		if last := s.report(1, to.Players.Examine); last != alone {
			t.Errorf("the coordinator reports\n%s\nand its worker\n%s", alone, last)
		}
		has(t, stop(), "0 groups played", " problems of evaluations played")
	})
}
