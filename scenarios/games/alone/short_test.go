package alone

import (
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/scenario/scenariotest"
)

// A short prompt is the position alone. A reply without a move gets "no" and the position.
func TestShortPromptsOfSlipperyGrid(t *testing.T) {
	got := scenariotest.Brief(t, slipperyGrid.Game(), `{"start":{"rows":["SFF","HFF","FFG"],"sure":100,"moves":8},"luck":1,"wording":0}`,
		"<move>right</move>", "<answer>right</answer>", "<answer>down</answer>")
	if want := []string{"8 100\nP..\nO..\n..G", "no\n8 100\nP..\nO..\n..G", "7 100\n.P.\nO..\n..G", "6 100\n...\nOP.\n..G"}; !slices.Equal(got, want) {
		t.Errorf("the policy reads %q, want %q", got, want)
	}
}
