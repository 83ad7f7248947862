package run

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

func TestACollapseIsTold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why     string
		answers []string
		want    string // part of the message; empty: none
	}{
		{"one answer to everything", []string{"1", "1", "1", "2"}, `of the last 256 answers 75 % are "1"`},
		{"half yes, half no", []string{"yes", "no"}, ""},
		{"an answer that earns nothing", []string{"0"}, ""},
		{"replies without an answer do not count", []string{"", "", "", "1", "2", "3"}, ""},
	} {
		var played []quintain.Trajectory
		for i := range 600 {
			last := quintain.Turn{Answer: test.answers[i%len(test.answers)]}
			if i%9 == 0 && last.Answer != "0" {
				last.Reward = 1
			}
			played = append(played, quintain.Trajectory{Turns: []quintain.Turn{{Answer: "0"}, last}})
		}
		tally := newTally(Settings{})
		for lo := range played {
			tally.collapse.played(played[lo : lo+1])
		}
		got := tally.oneAnswer()
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: told %q, want %q", test.why, got, test.want)
		}
		if again := tally.oneAnswer(); again != "" {
			t.Errorf("%s: told again %q", test.why, again)
		}
		if got != "" && !strings.Contains(strings.Join(tally.allAdvice(), "\n"), got) {
			t.Errorf("%s: the report lacks %q", test.why, got)
		}
	}
}
