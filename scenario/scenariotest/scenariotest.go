// Package scenariotest tests that scenarios keep the promises of [quintain.Scenario] and
// [quintain.Env].
package scenariotest

import (
	"encoding/json"
	"math"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
)

// maxTurns exceeds the turns of every scenario: a longer episode counts as endless.
const maxTurns = 1000

// Replies are texts that every environment must handle.
var Replies = []string{
	"", " ", "42", "<answer>42</answer>", "<think>a</think><answer>b</answer>", "<answer>", "\x00\xff",
	`\boxed{7}`, strings.Repeat("9", 10_000), strings.Repeat("<answer>", 1000),
}

// Run tests the promises of all scenarios of a package, over all tasks that they can play.
// Each must be able to play at least one.
func Run(t *testing.T, specs []scenario.Spec, tasks []quintain.Task) {
	ids := map[string]string{}
	for _, spec := range specs {
		t.Run(spec.Name, func(t *testing.T) {
			described(t, spec)
			played := 0
			for _, task := range tasks {
				s, err := spec.Over(task, nil)
				if err != nil {
					continue
				}
				played++
				Play(t, s)
				identified(t, s, ids)
			}
			if played == 0 {
				t.Errorf("none of the %d tasks can be played", len(tasks))
			}
		})
	}
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
	if info.Version < 1 || !info.Default {
		t.Errorf("version %d, default settings: %v", info.Version, info.Default)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(info.Settings, &fields); err != nil {
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

// Play plays problems of s with right and with senseless replies. s must be a
// [quintain.Solver].
func Play(t *testing.T, s quintain.Scenario) {
	t.Helper()
	for level := range s.TaskInfo().Levels {
		for index := range 3 {
			p, err := s.Problem(quintain.Draw{Seed: 1, Level: level, Index: index})
			if err != nil {
				t.Fatal(err)
			}
			solution, err := s.(quintain.Solver).Solve(p)
			if err != nil {
				t.Fatal(err)
			}
			right := "<think>It is easy.</think>\n<answer>" + solution + "</answer>"
			best := play(t, s, p, func(int) string { return right })
			if best <= 0 {
				t.Errorf("%s: the solution earns %v", p.ID(), best)
			}
			rightAtOnce(t, s, p, right)
			senseless(t, s, p, best)
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

// senseless plays p with senseless replies, and checks that they earn no more than
// best.
func senseless(t *testing.T, s quintain.Scenario, p quintain.Problem, best float64) {
	t.Helper()
	for i := range Replies {
		got := play(t, s, p, func(turn int) string { return Replies[(i+turn)%len(Replies)] })
		if got > best+1e-9 {
			t.Errorf("%s: senseless replies from %.20q on earn %v, but the solution %v", p.ID(), Replies[i], got, best)
		}
	}
}

// play plays one episode and returns the sum of its rewards.
func play(t *testing.T, s quintain.Scenario, p quintain.Problem, reply func(turn int) string) float64 {
	t.Helper()
	e, err := s.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.Close(); err != nil {
			t.Errorf("%s: closing: %v", p.ID(), err)
		}
	}()
	talk, err := e.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(talk) == 0 || talk[len(talk)-1].Role != quintain.RoleUser {
		t.Errorf("%s: opens with %+v, want a user message last", p.ID(), talk)
	}
	sum := 0.0
	for turn := range maxTurns {
		step, err := e.Step(t.Context(), quintain.Reply{Text: reply(turn), Finish: quintain.Stop})
		if err != nil {
			t.Fatalf("%s: a reply must not cause an error: %v", p.ID(), err)
		}
		if math.IsNaN(step.Reward) || math.IsInf(step.Reward, 0) {
			t.Errorf("%s: reward %v", p.ID(), step.Reward)
		}
		sum += step.Reward
		switch {
		case step.End == quintain.Going && len(step.Observe) == 0:
			t.Errorf("%s: the episode continues without a message", p.ID())
		case step.End != quintain.Going && len(step.Observe) > 0:
			t.Errorf("%s: the episode has ended with the message %+v", p.ID(), step.Observe)
		}
		if step.End != quintain.Going {
			return sum
		}
	}
	t.Errorf("%s: no end after %d turns", p.ID(), maxTurns)
	return sum
}
