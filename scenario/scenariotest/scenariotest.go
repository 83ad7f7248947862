// Package scenariotest tests that scenarios keep the promises of [quintain.Scenario] and
// [quintain.Env].
package scenariotest

import (
	"context"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/prove"
	"github.com/quintain-rl/quintain/scenario"
)

// Run tests the promises of all scenarios of a package, over all tasks that they can play.
// Each must be able to play at least one.
func Run(t *testing.T, specs []scenario.Spec, tasks []quintain.Task) {
	ids := map[string]string{}
	for _, spec := range specs {
		t.Run(spec.Name, func(t *testing.T) {
			described(t, spec)
			spec = Closed(t, spec)
			played := 0
			for _, task := range tasks {
				s, err := spec.Over(task, nil)
				if err != nil {
					continue
				}
				played++
				Play(t, s)
				thoughtOnly(t, s)
				called(t, s)
				replayed(t, s)
				identified(t, s, ids)
			}
			if played == 0 {
				t.Errorf("none of the %d tasks can be played", len(tasks))
			}
		})
	}
}

// Closed returns the scenario with plays that the end of the test closes, if they hold something, such as a sandbox.
func Closed(t *testing.T, spec scenario.Spec) scenario.Spec {
	fresh := spec.New
	spec.New = func() scenario.Play {
		play := fresh()
		if held, ok := play.(io.Closer); ok {
			t.Cleanup(func() {
				if err := held.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		return play
	}
	return spec
}

// described checks the name, the texts, the version and the settings of a scenario.
func described(t *testing.T, spec scenario.Spec) {
	t.Helper()
	info := spec.Info()
	if !regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`).MatchString(info.Name) {
		t.Errorf("the name %q is not in snake_case", info.Name)
	}
	for _, text := range []string{info.Doc, info.Source} {
		if !strings.HasSuffix(text, ".") {
			t.Errorf("%q is not a sentence", text)
		}
	}
	if info.Version < 1 || !info.Default || !info.Tags || !info.Replayable {
		t.Errorf("version %d, default settings: %v, tags: %v, replayable: %v", info.Version, info.Default, info.Tags, info.Replayable)
	}
	var fields map[string]json.RawMessage
	if err := strictjson.Unmarshal(info.Settings, &fields); err != nil {
		t.Errorf("settings %s: %v", info.Settings, err)
	}
}

// identified checks that s makes problems with its own IDs, which no other scenario has.
func identified(t *testing.T, s quintain.Scenario, ids map[string]string) {
	t.Helper()
	p, err := s.Problem(quintain.Draw{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if p.Scenario != s.Info().ID() || p.Task != s.TaskInfo().Name {
		t.Errorf("problem %s has scenario %q and task %q", p.ID(), p.Scenario, p.Task)
	}
	if other, taken := ids[p.ID()]; taken {
		t.Errorf("problem %s also belongs to scenario %s", p.ID(), other)
	}
	ids[p.ID()] = s.Info().Name
	if key, err := s.Key(p); err != nil || key == (quintain.Key{}) {
		t.Errorf("problem %s: key %x, error %v", p.ID(), key, err)
	}
	p.Scenario = "other.v1"
	if e, err := s.Env(p); err == nil {
		t.Errorf("a problem of another scenario is played: %v", e)
	}
}

// Play checks s by package prove, and that the solution is judged right at once. s must
// be a [quintain.Solver].
func Play(t *testing.T, s quintain.Scenario) {
	t.Helper()
	Prove(t, s, playProblems*len(s.TaskInfo().Levels), "start.up", "reward.oracle", "repro.same", "repro.order", "robust.senseless", "decl.range")
	for level := range s.TaskInfo().Levels {
		for index := range playProblems {
			p, err := s.Problem(quintain.Draw{Seed: 1, Level: level, Index: index})
			if err != nil {
				t.Fatal(err)
			}
			solution, err := s.(quintain.Solver).Solve(p)
			if err != nil {
				t.Fatal(err)
			}
			rightAtOnce(t, s, p, "<think>It is easy.</think>\n<answer>"+solution+"</answer>")
		}
	}
}

// Prove holds s to checks of package prove, of at most so many episodes each. Nothing may fail.
func Prove(t *testing.T, s quintain.Scenario, most int, checks ...string) {
	t.Helper()
	subject := &prove.Subject{Scenario: s}
	for level := range s.TaskInfo().Levels {
		subject.Levels = append(subject.Levels, level)
	}
	report, err := prove.Run(t.Context(), prove.Job{Seed: 1, Most: most, Only: checks, Open: func(context.Context) (*prove.Subject, error) { return subject, nil }})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range report.Checks {
		if c.Status == prove.Fail || c.Status == prove.Fault {
			t.Errorf("%s, %s: %s %+v", s.TaskInfo().Name, c.ID, c.Found+c.WhyNot, c.Witness)
		}
	}
}

// thoughtOnly checks that a solution earns nothing if only the thinking has it.
func thoughtOnly(t *testing.T, s quintain.Scenario) {
	t.Helper()
	p, err := s.Problem(quintain.Draw{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	solution, err := s.(quintain.Solver).Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, said := range []string{`\boxed{` + solution + "}", "<answer>" + solution + "</answer>", "The answer is " + solution} {
		for _, reply := range []string{"<think>" + said + "</think> I do not know.", said + "</think> I do not know.", "<think>" + said, "<think>" + said + "</think>"} {
			e := opened(t, s)
			if step, err := e.Step(t.Context(), quintain.Reply{Text: reply, Finish: quintain.Stop}); err != nil || step.Right || step.Reward > 0 {
				t.Errorf("%s: the reply %.200q gets %+v, error %v; want no reward", p.ID(), reply, step, err)
			}
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// rightAtOnce checks that the solution is judged right in the first turn.
func rightAtOnce(t *testing.T, s quintain.Scenario, p quintain.Problem, reply string) {
	t.Helper()
	e, err := s.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Open(t.Context()); err != nil {
		t.Fatal(err)
	}
	if step, err := e.Step(t.Context(), quintain.Reply{Text: reply, Finish: quintain.Stop}); err != nil || !step.Right || step.Answer == "" {
		t.Errorf("%s: the solution gets %+v, error %v; want it judged right, with its answer", p.ID(), step, err)
	}
}
