package transformations

import (
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
)

// rearc asks for the result of a rule on a grid of colors, known from examples.
var rearc = task.Spec[rearcParams, rearcItem]{
	Name:     "rearc",
	Category: "arc",
	Doc: "Find the rule that turns grids of colors into other grids, from examples, and apply it to one more. " +
		"No other rule of the catalogue fits all examples and gives another answer. Harder levels have larger and fuller grids, more rules, and fewer examples.",
	Source: "A puzzle in the style of ARC by F. Chollet (2019), with the settings of reasoning-gym, except for board_format_opts; rules, pictures and texts are our own. " +
		"The range rng sets how large grids are, and pso how full, both from 0 to 1.",
	Version: 3,
	Default: rearcParams{
		MinExamples: 3, MaxExamples: 5, DiffLB: 0, DiffUB: 0.2, MaxTier: 3,
		RNGRanges: [][2]float64{{0, 0.025}, {0.025, 0.05}, {0.05, 0.075}, {0.075, 0.1}, {0.1, 0.125}, {0.125, 0.15}, {0.15, 0.2}}, RNGWeights: slices.Repeat([]float64{1. / 7}, 7),
		PSORanges: [][2]float64{{0.05, 0.1}, {0.1, 0.15}, {0.15, 0.2}, {0.2, 0.25}, {0.25, 0.3}, {0.3, 0.35}, {0.35, 1}}, PSOWeights: slices.Repeat([]float64{1. / 7}, 7),
	},
	Levels: []rearcParams{
		rearcLevel(1, 5, [2]float64{0, 0.05}, [2]float64{0, 0.1}),
		rearcLevel(2, 4, [2]float64{0, 0.2}, [2]float64{0.05, 0.2}),
		rearcLevel(3, 4, [2]float64{0.1, 0.3}, [2]float64{0.1, 0.4}),
		rearcLevel(3, 4, [2]float64{0.3, 0.6}, [2]float64{0.3, 0.7}),
		rearcLevel(3, 3, [2]float64{0.6, 1}, [2]float64{0.5, 1}),
	},
	Make: makeRearc,
}

// rearcLevel returns the settings of a level, with one range of either kind.
func rearcLevel(tier, examples int, size, much [2]float64) rearcParams {
	return rearcParams{
		MinExamples: examples, MaxExamples: examples, DiffLB: 0, DiffUB: 1, MaxTier: tier,
		RNGRanges: [][2]float64{size}, RNGWeights: []float64{1}, PSORanges: [][2]float64{much}, PSOWeights: []float64{1},
	}
}

// rearcParams are the settings of one difficulty.
type rearcParams struct {
	MinExamples int          `json:"min_examples" want:"2 to 10"`
	MaxExamples int          `json:"max_examples" want:"min_examples to 10"`
	DiffLB      float64      `json:"diff_lb" want:"0 to diff_ub"` // minimum of rng
	DiffUB      float64      `json:"diff_ub" want:"at most 1"`    // maximum of rng
	RNGRanges   [][2]float64 `json:"rng_difficulty_ranges"`
	RNGWeights  []float64    `json:"rng_difficulty_weights"` // shares of the ranges
	PSORanges   [][2]float64 `json:"pso_difficulty_ranges"`
	PSOWeights  []float64    `json:"pso_difficulty_weights"`
	MaxTier     int          `json:"max_tier" want:"1 to 3"` // of the rules: 1 to 3, simplest first
}

// Check refuses what no tag does.
func (p rearcParams) Check() error {
	if err := checkRanges("rng_difficulty", p.RNGRanges, p.RNGWeights); err != nil {
		return err
	}
	return checkRanges("pso_difficulty", p.PSORanges, p.PSOWeights)
}

// checkRanges refuses ranges outside 0 to 1, and weights that do not match them.
func checkRanges(name string, ranges [][2]float64, weights []float64) error {
	for _, r := range ranges {
		if !within01(r[0], r[1]) {
			return fmt.Errorf("%s_ranges has %v, want two numbers from 0 to 1, the smaller first", name, r)
		}
	}
	if err := task.CheckWeights(name, len(ranges), weights); err != nil {
		return fmt.Errorf("%s_ranges: %w", name, err)
	}
	return nil
}

func within01(low, high float64) bool { return 0 <= low && low <= high && high <= 1 }

// rearcItem is one rule, seen from outside. Entries of reasoning-gym have their examples
// only in the question.
type rearcItem struct {
	Input    board      `json:"input"`
	Output   board      `json:"output"`
	TaskID   string     `json:"task_id"` // the name of the rule
	RNG      float64    `json:"rng"`     // size of the grids, 0 to 1
	PSO      float64    `json:"pso"`     // fullness of the grids, 0 to 1
	Examples []gridPair `json:"examples,omitempty"`
	Phrasing int        `json:"phrasing,omitempty" want:"0 to 6"`
}

func (t rearcItem) Prompt() string { return questionText(t.Examples, t.Input, t.Phrasing) }

func (t rearcItem) Canonical() string { return questionKey(t.Examples, t.Input) }

// Check refuses a record with grids that its rule does not produce.
func (t rearcItem) Check() error {
	pairs := append(slices.Clone(t.Examples), gridPair{t.Input, t.Output})
	if err := checkPairs(pairs); err != nil {
		return err
	}
	if len(t.Examples) == 0 {
		return nil // from reasoning-gym
	}
	i := slices.IndexFunc(rules(), func(r rule) bool { return r.name == t.TaskID })
	if i < 0 {
		return fmt.Errorf("task_id is %.40q, which is not a rule", t.TaskID)
	}
	brush := ground
	for _, e := range pairs {
		if !fits(rules()[i].apply(&picture{board: e.Input}), e.Output, &brush) {
			return fmt.Errorf("the rule %s does not make the output of the input %.60v", t.TaskID, e.Input)
		}
	}
	return nil
}

func (t rearcItem) Solve() string { return grid.Ints(t.Output) }

func (t rearcItem) Score(text string) quintain.Verdict { return matchGrid(text, t.Output) }
