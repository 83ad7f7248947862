package run

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/rollout"
)

func TestACollapseIsTold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why     string
		answers []string
		level   int
		want    string // part of the message; empty: none
	}{
		{"one answer to everything", []string{"1", "1", "1", "2"}, 2, `of the last 128 answers to problems of gcd:2 75 % are "1"`},
		{"parameters of its own have no level", []string{"1"}, quintain.OwnParams, `of the last 128 answers to problems of gcd 100 % are "1"`},
		{"half yes, half no", []string{"yes", "no"}, 2, ""},
		{"one answer, which is mostly right", []string{"right", "right", "right", "2"}, 2, ""},
		{"an answer that earns nothing", []string{"0"}, 2, ""},
		{"replies without an answer do not count", []string{"", "", "", "1", "2", "3"}, 2, ""},
	} {
		var played []quintain.Trajectory
		for i := range 600 {
			last := quintain.Turn{Answer: test.answers[i%len(test.answers)]}
			if i%9 == 0 && last.Answer != "0" || last.Answer == "right" {
				last.Reward = 1
			}
			played = append(played, quintain.Trajectory{Problem: quintain.Problem{Task: "gcd", Level: test.level}, Turns: []quintain.Turn{{Answer: "0"}, last}})
		}
		tally := newTally(Settings{})
		got := ""
		for lo := range played {
			tally.collapse.played(played[lo : lo+1])
			if told := tally.oneAnswer(); told != "" && got != "" {
				t.Errorf("%s: told again %q", test.why, told)
			} else {
				got += told
			}
		}
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: told %q, want %q", test.why, got, test.want)
		}
		if got != "" && !strings.Contains(strings.Join(tally.allAdvice(), "\n"), got) {
			t.Errorf("%s: the report lacks %q", test.why, got)
		}
	}
}

// A metric of a task is averaged over the episodes that have it, each with its last value.
func TestMetricsOfATaskAreAveraged(t *testing.T) {
	t.Parallel()
	turn := func(n float64) quintain.Turn { return quintain.Turn{Metrics: map[string]float64{"n": n}} }
	tally := newTally(Settings{})
	tally.played(Played{Drop: rollout.DropEqual, Result: rollout.Result{Job: rollout.Job{Course: "t"}, Trajectories: []quintain.Trajectory{
		{Turns: []quintain.Turn{turn(9), turn(1)}}, {Turns: []quintain.Turn{turn(4), {}}}, {Turns: []quintain.Turn{{}}}, {Turns: []quintain.Turn{turn(1e300)}},
	}}})
	if got := tally.report().Tasks[0].Metrics; len(got) != 1 || got["n"] != 2.5 {
		t.Errorf("metrics %v, want the mean of 1 and 4", got)
	}
}
