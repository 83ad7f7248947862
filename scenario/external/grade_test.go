package external

import (
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// What was played before is graded by what the program reads of it, and no fault becomes a reward.
func TestProgramsGradeWhatWasPlayed(t *testing.T) {
	both(t, "grades", func(t *testing.T, how Settings) {
		p := start(t, how)
		own, err := p.Own().Problem(quintain.Draw{Seed: 1, Level: 1, Index: 7})
		if err != nil {
			t.Fatal(err)
		}
		other, beyond := own, own
		other.Task, beyond.Level = "chain_sum", 2
		for _, c := range []struct {
			why     string
			problem quintain.Problem
			reply   string
			answer  string // that was judged then
			reward  float64
			right   bool
			tells   string // the error
		}{
			{why: "right", problem: own, reply: "<answer>7</answer>", reward: 1, right: true},
			{why: "wrong", problem: own, reply: "<answer>8</answer>"},
			{why: "right from right_at on", problem: own, reply: "on", reward: 0.25, right: true},
			{why: "the state is over", problem: own, answer: "of a board", tells: "needs_state"},
			{why: "no reward", problem: own, reply: "free", tells: "without a reward"},
			{why: "its fault", problem: own, reply: "error", tells: "ValueError: bad"},
			{why: "a reward beyond the limit", problem: own, reply: "vast", tells: "reward"},
			{why: "a field that is unknown", problem: own, reply: "typo", tells: "rewrad"},
			{why: "it goes on afterwards", problem: own, reply: "<answer>7</answer>", reward: 1, right: true},
			{why: "of another task", problem: other, reply: "<answer>7</answer>", tells: "obedient has no problem of task chain_sum"},
			{why: "of a level that it has not", problem: beyond, reply: "<answer>7</answer>", tells: "level 2"},
		} {
			got, err := p.Grade(t.Context(), Played{Problem: &c.problem, Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "?"}, {Role: quintain.RoleAssistant, Content: c.reply}}, Answer: c.answer})
			switch {
			case (err == nil) != (c.tells == "") || err != nil && !strings.Contains(err.Error(), c.tells):
				t.Errorf("%s: error %v, want one with %q", c.why, err, c.tells)
			case err == nil && (got.Reward != c.reward || got.Right != c.right):
				t.Errorf("%s: %+v, want the reward %v", c.why, got, c.reward)
			case errors.Is(err, ErrNeedsState) != (c.answer != ""):
				t.Errorf("%s: error %v", c.why, err)
			}
		}
	})
}

func TestGradesNeedsTheSecondProtocol(t *testing.T) {
	t.Parallel()
	how := quickly()
	how.Command = commandLine(t, "grades-1")
	p, err := Open(t.Context(), how, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err == nil {
		p.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "of protocol 2") {
		t.Errorf("error %v, want that grades is of protocol 2", err)
	}
}
