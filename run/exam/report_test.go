package exam_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/scenarios"
	"github.com/quintain-rl/quintain/scenarios/games/alone"
	"github.com/quintain-rl/quintain/tasks/arithmetic"
	"github.com/quintain-rl/quintain/tasks/puzzles"
)

// stream is a task at a level, in the scenario reasoning_gym.
func stream(t *testing.T, name string, level int) rollout.Stream {
	t.Helper()
	gym, err := scenario.Find(scenarios.All, "reasoning_gym")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range slices.Concat(arithmetic.Tasks(), puzzles.Tasks()) {
		if task.Info().Name != name {
			continue
		}
		s, err := gym.Over(task, nil)
		if err != nil {
			t.Fatal(err)
		}
		return rollout.Stream{Scenario: s, Level: level, Weight: 1}
	}
	t.Fatal("there is no task " + name)
	return rollout.Stream{}
}

// says is a policy that says what it is given, in turn, over and over.
type says struct{ replies []quintain.Sample }

func (s says) Sample(_ context.Context, r quintain.Request) ([]quintain.Sample, error) {
	all := make([]quintain.Sample, r.N)
	for i := range all {
		all[i] = s.replies[i%len(s.replies)]
		all[i].Versions = make([]int32, len(all[i].Wrote))
	}
	return all, nil
}

func TestSummaries(t *testing.T) {
	t.Parallel()
	all, err := exam.NewSets(t.Context(), []rollout.Stream{stream(t, "chain_sum", 0), stream(t, "chain_sum", 2), stream(t, "countdown", 2)}, exam.Settings{Problems: 4})
	if err != nil {
		t.Fatal(err)
	}
	policy := says{[]quintain.Sample{
		{Text: "<answer>1000000007</answer>", Wrote: make([]quintain.Token, 10), Finish: quintain.Stop},
		{Text: "I do not know", Wrote: make([]quintain.Token, 20), Finish: quintain.Stop},
		{Text: "Let me see", Wrote: make([]quintain.Token, 60), Finish: quintain.Length},
	}}
	r, err := (&exam.Exam{Sets: all, Policy: policy, Samples: 3}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		why    string
		parts  []*exam.Part
		names  []string
		scored []int // problems of each
	}{
		{"tasks", r.Tasks, []string{"chain_sum", "countdown"}, []int{8, 4}},
		{"categories", r.Categories, []string{"arithmetic", "games"}, []int{8, 4}},
		{"levels", r.Levels, []string{"0", "2"}, []int{4, 8}},
	} {
		for i, part := range test.parts {
			if part.Name != test.names[i] || part.Scored != test.scored[i] {
				t.Errorf("%s: %s has %d problems, want %v, %v", test.why, part.Name, part.Scored, test.names, test.scored)
			}
		}
	}
	want := exam.Lengths{Mean: 30, Median: 20, P95: 60, Most: 60, Cut: 1. / 3}
	for _, s := range []exam.Summary{r.Summary, r.Rows[0].Summary, r.Tasks[1].Summary} {
		if *s.Lengths != want || math.Abs(s.Malformed-2./3) > 1e-12 || *s.Mean != 0 || s.Failed != 0 {
			t.Errorf("%+v, lengths %+v, mean %v", s, *s.Lengths, *s.Mean)
		}
		if ks := []int{s.At[0].K, s.At[1].K, s.At[2].K}; len(s.At) != 3 || !slices.Equal(ks, []int{1, 2, 3}) {
			t.Errorf("pass@k for %v", ks)
		}
	}
}

// Kept results of an earlier evaluation are not played again, and the report is the same as
// if all were played.
func TestKeptProblemsAreNotPlayedAgain(t *testing.T) {
	t.Parallel()
	whole := examined(t, 12, 2, func(q int) int { return q % 3 })
	kept := map[string]*exam.Problem{}
	for _, p := range whole.Rows[0].Problems[:7] {
		kept[p.ID] = p
	}
	asked := 0
	policy := knows(func(q int) int { return q % 3 })
	e := exam.Exam{
		Sets: sets(t, asking(12), exam.Settings{Split: exam.BothSides}), Samples: 2, Kept: kept,
		Policy: script.Say(func(r quintain.Request, k int) (string, quintain.Finish) {
			asked++
			return policy(r, k)
		}),
	}
	r, err := e.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if asked != 5*2 || *r.Mean != *whole.Mean || *r.Within != *whole.Within || r.Left != 0 || r.Episodes[quintain.Scored] != 24 {
		t.Errorf("%d asked; %+v, want %+v", asked, r.Summary, whole.Summary)
	}
}

// A metric is averaged over the episodes that have it, then over problems.
func TestMetricsAreAveraged(t *testing.T) {
	t.Parallel()
	kept := map[string]*exam.Problem{}
	for i, p := range examined(t, 12, 2, func(q int) int { return q % 3 }).Rows[0].Problems {
		p.Episodes[0].Metrics = map[string]float64{"number": float64(i)}
		p.Episodes[1].Metrics = map[string]float64{"number": float64(i + 2), "seldom": 7}
		if i > 0 {
			delete(p.Episodes[1].Metrics, "seldom")
		}
		kept[p.ID] = p
	}
	r, err := (&exam.Exam{Sets: sets(t, asking(12), exam.Settings{Split: exam.BothSides}), Samples: 2, Kept: kept, Policy: says{}}).Run(t.Context())
	if err != nil || len(r.Metrics) != 2 || r.Metrics["number"] != 6.5 || r.Metrics["seldom"] != 7 || r.Tasks[0].Metrics["number"] != 6.5 {
		t.Errorf("metrics %v, error %v", r.Metrics, err)
	}
}

// As Harbor counts, a trial that failed earns 0, and all trials are alike.
func TestFailedTrialsCountForHarbor(t *testing.T) {
	t.Parallel()
	kept := map[string]*exam.Problem{}
	for i, p := range examined(t, 12, 2, func(q int) int { return q % 3 }).Rows[0].Problems {
		p.Episodes[0].Metrics = map[string]float64{exam.HarborMetric: 0.5}
		if p.Episodes[1].Metrics = p.Episodes[0].Metrics; i < 6 {
			p.Episodes[1] = exam.Episode{Outcome: quintain.EnvFailed}
		}
		kept[p.ID] = p
	}
	e := exam.Exam{Sets: sets(t, asking(12), exam.Settings{Split: exam.BothSides}), Samples: 2, Kept: kept, Policy: says{}}
	r, err := e.Run(t.Context())
	if want := (exam.HarborMean{Mean: 0.375, Trials: 24}); err != nil || r.Harbor == nil || *r.Harbor != want || r.Metrics[exam.HarborMetric] != 0.5 {
		t.Errorf("%+v, metrics %v, error %v; want %+v", r.Harbor, r.Metrics, err, want)
	}
}

func TestNewSetsRefusesProblemsTwice(t *testing.T) {
	t.Parallel()
	_, err := exam.NewSets(t.Context(), []rollout.Stream{stream(t, "chain_sum", 0), stream(t, "chain_sum", 0)}, exam.Settings{Problems: 2})
	if fmt.Sprint(err) != "chain_sum:0 and chain_sum:0 (2) have the same problems: it is listed twice" {
		t.Error(err)
	}
}

func TestNothingToAskIsAnError(t *testing.T) {
	t.Parallel()
	some, err := exam.NewSets(t.Context(), []rollout.Stream{stream(t, "chain_sum", 0)}, exam.Settings{Problems: 1})
	if err != nil || exam.CheckAsked(some) != nil || exam.CheckAsked(append(some, exam.Set{})) != nil {
		t.Error(err, exam.CheckAsked(some))
	}
	if exam.CheckAsked([]exam.Set{{Complete: true}}) == nil {
		t.Error("an evaluation of nothing is taken for one")
	}
}

func TestEvalSeed(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	for _, seed := range []uint64{0, exam.Seed, 7} {
		all, err := exam.NewSets(t.Context(), []rollout.Stream{stream(t, "chain_sum", 0)}, exam.Settings{Problems: 1, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		ids[all[0].Problems[0].ID()] = true
	}
	if len(ids) != 2 {
		t.Errorf("problems %v, want one of the default seed and one of seed 7", ids)
	}
}

// Of games, a report has the means of regret, illegal moves and turns. What an episode did not give
// away is its score.
func TestSummariesOfGames(t *testing.T) {
	t.Parallel()
	var streams []rollout.Stream
	for _, g := range alone.Games() {
		if g.Task.Info().Name == "slippery_grid" {
			of, err := g.Scenario.Over(g.Task, nil)
			if err != nil {
				t.Fatal(err)
			}
			streams = append(streams, rollout.Stream{Scenario: of, Weight: 1})
		}
	}
	streams = append(streams, stream(t, "chain_sum", 0))
	sets, err := exam.NewSets(t.Context(), streams, exam.Settings{Problems: 4})
	if err != nil {
		t.Fatal(err)
	}
	r, err := (&exam.Exam{Sets: sets, Samples: 2, Policy: says{[]quintain.Sample{
		{Text: "<move>down</move>", Wrote: make([]quintain.Token, 1), Finish: quintain.Stop},
		{Text: "<move>north</move>", Wrote: make([]quintain.Token, 1), Finish: quintain.Stop},
	}}}).Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	got := r.Rows[0].Play
	if got == nil || got.Episodes != 8 || math.Abs(got.Regret-(1-*r.Rows[0].Mean)) > 1e-9 || got.Illegal <= 0 || got.Illegal >= 1 || got.Turns < 2 {
		t.Errorf("the moves are %+v, and the mean score is %v", got, *r.Rows[0].Mean)
	}
	if r.Rows[1].Play != nil || r.Play == nil || *r.Play != *got {
		t.Errorf("a task of one reply has the moves %+v, and all rows %+v", r.Rows[1].Play, r.Play)
	}
}

// TestDrawingEnds wants an interrupted context to end the drawing: a level of few problems is
// searched for long.
func TestDrawingEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := exam.NewSets(ctx, []rollout.Stream{stream(t, "chain_sum", 0)}, exam.Settings{Problems: 1 << 30}); !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v, want %v", err, context.Canceled)
	}
}
