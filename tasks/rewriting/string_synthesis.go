package rewriting

import (
	"encoding/json"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/rng"
	"github.com/quintain-rl/quintain/task"
)

// stringSynthesis asks what blocks come out when others are combined by rules.
var stringSynthesis = task.Spec[stringSynthesisParams, stringSynthesisItem]{
	Name:     "string_synthesis",
	Category: "algorithmic",
	Doc: "Apply six rules that combine blocks of nine kinds, always the first rule that can be applied, and count what is left. " +
		"At least one rule can be applied.",
	Source:  "A small vector addition system with the six rules of reasoning-gym's task; so are the settings.",
	Version: 2,
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
	return synthesis.check(p.MinInitialBlocks, p.MaxInitialBlocks, p.MaxIterations)
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

// synthesis has the rules of the question.
var synthesis = kitchen{
	settings: "initial_blocks", kinds: 9,
	recipes: []recipe{
		{-1, -1, -1, 1},
		{-1, -1, 0, 0, 0, 1},
		{0, -1, -1, 0, 1},
		{0, 0, -2, 0, 0, 1},
		{0, 0, 0, -1, 0, -1, 1, 1, 0},
		{0, 0, 0, 0, -2, 0, 0, 0, 1},
	},
	first: [3]string{"[A]", "[B]", "[C]"}, enough: [3]bool{false, true, true},
	rules: "1. [A] + [B] + [C] → {A}\n2. [A] + [B] → {C}\n3. [B] + [C] → {B}\n4. [C] + [C] → {C}\n5. {A} + {C} → (A) + (B)\n6. {B} + {B} → (C)\n\n" +
		"Each step applies the first rule in this list for which all blocks are there, once; those blocks are used up.",
	form: "Answer with nine numbers in the order [A] [B] [C] {A} {B} {C} (A) (B) (C), with a space between them, for example 1 0 3 0 2 0 0 0 1.",
}

// makeStringSynthesis draws the start. If no rule applies to it, the blocks of
// the second and third kind are as many as the settings allow.
func makeStringSynthesis(p stringSynthesisParams, r *rng.Rand) (stringSynthesisItem, error) {
	start, end := synthesis.draw(p.MinInitialBlocks, p.MaxInitialBlocks, p.MaxIterations, r)
	return stringSynthesisItem{
		InitialBlocks: start, Solution: end, MaxIterations: p.MaxIterations,
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
	return synthesis.prompt(stringSynthesisPhrasings[s.Phrasing], s.InitialBlocks, s.MaxIterations)
}

// Short implements [task.Shortener].
func (s stringSynthesisItem) Short() string {
	return "synthesize " + synthesis.short(s.InitialBlocks, s.MaxIterations)
}

// Check refuses a record whose solution is not what the rules lead to.
func (s stringSynthesisItem) Check() error {
	if err := synthesis.checkEnd(s.InitialBlocks, s.Solution, s.MaxIterations); err != nil {
		return err
	}
	return task.CheckPhrasing(s.Phrasing, len(stringSynthesisPhrasings))
}

// Solve implements [task.Instance].
func (s stringSynthesisItem) Solve() string { return countsText(s.Solution) }

// Score implements [task.Instance].
func (s stringSynthesisItem) Score(answer string) quintain.Verdict {
	return task.Match(answer, s.Solve())
}
