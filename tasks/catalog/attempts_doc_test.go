//go:build heavy

package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// TestAttemptsDocIsFresh compares the table in docs/scenarios.md with what guesses earn in
// math_multi_turn.
func TestAttemptsDocIsFresh(t *testing.T) {
	const page = "../../docs/scenarios.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	spec, err := Scenario("math_multi_turn")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	can, _ := Playable(spec, Tasks())
	for _, one := range can {
		s, err := spec.Over(one, nil)
		if err != nil {
			t.Fatal(err)
		}
		var rates []float64
		for level := range one.Info().Levels {
			rates = append(rates, guessed(t, s, level))
		}
		if slices.Max(rates) > 0.25 {
			rows = append(rows, row(one.Info().Name, one.Info().Doc, rates, nil)+" |\n")
		}
	}
	between := regexp.MustCompile(`(?s)(<!-- attempts -->\n).*?(<!-- /attempts -->)`)
	want := between.ReplaceAll(text, []byte("${1}| task | | attempts without a look at the problem earn, level by level |\n|---|---|---|\n"+sorted(rows)+"${2}"))
	if string(want) == string(text) {
		return
	}
	if !*update {
		t.Fatalf("%s is not up to date: go test -tags heavy ./tasks/catalog -run Attempts -update", page)
	}
	if err := os.WriteFile(page, want, 0o600); err != nil {
		t.Fatal(err)
	}
}

// guessed plays 200 problems of a level with their most frequent answers, one after the other,
// and returns the mean reward. The answers are those of 200 other problems.
func guessed(t *testing.T, s quintain.Scenario, level int) float64 {
	t.Helper()
	const problems, most = 200, 5
	seen := map[string]int{}
	for i := range problems {
		seen[solved(t, s, quintain.Draw{Seed: 6, Level: level, Index: i})]++
	}
	ranked := slices.SortedFunc(maps.Keys(seen), func(a, b string) int { return cmp.Or(seen[b]-seen[a], strings.Compare(a, b)) })
	sum := 0.
	for i := range problems {
		p, err := s.Problem(quintain.Draw{Seed: 5, Level: level, Index: i})
		if err != nil {
			t.Fatal(err)
		}
		e, err := s.Env(p)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range ranked[:min(most, len(ranked))] {
			step, err := e.Step(t.Context(), quintain.Reply{Text: fmt.Sprintf(`\boxed{%s}`, text), Finish: quintain.Stop})
			if err != nil {
				t.Fatal(err)
			}
			sum += step.Reward
			if step.End != quintain.Going {
				break
			}
		}
	}
	return sum / problems
}

// solved returns the solution of the problem that d names.
func solved(t *testing.T, s quintain.Scenario, d quintain.Draw) string {
	t.Helper()
	p, err := s.Problem(d)
	if err != nil {
		t.Fatal(err)
	}
	solution, err := s.(quintain.Solver).Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	return solution
}
