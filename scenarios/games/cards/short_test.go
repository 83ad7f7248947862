package cards

import (
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/scenario/scenariotest"
)

// A short prompt of small_poker names the opponent, the seat and the cards that the policy may know.
func TestShortPromptsOfSmallPoker(t *testing.T) {
	for _, test := range []struct {
		record  string
		replies []string
		want    []string
	}{
		{`{"start":{"cards":3,"opponent":"bets","deals":[[1,2,0],[0,1,2]]},"luck":1,"wording":0}`, []string{"<answer>check</answer>", "<answer>raise</answer>", "<answer>fold</answer>"},
			[]string{"3 bets\n1 2", "3 bets\n1 2 check bet", "no\n3 bets\n1 2 check bet", "3 bets\n2 2 bet"}},
		{`{"start":{"cards":3,"opponent":"table","table":[{"bet":30},{"call":40},{"bet":100,"call":100}],"deals":[[2,0,1]]},"luck":1,"wording":0}`, nil,
			[]string{"3 table 30,0 0,40 100,100\n1 3"}},
		{`{"start":{"cards":0,"opponent":"calls","deals":[[1,2,0]]},"luck":1,"wording":0}`, []string{"<answer>bet</answer>"}, []string{"leduc calls\n1 Q", "leduc calls\n1 QJ bet call"}},
	} {
		if got := scenariotest.Brief(t, smallPoker.Game(), test.record, test.replies...); !slices.Equal(got, test.want) {
			t.Errorf("the policy reads %q, want %q", got, test.want)
		}
	}
}
