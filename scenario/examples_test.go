package scenario_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenario"
)

// numbers are a task with n questions, in turn; finite: of a file.
type numbers struct {
	guess
	n      int
	finite bool
}

func (n numbers) Problem(d quintain.Draw) (quintain.Problem, error) {
	level, params := d.Level, []byte("{}")
	if n.finite {
		level = quintain.OwnParams
	}
	return quintain.Problem{Task: "guess", Seed: d.Seed, Level: level, Index: d.Index, Params: params, Prompt: fmt.Sprintf("Guess %d.", d.Index%n.n), Instance: quintain.RawRecord([]byte(`"gold"`))}, nil
}

func (n numbers) With(params json.RawMessage) (quintain.Task, error) {
	if !bytes.Equal(params, []byte("{}")) {
		return nil, fmt.Errorf("params are %s", params)
	}
	return n, nil
}

func (n numbers) Size(int) int {
	if n.finite {
		return n.n
	}
	return 0
}

// said returns what is said before and with the question of a number.
func said(t *testing.T, of quintain.Task, how scenario.Examples, d quintain.Draw) string {
	t.Helper()
	p, err := of.Problem(d)
	if err != nil {
		t.Fatal(err)
	}
	talk, err := scenario.OneTurn{Examples: how}.Env(of, p).Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range talk {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Content)
	}
	return b.String()
}

func TestExamples(t *testing.T) {
	t.Parallel()
	held := 0 // a number whose question is held out
	for !quintain.NewKey(fmt.Sprintf("Guess %d.", held)).HeldOut() {
		held++
	}
	for _, test := range []struct {
		why  string
		of   numbers
		how  scenario.Examples
		at   int
		want []int // the numbers that are asked
	}{
		{"none", numbers{n: 1000}, scenario.Examples{}, 5, []int{5}},
		{"the next ones", numbers{n: 1000}, scenario.Examples{Count: 2}, held, []int{held + 1, held + 2, held}},
		{"no held-out one", numbers{n: 1000}, scenario.Examples{Count: 1}, held - 1, []int{held + 1, held - 1}},
		{"the question itself is none, nor one twice", numbers{n: 3}, scenario.Examples{Count: 4}, 1, []int{2, 0, 1}},
		{"a single question has none", numbers{n: 1}, scenario.Examples{Count: 2}, 0, []int{0}},
		{"the same ones for all", numbers{n: 1000}, scenario.Examples{Count: 2, Fixed: true}, 500, []int{0, 1, 500}},
		{"also before one of them", numbers{n: 1000}, scenario.Examples{Count: 2, Fixed: true}, 0, []int{1, 2, 0}},
		{"rows of a file, of the same pass", numbers{n: 4, finite: true}, scenario.Examples{Count: 2}, 7, []int{0, 1, 3}},
		{"as many as the file has", numbers{n: 4, finite: true}, scenario.Examples{Count: 9}, 2, []int{3, 0, 1, 2}},
	} {
		var want strings.Builder
		for i, n := range test.want {
			if fmt.Fprintf(&want, "user: Guess %d.\n", n); i < len(test.want)-1 {
				want.WriteString("assistant: <answer>gold</answer>\n")
			}
		}
		if got := said(t, test.of, test.how, quintain.Draw{Index: test.at}); got != want.String() {
			t.Errorf("%s: got\n%swant\n%s", test.why, got, want.String())
		}
	}
}
