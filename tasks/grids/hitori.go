package grids

import (
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// hitori asks for the only numbers to strike out.
var hitori = task.Spec[hitoriParams, hitoriItem]{
	Name:     "hitori",
	Category: "games",
	Doc: "Strike out numbers of a board so that none is left twice in a row or column, no two cells beside each other are struck out, and the rest hangs together. " +
		"Every puzzle has exactly one solution.",
	Source:  "Hitori, a pencil puzzle first published by Nikoli (1990).",
	Version: 3,
	Default: hitoriParams{MinSize: 7, MaxSize: 7},
	Levels: []hitoriParams{
		{MinSize: 5, MaxSize: 5},
		{MinSize: 6, MaxSize: 6},
		{MinSize: 7, MaxSize: 7},
		{MinSize: 8, MaxSize: 8},
		{MinSize: 9, MaxSize: 9},
	},
	Make: makeHitori,
}

// hitoriParams are the settings of one difficulty.
type hitoriParams struct {
	MinSize int `json:"min_size" want:"4 to 9"` // rows, and columns
	MaxSize int `json:"max_size" want:"min_size to 9"`
}

// hitoriMaxSide limits the rows of a board.
const hitoriMaxSide = 9

// hitoriItem is one puzzle.
type hitoriItem struct {
	Puzzle   grid.Grid[int] `json:"puzzle" want:"1 to 11" each:"1 to 9"`
	Solution grid.Grid[int] `json:"solution" each:"0 to 9"` // the puzzle, with 0 for a number that is struck out
	Phrasing int            `json:"phrasing" want:"0 to 5"`
}

const strikeSigns = signs("#123456789")

// makeHitori draws cells to strike out, as many as the rules permit, and numbers that are
// left once. It gives the struck cells numbers that are left beside them in the row or column, until
// no other cells can be struck out.
func makeHitori(p hitoriParams, r *rng.Rand) (hitoriItem, error) {
	const most, steps = 60, 150
	size := r.Between(p.MinSize, p.MaxSize)
	for {
		s := drawStrikes(size, r)
		for range most {
			rules := s.rules()
			other, found, unique := rules.other(s.struck, marks{}, steps)
			if unique {
				item := hitoriItem{Puzzle: square(s.numbers, size), Phrasing: hitoriWordings.draw(r)}
				item.Solution = grid.Build(size, size, func(i, j int) int {
					if s.struck.has(i*size + j) {
						return 0
					}
					return item.Puzzle[i][j]
				})
				return item, nil
			}
			if !found || !s.exclude(other, r) {
				break
			}
		}
	}
}

// A strikes is a board, and the cells that are struck out.
type strikes struct {
	size    int
	numbers []int
	struck  set
}

// drawStrikes draws a board that keeps the rules, perhaps with other solutions.
func drawStrikes(size int, r *rng.Rand) *strikes {
	s := &strikes{size: size, numbers: make([]int, size*size)}
	all := firstCells(size * size)
	order := make([]int, size*size)
	for at := range order {
		order[at] = at
	}
	rng.Shuffle(r, order)
	for _, at := range order {
		beside := set{}
		eachBeside(at, size, func(c int) { beside.add(c) })
		if left := all.less(s.struck).less(setOf(at)); beside.and(s.struck).empty() && connected(left, size) {
			s.struck.add(at)
		}
	}
	var rows, cols, names [hitoriMaxSide]int
	for _, list := range [][]int{rows[:size], cols[:size], names[:size]} {
		for i := range list {
			list[i] = i
		}
		rng.Shuffle(r, list)
	}
	for at := range s.numbers {
		s.numbers[at] = 1 + names[(rows[at/size]+cols[at%size])%size]
	}
	left := all.less(s.struck)
	for _, at := range s.struck.cells() {
		if twins := s.lines(at).and(left); !twins.empty() {
			s.numbers[at] = s.numbers[pick(twins, r)]
		}
	}
	return s
}

// lines returns the other cells of a cell's row and column.
func (s *strikes) lines(at int) (lines set) {
	for k := range s.size {
		lines.add(at/s.size*s.size + k)
		lines.add(k*s.size + at%s.size)
	}
	return lines.less(setOf(at))
}

// rules returns the rules for the cells to strike out.
func (s *strikes) rules() *sums {
	all := firstCells(s.size * s.size)
	rules := newSums(s.size * s.size)
	rules.early, rules.fits = true, func(on set) bool { return connected(all.less(on), s.size) }
	for at, number := range s.numbers {
		eachBeside(at, s.size, func(c int) {
			if c > at {
				rules.bind(setOf(at, c), 0, 1)
			}
		})
		for rest := s.lines(at); !rest.empty(); {
			c := rest.first()
			rest = rest.less(setOf(c))
			if c > at && s.numbers[c] == number {
				rules.bind(setOf(at, c), 1, 2)
			}
		}
	}
	return rules
}

// exclude gives a struck cell that others leave the number of a cell in its row or column that both
// leave. It reports whether there is one.
func (s *strikes) exclude(other set, r *rng.Rand) bool {
	left := firstCells(s.size * s.size).less(s.struck).less(other)
	free := s.struck.less(other)
	for !free.empty() {
		at := pick(free, r)
		free = free.less(setOf(at))
		if twins := s.lines(at).and(left); !twins.empty() {
			s.numbers[at] = s.numbers[pick(twins, r)]
			return true
		}
	}
	return false
}

// hitoriWordings are the wordings of the question.
var hitoriWordings = wordings{
	{"Solve this hitori of %n rows and %n columns. Strike out some of the numbers so that, among the numbers that are left, none occurs twice in the same row or in the same column. Two cells that share a side are never both struck out. All cells that are left are connected: from each of them you can get to any other by steps up, down, left and right, without entering a cell that is struck out.",
		"There is one solution. Answer with the board alone, with # in place of every number that is struck out: %n lines of %n signs with single spaces between them."},
	{"Which numbers have to go?",
		"The rules of this puzzle:\n- Some cells of the board above are blackened. The others keep their numbers.\n- In every row, the numbers that remain are all different, and so are those in every column.\n- Black cells do not touch along a side. They may touch at a corner.\n- Black cells do not cut the board into parts: the remaining cells form one area, in which cells are joined along their sides.\n\nWrite the board with # for each black cell and the numbers of all other cells, as %n rows of %n characters separated by single spaces. Write nothing else. Only one board is right."},
	{"In the square of numbers below, there are too many of some numbers in some of its %n rows and %n columns.",
		"Cover cells until no row and no column shows a number more than once. Do not cover two cells that are next to each other in a row or a column. Make sure that the cells that are not covered stay in one piece, where a cell holds on to the cells directly above, below, left and right of it. There is just one set of cells to cover. Reply with the square, row by row, a space between neighboring cells and # for each covered one."},
	{"Your answer will be a copy of these %n lines of %n numbers in which some numbers are replaced by the sign #:",
		"In the copy,\n1. no line and no column contains a number twice;\n2. no # has another # directly to its left or right, above it or below it;\n3. one can walk from any number to any other by going from cell to cell horizontally and vertically over numbers alone.\nExactly one copy is like that. Keep single spaces between the symbols, and write no other text."},
	{"Shade cells of this %n by %n board.",
		"A board is solved when the unshaded cells have no repeated number in any row or column, no two shaded cells are orthogonally adjacent, and the unshaded cells are orthogonally connected with each other. A cell may be shaded even if its number is the only one of its kind in its row and column, as long as all this is true. The solution is unique. Print it in %n lines, using # for a shaded cell and the number for an unshaded one, with a space between two cells and without comment."},
	{"Here are %n rows of %n numbers each:",
		"Take numbers away and leave holes in their places. Afterwards a row must not have equal numbers, and neither must a column. Holes must not lie side by side or one above the other. The numbers must still hang together, that is, be linked to each other through neighbors in the same row or column that are not holes. This works in only one way. Give the result as %n lines of %n entries separated by spaces, a # for every hole and the number itself everywhere else."},
}

func (h hitoriItem) Prompt() string {
	return hitoriWordings.ask(h.Phrasing, grid.AppendInts(nil, h.Puzzle), func(byte) string { return strconv.Itoa(len(h.Puzzle)) })
}

// Canonical implements [task.Canonicalizer]. Other numbers for the same ones change nothing.
func (h hitoriItem) Canonical() string {
	size := len(h.Puzzle)
	return least(func(v view) []byte {
		cells := make([]int, 0, size*size)
		for _, row := range seen(v, h.Puzzle) {
			cells = append(cells, row...)
		}
		return grid.AppendInts(nil, square(named(cells), size))
	})
}

// Check refuses a record with a wrong solution.
func (h hitoriItem) Check() error { return checkBoards(h, len(h.Puzzle), h.Puzzle, h.Solution) }

func (h hitoriItem) Solve() string { return string(strikeSigns.append(nil, h.Solution)) }

// Score implements [task.Scorer]. All cells have to be right.
func (h hitoriItem) Score(text string) quintain.Verdict {
	return judge(text, len(h.Puzzle), strikeSigns.read, h.broken)
}

// broken returns the first rule that struck cells break.
func (h hitoriItem) broken(cells []int) string {
	size := len(h.Puzzle)
	var left set
	var rows, cols [mostSide]int
	for at, number := range cells {
		i, j := at/size, at%size
		if number == 0 {
			if j > 0 && cells[at-1] == 0 || i > 0 && cells[at-size] == 0 {
				return "there is a struck cell beside the one in " + where(at, size)
			}
			continue
		}
		if number != h.Puzzle[i][j] {
			return "the number has changed in " + where(at, size)
		}
		if (rows[i]|cols[j])>>number&1 != 0 {
			return fmt.Sprintf("%d is left before in its row or column, in %s", number, where(at, size))
		}
		rows[i] |= 1 << number
		cols[j] |= 1 << number
		left.add(at)
	}
	if left.empty() || !connected(left, size) {
		return "the cells that are left do not hang together"
	}
	return ""
}
