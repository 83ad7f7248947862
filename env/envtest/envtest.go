// Package envtest holds every scenario to the promises of [quintain.Scenario] and
// [quintain.Env].
package envtest

import (
	"math"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// maxTurns is more than any scenario plays: an episode that goes on longer has no end.
const maxTurns = 1000

// Replies are texts that every environment must stand.
var Replies = []string{
	"", " ", "42", "<answer>42</answer>", "<think>a</think><answer>b</answer>", "<answer>", "\x00\xff",
	`\boxed{7}`, strings.Repeat("9", 10_000), strings.Repeat("<answer>", 1000),
}

// Run plays problems of s with right and with senseless replies. Solve returns a
// reply that s rewards most.
func Run(t *testing.T, s quintain.Scenario, solve func(quintain.Problem) string) {
	for level := range s.Info().Levels {
		for index := range 5 {
			p, err := s.Problem(quintain.Draw{Seed: 1, Level: level, Index: index})
			if err != nil {
				t.Fatal(err)
			}
			best := play(t, s, p, func(int) string { return solve(p) })
			senseless(t, s, p, best)
		}
	}
}

// senseless plays p with replies that are none, and demands that they earn no
// more than best.
func senseless(t *testing.T, s quintain.Scenario, p quintain.Problem, best float64) {
	t.Helper()
	for i := range Replies {
		got := play(t, s, p, func(turn int) string { return Replies[(i+turn)%len(Replies)] })
		if got > best+1e-9 {
			t.Errorf("%s: senseless replies from %.20q on earn %v, and the solution %v", p.ID(), Replies[i], got, best)
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
		t.Errorf("%s: opens with %+v, want a message of the user last", p.ID(), talk)
	}
	sum := 0.0
	for turn := range maxTurns {
		step, err := e.Step(t.Context(), quintain.Reply{Text: reply(turn), Finish: quintain.Stop})
		if err != nil {
			t.Fatalf("%s: a reply is data and not an error: %v", p.ID(), err)
		}
		if math.IsNaN(step.Reward) || math.IsInf(step.Reward, 0) {
			t.Errorf("%s: reward %v", p.ID(), step.Reward)
		}
		sum += step.Reward
		switch {
		case step.End == quintain.Going && len(step.Observe) == 0:
			t.Errorf("%s: goes on and says nothing", p.ID())
		case step.End != quintain.Going && len(step.Observe) > 0:
			t.Errorf("%s: has ended and says %+v", p.ID(), step.Observe)
		}
		if step.End != quintain.Going {
			return sum
		}
	}
	t.Errorf("%s: no end after %d turns", p.ID(), maxTurns)
	return sum
}
