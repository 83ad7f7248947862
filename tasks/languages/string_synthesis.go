package languages

import (
	"encoding/json"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// stringSynthesis asks for the result of combining blocks by rules.
var stringSynthesis = task.Spec[stringSynthesisParams, stringSynthesisItem]{
	Name:     "string_synthesis",
	Category: "algorithmic",
	Doc: "Apply six rules that combine blocks of nine kinds, always the first rule that can be applied, and count what is left. " +
		"The rules are drawn; at least one can be applied.",
	Source:  "Small vector addition systems like the one of reasoning-gym's task; the settings are its own.",
	Version: 5,
	Default: stringSynthesisParams{MinInitialBlocks: 0, MaxInitialBlocks: 5, MaxIterations: 1000},
	Levels: []stringSynthesisParams{
		{MinInitialBlocks: 0, MaxInitialBlocks: 3, MaxIterations: 1000},
		{MinInitialBlocks: 2, MaxInitialBlocks: 9, MaxIterations: 1000},
		{MinInitialBlocks: 5, MaxInitialBlocks: 20, MaxIterations: 1000},
		{MinInitialBlocks: 15, MaxInitialBlocks: 50, MaxIterations: 1000},
		{MinInitialBlocks: 40, MaxInitialBlocks: 120, MaxIterations: 1000},
		{MinInitialBlocks: 100, MaxInitialBlocks: 300, MaxIterations: 10_000},
	},
	Make:  makeStringSynthesis,
	Match: task.Match,
}

// stringSynthesisParams are the settings of one difficulty.
type stringSynthesisParams struct {
	MinInitialBlocks int `json:"min_initial_blocks" want:"0 or more"` // of each of the first three kinds
	MaxInitialBlocks int `json:"max_initial_blocks" want:"min_initial_blocks to 10000 and at least 1"`
	MaxIterations    int `json:"max_iterations" want:"1 to 100000"` // limit of applied rules
}

// stringSynthesisItem is one start. The kinds are [A] [B] [C] {A} {B} {C} (A) (B)
// (C), in that order.
type stringSynthesisItem struct {
	Solution      []int    `json:"solution"`                 // nine numbers
	InitialBlocks [3]int   `json:"initial_blocks"`           // of [A], [B] and [C]
	Rules         []recipe `json:"rules,omitempty"`          // amounts of each kind, taken (below 0) or given; none: reasoning-gym's rules
	MaxIterations int      `json:"max_iterations,omitempty"` // unknown in entries of reasoning-gym
	Phrasing      int      `json:"phrasing,omitempty" want:"0 to 5"`

	// States are the counts after each step, listed in entries of reasoning-gym. We neither
	// need nor write them.
	States json.RawMessage `json:"states,omitempty"`
}

// synthesis has the rules of reasoning-gym, and the limits of drawn ones.
var synthesis = variant{
	kinds: []string{"[A]", "[B]", "[C]", "{A}", "{B}", "{C}", "(A)", "(B)", "(C)"}, weight: [mostKinds]int{3, 3, 3, 2, 2, 2, 1, 1, 1}, and: " + ",
	recipes: []recipe{
		{-1, -1, -1, 1},
		{-1, -1, 0, 0, 0, 1},
		{0, -1, -1, 0, 1},
		{0, 0, -2, 0, 0, 1},
		{0, 0, 0, -1, 0, -1, 1, 1, 0},
		{0, 0, 0, 0, -2, 0, 0, 0, 1},
	},
	enough: [3]bool{false, true, true},
	stages: []stage{
		{taken: [2]int{0, 2}, given: [2]int{3, 5}, least: 3, most: 3},
		{taken: [2]int{0, 2}, given: [2]int{3, 5}, least: 2, most: 3},
		{taken: [2]int{0, 2}, given: [2]int{3, 5}, least: 2, most: 2},
		{taken: [2]int{0, 2}, given: [2]int{3, 8}, least: 2, most: 2},
		{taken: [2]int{3, 5}, given: [2]int{6, 8}, least: 2, most: 2},
		{taken: [2]int{3, 5}, given: [2]int{6, 8}, least: 2, most: 2},
	},
	applies: "Each step applies the first rule in this list for which all blocks are there, once; those blocks are used up.",
	form:    "Answer with nine numbers in the order [A] [B] [C] {A} {B} {C} (A) (B) (C), with a space between them, for example 1 0 3 0 2 0 0 0 1.",
}

// makeStringSynthesis draws the start and the rules.
func makeStringSynthesis(p stringSynthesisParams, r *rng.Rand) (stringSynthesisItem, error) {
	d := synthesis.draw(p.MinInitialBlocks, p.MaxInitialBlocks, p.MaxIterations, r)
	return stringSynthesisItem{
		InitialBlocks: d.start, Rules: d.rules, Solution: d.end, MaxIterations: p.MaxIterations,
		Phrasing: r.Between(0, len(stringSynthesisPhrasings)-1),
	}, nil
}

func (s stringSynthesisItem) system() system { return system{s.InitialBlocks, s.Rules, s.Solution} }

// stringSynthesisPhrasings are the wordings of the question, before the rules.
var stringSynthesisPhrasings = []string{
	"Blocks of nine kinds, [A] [B] [C] {A} {B} {C} (A) (B) (C), are put together by these rules:",
	"There are square, curly and round blocks: [A] [B] [C] {A} {B} {C} (A) (B) (C). Some can be exchanged for others:",
	"These rules combine blocks of the nine kinds [A] [B] [C] {A} {B} {C} (A) (B) (C):",
	"A puzzle box exchanges blocks. There are nine kinds of them, [A] [B] [C] {A} {B} {C} (A) (B) (C), and the exchanges are:",
	"Three letters and three shapes of brackets make nine kinds of blocks: [A] [B] [C] {A} {B} {C} (A) (B) (C). What can be made of them is listed here:",
	"You trade blocks of the kinds [A] [B] [C] {A} {B} {C} (A) (B) (C) at a market with these rules:",
}

func (s stringSynthesisItem) Prompt() string {
	return synthesis.prompt(stringSynthesisPhrasings[s.Phrasing], s.system(), s.MaxIterations)
}

func (s stringSynthesisItem) Short() string {
	return "synthesize " + synthesis.short(s.system(), s.MaxIterations)
}

// Canonical implements [task.Canonicalizer]. The names of the kinds do not matter.
func (s stringSynthesisItem) Canonical() string {
	return synthesis.canonical(s.system(), s.MaxIterations)
}

// Check refuses a record with a wrong solution.
func (s stringSynthesisItem) Check() error {
	return synthesis.check(s.system(), s.MaxIterations)
}

func (s stringSynthesisItem) Solve() string { return countsText(s.Solution) }
