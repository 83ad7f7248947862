package rewriting

import (
	"encoding/json"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/rng"
	"github.com/quintain-rl/quintain/task"
)

// stringSplitting asks what is left when machines are taken apart by rules.
var stringSplitting = task.Spec[stringSplittingParams, stringSplittingItem]{
	Name:     "string_splitting",
	Category: "algorithmic",
	Doc: "Apply five rules that turn things of three kinds into things of three others, always the first rule that can be applied, and count what is left. " +
		"At least one rule can be applied.",
	Source:  "A small vector addition system with the five rules of reasoning-gym's task; so are the settings.",
	Version: 2,
	Default: stringSplittingParams{MinInitialMachines: 0, MaxInitialMachines: 5, MaxIterations: 1000},
	Levels: []stringSplittingParams{
		{MinInitialMachines: 0, MaxInitialMachines: 3, MaxIterations: 1000},
		{MinInitialMachines: 2, MaxInitialMachines: 9, MaxIterations: 1000},
		{MinInitialMachines: 5, MaxInitialMachines: 20, MaxIterations: 1000},
		{MinInitialMachines: 15, MaxInitialMachines: 50, MaxIterations: 1000},
		{MinInitialMachines: 40, MaxInitialMachines: 120, MaxIterations: 1000},
		{MinInitialMachines: 100, MaxInitialMachines: 250, MaxIterations: 1000},
	},
	Make: makeStringSplitting,
}

// stringSplittingParams are the settings of one difficulty.
type stringSplittingParams struct {
	MinInitialMachines int `json:"min_initial_machines"` // of each of the three kinds
	MaxInitialMachines int `json:"max_initial_machines"`
	MaxIterations      int `json:"max_iterations"` // rules applied, at most
}

// Check implements [task.Params].
func (p stringSplittingParams) Check() error {
	return splitting.check(p.MinInitialMachines, p.MaxInitialMachines, p.MaxIterations)
}

// stringSplittingItem is one start. The kinds are A, B, C, X, Y and Z, in that
// order.
type stringSplittingItem struct {
	Solution        []int  `json:"solution"`                 // six numbers
	InitialMachines [3]int `json:"initial_machines"`         // of A, B and C
	MaxIterations   int    `json:"max_iterations,omitempty"` // an entry of reasoning-gym does not say
	Phrasing        int    `json:"phrasing,omitempty"`

	// States are the counts after each step, which an entry of reasoning-gym lists.
	// We neither need nor write them.
	States json.RawMessage `json:"states,omitempty"`
}

// splitting has the rules of the question.
var splitting = kitchen{
	settings: "initial_machines", kinds: 6,
	recipes: []recipe{
		{-1, 0, 0, 2, 1, 0},
		{0, -2, 0, 1, 0, 0},
		{0, 0, -2, 0, 1, 0},
		{1, -1, -1, 0, 0, 0},
		{0, 0, 0, -1, -1, 1},
	},
	first: [3]string{"A", "B", "C"}, enough: [3]bool{true, false, false},
	rules: "1. one A → two X and one Y\n2. two B → one X\n3. two C → one Y\n4. one B and one C → one A\n5. one X and one Y → one Z\n\n" +
		"Each step applies the first rule in this list for which there is enough, once.",
	form: "Answer with six numbers in the order A B C X Y Z, with a space between them, for example 1 0 1 5 4 3.",
}

// makeStringSplitting draws the start. If no rule applies to it, the machines of
// the first kind are as many as the settings allow.
func makeStringSplitting(p stringSplittingParams, r *rng.Rand) (stringSplittingItem, error) {
	start, end := splitting.draw(p.MinInitialMachines, p.MaxInitialMachines, p.MaxIterations, r)
	return stringSplittingItem{
		InitialMachines: start, Solution: end, MaxIterations: p.MaxIterations,
		Phrasing: r.Between(0, len(stringSplittingPhrasings)-1),
	}, nil
}

// stringSplittingPhrasings are the wordings of the question, before the rules.
var stringSplittingPhrasings = []string{
	"A workshop takes apart machines of the kinds A, B and C and turns them into parts X, Y and Z. It follows these rules:",
	"A bag holds tokens of six kinds: A, B, C, X, Y and Z. These rules exchange some tokens for others:",
	"Cards marked A, B, C, X, Y or Z lie on a table. They are exchanged by these rules:",
}

// Prompt implements [task.Instance].
func (s stringSplittingItem) Prompt() string {
	return splitting.prompt(stringSplittingPhrasings[s.Phrasing], s.InitialMachines, s.MaxIterations)
}

// Short implements [task.Shortener].
func (s stringSplittingItem) Short() string {
	return "split " + splitting.short(s.InitialMachines, s.MaxIterations)
}

// Check refuses a record whose solution is not what the rules lead to.
func (s stringSplittingItem) Check() error {
	if err := splitting.checkEnd(s.InitialMachines, s.Solution, s.MaxIterations); err != nil {
		return err
	}
	return task.CheckPhrasing(s.Phrasing, len(stringSplittingPhrasings))
}

// Solve implements [task.Instance].
func (s stringSplittingItem) Solve() string { return countsText(s.Solution) }

// Score implements [task.Instance].
func (s stringSplittingItem) Score(answer string) quintain.Verdict {
	return task.Match(answer, s.Solve())
}
