package watch

import (
	"fmt"
	"testing"

	"github.com/quintain-rl/quintain"
)

// tree returns a trajectory of calls with some parents; of 100 more are unused.
func tree(parents ...int) *quintain.Trajectory {
	t := &quintain.Trajectory{}
	for _, parent := range parents {
		c := &quintain.Call{Parent: parent}
		if parent > 90 {
			c.Parent, c.Unused = parent-100, "cut"
		}
		t.Turns = append(t.Turns, quintain.Turn{Call: c, Wrote: []quintain.Token{1}})
	}
	return t
}

func TestCallsOfATree(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why       string
		of        *quintain.Trajectory
		sequences int
		want      string // parent, depth and sequence of each call
	}{
		{"a line", &quintain.Trajectory{Turns: make([]quintain.Turn, 2)}, 1, ""},
		{"a line of calls", tree(-1, 0, 1), 1, "0/0/1 1/0/1 2/0/1 "},
		{"the same, cut at each turn", tree(-1, 0, 1), 3, "0/0/1 1/0/2 2/0/3 "},
		{"a branch of a branch, an unused call", tree(-1, 0, 0, 1, 100, 1, 0), 4, "0/0/1 1/1/3 1/1/2 2/1/3 1/1/0 2/2/4 1/0/1 "},
		{"another conversation", tree(-1, -1, 1), 2, "0/1/2 0/0/1 2/0/1 "},
		{"all unused", tree(99, 100), 1, "0/0/0 1/1/0 "},
		{"deep", tree(-1, 0, 1, 2, 3, 4, 5, 6, 107, 107, 0), 2, "0/0/1 1/1/2 2/1/2 3/1/2 4/1/2 5/1/2 6/1/2 7/1/2 8/2/0 8/2/0 1/0/1 "},
	} {
		got := ""
		for _, c := range callsOf(test.of, test.sequences) {
			got += fmt.Sprintf("%d/%d/%d ", c.Parent, c.Depth, c.Trained)
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}

func TestNamesOfTools(t *testing.T) {
	t.Parallel()
	for tools, want := range map[string]string{
		"": "[]", "[]": "[]", `[{"type":"function","function":{"name":"add"}},{"name":"sub"}]`: "[add sub]", `{}`: "[unreadable]",
	} {
		of := tree(-1)
		of.Turns[0].Call.Tools = []byte(tools)
		if got := fmt.Sprint(callsOf(of, 1)[0].Names); got != want {
			t.Errorf("%s: %s, want %s", tools, got, want)
		}
	}
}
