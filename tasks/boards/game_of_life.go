package boards

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// gameOfLife asks for a board of the Game of Life after some steps.
var gameOfLife = task.Spec[gameOfLifeParams, gameOfLifeItem]{
	Name:     "game_of_life",
	Category: "algorithmic",
	Doc: "Work out a board of Conway's Game of Life after some steps, on a grid with opposite edges joined. " +
		"Some cells are alive at the end, and the board has changed.",
	Source:  "John Conway's Game of Life (1970); the settings are those of reasoning-gym.",
	Version: 6,
	Default: gameOfLifeParams{GridSizeX: 10, GridSizeY: 10, FilledCellsWeights: 0.1, SimulationSteps: 1},
	Levels: []gameOfLifeParams{
		{GridSizeX: 4, GridSizeY: 5, FilledCellsWeights: 0.35, SimulationSteps: 1},
		{GridSizeX: 6, GridSizeY: 7, FilledCellsWeights: 0.3, SimulationSteps: 1},
		{GridSizeX: 8, GridSizeY: 8, FilledCellsWeights: 0.25, SimulationSteps: 2},
		{GridSizeX: 10, GridSizeY: 10, FilledCellsWeights: 0.3, SimulationSteps: 3},
		{GridSizeX: 12, GridSizeY: 12, FilledCellsWeights: 0.35, SimulationSteps: 5},
		{GridSizeX: 16, GridSizeY: 16, FilledCellsWeights: 0.4, SimulationSteps: 8},
	},
	Few:  []string{"There are few boards of this size, turned, mirrored and moved across their edges."},
	Make: makeGameOfLife,
}

// mostLifeWork bounds cells times steps.
const mostLifeWork = 50_000_000

// gameOfLifeParams are the settings of one difficulty.
type gameOfLifeParams struct {
	GridSizeX          int     `json:"grid_size_x" want:"3 to 999"`                             // rows
	GridSizeY          int     `json:"grid_size_y" want:"3 to 999"`                             // columns
	FilledCellsWeights float64 `json:"filled_cells_weights" want:"more than 0 and less than 1"` // share of live cells at the start
	FilledCells        int     `json:"filled_cells"`                                            // number of live cells at the start; 0: FilledCellsWeights decides
	SimulationSteps    int     `json:"simulation_steps"`
}

// Check refuses what no tag does.
func (p gameOfLifeParams) Check() error {
	cells := p.GridSizeX * p.GridSizeY
	return cmp.Or(task.Within("filled_cells", p.FilledCells, 0, cells), task.Within("simulation_steps", p.SimulationSteps, 1, mostLifeWork/cells))
}

// gameOfLifeItem is one board. Entries of reasoning-gym have the board only in the
// question; the record has the final board alone, in Answer.
type gameOfLifeItem struct {
	GridSizeX       int      `json:"grid_size_x"`
	GridSizeY       int      `json:"grid_size_y"`
	FilledCells     int      `json:"filled_cells"` // live cells at the start
	SimulationSteps int      `json:"simulation_steps"`
	Board           []string `json:"board,omitempty"`  // the start: rows of 0 and 1
	Answer          *string  `json:"answer,omitempty"` // the end, as a JSON list of rows
	Phrasing        int      `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeGameOfLife draws cells until the final board has live cells and differs from the
// start.
func makeGameOfLife(p gameOfLifeParams, r *rng.Rand) (gameOfLifeItem, error) {
	const tries = 25
	height, width := p.GridSizeX, p.GridSizeY
	filled := p.FilledCells
	if filled == 0 {
		filled = max(3, int(math.Round(p.FilledCellsWeights*float64(height*width))))
	}
	order := make([]int, height*width)
	for i := range order {
		order[i] = i
	}
	board := newLifeBoard(height, width)
	var start []string
	for try := range tries {
		board.clear()
		for i := range filled {
			j := r.Between(i, len(order)-1)
			order[i], order[j] = order[j], order[i]
			board.set(order[i]/width, order[i]%width)
		}
		start = board.rows()
		board.run(p.SimulationSteps)
		if !board.empty() && !board.is(start) || try == tries-1 {
			break
		}
	}
	return gameOfLifeItem{
		GridSizeX: height, GridSizeY: width, FilledCells: filled, SimulationSteps: p.SimulationSteps,
		Board: start, Phrasing: r.Between(0, len(gameOfLifePhrasings)-1),
	}, nil
}

// is reports whether rows are those of the board.
func (b *lifeBoard) is(rows []string) bool {
	for y, row := range rows {
		for x, c := range []byte(row) {
			if b.alive(y, x) != (c == '1') {
				return false
			}
		}
	}
	return true
}

// gameOfLifePhrasings are the wordings of the question, before the number of steps.
var gameOfLifePhrasings = []string{
	"This is a board of Conway's Game of Life. What does it look like after ",
	"Simulate the Game of Life on the board below. Which cells are alive after ",
	"The following cells live by the rules of the Game of Life. What becomes of the board after ",
	"Let Conway's Game of Life run from the board below. How does it look after ",
	"Cells are born and die by the rules of the Game of Life. Which board follows from this one after ",
	"A screen shows this board of the Game of Life. What will it show after ",
}

// lifeRules are part of both tasks' prompts.
const lifeRules = "In each step, a live cell (1) lives on if two or three of its eight neighbors are alive, a dead cell (0) comes to life if exactly three are, " +
	"and every other cell dies or stays dead. The board wraps around: its left edge meets the right one, and its top edge the bottom one."

func (g gameOfLifeItem) Prompt() string {
	steps := "one step"
	if g.SimulationSteps != 1 {
		steps = fmt.Sprint(g.SimulationSteps, " steps")
	}
	return gameOfLifePhrasings[g.Phrasing] + steps + "? " + lifeRules + "\n\n" + string(appendBoard(nil, g.Board, ",\n ")) +
		"\n\nAnswer with the whole board as a JSON list of its rows from top to bottom, for example [[0,1,0],[1,1,0],[0,0,1]]."
}

// appendBoard appends rows of 0 and 1 as a JSON list of lists, with next between two rows.
func appendBoard(b []byte, rows []string, next string) []byte {
	b = append(b, '[')
	for y, row := range rows {
		if y > 0 {
			b = append(b, next...)
		}
		b = append(b, '[')
		for x, c := range []byte(row) {
			if x > 0 {
				b = append(b, ',')
			}
			b = append(b, c)
		}
		b = append(b, ']')
	}
	return append(b, ']')
}

func (g gameOfLifeItem) Short() string {
	return fmt.Sprintf("life, %d steps: %s", g.SimulationSteps, strings.Join(g.Board, " "))
}

// Canonical implements [task.Canonicalizer]: the steps and the board, if the record has it, wherever
// its edges are and from whichever side it is seen.
func (g gameOfLifeItem) Canonical() string {
	if g.Board == nil {
		return ""
	}
	return fmt.Sprint(g.SimulationSteps, " ", lifeKey(g.Board))
}

// Check refuses a record without a board, or with a wrong answer.
func (g gameOfLifeItem) Check() error {
	if g.Board == nil {
		if g.Answer == nil {
			return errors.New("board and answer are missing")
		}
		if _, err := readCells(*g.Answer); err != nil {
			return fmt.Errorf("answer: %w", err)
		}
		return nil
	}
	if _, err := readLifeBoard(g.Board); err != nil {
		return err
	}
	cells := len(g.Board) * len(g.Board[0])
	switch {
	case g.SimulationSteps < 0 || g.SimulationSteps > mostLifeWork/cells:
		return fmt.Errorf("simulation_steps is %d, want 0 to %d on such a board", g.SimulationSteps, mostLifeWork/cells)
	case g.Answer != nil && *g.Answer != string(appendBoard(nil, g.end(), ",")):
		return errors.New("answer is not the board at the end")
	}
	return nil
}

// end returns the board at the end.
func (g gameOfLifeItem) end() []string {
	if g.Board == nil {
		rows, err := readCells(*g.Answer)
		if err != nil {
			panic(err) // Check has already read it
		}
		return rows
	}
	board, err := readLifeBoard(g.Board)
	if err != nil {
		panic(err) // as above
	}
	board.run(g.SimulationSteps)
	return board.rows()
}

func (g gameOfLifeItem) Solve() string { return string(appendBoard(nil, g.end(), ",")) }

// Score implements [task.Scorer]. A board of the right size with w wrong cells earns 1 -
// w/b. b is the fewest wrong cells in the boards that need no work: the start, all dead,
// and all alive.
func (g gameOfLifeItem) Score(text string) quintain.Verdict {
	got, err := readCells(text)
	if err != nil {
		return quintain.Malformed(err.Error())
	}
	want := g.end()
	if len(got) != len(want) {
		return quintain.Wrong(fmt.Sprintf("there are %d rows, want %d", len(got), len(want)))
	}
	cells, wrong, live, changed := 0, 0, 0, 0
	for y, row := range want {
		if len(got[y]) != len(row) {
			return quintain.Wrong(fmt.Sprintf("row %d has %d cells, want %d", y+1, len(got[y]), len(row)))
		}
		cells += len(row)
		wrong += different(got[y], row)
		live += strings.Count(row, "1")
		if g.Board != nil {
			changed += different(g.Board[y], row)
		}
	}
	blind := min(live, cells-live)
	if g.Board != nil {
		blind = min(blind, changed)
	}
	switch {
	case wrong == 0:
		return quintain.Right()
	case wrong < blind:
		return quintain.Partial(1-float64(wrong)/float64(blind), fmt.Sprintf("%d cells are wrong", wrong))
	}
	return quintain.Wrong(fmt.Sprintf("%d cells are wrong", wrong))
}

// different counts the places where two texts of one length differ.
func different(a, b string) (n int) {
	for i := range len(a) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// readCells reads rows of 0 and 1 or of false and true.
func readCells(text string) ([]string, error) {
	all := answer.Rows(text)
	if len(all) == 0 {
		return nil, errors.New("the answer has no rows")
	}
	rows := make([]string, len(all))
	for y, cells := range all {
		row := make([]byte, len(cells))
		for x, cell := range cells {
			zero, _ := answer.SameDecimal(cell, "0")
			one, _ := answer.SameDecimal(cell, "1")
			switch {
			case zero || strings.EqualFold(cell, "false"):
				row[x] = '0'
			case one || strings.EqualFold(cell, "true"):
				row[x] = '1'
			default:
				return nil, fmt.Errorf("cell %d of row %d is neither 0 nor 1", x+1, y+1)
			}
		}
		rows[y] = string(row)
	}
	return rows, nil
}
