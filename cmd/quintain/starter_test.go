package main

import (
	"math"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/player"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/tasks/catalog"
	"github.com/quintain-rl/quintain/tiny/starter"
)

// Every problem of the ladder, with its solution, must fit into the context of the embedded
// model, and the solution into the tokens that it may write.
func TestTheStarterCanReadAndAnswerItsProblems(t *testing.T) {
	c := defaults(player.Tiny)
	streams, err := c.runStreams()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range streams {
		longest, answer := 0, 0
		for index := range 2000 {
			p, err := s.Scenario.Problem(quintain.Draw{Seed: 1, Level: s.Level, Index: index})
			if err != nil {
				t.Fatal(err)
			}
			solution, err := s.Scenario.(quintain.Solver).Solve(p)
			if err != nil {
				t.Fatal(err)
			}
			e, err := starter.Example(t.Context(), s.Scenario, p, solution)
			if err != nil {
				t.Fatal(err)
			}
			longest = max(longest, len(e.Tokens))
			answer = max(answer, len(solution)+3) // the tags, and the end
		}
		if longest > c.Model.Context || answer > c.Policy.Sampling.MaxTokens {
			t.Errorf("%s %s: a problem with its solution has %d tokens, want at most %d; an answer %d, want at most %d", s.Course,
				s.Scenario.TaskInfo().Levels[s.Level], longest, c.Model.Context, answer, c.Policy.Sampling.MaxTokens)
		}
	}
}

// The embedded model climbs the ladder of its own tasks, which have equal weights. Given
// tasks are played at the given levels.
func TestTheStarterClimbsItsOwnTasks(t *testing.T) {
	w := &world{environ: func() []string { return nil }}
	own, err := w.loadConfig("run", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	streams, err := own.runStreams()
	if err != nil {
		t.Fatal(err)
	}
	weights := map[string]float64{}
	for _, s := range streams {
		weights[s.Course] += s.Weight
	}
	for course, weight := range weights {
		if math.Abs(weight-1) > 1e-9 {
			t.Errorf("the levels of %s have the weight %v, want 1", course, weight)
		}
	}
	if len(weights) != 6 || len(streams) < 20 {
		t.Errorf("there are %d levels of %d tasks, want more of 6", len(streams), len(weights))
	}
	sets, err := exam.NewSets(t.Context(), streams, exam.Settings{Problems: 8})
	if err != nil {
		t.Fatal(err)
	}
	for _, set := range sets {
		if len(set.Problems) < 8 {
			t.Errorf("%s has %d held-out problems, too few for a curve", set.Label, len(set.Problems))
		}
	}
	for _, verb := range []string{"run", "env serve"} {
		asked, err := w.loadConfig(verb, "", map[string]settings.Given{"tasks": {Text: "spell_backward:1"}})
		if err != nil {
			t.Fatal(err)
		}
		if streams, err = asked.runStreams(); err != nil || len(streams) != 1 || streams[0].Level != 1 {
			t.Fatalf("%s plays %d streams, want the one that was asked for; error %v", verb, len(streams), err)
		}
		// Only the embedded model is asked in a few characters.
		want := defaults(player.Server).Source.Scenario
		if verb == "run" {
			want = own.Source.Scenario
		}
		other, err := want.Over(asTask(t, "spell_backward"))
		if err != nil || streams[0].Scenario.Info().ID() != other.Info().ID() {
			t.Errorf("%s plays %s, want %s; error %v", verb, streams[0].Scenario.Info().ID(), other.Info().ID(), err)
		}
	}
}

// asTask returns a task of the catalogue.
func asTask(t *testing.T, name string) quintain.Task {
	t.Helper()
	all, err := task.NewSet(catalog.Tasks())
	if err != nil {
		t.Fatal(err)
	}
	one, err := catalog.Choice{Name: name}.Task(all)
	if err != nil {
		t.Fatal(err)
	}
	return one
}

// Each setting that the starter presets exists, and has its value.
func TestThePresetOfTheStarterIsInEffect(t *testing.T) {
	preset := starter.Preset("")
	for _, s := range settings.New(defaults(player.Tiny)).Settings() {
		want, has := preset[s.Path()]
		if has && s.String() != want {
			t.Errorf("%s is %s, want %s", s.Path(), s, want)
		}
		delete(preset, s.Path())
	}
	for key := range preset {
		t.Errorf("%s is no setting", key)
	}
}
