package worker_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/player"
)

// report holds an evaluation of a shop's problems, by its workers or by the script itself, and returns
// the report as JSON, without the time that it took.
func (s *shop) report(samples int, elsewhere rollout.Elsewhere) string {
	s.t.Helper()
	sets, err := exam.NewSets(s.streams, exam.Settings{Problems: 24, Split: exam.HeldOutSide})
	if err != nil {
		s.t.Fatal(err)
	}
	of := player.Default(player.Script)
	e := exam.Exam{
		Sets: sets, Policy: of.Solver(s.streams, 1, func() int32 { return 0 }), Sampling: of.Sampling,
		Samples: samples, Parallel: 64, Elsewhere: elsewhere,
	}
	report, err := e.Run(s.t.Context())
	if err != nil {
		s.t.Error(err)
	}
	report.Seconds = 0
	text, err := jsonform.Marshal(report)
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
			died := time.AfterFunc(90*time.Second, func() { kill() })
			if together := s.report(samples, to.Elsewhere); together != alone {
				t.Errorf("with %d samples, the coordinator reports\n%s\nand its workers\n%s", samples, alone, together)
			}
			if died.Stop() {
				t.Error("the first worker lives")
			}
			s.until("the group is played", func() bool { return len(s.judged) == 1 })
			has(t, stop(), "1 groups played with 2 episodes, of which the run keeps 1", " problems of evaluations played")
			r := s.leases.Roster()
			if len(r.Workers) != 0 || r.Held != 0 || len(r.Poison) != 0 {
				t.Errorf("the roster is %+v", r)
			}
			pause.For(t.Context(), time.Minute)
		})
	}
}
