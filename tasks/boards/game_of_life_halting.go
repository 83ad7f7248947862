package boards

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// gameOfLifeHalting asks whether a board of the Game of Life dies out in time.
var gameOfLifeHalting = task.Spec[gameOfLifeHaltingParams, gameOfLifeHaltingItem]{
	Name:     "game_of_life_halting",
	Category: "algorithmic",
	Doc: "Tell whether all cells of a board of Conway's Game of Life are dead after some steps. " +
		"The board holds a few small shapes; half of the boards die, and neither the number of shapes nor the number of cells gives it away. " +
		"All levels also ask when they have died, or how many cells are left.",
	Source:  "John Conway's Game of Life (1970); the shapes are drawn at random; the settings are those of reasoning-gym and witness.",
	Version: 6,
	Default: gameOfLifeHaltingParams{GridSizeX: 12, GridSizeY: 12, Difficulty: 1, NumOscillators: 5, MaxSimulationSteps: 20},
	Levels: []gameOfLifeHaltingParams{
		{GridSizeX: 8, GridSizeY: 8, Difficulty: 1, NumOscillators: 2, MaxSimulationSteps: 4, Witness: true},
		{GridSizeX: 10, GridSizeY: 10, Difficulty: 1, NumOscillators: 3, MaxSimulationSteps: 8, Witness: true},
		{GridSizeX: 14, GridSizeY: 14, Difficulty: 2, NumOscillators: 4, MaxSimulationSteps: 15, Witness: true},
		{GridSizeX: 20, GridSizeY: 18, Difficulty: 2, NumOscillators: 6, MaxSimulationSteps: 25, Witness: true},
		{GridSizeX: 26, GridSizeY: 28, Difficulty: 3, NumOscillators: 8, MaxSimulationSteps: 40, Witness: true},
		{GridSizeX: 36, GridSizeY: 36, Difficulty: 3, NumOscillators: 14, MaxSimulationSteps: 80, Witness: true},
	},
	Few: []string{
		"Two small shapes lie on a board without edges in few ways.",
	},
	Make: makeGameOfLifeHalting,
}

// gameOfLifeHaltingParams are the settings of one difficulty.
type gameOfLifeHaltingParams struct {
	GridSizeX          int `json:"grid_size_x"`                     // rows
	GridSizeY          int `json:"grid_size_y"`                     // columns
	Difficulty         int `json:"difficulty" want:"1 to 3"`        // 1 to 3: shapes of up to 3, 4 or 5 cells in height and width
	NumOscillators     int `json:"num_oscillators" want:"1 to 100"` // maximum of shapes on a board, lasting or dying
	MaxSimulationSteps int `json:"max_simulation_steps" want:"3 to 1000"`

	Witness bool `json:"witness"` // the answer is the step of death or the number of live cells, not True or False
}

// Check refuses what no tag does.
func (p gameOfLifeHaltingParams) Check() error {
	least := [...]int{7, 13, 25}[p.Difficulty-1]
	return cmp.Or(task.Within("grid_size_x", p.GridSizeX, least, 200), task.Within("grid_size_y", p.GridSizeY, least, 200))
}

// gameOfLifeHaltingItem is one board. Entries of reasoning-gym have the board only in the
// question.
type gameOfLifeHaltingItem struct {
	GridSizeX       int           `json:"grid_size_x"`
	GridSizeY       int           `json:"grid_size_y"`
	PlacedPatterns  []lifePattern `json:"placed_patterns"`
	SimulationSteps int           `json:"simulation_steps"`
	ShouldOscillate *bool         `json:"should_oscillate"`  // some cell is alive after the steps
	Board           []string      `json:"board,omitempty"`   // rows of 0 and 1
	Outcome         string        `json:"outcome,omitempty"` // such as "dead 5" or "alive 12"; empty: the answer is True or False
	Phrasing        int           `json:"phrasing,omitempty" want:"0 to 5"`
}

// lifePattern is a shape on a board.
type lifePattern struct {
	Name     string `json:"name"`     // "dying" or "lasting", its fate alone
	Position [2]int `json:"position"` // row and column of its upper left corner
}

// A lifeShape is a few live cells in a square: bit 8y+x for the cell in row y and
// column x.
type lifeShape uint64

// lifeShapes are shapes with the same number of cells, by their lifetime alone on a large
// board.
type lifeShapes struct {
	dying   []lifeShape
	dies    []int // step after which the shape of dying at this index is dead
	lasting []lifeShape
}

// lifeShapesOf holds the shapes of each difficulty, of the numbers of cells with both dying
// and lasting shapes.
var lifeShapesOf = [...]func() []lifeShapes{
	sync.OnceValue(func() []lifeShapes { return drawLifeShapes(3, 500) }),
	sync.OnceValue(func() []lifeShapes { return drawLifeShapes(4, 500) }),
	sync.OnceValue(func() []lifeShapes { return drawLifeShapes(5, 600) }),
}

// drawLifeShapes draws n shapes in a square with sides of size cells, and runs each alone.
func drawLifeShapes(size, n int) []lifeShapes {
	const large, horizon, fewest, most = 40, 48, 6, 3
	r := rng.New(uint64(size), "game_of_life_halting", "shapes")
	byCells := make([]lifeShapes, size*size+1)
	board := newLifeBoard(large, large)
	for range n {
		shape := lifeShape(0)
		cells := r.Between(most, size*(size+2)/2)
		for range cells {
			shape |= 1 << (8*r.Between(0, size-1) + r.Between(0, size-1))
		}
		board.clear()
		shape.place(board, large/2, large/2)
		group := &byCells[board.count()]
		if died := board.run(horizon); board.empty() {
			group.dying, group.dies = append(group.dying, shape), append(group.dies, died)
		} else {
			group.lasting = append(group.lasting, shape)
		}
	}
	var kept []lifeShapes
	for _, group := range byCells {
		if len(group.dying) >= fewest && len(group.lasting) >= fewest {
			kept = append(kept, group)
		}
	}
	return kept
}

// place sets the cells of s, with its upper left corner at row y and column x.
func (s lifeShape) place(b *lifeBoard, y, x int) {
	for i := range 64 {
		if s>>i&1 != 0 {
			b.set(y+i/8, x+i%8)
		}
	}
}

// makeGameOfLifeHalting draws whether the board is to die, and shapes that do so as long as
// they do not meet. If they meet, it tries others.
func makeGameOfLifeHalting(p gameOfLifeHaltingParams, r *rng.Rand) (gameOfLifeHaltingItem, error) {
	const tries = 30
	lasts := r.Chance(0.5)
	item := gameOfLifeHaltingItem{
		GridSizeX: p.GridSizeX, GridSizeY: p.GridSizeY, ShouldOscillate: &lasts,
		SimulationSteps: r.Between((p.MaxSimulationSteps+1)/2, p.MaxSimulationSteps),
		Phrasing:        r.Between(0, len(gameOfLifeHaltingPhrasings)-1),
	}
	board := newLifeBoard(p.GridSizeX, p.GridSizeY)
	shapes := r.Between((p.NumOscillators+1)/2, p.NumOscillators)
	for try := 1; ; try++ {
		board.clear()
		item.PlacedPatterns = item.PlacedPatterns[:0]
		for i := range shapes {
			item.placeShape(board, placing{size: p.Difficulty + 2, lasts: lasts && (i == 0 || r.Chance(0.5))}, r)
		}
		item.Board = board.rows()
		outcome := board.outcome(item.SimulationSteps)
		if lasting := !board.empty(); lasting == lasts || try == tries {
			if lasts = lasting; p.Witness {
				item.Outcome = outcome
			}
			return item, nil
		}
	}
}

// outcome makes the given number of steps. It returns the first step with all cells dead,
// or the number of live cells at the end.
func (b *lifeBoard) outcome(steps int) string {
	made := b.run(steps)
	if b.empty() {
		return "dead " + strconv.Itoa(made)
	}
	return "alive " + strconv.Itoa(b.count())
}

// A placing describes the shape to place: its size, and whether it lasts.
type placing struct {
	size  int
	lasts bool
}

// placeShape draws a shape, and a place for it away from the others, if it finds one.
func (g *gameOfLifeHaltingItem) placeShape(board *lifeBoard, what placing, r *rng.Rand) {
	const tries, apart = 10, 2 // apart: rows or columns between two shapes
	for range tries {
		at := [2]int{r.Between(0, g.GridSizeX-what.size), r.Between(0, g.GridSizeY-what.size)}
		if g.near(at, what.size+apart) {
			continue
		}
		shape, name := what.draw(g.SimulationSteps, r)
		shape.place(board, at[0], at[1])
		g.PlacedPatterns = append(g.PlacedPatterns, lifePattern{name, at})
		return
	}
}

// near reports whether a shape stands closer than distance to a place, both down and
// across.
func (g *gameOfLifeHaltingItem) near(at [2]int, distance int) bool {
	for _, other := range g.PlacedPatterns {
		down, across := max(at[0]-other.Position[0], other.Position[0]-at[0]), max(at[1]-other.Position[1], other.Position[1]-at[1])
		if min(down, g.GridSizeX-down) < distance && min(across, g.GridSizeY-across) < distance {
			return true
		}
	}
	return false
}

// draw draws a shape. Its number of cells does not depend on whether it lasts.
func (p placing) draw(steps int, r *rng.Rand) (shape lifeShape, name string) {
	const tries = 10
	group := rng.Pick(r, lifeShapesOf[p.size-3]())
	if p.lasts {
		return rng.Pick(r, group.lasting), "lasting"
	}
	i := 0
	for range tries {
		if i = r.Between(0, len(group.dying)-1); group.dies[i] <= steps {
			break
		}
	}
	return group.dying[i], "dying"
}

// gameOfLifeHaltingPhrasings are the wordings of the question, before the number of
// steps.
var gameOfLifeHaltingPhrasings = []string{
	"This is a board of Conway's Game of Life. Are all of its cells dead after ",
	"Does the following board of the Game of Life die out completely within ",
	"Simulate the Game of Life on the board below. Are all cells dead by the end of ",
	"Let the Game of Life run from the board below. Has every cell died after ",
	"A screen shows this board of the Game of Life. Is the screen empty after ",
	"Some shapes of the Game of Life die out. Have all of those below done so after ",
}

func (g gameOfLifeHaltingItem) Prompt() string {
	b := make([]byte, 0, task.PromptRoom)
	b = append(b, gameOfLifeHaltingPhrasings[g.Phrasing]...)
	b = append(strconv.AppendInt(b, int64(g.SimulationSteps), 10), " steps? "+lifeRules+"\n\n"...)
	for _, row := range g.Board {
		for x, c := range []byte(row) {
			if x > 0 {
				b = append(b, ' ')
			}
			b = append(b, c)
		}
		b = append(b, '\n')
	}
	if g.Outcome == "" {
		return string(append(b, "\nAnswer with True if all cells are dead by then, and with False if some are alive."...))
	}
	return string(append(b, "\nIf all cells are dead by then, answer with the word dead and the number of the step in which the last of them died, such as dead 30. "+
		"If not, answer with the word alive and the number of cells that are alive then, such as alive 30."...))
}

func (g gameOfLifeHaltingItem) Short() string {
	return fmt.Sprintf("dead after %d steps of life?%s %s", g.SimulationSteps, [...]string{"", " since when? how many not?"}[task.Bit(g.Outcome != "")], strings.Join(g.Board, " "))
}

func (g gameOfLifeHaltingItem) Choices() int {
	if g.Outcome != "" {
		return 0 // not equally likely
	}
	return 2
}

// Canonical implements [task.Canonicalizer]: the steps, the form of the answer, and the board, if the
// record has it, wherever its edges are and from whichever side it is seen.
func (g gameOfLifeHaltingItem) Canonical() string {
	if g.Board == nil {
		return ""
	}
	return fmt.Sprint(g.SimulationSteps, " ", g.Outcome != "", " ", lifeKey(g.Board))
}

// Check refuses a record without the fate of the board, or with a wrong one.
func (g gameOfLifeHaltingItem) Check() error {
	if g.ShouldOscillate == nil {
		return errors.New("should_oscillate is missing")
	}
	if g.Board != nil {
		board, err := readLifeBoard(g.Board)
		if err != nil {
			return err
		}
		if err := task.Within("simulation_steps", g.SimulationSteps, 0, mostLifeWork/(board.height*board.width)); err != nil {
			return err
		}
		outcome, lasts := board.outcome(g.SimulationSteps), !board.empty()
		switch {
		case *g.ShouldOscillate != lasts:
			return fmt.Errorf("should_oscillate is %t, want %t", *g.ShouldOscillate, lasts)
		case g.Outcome != "" && g.Outcome != outcome:
			return fmt.Errorf("outcome is %.20q, want %q", g.Outcome, outcome)
		}
	}
	return nil
}

func (g gameOfLifeHaltingItem) Solve() string {
	if g.Outcome != "" {
		return g.Outcome
	}
	return task.TrueOrFalse(!*g.ShouldOscillate)
}

// Score implements [task.Scorer]. It ignores case and space, and gives no partial credit.
func (g gameOfLifeHaltingItem) Score(text string) quintain.Verdict {
	if g.Outcome != "" {
		return task.MatchWords(text, g.Outcome)
	}
	switch text = answer.Trim(text); {
	case strings.EqualFold(text, g.Solve()):
		return quintain.Right()
	case strings.EqualFold(text, task.TrueOrFalse(*g.ShouldOscillate)):
		return quintain.Wrong("want " + g.Solve())
	}
	return quintain.Malformed("the answer is neither True nor False")
}
