package languages

import (
	"encoding/json"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// stringSplitting asks for the result of taking machines apart by rules.
var stringSplitting = task.Spec[stringSplittingParams, stringSplittingItem]{
	Name:     "string_splitting",
	Category: "algorithmic",
	Doc: "Apply five rules that turn things of three kinds into things of three others, always the first rule that can be applied, and count what is left. " +
		"The rules are drawn; at least one can be applied.",
	Source:  "Small vector addition systems like the one of reasoning-gym's task; the settings are its own.",
	Version: 5,
	Default: stringSplittingParams{MinInitialMachines: 0, MaxInitialMachines: 5, MaxIterations: 1000},
	Levels: []stringSplittingParams{
		{MinInitialMachines: 0, MaxInitialMachines: 3, MaxIterations: 1000},
		{MinInitialMachines: 2, MaxInitialMachines: 9, MaxIterations: 1000},
		{MinInitialMachines: 5, MaxInitialMachines: 20, MaxIterations: 1000},
		{MinInitialMachines: 15, MaxInitialMachines: 50, MaxIterations: 1000},
		{MinInitialMachines: 40, MaxInitialMachines: 120, MaxIterations: 1000},
		{MinInitialMachines: 100, MaxInitialMachines: 250, MaxIterations: 10_000},
	},
	Make:  makeStringSplitting,
	Match: task.Match,
}

// stringSplittingParams are the settings of one difficulty.
type stringSplittingParams struct {
	MinInitialMachines int `json:"min_initial_machines" want:"0 or more"` // of each of the three kinds
	MaxInitialMachines int `json:"max_initial_machines" want:"min_initial_machines to 10000 and at least 1"`
	MaxIterations      int `json:"max_iterations" want:"1 to 100000"` // limit of applied rules
}

// stringSplittingItem is one start. The kinds are A, B, C, X, Y and Z, in that
// order.
type stringSplittingItem struct {
	Solution        []int    `json:"solution"`                 // six numbers
	InitialMachines [3]int   `json:"initial_machines"`         // of A, B and C
	Rules           []recipe `json:"rules,omitempty"`          // amounts of each kind, taken (below 0) or given; none: reasoning-gym's rules
	MaxIterations   int      `json:"max_iterations,omitempty"` // unknown in entries of reasoning-gym
	Phrasing        int      `json:"phrasing,omitempty" want:"0 to 5"`

	// States are the counts after each step, listed in entries of reasoning-gym. We neither
	// need nor write them.
	States json.RawMessage `json:"states,omitempty"`
}

// splitting has the rules of reasoning-gym, and the limits of drawn ones.
var splitting = variant{
	kinds: []string{"A", "B", "C", "X", "Y", "Z"}, weight: [mostKinds]int{7, 4, 4, 2, 2, 1}, and: " and ", counts: true,
	recipes: []recipe{
		{-1, 0, 0, 2, 1, 0},
		{0, -2, 0, 1, 0, 0},
		{0, 0, -2, 0, 1, 0},
		{1, -1, -1, 0, 0, 0},
		{0, 0, 0, -1, -1, 1},
	},
	enough: [3]bool{true, false, false},
	stages: []stage{
		{taken: [2]int{0, 2}, given: [2]int{3, 5}, least: 1, most: 2},
		{taken: [2]int{0, 2}, given: [2]int{0, 5}, least: 2, most: 3},
		{taken: [2]int{0, 2}, given: [2]int{0, 5}, least: 2, most: 2},
		{taken: [2]int{0, 2}, given: [2]int{0, 5}, least: 2, most: 2},
		{taken: [2]int{3, 4}, given: [2]int{3, 5}, least: 2, most: 2},
	},
	applies: "Each step applies the first rule in this list for which there is enough, once.",
	form:    "Answer with six numbers in the order A B C X Y Z, with a space between them, for example 1 0 1 5 4 3.",
}

// makeStringSplitting draws the start and the rules.
func makeStringSplitting(p stringSplittingParams, r *rng.Rand) (stringSplittingItem, error) {
	d := splitting.draw(p.MinInitialMachines, p.MaxInitialMachines, p.MaxIterations, r)
	return stringSplittingItem{
		InitialMachines: d.start, Rules: d.rules, Solution: d.end, MaxIterations: p.MaxIterations,
		Phrasing: r.Between(0, len(stringSplittingPhrasings)-1),
	}, nil
}

func (s stringSplittingItem) system() system { return system{s.InitialMachines, s.Rules, s.Solution} }

// stringSplittingPhrasings are the wordings of the question, before the rules.
var stringSplittingPhrasings = []string{
	"A workshop takes apart machines of the kinds A, B and C and turns them into parts X, Y and Z. It follows these rules:",
	"A bag holds tokens of six kinds: A, B, C, X, Y and Z. These rules exchange some tokens for others:",
	"Cards marked A, B, C, X, Y or Z lie on a table. They are exchanged by these rules:",
	"In a factory, things of the kinds A, B and C are made into things of the kinds X, Y and Z. These are the steps that it knows:",
	"A shelf has jars labeled A, B, C, X, Y and Z. Jars are traded for others at these rates:",
	"Start with some A, B and C. The rules below turn them into other letters, X, Y and Z among them:",
}

func (s stringSplittingItem) Prompt() string {
	return splitting.prompt(stringSplittingPhrasings[s.Phrasing], s.system(), s.MaxIterations)
}

func (s stringSplittingItem) Short() string {
	return "split " + splitting.short(s.system(), s.MaxIterations)
}

// Canonical implements [task.Canonicalizer]. The names of the kinds do not matter.
func (s stringSplittingItem) Canonical() string {
	return splitting.canonical(s.system(), s.MaxIterations)
}

// Check refuses a record with a wrong solution.
func (s stringSplittingItem) Check() error {
	return splitting.check(s.system(), s.MaxIterations)
}

func (s stringSplittingItem) Solve() string { return countsText(s.Solution) }
