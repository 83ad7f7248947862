//go:build heavy

package scenariotest

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/quintain-rl/quintain"
)

// constant checks that no single move that is made again and again earns more than the rate of the
// level says: of those that openings allow, the best are tried on more problems.
func (s suite) constant(t *testing.T) {
	const most, finalists, screened, played = 30, 3, 20, 300
	of := s.usual(t)
	seen := map[string]int{"<move>A 1, B 1</move>": math.MaxInt, "<move>A 1, B 1, C 1</move>": math.MaxInt} // openings that allow it
	for index := range screened {
		env, err := of.Env(s.problem(t, of, index))
		if err != nil {
			t.Fatal(err)
		}
		for _, move := range env.(interface{ Advice() quintain.Advice }).Advice().Allowed {
			seen[move]++
		}
		env.Close()
	}
	mean := func(move string, problems int) (sum float64) {
		for index := range problems {
			sum += play(t, of, s.problem(t, of, index), func(quintain.Advice) string { return move }).earned() / float64(problems)
		}
		return sum
	}
	rates := map[string]float64{}
	moves := slices.SortedFunc(maps.Keys(seen), func(a, b string) int { return cmp.Or(cmp.Compare(seen[b], seen[a]), cmp.Compare(a, b)) })
	for _, move := range moves[:min(most, len(moves))] {
		rates[move] = mean(move, screened)
	}
	best := slices.SortedFunc(maps.Keys(rates), func(a, b string) int { return cmp.Or(cmp.Compare(rates[b], rates[a]), cmp.Compare(a, b)) })
	told, top := 0.0, 0.0
	if s.game.Constant != nil {
		told = s.game.Constant[s.level]
	}
	for _, move := range best[:min(finalists, len(best))] {
		rate := mean(move, played)
		t.Logf("%s again and again earns %.4f, and the rate is %.4f", move, rate, told)
		top = max(top, rate)
	}
	if slack := s.size.Sigmas * 0.4 / math.Sqrt(played); top > told+slack {
		t.Errorf("a move made again and again earns %.4f, want %.4f at most", top, told+slack)
	}
}
