package tree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// The shortest branches beyond the limit are left out, and nothing that another one has.
func TestLeaveOut(t *testing.T) {
	for _, test := range []struct {
		why   string
		calls string // parent:tokens, f for a fork
		most  int
		want  string // turns left out
		out   int
	}{
		{"as many as may be", "-1:1 0:1 0:1", 2, "", 0},
		{"the shortest goes", "-1:1 0:5 0:2 0:3 0:1", 3, "2", 1},
		{"the main one stays, however short", "-1:1 0:5 0:2 0:3 0:1", 1, "1 2 3", 3},
		{"a root of its own", "-1:1 -1:9 -1:2", 2, "0", 1},
		{"the turns before stay if another branch has them", "-1:1 -1:3 1:1 1:9 -1:1", 2, "0 2", 2},
		{"forks count", "-1:1 0:1f 1:1f 0:9", 2, "1 2", 1},
		{"the main one alone may be too much", "-1:1 0:1f 1:1f", 2, "", 0},
	} {
		var tree quintain.Trajectory
		for i, field := range strings.Fields(test.calls) {
			turn := quintain.Turn{Call: &quintain.Call{ID: fmt.Sprint(i)}, Fork: strings.HasSuffix(field, "f")}
			n := 0
			if _, err := fmt.Sscanf(strings.TrimSuffix(field, "f"), "%d:%d", &turn.Call.Parent, &n); err != nil {
				t.Fatal(err)
			}
			turn.Wrote = make([]quintain.Token, n)
			tree.Turns = append(tree.Turns, turn)
		}
		out := LeaveOut(&tree, test.most)
		var got []string
		for i, turn := range tree.Turns {
			if turn.Call.Unused == LeftOut {
				got = append(got, fmt.Sprint(i))
			}
		}
		if says := strings.Join(got, " "); says != test.want || out != test.out {
			t.Errorf("%s: left out %d branches, turns %q, want %d and %q", test.why, out, says, test.out, test.want)
		}
	}
}
