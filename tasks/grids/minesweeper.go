package grids

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// minesweeper asks for the only map of mines that fits the open squares.
var minesweeper = task.Spec[minesweeperParams, minesweeperItem]{
	Name:     "minesweeper",
	Category: "games",
	Doc:      "Tell where the mines are from the numbers on the open squares of a minefield and the number of all mines. Every puzzle has exactly one solution.",
	Source:   "Minesweeper, a computer game of the 1960s and later; as a puzzle without guessing, also known as Mines.",
	Version:  2,
	Default:  minesweeperParams{MinSize: 8, MaxSize: 8, Mines: 18, Open: 15},
	Levels: []minesweeperParams{
		{MinSize: 6, MaxSize: 6, Mines: 17, Open: 40},
		{MinSize: 7, MaxSize: 7, Mines: 18, Open: 25},
		{MinSize: 8, MaxSize: 8, Mines: 18, Open: 15},
		{MinSize: 9, MaxSize: 9, Mines: 20, Open: 8},
		{MinSize: 10, MaxSize: 10, Mines: 22, Open: 0},
		{MinSize: 11, MaxSize: 11, Mines: 24, Open: 0},
	},
	Make: makeMinesweeper,
}

// minesweeperParams are the settings of one difficulty.
type minesweeperParams struct {
	MinSize int `json:"min_size" want:"5 to 11"` // rows, and columns
	MaxSize int `json:"max_size" want:"min_size to 11"`
	Mines   int `json:"mines_percent" want:"5 to 40"` // of the squares
	Open    int `json:"open_percent" want:"0 to 100"` // of the squares without a mine, opened before those that the solution needs
}

// minesweeperItem is one puzzle.
type minesweeperItem struct {
	Puzzle   grid.Grid[int] `json:"puzzle" want:"1 to 11" each:"0 to 9"` // mines around an open square, 9 for a covered one
	Mines    int            `json:"mines"`
	Solution grid.Grid[int] `json:"solution" each:"0 to 1"` // 1 is a mine
	Phrasing int            `json:"phrasing" want:"0 to 5"`
}

const (
	covered      = 9
	fieldSigns   = signs("012345678?")
	mineSigns    = signs(".M")
	minesAtLeast = 2
)

// makeMinesweeper lays mines, and opens squares until only these mines fit. Each further square
// rules out a map that fitted so far.
func makeMinesweeper(p minesweeperParams, r *rng.Rand) (minesweeperItem, error) {
	const steps = 300
	size := r.Between(p.MinSize, p.MaxSize)
	order := make([]int, size*size)
	for i := range order {
		order[i] = i
	}
	rng.Shuffle(r, order)
	count := max(minesAtLeast, len(order)*p.Mines/100)
	mines, safe := setOf(order[:count]...), order[count:]
	field := minefield{size: size, rules: newSums(size * size)}
	field.rules.bind(field.rules.cells, count, count)
	for _, cell := range safe[:len(safe)*p.Open/100] {
		field.open(cell, mines)
	}
	for {
		other, found, unique := field.rules.other(mines, field.given, steps)
		if unique {
			break
		}
		closed := slices.DeleteFunc(slices.Clone(safe), func(c int) bool { return field.given.off.has(c) || found && !other.has(c) })
		field.open(closed[r.Between(0, len(closed)-1)], mines)
	}
	item := minesweeperItem{Mines: count, Solution: square(mines.ints(size*size), size), Phrasing: minesweeperWordings.draw(r)}
	item.Puzzle = grid.Build(size, size, func(i, j int) int {
		if cell := i*size + j; field.given.off.has(cell) {
			return around(cell, size).and(mines).len()
		}
		return covered
	})
	return item, nil
}

// A minefield is the open squares of a puzzle, as rules for the mines.
type minefield struct {
	size  int
	rules *sums
	given marks
}

// open opens a square.
func (f *minefield) open(cell int, mines set) {
	of := around(cell, f.size)
	n := of.and(mines).len()
	f.rules.bind(of, n, n)
	f.given.off.add(cell)
}

// around returns the up to eight neighbors of a cell.
func around(cell, size int) (s set) {
	eachAround(cell, size, func(c int) { s.add(c) })
	return s
}

// minesweeperWordings are the wordings of the question; %m is the number of mines.
var minesweeperWordings = wordings{
	{"Here is a minefield of %n rows and %n columns in which %m squares hold a mine. A number is an open square without a mine: it counts the mines on the squares around it, of which there are up to eight, since squares that touch at a corner count too. A question mark is a covered square, with or without a mine.",
		"Only one map of the mines agrees with all the numbers. Answer with that map alone: %n lines of %n signs with single spaces between them, M for a mine and . for a square without one. Open squares have no mine, so they are . as well."},
	{"Find all mines.",
		"Rules:\n- Each ? above is a covered square. Exactly %m of the covered squares have a mine.\n- A digit is an open square. It has no mine, and it says how many of its neighbors do. Neighbors are the squares next to it in all eight directions, diagonals included; at the edge there are fewer.\n- There is exactly one solution.\n\nWrite the field as %n rows of %n characters, separated by single spaces: M where a mine is, and a dot everywhere else, also in place of the digits. Write nothing else."},
	{"Somebody stopped in the middle of a game of Minesweeper and left this board:",
		"The question marks have not been uncovered yet, and %m mines lie under them. The digits were uncovered: there is no mine below a digit, and it tells the number of mines in the squares that touch its square along a side or at a corner. Work out where the mines must be. Your reply should be the board again, %n by %n, one row per line and a space between two squares, with M for each mine and . for each square that has none."},
	{"Your answer will be a map of %n lines with %n symbols each (single spaces between symbols, no other text), in which M stands for a mine and . for a square that is safe. It has to contain exactly %m mines, and to agree with this board:",
		"Every digit on the board is a safe square, and equals the number of mines among the squares that surround it horizontally, vertically and diagonally. Every ? may be a mine or safe. Just one map is possible."},
	{"On the square board below, which has %n rows, each square either has a mine or has none; there are %m mines in total. Some squares show a number. Such a square has no mine itself, and its number is the count of mines in the squares around it (left, right, above, below and the four diagonal ones, as far as they are on the board). The others show \"?\".",
		"Which squares have the mines? The numbers leave only one possibility. Give the board row by row, with M for a mine and . for no mine, the %n squares of a row separated by single spaces, and nothing besides."},
	{"Mines in this field: %m. What we know about it, row by row:",
		"A digit means that the square was opened, is free of mines, and borders on that many squares with mines, counting sideways, up and down, and diagonally. A question mark means that the square is still closed and may hold a mine. Deduce the whole layout; there is only one. Print it as %n rows of %n squares, using M (mine) and . (no mine, for opened squares too), with one space between neighboring squares and without comment."},
}

func (m minesweeperItem) Prompt() string {
	return minesweeperWordings.ask(m.Phrasing, m.appendBoard(nil, 0), func(c byte) string {
		if c == 'm' {
			return strconv.Itoa(m.Mines)
		}
		return strconv.Itoa(len(m.Puzzle))
	})
}

// appendBoard appends the open squares as seen in a view.
func (m minesweeperItem) appendBoard(b []byte, v view) []byte {
	return fieldSigns.append(b, seen(v, m.Puzzle))
}

func (m minesweeperItem) Canonical() string {
	return least(func(v view) []byte { return m.appendBoard(strconv.AppendInt(nil, int64(m.Mines), 10), v) })
}

// Check refuses a record with a wrong solution.
func (m minesweeperItem) Check() error { return checkBoards(m, len(m.Puzzle), m.Puzzle, m.Solution) }

func (m minesweeperItem) Solve() string { return string(mineSigns.append(nil, m.Solution)) }

// Score implements [task.Scorer]. All squares have to be right.
func (m minesweeperItem) Score(text string) quintain.Verdict {
	return judge(text, len(m.Puzzle), mineSigns.read, m.broken)
}

// broken returns the first rule that a map breaks.
func (m minesweeperItem) broken(cells []int) string {
	size, mines := len(m.Puzzle), 0
	for at, mine := range cells {
		mines += mine
		shown := m.Puzzle[at/size][at%size]
		if shown == covered {
			continue
		}
		if mine == 1 {
			return "there is a mine on the open square in " + where(at, size)
		}
		beside := 0
		eachAround(at, size, func(c int) { beside += cells[c] })
		if beside != shown {
			return fmt.Sprintf("the square in %s has %d mines around it, want %d", where(at, size), beside, shown)
		}
	}
	if mines != m.Mines {
		return fmt.Sprintf("there are %d mines, want %d", mines, m.Mines)
	}
	return ""
}
