package transformations

import (
	"fmt"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/arcset"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// arcAGI asks the public questions of ARC, turned, mirrored and in other colors.
var arcAGI = task.Spec[arcParams, arcItem]{
	Name:     "arc_agi",
	Category: "arc",
	Doc: "Find the rule by which grids of colors become other grids: the 800 public tasks of ARC-AGI-1, turned, mirrored and in other colors. " +
		"With use_eval set to false, those of the evaluation set stay unseen.",
	Source:  "The Abstraction and Reasoning Corpus, F. Chollet (2019), Apache-2.0; the settings are those of reasoning-gym, but for board_format_opts, and max_cells.",
	Version: 1,
	Default: arcLevel(true, true, 10_000),
	Levels: []arcParams{
		arcLevel(true, false, 200),
		arcLevel(true, false, 500),
		arcLevel(true, false, 1000),
		arcLevel(true, false, 3000),
		arcLevel(false, true, 1500),
		arcLevel(false, true, 10_000),
	},
	Make: makeArc,
}

// arcLevel returns the settings of one difficulty: the sets of tasks, and how many cells their
// grids have at most.
func arcLevel(training, evaluation bool, cells int) arcParams {
	return arcParams{
		Training: training, Evaluation: evaluation, MaxCells: cells,
		Rotations: []int{90, 180, 270}, RotationWeights: slices.Repeat([]float64{0.25}, 4),
		Mirrors: []string{"horizontal", "vertical", "diagonal", "counterdiagonal"}, MirrorWeights: slices.Repeat([]float64{0.2}, 5),
		Recolor: true, Shuffle: true,
	}
}

// arcParams are the settings of one difficulty.
type arcParams struct {
	Training        bool      `json:"use_train"`
	Evaluation      bool      `json:"use_eval"`
	MaxCells        int       `json:"max_cells"`         // of all grids of a task together
	Rotations       []int     `json:"rotations"`         // clockwise, in degrees
	RotationWeights []float64 `json:"rotations_weights"` // shares of no rotation, and of each
	Mirrors         []string  `json:"mirrors"`
	MirrorWeights   []float64 `json:"mirrors_weights"`       // shares of no mirror, and of each
	Recolor         bool      `json:"use_color_permutation"` // of all but the background
	Shuffle         bool      `json:"shuffle_example_order"`
}

// leastCells is how many cells the smallest tasks of either set have at most.
const leastCells = 100

// Check implements [task.Params].
func (p arcParams) Check() error {
	if !p.Training && !p.Evaluation {
		return fmt.Errorf("use_train and use_eval are false, want at least one of them")
	}
	if p.MaxCells < leastCells {
		return fmt.Errorf("max_cells is %d, want %d or more", p.MaxCells, leastCells)
	}
	for _, degrees := range p.Rotations {
		if degrees != 90 && degrees != 180 && degrees != 270 {
			return fmt.Errorf("rotations has %d, want 90, 180 or 270", degrees)
		}
	}
	for _, mirror := range p.Mirrors {
		if _, known := mirrors[mirror]; !known {
			return fmt.Errorf("mirrors has %.40q, want horizontal, vertical, diagonal or counterdiagonal", mirror)
		}
	}
	if err := task.CheckWeights("rotations", len(p.Rotations)+1, p.RotationWeights); err != nil {
		return err
	}
	return task.CheckWeights("mirrors", len(p.Mirrors)+1, p.MirrorWeights)
}

// arcItem is one question. An entry of reasoning-gym has no examples but in its question.
type arcItem struct {
	Input    board      `json:"input"`
	Output   board      `json:"output"`
	TaskID   string     `json:"task_id"` // that of ARC
	Examples []gridPair `json:"examples,omitempty"`
	Phrasing int        `json:"phrasing,omitempty"`
}

// arcTasks are the tasks of both sets, the smallest first.
var arcTasks = sync.OnceValue(func() (sets [2][]arcset.Task) {
	for i, set := range [2][]arcset.Task{arcset.Training(), arcset.Evaluation()} {
		sets[i] = slices.SortedStableFunc(slices.Values(set), func(a, b arcset.Task) int { return a.Cells - b.Cells })
	}
	return sets
})

// smallTasks are the tasks of the sets that are played, without those that are too large.
func (p arcParams) smallTasks() (sets [2][]arcset.Task) {
	sets = arcTasks()
	for i, use := range [2]bool{p.Training, p.Evaluation} {
		n, _ := slices.BinarySearchFunc(sets[i], p.MaxCells+1, func(t arcset.Task, cells int) int { return t.Cells - cells })
		sets[i] = sets[i][:task.Bit(use)*n]
	}
	return sets
}

// makeArc draws a task, and what is done to its grids.
func makeArc(p arcParams, r *rng.Rand) (arcItem, error) {
	sets := p.smallTasks()
	i := r.Between(0, len(sets[0])+len(sets[1])-1)
	var chosen arcset.Task
	if i < len(sets[0]) {
		chosen = sets[0][i]
	} else {
		chosen = sets[1][i-len(sets[0])]
	}
	v := p.view(r)
	item := arcItem{TaskID: chosen.ID, Phrasing: r.Between(0, len(gridPhrasings)-1)}
	for _, pair := range chosen.Train() {
		item.Examples = append(item.Examples, v.pair(pair))
	}
	if p.Shuffle {
		rng.Shuffle(r, item.Examples)
	}
	asked := v.pair(rng.Pick(r, chosen.Test()))
	item.Input, item.Output = asked.Input, asked.Output
	return item, nil
}

// A view is what is done to all grids of a task.
type view struct {
	colors   [10]int // that the colors become
	mirrored bool    // rows become columns
	quarters int     // clockwise, after that
}

// mirrors are the quarters by which each of them turns a grid whose rows have become columns.
var mirrors = map[string]int{"diagonal": 0, "horizontal": 1, "counterdiagonal": 2, "vertical": 3}

// view draws what is done.
func (p arcParams) view(r *rng.Rand) (v view) {
	if i := task.Weighted(p.RotationWeights, r.Float()); i > 0 {
		v.quarters = p.Rotations[i-1] / 90
	}
	if i := task.Weighted(p.MirrorWeights, r.Float()); i > 0 {
		v.mirrored = true
		v.quarters += mirrors[p.Mirrors[i-1]]
	}
	for i := range v.colors {
		v.colors[i] = i
	}
	if p.Recolor {
		rng.Shuffle(r, v.colors[1:])
	}
	return v
}

// pair is a pair as it is seen.
func (v view) pair(p arcset.Pair) gridPair { return gridPair{v.of(p.Input), v.of(p.Output)} }

// of is a grid as it is seen. It changes the colors in place.
func (v view) of(b board) board {
	for _, row := range b {
		for j, c := range row {
			row[j] = v.colors[c]
		}
	}
	if v.mirrored {
		b = transposed(b)
	}
	return b.Turned(v.quarters)
}

// Prompt implements [task.Instance].
func (a arcItem) Prompt() string { return questionText(a.Examples, a.Input, a.Phrasing) }

// Canonical implements [task.Canonicalizer]. The examples may stand in any order.
func (a arcItem) Canonical() string { return questionKey(a.Examples, a.Input) }

// Check refuses a record with grids that are none, or too large.
func (a arcItem) Check() error {
	if err := checkPairs(append(slices.Clone(a.Examples), gridPair{a.Input, a.Output})); err != nil {
		return err
	}
	return task.CheckPhrasing(a.Phrasing, len(gridPhrasings))
}

// Solve implements [task.Instance].
func (a arcItem) Solve() string { return grid.Ints(a.Output) }

// Score implements [task.Instance].
func (a arcItem) Score(text string) quintain.Verdict { return matchGrid(text, a.Output) }
