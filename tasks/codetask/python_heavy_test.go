//go:build heavy

package codetask

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Of each kind:
const (
	pythonDraws  = 12 // problems to run
	leastMutants = 20 // of them
)

// A judged is what testdata/judge.py says of a problem.
type judged struct {
	Kind    string   `json:"kind"`
	Failed  []string `json:"failed"`
	Slowest float64  `json:"slowest"`
	Made    int      `json:"made"`
	Alive   []string `json:"alive"`
}

// TestPython runs the solutions in Python, and mutants of them. The former pass all tests, the
// latter fail one, or are listed in testdata/equivalent.txt.
func TestPython(t *testing.T) {
	equivalent := equivalents(t)
	for level := range Levels {
		for _, k := range kinds[level] {
			t.Run(k.name, func(t *testing.T) {
				t.Parallel()
				made := 0
				for _, j := range judge(t, level, k) {
					made += j.Made
					for _, input := range j.Failed {
						t.Errorf("the solution fails for %s", input)
					}
					if j.Slowest > 1 {
						t.Errorf("a case takes %.2f s", j.Slowest)
					}
					for _, line := range j.Alive {
						if !equivalent.has(k.name, line) {
							t.Errorf("this mutant passes: %s", line)
						}
					}
				}
				if made < leastMutants {
					t.Errorf("%d mutants, want %d", made, leastMutants)
				}
			})
		}
	}
}

// judge judges problems of a kind.
func judge(t *testing.T, level int, k kind) (all []judged) {
	var in bytes.Buffer
	for i := range pythonDraws {
		p := k.problem(quintain.Draw{Seed: 7, Level: level, Index: i})
		if err := json.NewEncoder(&in).Encode(p); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "python3", "testdata/judge.py")
	var out, errors bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = &in, &out, &errors
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, errors.String())
	}
	for line := range bytes.Lines(out.Bytes()) {
		var j judged
		if err := strictjson.Unmarshal(line, &j); err != nil {
			t.Fatal(err)
		}
		all = append(all, j)
	}
	if len(all) != pythonDraws {
		t.Fatalf("%d problems were judged, want %d", len(all), pythonDraws)
	}
	return all
}

// A mutantList lists mutants that do the same as the solution: a kind, the line that differs,
// before and after, and the reason.
type mutantList [][3]string

func equivalents(t *testing.T) (all mutantList) {
	text, err := os.ReadFile("testdata/equivalent.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		parts := strings.Split(strings.TrimSpace(line), " | ")
		if len(parts) != 3 {
			t.Fatalf("equivalent.txt: %q is not a kind, a line and a reason", line)
		}
		all = append(all, [3]string(parts))
	}
	return all
}

func (m mutantList) has(kind, line string) bool {
	return slices.ContainsFunc(m, func(one [3]string) bool { return one[0] == kind && one[1] == line })
}
