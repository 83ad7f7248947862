package transformations

import (
	"fmt"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// arcAGI asks the public tasks of ARC, rotated, mirrored and recolored.
var arcAGI = task.Spec[arcParams, arcItem]{
	Name:     "arc_agi",
	Category: "arc",
	Doc: "Find the rule that turns grids of colors into other grids: the 800 public tasks of ARC-AGI-1, rotated, mirrored and recolored. " +
		"With use_eval set to false, the evaluation set stays unseen.",
	Source:  "The Abstraction and Reasoning Corpus, F. Chollet (2019), Apache-2.0; the settings are those of reasoning-gym, except for board_format_opts, and max_cells.",
	Version: 3,
	Default: arcLevel(true, true, 10_000),
	Levels: []arcParams{
		arcLevel(true, false, 200),
		arcLevel(true, false, 500),
		arcLevel(true, false, 1000),
		arcLevel(true, false, 3000),
		arcLevel(false, true, 1500),
		arcLevel(false, true, 10_000),
	},
	Few:  slices.Repeat([]string{"ARC has so many tasks of this size."}, 6),
	Make: makeArc,
}

// arcLevel returns the settings of one difficulty: the sets of tasks, and the limit of
// cells in their grids.
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
	MaxCells        int       `json:"max_cells" want:"100 or more"` // total of all grids of a task
	Rotations       []int     `json:"rotations"`                    // clockwise, in degrees
	RotationWeights []float64 `json:"rotations_weights"`            // shares of no rotation, and of each
	Mirrors         []string  `json:"mirrors" oneof:"horizontal vertical diagonal counterdiagonal"`
	MirrorWeights   []float64 `json:"mirrors_weights"`       // shares of no mirror, and of each
	Recolor         bool      `json:"use_color_permutation"` // all colors except the background
	Shuffle         bool      `json:"shuffle_example_order"`
}

// leastCells suffices for the smallest tasks of either set.
const leastCells = 100

// Check refuses what no tag does.
func (p arcParams) Check() error {
	if !p.Training && !p.Evaluation {
		return fmt.Errorf("use_train and use_eval are false, want at least one of them")
	}
	for _, degrees := range p.Rotations {
		if degrees != 90 && degrees != 180 && degrees != 270 {
			return fmt.Errorf("rotations has %d, want 90, 180 or 270", degrees)
		}
	}
	if err := task.CheckWeights("rotations", len(p.Rotations)+1, p.RotationWeights); err != nil {
		return err
	}
	return task.CheckWeights("mirrors", len(p.Mirrors)+1, p.MirrorWeights)
}

// arcItem is one question. Entries of reasoning-gym have their examples only in the
// question.
type arcItem struct {
	Input    board      `json:"input"`
	Output   board      `json:"output"`
	TaskID   string     `json:"task_id"` // ARC's ID
	Examples []gridPair `json:"examples,omitempty"`
	Phrasing int        `json:"phrasing,omitempty" want:"0 to 6"`
}

// arcTasks returns the tasks of both sets, smallest first.
var arcTasks = sync.OnceValue(func() (sets [2][]arcTask) {
	for i, set := range [2][]arcTask{arcTraining(), arcEvaluation()} {
		sets[i] = slices.SortedStableFunc(slices.Values(set), func(a, b arcTask) int { return a.Cells - b.Cells })
	}
	return sets
})

// smallTasks returns the tasks of the chosen sets, without those that are too large.
func (p arcParams) smallTasks() (sets [2][]arcTask) {
	sets = arcTasks()
	for i, use := range [2]bool{p.Training, p.Evaluation} {
		n, _ := slices.BinarySearchFunc(sets[i], p.MaxCells+1, func(t arcTask, cells int) int { return t.Cells - cells })
		sets[i] = sets[i][:task.Bit(use)*n]
	}
	return sets
}

// makeArc draws a task, and the view of its grids.
func makeArc(p arcParams, r *rng.Rand) (arcItem, error) {
	sets := p.smallTasks()
	i := r.Between(0, len(sets[0])+len(sets[1])-1)
	var chosen arcTask
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

// A view is a change to all grids of a task.
type view struct {
	colors   [10]int // the new color of each color
	mirrored bool    // transpose
	quarters int     // then rotate clockwise
}

// mirrors maps each mirror to the quarter turns after a transposition.
var mirrors = map[string]int{"diagonal": 0, "horizontal": 1, "counterdiagonal": 2, "vertical": 3}

// view draws a view.
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

// pair returns a pair in the view.
func (v view) pair(p arcPair) gridPair { return gridPair{v.of(p.Input), v.of(p.Output)} }

// of returns a grid in the view. It changes the colors in place.
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

func (a arcItem) Prompt() string { return questionText(a.Examples, a.Input, a.Phrasing) }

// Canonical implements [task.Canonicalizer]. It is the ID of the task of ARC, since who knows its rule
// knows the answer in all its views.
func (a arcItem) Canonical() string { return a.TaskID }

// Check refuses a record with invalid or too large grids.
func (a arcItem) Check() error {
	return checkPairs(append(slices.Clone(a.Examples), gridPair{a.Input, a.Output}))
}

func (a arcItem) Solve() string { return grid.Ints(a.Output) }

func (a arcItem) Score(text string) quintain.Verdict { return matchGrid(text, a.Output) }
