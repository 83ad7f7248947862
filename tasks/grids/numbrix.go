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

// numbrix asks for the only path of all numbers through a board.
var numbrix = task.Spec[numbrixParams, numbrixItem]{
	Name:     "numbrix",
	Category: "games",
	Doc:      "Complete a board with the numbers from 1 on so that each is beside the next, in a row or a column. Every puzzle has exactly one solution.",
	Source:   "Numbrix, by M. vos Savant (2008).",
	Version:  2,
	Default:  numbrixParams{MinSize: 7, MaxSize: 7, Given: 20},
	Levels: []numbrixParams{
		{MinSize: 5, MaxSize: 5, Given: 30},
		{MinSize: 6, MaxSize: 6, Given: 25},
		{MinSize: 7, MaxSize: 7, Given: 20},
		{MinSize: 8, MaxSize: 8, Given: 15},
		{MinSize: 9, MaxSize: 9, Given: 15},
	},
	Make: makeNumbrix,
}

// numbrixParams are the settings of one difficulty.
type numbrixParams struct {
	MinSize int `json:"min_size" want:"4 to 9"` // rows, and columns
	MaxSize int `json:"max_size" want:"min_size to 9"`
	Given   int `json:"given_percent" want:"10 to 80"` // of the numbers, before those that the solution needs
}

// numbrixItem is one puzzle.
type numbrixItem struct {
	Puzzle   grid.Grid[int] `json:"puzzle" want:"1 to 11" each:"0 or more"` // 0 is an empty cell
	Solution grid.Grid[int] `json:"solution" each:"1 or more"`
	Phrasing int            `json:"phrasing" want:"0 to 5"`
}

// makeNumbrix draws a path and gives numbers until no other path is left.
func makeNumbrix(p numbrixParams, r *rng.Rand) (numbrixItem, error) {
	const steps = 1000
	size := r.Between(p.MinSize, p.MaxSize)
	path := drawPath(size, r)
	beside := make([][]int, len(path))
	for c := range beside {
		eachBeside(c, size, func(to int) { beside[c] = append(beside[c], to) })
	}
	order := make([]int, len(path))
	for k := range order {
		order[k] = k
	}
	rng.Shuffle(r, order)
	first := max(2, len(order)*p.Given/100)
	given := setOf(order[:first]...) // numbers, from 0
	for {
		s := pathSearch{size: size, beside: beside, known: path, given: given, steps: steps}
		other, found, unique := s.other()
		if unique {
			break
		}
		choice := firstCells(len(path)).less(given)
		if found {
			choice = differing(path, other)
		}
		given.add(pick(choice, r))
	}
	item := numbrixItem{Puzzle: grid.New[int](size, size), Solution: grid.New[int](size, size), Phrasing: numbrixWordings.draw(r)}
	for k, at := range path {
		item.Solution[at/size][at%size] = k + 1
		if given.has(k) {
			item.Puzzle[at/size][at%size] = k + 1
		}
	}
	return item, nil
}

// drawPath returns a random path through all cells. It begins with one that goes to and fro, and
// often joins an end to another neighbor: what hung on that is turned around.
func drawPath(size int, r *rng.Rand) []int {
	path := make([]int, size*size)
	for k := range path {
		row, col := k/size, k%size
		if row%2 == 1 {
			col = size - 1 - col
		}
		path[k] = row*size + col
	}
	for range 8 * len(path) {
		if r.Between(0, 1) == 0 {
			slices.Reverse(path)
		}
		var beside [4]int
		n := 0
		eachBeside(path[0], size, func(c int) {
			if c != path[1] {
				beside[n] = c
				n++
			}
		})
		slices.Reverse(path[:slices.Index(path, beside[r.Between(0, n-1)])])
	}
	return path
}

// A pathSearch looks for another path with some given numbers.
type pathSearch struct {
	size   int
	beside [][]int        // by cell: its neighbors
	known  []int          // the cell of each number, from 0
	given  set            // numbers
	next   [mostMarks]int // by number: the first given one from it on, or -1
	before [mostMarks]int // by number: the last given one up to it, or -1
	first  int            // the first given number
	used   set            // cells
	path   []int
	steps  int // steps left
}

// other looks for another path, given the size, the neighbors, the known path, the given numbers
// and the steps. If it gives up, it reports neither another path nor that there is none.
func (s *pathSearch) other() (path []int, found, unique bool) {
	s.path, s.first = slices.Clone(s.known), s.given.first()
	last := -1
	for k := range s.known {
		if s.given.has(k) {
			last = k
			s.used.add(s.known[k])
		}
		s.before[k] = last
	}
	last = -1
	for k := len(s.known) - 1; k >= 0; k-- {
		if s.given.has(k) {
			last = k
		}
		s.next[k] = last
	}
	found = s.up(s.first)
	return s.path, found, !found && s.steps >= 0
}

// up places the numbers after k, and then those before the first given one.
func (s *pathSearch) up(k int) bool {
	if k == len(s.known)-1 {
		return s.down(s.first)
	}
	return s.step(k, k+1, s.next[k+1], s.up)
}

// down places the numbers before k, and compares the path.
func (s *pathSearch) down(k int) bool {
	if k == 0 {
		return !slices.Equal(s.path, s.known)
	}
	return s.step(k, k-1, s.before[k-1], s.down)
}

// step places a number beside k in all ways that leave the number aim within reach, or any if aim
// is negative. on places the others.
func (s *pathSearch) step(k, number, aim int, on func(k int) bool) bool {
	if s.steps--; s.steps < 0 {
		return false
	}
	for _, c := range s.beside[s.path[k]] {
		switch {
		case aim == number:
			if c == s.known[number] {
				return on(number)
			}
			continue
		case s.used.has(c) || aim >= 0 && distance(c, s.known[aim], s.size) > max(aim-number, number-aim):
			continue
		}
		s.used.add(c)
		s.path[number] = c
		if on(number) {
			return true
		}
		s.used = s.used.less(setOf(c))
		if s.steps < 0 {
			return false
		}
	}
	return false
}

// distance returns the number of steps from cell to cell.
func distance(a, b, size int) int {
	rows, cols := a/size-b/size, a%size-b%size
	return max(rows, -rows) + max(cols, -cols)
}

// numbrixWordings are the wordings of the question; %l is the last number.
var numbrixWordings = wordings{
	{"Complete this board of %n rows and %n columns so that it contains each number from 1 to %l exactly once, and so that consecutive numbers are always in cells that share a side: 2 beside 1, 3 beside 2, and so on. Diagonal neighbors do not count. An underscore is an empty cell; the printed numbers stay.",
		"There is one solution. Answer with the full board alone: %n lines of %n numbers separated by spaces."},
	{"Which numbers are missing?",
		"This is a numbrix puzzle. When it is solved, you can walk from 1 to %l through all the cells of the board, going up by one with every step, and every step leads to the cell directly above, below, to the left or to the right. The cells with _ are still to be filled, and the other numbers may not be changed. Only one filling works. Write it as %n rows of %n numbers with spaces between the numbers, and write nothing else."},
	{"A snake lies in a box of %n by %n cells and fills it completely. Its %l segments are numbered from one end to the other, one segment in each cell, and a segment and the next are in cells with a common side. We can see the numbers of some segments only:",
		"Find out how the snake lies; the visible numbers leave just one way. Reply with the numbers of all segments, arranged as in the box: %n lines, the %n numbers of a line separated by spaces, and no comment."},
	{"Your answer will be a table of %n lines with %n numbers each, separated by spaces, without any other text. It contains the whole numbers from 1 to %l, and agrees with the following one except for the underscores:",
		"For each number in it but the last, the number that is larger by one has to stand right next to it, in the same line or in the same column. Exactly one table does that."},
	{"Numbers from 1 to %l, one in each cell, form a chain on the board below: k and k + 1 are never farther apart than one cell up, down, left or right. Most links of the chain have been erased and are shown as _.",
		"Restore the chain. The board has %n rows of %n cells, and its remaining numbers fit one chain only. Print the board with all numbers, row by row, with a space between neighboring numbers."},
	{"Fill in the empty cells (_).",
		"The rules:\n- The board has %n rows and %n columns. Each of the numbers 1, 2, 3, ..., %l is used once.\n- Two numbers that differ by 1 are in orthogonally adjacent cells, that is, one above the other or side by side.\n- Numbers that are already there keep their cells.\n\nThe solution is unique. State it in %n lines of %n numbers, separating numbers by spaces."},
}

func (n numbrixItem) Prompt() string {
	size := len(n.Puzzle)
	return numbrixWordings.ask(n.Phrasing, n.appendBoard(nil), func(c byte) string {
		if c == 'l' {
			return strconv.Itoa(size * size)
		}
		return strconv.Itoa(size)
	})
}

// appendBoard appends the given numbers, in columns.
func (n numbrixItem) appendBoard(b []byte) []byte {
	return n.Puzzle.Append(b, func(b []byte, number int) []byte {
		if number == 0 {
			return append(b, " _"...)
		}
		return fmt.Appendf(b, "%2d", number)
	})
}

// Canonical implements [task.Canonicalizer]. Counting from the other end changes nothing.
func (n numbrixItem) Canonical() string {
	back := numbrixItem{Puzzle: fromEnd(n.Puzzle)}
	return min(least(func(v view) []byte { return grid.AppendInts(nil, seen(v, n.Puzzle)) }),
		least(func(v view) []byte { return grid.AppendInts(nil, seen(v, back.Puzzle)) }))
}

// fromEnd returns a board with its numbers counted from the other end.
func fromEnd(board grid.Grid[int]) grid.Grid[int] {
	size := len(board)
	return grid.Build(size, size, func(i, j int) int {
		if board[i][j] == 0 {
			return 0
		}
		return size*size + 1 - board[i][j]
	})
}

// Check refuses a record with a wrong solution.
func (n numbrixItem) Check() error { return checkBoards(n, len(n.Puzzle), n.Puzzle, n.Solution) }

func (n numbrixItem) Solve() string { return grid.Ints(n.Solution) }

// Score implements [task.Scorer]. All numbers have to be right.
func (n numbrixItem) Score(text string) quintain.Verdict {
	return judge(text, len(n.Puzzle), readNumber, n.broken)
}

// readNumber reads a number of up to three digits, from 1 on.
func readNumber(text string) int {
	n := 0
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' || i == 3 {
			return -1
		}
		n = 10*n + int(text[i]-'0')
	}
	if n == 0 {
		return -1
	}
	return n
}

// broken returns the first rule that a board breaks.
func (n numbrixItem) broken(cells []int) string {
	size := len(n.Puzzle)
	at := make([]int, len(cells)+1) // by number: 1 + its cell
	for c, number := range cells {
		if given := n.Puzzle[c/size][c%size]; given != 0 && given != number {
			return "the given number has changed in " + where(c, size)
		}
		if number > len(cells) || at[number] != 0 {
			return fmt.Sprintf("%d occurs twice, or is more than %d", number, len(cells))
		}
		at[number] = c + 1
	}
	for number := 2; number <= len(cells); number++ {
		if distance(at[number]-1, at[number-1]-1, size) != 1 {
			return fmt.Sprintf("%d is not beside %d", number, number-1)
		}
	}
	return ""
}
