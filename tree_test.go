package quintain_test

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain"
)

func TestBranches(t *testing.T) {
	t.Parallel()
	const unused = 100 // added to a parent
	for _, test := range []struct {
		why     string
		parents []int // nil: a line of three turns
		want    string
		last    int
	}{
		{"a line", nil, "[{[0 1 2] 0}]", 2},
		{"a line of calls", []int{-1, 0, 1}, "[{[0 1 2] 0}]", 2},
		{"the main one first, then by their ends", []int{-1, 0, 0, 0, 1}, "[{[0 1 4] 0} {[0 2] 1} {[0 3] 1}]", 4},
		{"two conversations", []int{-1, 0, -1, 2}, "[{[2 3] 0} {[0 1] 0}]", 3},
		{"unused ends", []int{-1, 0, unused + 0, unused + 2, unused + 1}, "[{[0 1] 0}]", 1},
		{"an unused turn that goes on", []int{-1, unused + 0, 1, unused + 1}, "[{[0 1 2] 0}]", 2},
		{"all unused", []int{unused - 1, unused + 0}, "[]", 1},
		{"no turns", []int{}, "[]", -1},
	} {
		tr := quintain.Trajectory{Turns: make([]quintain.Turn, 3)}
		if test.parents != nil {
			tr.Turns = nil
			for _, parent := range test.parents {
				c := quintain.Call{Parent: parent}
				if parent >= unused-1 {
					c = quintain.Call{Parent: parent - unused, Unused: "cut"}
				}
				tr.Turns = append(tr.Turns, quintain.Turn{Call: &c})
			}
		}
		if got := fmt.Sprint(tr.Branches()); got != test.want || tr.Last() != test.last {
			t.Errorf("%s: %s, the last is %d, want %s and %d", test.why, got, tr.Last(), test.want, test.last)
		}
	}
}

func TestTheMainBranchSaysWhetherAnEpisodeIsMalformed(t *testing.T) {
	t.Parallel()
	tr := quintain.Trajectory{Turns: []quintain.Turn{{Malformed: true}, {Malformed: true, Call: &quintain.Call{Parent: -1, Unused: "cut"}}}}
	if !tr.Malformed() {
		t.Error("the last used reply is malformed")
	}
	if tr.Turns[0].Malformed = false; tr.Malformed() {
		t.Error("an unused reply counts")
	}
}
