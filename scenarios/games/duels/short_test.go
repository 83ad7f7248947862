package duels

import (
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/scenario/scenariotest"
)

// A short prompt of nim_family names the rule, what may be taken if that differs, and the heaps.
func TestShortPromptsOfNimFamily(t *testing.T) {
	for _, test := range []struct {
		record, reply string
		want          []string
	}{
		{`{"start":{"rule":"nim","heaps":[3,1],"opponent":"optimal"},"luck":1,"wording":0}`, "<move>take 2 from a</move>", []string{"nim\na3 b1", "no\nnim\na3 b1"}},
		{`{"start":{"rule":"subtraction","take":[1,3,4],"heaps":[5,9],"opponent":"optimal"},"luck":1,"wording":0}`, "take it all",
			[]string{"subtraction 1 3 4\na5 b9", "no\nsubtraction 1 3 4\na5 b9"}},
		{`{"start":{"rule":"kayles","heaps":[2,3],"opponent":"optimal"},"luck":1,"wording":0}`, "<answer>take 1 from b at 9</answer>", []string{"kayles\na2 b3", "no\nkayles\na2 b3"}},
	} {
		if got := scenariotest.Brief(t, nimFamily.Game(), test.record, test.reply); !slices.Equal(got, test.want) {
			t.Errorf("the policy reads %q, want %q", got, test.want)
		}
	}
}
