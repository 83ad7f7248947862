package rollout

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// The log of a group has a line for its problem, each reply and each episode, and nothing
// above the level debug.
func TestResultLog(t *testing.T) {
	played := Result{
		Job: Job{Label: "chain_sum:2", Problem: quintain.Problem{Scenario: "reasoning_gym.v2", Task: "chain_sum", Version: 2, Seed: 1, Level: 2, Index: 7}},
		Trajectories: []quintain.Trajectory{
			{Outcome: quintain.Scored, End: quintain.Terminated, Turns: []quintain.Turn{{Answer: "4", Reward: 0.25, Why: `want "5"`, Finish: quintain.Stop, Wrote: make([]quintain.Token, 9)}}},
			{Outcome: quintain.ModelFailed, End: quintain.Truncated, Turns: []quintain.Turn{{Malformed: true, Why: "no tags", Finish: quintain.Length}, {Answer: strings.Repeat("x", 300)}}},
			{Outcome: quintain.InfraFailed, Error: "no server"},
		},
	}
	for _, test := range []struct {
		level slog.Level
		lines int
		want  []string
	}{
		{slog.LevelInfo, 0, nil},
		{slog.LevelDebug, 7, []string{
			`msg=played problem=reasoning_gym.v2/chain_sum.v2.s1.l2.7 of=chain_sum:2 drop=equal_scores`,
			`episode=0 turn=1 found=true answer=4 readable=true reward=0.25 right=false why="want \"5\"" finish=stop tokens=9`,
			`episode=0 outcome=scored end=terminated reward=0.25`,
			`episode=1 turn=1 found=false answer="" readable=false reward=0 right=false why="no tags" finish=length`,
			`turn=2 found=true answer=` + strings.Repeat("x", 200) + `… readable=true`,
			`episode=2 outcome=infra_failed end="" reward=0 err="no server"`,
		}},
	} {
		var out bytes.Buffer
		played.Log(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: test.level})), "drop", "equal_scores")
		if n := strings.Count(out.String(), "\n"); n != test.lines {
			t.Errorf("level %v: %d lines, want %d:\n%s", test.level, n, test.lines, out.String())
		}
		for _, want := range test.want {
			if !strings.Contains(out.String(), want) {
				t.Errorf("level %v: the log lacks %s:\n%s", test.level, want, out.String())
			}
		}
	}
}
