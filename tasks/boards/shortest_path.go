package boards

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// shortestPath asks for a shortest way through a grid with blocked cells.
var shortestPath = task.Spec[shortestPathParams, shortestPathItem]{
	Name:     "shortest_path",
	Category: "graphs",
	Doc:      "Find a shortest way through a grid with blocked cells, or say that there is none. One problem in twelve has none.",
	Source:   "Breadth-first search, E. F. Moore, The shortest path through a maze (1959); the settings are those of reasoning-gym.",
	Version:  6,
	List:     " ",
	Default:  shortestPathParams{MinRows: 5, MaxRows: 8, MinCols: 5, MaxCols: 8, PBlocked: 0.4},
	Levels: []shortestPathParams{
		{MinRows: 4, MaxRows: 5, MinCols: 4, MaxCols: 5, PBlocked: 0.2},
		{MinRows: 5, MaxRows: 7, MinCols: 5, MaxCols: 7, PBlocked: 0.3},
		{MinRows: 6, MaxRows: 10, MinCols: 6, MaxCols: 10, PBlocked: 0.35},
		{MinRows: 10, MaxRows: 15, MinCols: 10, MaxCols: 15, PBlocked: 0.4},
		{MinRows: 20, MaxRows: 25, MinCols: 20, MaxCols: 25, PBlocked: 0.4},
		{MinRows: 40, MaxRows: 50, MinCols: 40, MaxCols: 50, PBlocked: 0.4},
	},
	Make: makeShortestPath,
	Many: true,
}

// shortestPathParams are the settings of one difficulty.
type shortestPathParams struct {
	MinRows  int     `json:"min_rows" want:"1 or more"`
	MaxRows  int     `json:"max_rows" want:"min_rows to 500"`
	MinCols  int     `json:"min_cols" want:"1 or more"`
	MaxCols  int     `json:"max_cols" want:"min_cols to 500"`
	PBlocked float64 `json:"p_blocked" want:"0 to 1"` // probability that a cell is blocked
}

// pathMaxSide limits the rows and the columns of a grid.
const pathMaxSide = 500

// Check refuses what no tag does.
func (p shortestPathParams) Check() error {
	if p.MinRows*p.MinCols < 2 {
		return fmt.Errorf("min_cols is %d beside min_rows %d, want 2 cells or more", p.MinCols, p.MinRows)
	}
	return nil
}

// shortestPathItem is one grid.
type shortestPathItem struct {
	Matrix   pathMatrix `json:"matrix"`
	Solution []string   `json:"solution"` // moves of a shortest way; empty if there is none
	Phrasing int        `json:"phrasing,omitempty" want:"0 to 5"`
}

// The kinds of cell.
const (
	cellOpen    = 'O'
	cellBlocked = 'X'
	cellStart   = '*'
	cellGoal    = '#'
)

// A pathMatrix is a grid of cells within a wall of blocked cells. As JSON it is a list of
// rows without that wall, each a list of one-letter strings.
type pathMatrix struct{ grid.Walled[byte] }

// newPathMatrix returns a grid of blocked cells.
func newPathMatrix(rows, cols int) pathMatrix {
	return pathMatrix{grid.NewWalled[byte](rows, cols, cellBlocked)}
}

// MarshalJSON implements [json.Marshaler].
func (m pathMatrix) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 2+m.Rows*(4*m.Cols+2))
	b = append(b, '[')
	for i := range m.Rows {
		b = append(b, '[')
		for _, c := range m.Row(i) {
			b = append(b, '"', c, '"', ',')
		}
		b = append(b[:len(b)-1], ']', ',')
	}
	return append(b[:len(b)-1], ']'), nil
}

// UnmarshalJSON implements [json.Unmarshaler]. It refuses other letters, and rows of
// different lengths.
func (m *pathMatrix) UnmarshalJSON(raw []byte) error {
	cells := make([]byte, 0, len(raw)/4)
	depth, rows, start, cols := 0, 0, 0, 0 // start: index in cells where the row begins
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if strings.IndexByte(", \n\r\t", c) >= 0 {
			continue
		}
		switch {
		case c == '[' && depth < 2:
			depth++
			start = len(cells)
		case c == '"' && depth == 2 && raw[i+2] == '"' && strings.IndexByte("OX*#", raw[i+1]) >= 0:
			cells = append(cells, raw[i+1])
			i += 2
		case c == ']' && depth == 2 && len(cells) > start && (rows == 0 || len(cells)-start == cols):
			rows, cols = rows+1, len(cells)-start
			depth--
		case c == ']' && depth == 1 && rows > 0:
			depth--
		default:
			return fmt.Errorf("matrix: %.20q does not belong to equally long rows of \"O\", \"X\", \"*\" and \"#\"", raw[i:])
		}
	}
	*m = newPathMatrix(rows, cols)
	for i := range rows {
		copy(m.Row(i), cells[i*cols:])
	}
	return nil
}

// A pathMove is one of the four moves.
type pathMove uint8

// The moves, in the order of [grid.Walled.Steps].
const (
	moveUp pathMove = iota
	moveDown
	moveLeft
	moveRight
	moveNone // no move: the first cell of a way
)

var moveNames = [...]string{moveUp: "up", moveDown: "down", moveLeft: "left", moveRight: "right"}

// A reach describes the cells that can be reached from a cell.
type reach struct {
	order []int32    // the cells, nearest first, with the cell itself
	by    []pathMove // by cell: 1 plus the last move of a shortest way to it; 0: out of reach
}

// from searches the grid breadth first.
func (m pathMatrix) from(start int) reach {
	r := reach{make([]int32, 1, m.Rows*m.Cols), make([]pathMove, len(m.Cells))}
	r.order[0], r.by[start] = int32(start), moveNone+1
	steps := m.Steps()
	for i := 0; i < len(r.order); i++ {
		for move, step := range steps {
			cell := int(r.order[i]) + step
			if m.Cells[cell] != cellBlocked && r.by[cell] == 0 {
				r.by[cell] = pathMove(move) + 1
				r.order = append(r.order, int32(cell))
			}
		}
	}
	return r
}

// way returns the moves of a shortest way to goal, or none if it is out of reach.
func (m pathMatrix) way(r reach, goal int) []string {
	moves, steps := make([]string, 0, 16), m.Steps()
	for at := goal; r.by[at] != 0 && r.by[at] != moveNone+1; {
		move := r.by[at] - 1
		moves = append(moves, moveNames[move])
		at -= steps[move]
	}
	slices.Reverse(moves)
	return moves
}

// pathDeadEnd is the share of problems without a way: too large to ignore, too small to
// guess.
const pathDeadEnd = 1. / 12

// makeShortestPath draws grids until one has a start with much of the grid in reach. Chance
// decides whether the goal is within reach. If no drawn grid allows it, one is changed
// until it does.
func makeShortestPath(p shortestPathParams, r *rng.Rand) (shortestPathItem, error) {
	item := shortestPathItem{Phrasing: r.Between(0, len(shortestPathPhrasings)-1)}
	deadEnd := p.PBlocked > 0 && r.Chance(pathDeadEnd)
	rows, cols := r.Between(p.MinRows, p.MaxRows), r.Between(p.MinCols, p.MaxCols)
	m := newPathMatrix(rows, cols)
	const tries = 20
	for try := range tries {
		start := m.draw(p.PBlocked, r)
		seen := m.from(start)
		if len(seen.order) < 2 || try < tries/2 && len(seen.order) < rows*cols/4 {
			continue
		}
		if goal, found := m.goal(seen, deadEnd, r); found {
			m.Cells[goal] = cellGoal
			item.Matrix, item.Solution = m, m.way(seen, goal)
			return item, nil
		}
	}
	start := m.draw(p.PBlocked, r)
	goal := m.repair(start, deadEnd, r)
	item.Matrix, item.Solution = m, m.way(m.from(start), goal)
	return item, nil
}

// draw fills the grid with open and blocked cells and a start. The probability of
// blocked cells is rounded to a multiple of 2^-16, so that four cells share a draw.
func (m pathMatrix) draw(blocked float64, r *rng.Rand) (start int) {
	limit, bits, left := uint64(blocked*(1<<16)), uint64(0), 0
	for i := range m.Rows {
		row := m.Row(i)
		for j := range row {
			if left == 0 {
				bits, left = r.Uint64(), 4
			}
			row[j] = cellOpen
			if bits&(1<<16-1) < limit {
				row[j] = cellBlocked
			}
			bits, left = bits>>16, left-1
		}
	}
	start = m.any(r)
	m.Cells[start] = cellStart
	return start
}

// any draws a cell.
func (m pathMatrix) any(r *rng.Rand) int {
	return m.At(r.Between(0, m.Rows-1), r.Between(0, m.Cols-1))
}

// goal draws a goal: an open cell out of reach, or the farther of two within reach.
func (m pathMatrix) goal(seen reach, deadEnd bool, r *rng.Rand) (cell int, found bool) {
	if !deadEnd {
		last := len(seen.order) - 1
		return int(seen.order[max(r.Between(1, last), r.Between(1, last))]), true
	}
	apart := bytes.Count(m.Cells, []byte{cellOpen}) - (len(seen.order) - 1)
	if apart == 0 {
		return 0, false
	}
	skip := r.Between(0, apart-1)
	for i, c := range m.Cells {
		if c == cellOpen && seen.by[i] == 0 {
			if skip == 0 {
				return i, true
			}
			skip--
		}
	}
	return 0, false
}

// repair puts a goal into a grid that is too full or too empty for the chosen kind of
// problem: it walls the goal in, if there is room for that, or else clears a way to it.
func (m pathMatrix) repair(start int, deadEnd bool, r *rng.Rand) (goal int) {
	for goal = start; goal == start; {
		goal = m.any(r)
	}
	m.Cells[goal] = cellGoal
	steps := m.Steps()
	if deadEnd && !slices.Contains(steps[:], goal-start) {
		for _, step := range steps {
			m.Cells[goal+step] = cellBlocked
		}
		return goal
	}
	width := m.Cols + 1
	for at := start; at != goal; {
		move, down, across := moveUp, goal/width-at/width, goal%width-at%width
		switch {
		case across != 0 && (down == 0 || r.Chance(0.5)):
			move = moveLeft
			if across > 0 {
				move = moveRight
			}
		case down > 0:
			move = moveDown
		}
		if at += steps[move]; m.Cells[at] == cellBlocked {
			m.Cells[at] = cellOpen
		}
	}
	return goal
}

// shortestPathPhrasings are the wordings of the question, before and after the grid.
var shortestPathPhrasings = [][2]string{
	{"In the grid below you stand on the cell * and want to get to the cell #. O is an open cell and X a blocked one. One move takes you up, down, left or right to the next cell, as long as that is not blocked.\n\n",
		"\n\nGive a shortest path as a list of moves with spaces between them, for example: up right right down. If # cannot be reached, answer with the single word infeasible."},
	{"A robot moves through this map, one cell at a time: up, down, left or right. It starts at * and must reach #. It may cross cells marked O, but not those marked X.\n\n",
		"\n\nWhich moves bring it there in the fewest steps? Write just the moves, such as \"left left up\", in lower case and separated by spaces, or \"infeasible\" if there is no path at all."},
	{"Here is a map: X marks a wall, O free ground, * the start and # the goal.\n\n",
		"\n\nFind a route from start to goal that is as short as possible. A step goes to the cell above, below, to the left or to the right, never through a wall or off the map. Reply with the steps alone, each of them up, down, left or right, with single spaces between them (\"down down right\" is three steps). If no route exists, reply infeasible."},
	{"A mouse at * smells cheese at #. It runs from cell to cell, up, down, left or right, over cells marked O; cells marked X are walls.\n\n",
		"\n\nList the steps of a shortest run to the cheese, in order and with spaces between them, like this: left left down. If the mouse cannot get there, the answer is infeasible."},
	{"Find the way with the fewest moves from * to # on this board. O can be entered, X cannot, and a move goes one cell up, down, left or right.\n\n",
		"\n\nAnswer with the moves in order, each one word and separated by spaces, for example: right down down. Answer infeasible if no way exists."},
	{"A delivery cart has to get from * to # through these streets, where X is closed and O is open.\n\n",
		"\n\nIt moves by one cell to any of the four sides. What is a quickest sequence of moves? Give it as words from up, down, left and right with spaces between them, or say infeasible if the cart cannot arrive."},
}

func (s shortestPathItem) Prompt() string {
	words := shortestPathPhrasings[s.Phrasing]
	b := make([]byte, 0, len(words[0])+2*len(s.Matrix.Cells)+len(words[1]))
	b = append(b, words[0]...)
	for i := range s.Matrix.Rows {
		for _, c := range s.Matrix.Row(i) {
			b = append(b, c, ' ')
		}
		b[len(b)-1] = '\n'
	}
	return string(append(b[:len(b)-1], words[1]...))
}

// Canonical implements [task.Canonicalizer]: the grid, without the solution, from whichever side it is
// seen, and whichever end is the start.
func (s shortestPathItem) Canonical() string {
	rows := make([][]byte, s.Matrix.Rows)
	for i := range rows {
		rows[i] = s.Matrix.Row(i)
	}
	return canon.Least(2, func(i int) string {
		return canon.Board(rows, func(cell byte) byte {
			switch {
			case i == 1 && cell == cellStart:
				return cellGoal
			case i == 1 && cell == cellGoal:
				return cellStart
			}
			return cell
		})
	})
}

// Check refuses a record unless it is a grid with a shortest way.
func (s shortestPathItem) Check() error {
	m := s.Matrix
	switch {
	case m.Rows > pathMaxSide || m.Cols > pathMaxSide:
		return fmt.Errorf("matrix has %d rows of %d cells, want at most %d of each", m.Rows, m.Cols, pathMaxSide)
	case bytes.Count(m.Cells, []byte{cellStart}) != 1 || bytes.Count(m.Cells, []byte{cellGoal}) != 1:
		return errors.New("matrix does not have exactly one start and one goal")
	}
	start, goal := bytes.IndexByte(m.Cells, cellStart), bytes.IndexByte(m.Cells, cellGoal)
	if want := m.way(m.from(start), goal); len(want) != len(s.Solution) {
		return fmt.Errorf("solution has %d moves, want %d", len(s.Solution), len(want))
	}
	return task.CheckSolution(s)
}

// infeasible is the answer if there is no way.
const infeasible = "infeasible"

func (s shortestPathItem) Solve() string {
	if len(s.Solution) == 0 {
		return infeasible
	}
	return strings.Join(s.Solution, " ")
}

// Score implements [task.Scorer]. A longer way than necessary earns nothing.
func (s shortestPathItem) Score(text string) quintain.Verdict {
	text = answer.Trim(text)
	switch {
	case text == "":
		return quintain.Malformed("the answer is empty")
	case text == infeasible && len(s.Solution) == 0:
		return quintain.Right()
	case text == infeasible:
		return quintain.Wrong(fmt.Sprintf("there is a way of %d moves", len(s.Solution)))
	}
	at, moves, steps := bytes.IndexByte(s.Matrix.Cells, cellStart), 0, s.Matrix.Steps()
	for name := range strings.FieldsFuncSeq(text, answer.Space) {
		move := slices.Index(moveNames[:], name)
		if move < 0 {
			return quintain.Malformed(fmt.Sprintf("%.20q is not one of the moves up, down, left and right", name))
		}
		at += steps[move]
		if moves++; s.Matrix.Cells[at] == cellBlocked {
			return quintain.Wrong(fmt.Sprintf("move %d, %s, leads off the grid or to a blocked cell", moves, name))
		}
	}
	switch {
	case s.Matrix.Cells[at] != cellGoal:
		return quintain.Wrong("the way does not end at the goal")
	case moves > len(s.Solution):
		return quintain.Wrong(fmt.Sprintf("the way has %d moves, and %d are enough", moves, len(s.Solution)))
	}
	return quintain.Right()
}
