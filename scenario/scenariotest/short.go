package scenariotest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// short checks the game with short prompts: the same moves have the same values, and if the game
// has short descriptions, positions that they do not tell apart have the same best moves.
func (s suite) short(t *testing.T) {
	long := s.usual(t)
	short, err := s.game.Scenario.Over(s.game.Task, []byte(`{"short_prompts":true}`))
	if err != nil {
		t.Fatal(err)
	}
	tagged := strings.NewReplacer("<answer>", "<move>", "</answer>", "</move>")
	described := map[string]string{} // the best moves by description
	for index := range s.size.Problems {
		r := rng.New(uint64(index), "short")
		var said, best []string
		one := play(t, short, s.problem(t, short, index), func(a quintain.Advice) string {
			best = append(best, fmt.Sprint(slices.Sorted(slices.Values(a.Best))))
			said = append(said, rng.Pick(r, a.Allowed))
			return said[len(said)-1]
		})
		turn := 0
		two := play(t, long, s.problem(t, long, index), func(quintain.Advice) string {
			turn++
			return tagged.Replace(said[turn-1])
		})
		if len(one.opening) != 1 || len(one.steps) != len(two.steps) || *one.last().Value != *two.last().Value {
			t.Fatalf("index %d opens with %d messages, and %q are worth %v; with the rules they are worth %v", index, len(one.opening), said, *one.last().Value, *two.last().Value)
		}
		if !strings.Contains(two.opening[1].Content, one.opening[0].Content) { // it is not as without short prompts
			one.describe(t, best, described)
		}
	}
}

// describe notes the best moves of each position by its description, and checks those noted before.
func (e episode) describe(t *testing.T, best []string, described map[string]string) {
	t.Helper()
	const longest = 120 // bytes
	text := e.opening[0].Content
	for i, step := range e.steps {
		if was, seen := described[text]; len(text) > longest || seen && was != best[i] {
			t.Fatalf("%q has %d bytes and the best moves %s; in another problem they are %q", text, len(text), best[i], was)
		}
		described[text] = best[i]
		if step.End == quintain.Going {
			text = step.Observe[0].Content
		}
	}
}

// Brief returns what a policy with short prompts reads before each of its replies in a problem with
// a record, and after the last, unless that ends the episode.
func Brief(t *testing.T, g *games.Game, record string, replies ...string) (read []string) {
	t.Helper()
	of, err := g.Scenario.Over(g.Task, []byte(`{"short_prompts":true}`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := of.Problem(quintain.Draw{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	p.Instance = quintain.RawRecord([]byte(record))
	env, err := of.Env(p)
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close()
	fresh, err := env.Open(t.Context())
	for _, reply := range append(replies, "") {
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range fresh {
			read = append(read, m.Content)
		}
		var step quintain.Step
		step, err = env.Step(t.Context(), quintain.Reply{Text: reply, Finish: quintain.Stop})
		fresh = step.Observe
	}
	return read
}
