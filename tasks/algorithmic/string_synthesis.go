package algorithmic

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/rng"
	"github.com/quintain-rl/quintain/task"
)

// stringSynthesis asks what blocks come out when others are combined by rules.
var stringSynthesis = task.Spec[stringSynthesisParams, stringSynthesisItem]{
	Name: "string_synthesis",
	Doc: "Apply six rules that combine blocks of nine kinds, always the first rule that can be applied, and count what is left. " +
		"At least one rule can be applied.",
	Source:  "A small vector addition system with the six rules of reasoning-gym's task; so are the settings.",
	Version: 1,
	Default: stringSynthesisParams{MinInitialBlocks: 0, MaxInitialBlocks: 5, MaxIterations: 1000},
	Levels: []stringSynthesisParams{
		{MinInitialBlocks: 0, MaxInitialBlocks: 3, MaxIterations: 1000},
		{MinInitialBlocks: 2, MaxInitialBlocks: 9, MaxIterations: 1000},
		{MinInitialBlocks: 5, MaxInitialBlocks: 20, MaxIterations: 1000},
		{MinInitialBlocks: 15, MaxInitialBlocks: 50, MaxIterations: 1000},
		{MinInitialBlocks: 40, MaxInitialBlocks: 120, MaxIterations: 1000},
		{MinInitialBlocks: 100, MaxInitialBlocks: 300, MaxIterations: 1000},
	},
	Make: makeStringSynthesis,
}

// stringSynthesisParams are the settings of one difficulty.
type stringSynthesisParams struct {
	MinInitialBlocks int `json:"min_initial_blocks"` // of each of the three first kinds
	MaxInitialBlocks int `json:"max_initial_blocks"`
	MaxIterations    int `json:"max_iterations"` // rules applied, at most
}

// Check implements [task.Params].
func (p stringSynthesisParams) Check() error {
	switch {
	case p.MinInitialBlocks < 0:
		return fmt.Errorf("min_initial_blocks is %d, want 0 or more", p.MinInitialBlocks)
	case p.MaxInitialBlocks < max(1, p.MinInitialBlocks) || p.MaxInitialBlocks > 10_000:
		return fmt.Errorf("max_initial_blocks is %d, want min_initial_blocks (%d) to 10000, and not 0", p.MaxInitialBlocks, p.MinInitialBlocks)
	case p.MaxIterations < 1 || p.MaxIterations > 100_000:
		return fmt.Errorf("max_iterations is %d, want 1 to 100000", p.MaxIterations)
	}
	return nil
}

// stringSynthesisItem is one start. The kinds are [A] [B] [C] {A} {B} {C} (A) (B)
// (C), in that order.
type stringSynthesisItem struct {
	Solution      []int  `json:"solution"`                 // nine numbers
	InitialBlocks [3]int `json:"initial_blocks"`           // of [A], [B] and [C]
	MaxIterations int    `json:"max_iterations,omitempty"` // an entry of reasoning-gym does not say
	Phrasing      int    `json:"phrasing,omitempty"`

	// States are the counts after each step, which an entry of reasoning-gym lists.
	// We neither need nor write them.
	States json.RawMessage `json:"states,omitempty"`
}

// synthesis are the rules, as synthesisRules words them.
var synthesis = []recipe{
	{-1, -1, -1, 1},
	{-1, -1, 0, 0, 0, 1},
	{0, -1, -1, 0, 1},
	{0, 0, -2, 0, 0, 1},
	{0, 0, 0, -1, 0, -1, 1, 1, 0},
	{0, 0, 0, 0, -2, 0, 0, 0, 1},
}

const synthesisRules = "1. [A] + [B] + [C] → {A}\n2. [A] + [B] → {C}\n3. [B] + [C] → {B}\n4. [C] + [C] → {C}\n5. {A} + {C} → (A) + (B)\n6. {B} + {B} → (C)"

// makeStringSynthesis draws the start. Where no rule applies to it, the blocks of
// the second and third kind are as many as the settings allow.
func makeStringSynthesis(p stringSynthesisParams, r *rng.Rand) (stringSynthesisItem, error) {
	var start stock
	for kind := range 3 {
		start[kind] = r.Between(p.MinInitialBlocks, p.MaxInitialBlocks)
	}
	end, steps := cook(start, synthesis, p.MaxIterations)
	if steps == 0 {
		start[1], start[2] = p.MaxInitialBlocks, p.MaxInitialBlocks
		end, _ = cook(start, synthesis, p.MaxIterations)
	}
	return stringSynthesisItem{
		InitialBlocks: [3]int(start[:3]), Solution: end[:], MaxIterations: p.MaxIterations,
		Phrasing: r.Between(0, len(stringSynthesisPhrasings)-1),
	}, nil
}

// stringSynthesisPhrasings are the wordings of the question, before the rules.
var stringSynthesisPhrasings = []string{
	"Blocks of nine kinds, [A] [B] [C] {A} {B} {C} (A) (B) (C), are put together by these rules:",
	"There are square, curly and round blocks: [A] [B] [C] {A} {B} {C} (A) (B) (C). Some can be exchanged for others:",
	"These rules combine blocks of the nine kinds [A] [B] [C] {A} {B} {C} (A) (B) (C):",
}

// Prompt implements [task.Instance].
func (s stringSynthesisItem) Prompt() string {
	b := make([]byte, 0, promptRoom)
	b = append(append(b, stringSynthesisPhrasings[s.Phrasing]...), "\n\n"+synthesisRules+"\n\nEach step applies, once, the first rule in this list for which all blocks are there; they are used up. "+
		"This goes on until no rule can be applied, but for no more than "...)
	b = append(strconv.AppendInt(b, int64(s.MaxIterations), 10), " steps. At the start there are "...)
	b = append(appendCounted(b, s.InitialBlocks, [3]string{"[A]", "[B]", "[C]"}), ". How many are there of each kind at the end?\n"+
		"Answer with nine numbers in the order [A] [B] [C] {A} {B} {C} (A) (B) (C), a space between them, for example 1 0 3 0 2 0 0 0 1."...)
	return string(b)
}

// Short implements [task.Shortener].
func (s stringSynthesisItem) Short() string {
	return "synthesize " + shortCounts(s.InitialBlocks, [3]string{"[A]", "[B]", "[C]"})
}

// Check refuses a record whose solution is not what the rules lead to.
func (s stringSynthesisItem) Check() error {
	if err := (cooked{s.InitialBlocks, s.Solution, 9, synthesis, s.MaxIterations}).check(); err != nil {
		return err
	}
	return checkPhrasing(s.Phrasing, len(stringSynthesisPhrasings))
}

// Solve implements [task.Instance].
func (s stringSynthesisItem) Solve() string { return countsText(s.Solution) }

// Score implements [task.Instance].
func (s stringSynthesisItem) Score(answer string) quintain.Verdict {
	return task.Match(answer, s.Solve())
}
