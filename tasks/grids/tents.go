package grids

import (
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// tents asks for the only way to put up a tent for each tree.
var tents = task.Spec[tentsParams, tentsItem]{
	Name:     "tents",
	Category: "games",
	Doc: "Put a tent beside each tree so that no two tents touch and each row and column has as many as its number says. " +
		"Every puzzle has exactly one solution.",
	Source:  "Tents, also known as Tents and Trees, a pencil puzzle by L. de Hertog (1989).",
	Version: 2,
	Default: tentsParams{MinSize: 8, MaxSize: 8, Trees: 20},
	Levels: []tentsParams{
		{MinSize: 6, MaxSize: 6, Trees: 20},
		{MinSize: 7, MaxSize: 7, Trees: 20},
		{MinSize: 8, MaxSize: 8, Trees: 20},
		{MinSize: 9, MaxSize: 9, Trees: 20},
		{MinSize: 10, MaxSize: 10, Trees: 20},
		{MinSize: 11, MaxSize: 11, Trees: 20},
	},
	Make: makeTents,
}

// tentsParams are the settings of one difficulty.
type tentsParams struct {
	MinSize int `json:"min_size" want:"5 to 11"` // rows, and columns
	MaxSize int `json:"max_size" want:"min_size to 11"`
	Trees   int `json:"trees_percent" want:"10 to 20"` // of the squares, as far as their tents have room
}

// tentsItem is one puzzle.
type tentsItem struct {
	Puzzle   grid.Grid[int] `json:"puzzle" want:"1 to 11" each:"0 to 1"` // 1 is a tree
	RowTents []int          `json:"row_tents" want:"puzzle"`             // from above
	ColTents []int          `json:"col_tents" want:"puzzle"`             // from the left
	Solution grid.Grid[int] `json:"solution" each:"0 to 2"`              // 1 is a tree, 2 a tent
	Phrasing int            `json:"phrasing" want:"0 to 5"`
}

// The squares of a camp.
const (
	meadow = iota
	tree
	tent
	campSigns = signs(".TA")
)

// makeTents draws camps until one follows from its trees and numbers.
func makeTents(p tentsParams, r *rng.Rand) (tentsItem, error) {
	const steps = 60
	size := r.Between(p.MinSize, p.MaxSize)
	for {
		camp := drawCamp(size, size*size*p.Trees/100, r)
		item := tentsItem{
			Puzzle:   grid.Build(size, size, func(i, j int) int { return camp[i*size+j] & tree }),
			RowTents: make([]int, size), ColTents: make([]int, size),
			Solution: square(camp, size), Phrasing: tentsWordings.draw(r),
		}
		var own set
		for at, c := range camp {
			if c == tent {
				own.add(at)
				item.RowTents[at/size]++
				item.ColTents[at%size]++
			}
		}
		rules, given := item.rules()
		if _, _, unique := rules.other(own, given, steps); unique {
			return item, nil
		}
	}
}

// drawCamp puts up tents with trees beside them, up to a number of each, in random places.
func drawCamp(size, most int, r *rng.Rand) []int {
	camp, order := make([]int, size*size), make([]int, size*size)
	for i := range order {
		order[i] = i
	}
	rng.Shuffle(r, order)
	for _, at := range order {
		if most == 0 {
			break
		}
		free := camp[at] == meadow
		eachAround(at, size, func(c int) { free = free && camp[c] != tent })
		var room [4]int
		n := 0
		eachBeside(at, size, func(c int) {
			if camp[c] == meadow {
				room[n] = c
				n++
			}
		})
		if free && n > 0 {
			camp[at], camp[room[r.Between(0, n-1)]] = tent, tree
			most--
		}
	}
	return camp
}

// rules returns the rules for the tents, and what is known at once: there is no tent on a
// tree, or away from all.
func (t tentsItem) rules() (rules *sums, given marks) {
	size := len(t.Puzzle)
	rules = newSums(size * size)
	var trees []int
	var near set
	for at := range size * size {
		i, j := at/size, at%size
		if i+1 < size && j+1 < size {
			rules.bind(setOf(at, at+1, at+size, at+size+1), 0, 1)
		}
		if t.Puzzle[i][j] == tree {
			var sides set
			eachBeside(at, size, func(c int) { sides.add(c) })
			rules.bind(sides, 1, 4)
			near = near.or(sides)
			trees = append(trees, at)
		}
	}
	given.off = rules.cells.less(near).or(setOf(trees...))
	for i := range size {
		var row, column set
		for j := range size {
			row.add(i*size + j)
			column.add(j*size + i)
		}
		rules.bind(row, t.RowTents[i], t.RowTents[i])
		rules.bind(column, t.ColTents[i], t.ColTents[i])
	}
	rules.fits = func(on set) bool { return paired(trees, on, size) }
	return rules, given
}

// paired reports whether each tent belongs to a tree beside it, and each tree to one of the
// tents.
func paired(trees []int, tents set, size int) bool {
	if tents.len() != len(trees) {
		return false
	}
	var owner [mostMarks]int // by tent: 1 + the index of its tree
	var tried set
	var find func(i int) bool
	find = func(i int) (found bool) {
		eachBeside(trees[i], size, func(c int) {
			if found || !tents.has(c) || tried.has(c) {
				return
			}
			tried.add(c)
			if owner[c] == 0 || find(owner[c]-1) {
				owner[c], found = i+1, true
			}
		})
		return found
	}
	for i := range trees {
		if tried = (set{}); !find(i) {
			return false
		}
	}
	return true
}

// tentsWordings are the wordings of the question; %t is the number of trees.
var tentsWordings = wordings{
	{"Put up a tent for each of the trees (T) on this campsite of %n rows and %n columns. Tents go on empty squares (.). Every tree has a tent of its own on a square next to it, to the left, to the right, above or below, and there are no other tents. Two tents never touch, not even at a corner. The number at the end of a row says how many tents are in it, and a number in the last line says how many are in the column above it.",
		"There is one solution. Answer with the whole campsite alone, without the numbers: %n lines of %n signs with single spaces between them, T for a tree, A for a tent and . for an empty square."},
	{"Where are the tents?",
		"The picture shows %n rows of %n squares with the number of tents to the right of each row, and a last line with the number of tents in each column. T is a tree, and a dot is an empty square.\n\nRules:\n- Trees and tents form pairs: each of the %t trees is paired with exactly one tent, each tent with exactly one tree, and the two of a pair are side by side or one above the other.\n- No tent has another tent on any of the eight squares around it.\n- Tents stand only on squares that are empty now, and the numbers are right.\n\nWrite the solved picture as %n lines of %n characters separated by single spaces, with A for the tents and without the numbers. Only one picture is right."},
	{"Each camper here owns one tree and has pitched one tent right beside it (sharing a side with it, not just a corner). The map shows the trees as T. The tents are missing from the map, but to the right of every row, and below every column, stands how many tents there are in it.",
		"Campers like to be alone, so no tent is next to another one in any direction, diagonals included. There are as many tents as trees, %t of each, and no square holds both. Complete the map; this can be done in one way only. Reply with its %n rows of %n squares (T tree, A tent, . nothing), a space between two squares, and leave the numbers out."},
	{"Your answer will be a board of %n lines, each with %n symbols and single spaces between them. The symbols are T, A and a dot. Every T stays where it is on the following board, and some of the dots become A.",
		"The conditions:\n1. The letters can be matched so that every T has one A and every A has one T, each with its partner directly above, below, left or right of it.\n2. No two A are neighbors horizontally, vertically or diagonally.\n3. The last number of each row above is the number of A in that row; the last line has the number of A in each column.\n\nThere is exactly one such board. Do not repeat the numbers, and write nothing else."},
	{"Solve this puzzle, which is called Tents. It has %n rows and %n columns of squares. Trees are marked T. Numbers outside of the squares, at the right and at the bottom, count the tents that belong in the row or column.",
		"Each of the %t trees gets a tent, which has to be orthogonally adjacent to it and belongs to no other tree. (A tent may be adjacent to further trees, as long as every tree has a tent to itself.) Tents do not overlap trees, and no tent is adjacent to another, whether orthogonally or diagonally. Print the unique solution in %n rows: T, A for a tent, or . for each square, separated by spaces. The numbers are not part of the answer."},
	{"Trees: %t. Tents to be found: %t. The squares, with the counts of tents per row (right) and per column (below):",
		"A tent occupies one free square (dot) beside its tree, either in the same row or in the same column. Every tree (T) has exactly one tent assigned to it and no tent serves two trees. Around a tent, all eight squares are free of tents. Given the counts, the places of all tents are determined. State them by writing out the %n by %n squares again, row by row and without counts, using A for tents, T for trees and . for the rest, one space between squares."},
}

func (t tentsItem) Prompt() string {
	return tentsWordings.ask(t.Phrasing, t.appendBoard(nil, 0), func(c byte) string {
		if c == 't' {
			n := 0
			for _, row := range t.RowTents {
				n += row
			}
			return strconv.Itoa(n)
		}
		return strconv.Itoa(len(t.Puzzle))
	})
}

// appendBoard appends the trees and numbers as seen in a view.
func (t tentsItem) appendBoard(b []byte, v view) []byte {
	rows, cols := seenLines(v, t.RowTents, t.ColTents)
	for i, row := range seen(v, t.Puzzle) {
		for _, c := range row {
			b = append(b, campSigns[c], ' ')
		}
		b = append(strconv.AppendInt(append(b, ' '), int64(rows[i]), 10), '\n')
	}
	return grid.AppendInts(b, grid.Grid[int]{cols})
}

func (t tentsItem) Canonical() string {
	return least(func(v view) []byte { return t.appendBoard(nil, v) })
}

// Check refuses a record with a wrong solution.
func (t tentsItem) Check() error { return checkBoards(t, len(t.Puzzle), t.Puzzle, t.Solution) }

func (t tentsItem) Solve() string { return string(campSigns.append(nil, t.Solution)) }

// Score implements [task.Scorer]. All tents have to be right.
func (t tentsItem) Score(text string) quintain.Verdict {
	return judge(text, len(t.Puzzle), campSigns.read, t.broken)
}

// broken returns the first rule that a camp breaks.
func (t tentsItem) broken(cells []int) string {
	size := len(t.Puzzle)
	var on set
	var trees []int
	var rows, cols [mostSide]int
	for at, c := range cells {
		if (c == tree) != (t.Puzzle[at/size][at%size] == tree) {
			return "a tree has come or gone in " + where(at, size)
		}
		if c == tree {
			trees = append(trees, at)
		}
		if c != tent {
			continue
		}
		if !around(at, size).and(on).empty() {
			return "another tent touches the one in " + where(at, size)
		}
		on.add(at)
		rows[at/size]++
		cols[at%size]++
	}
	for i := range size {
		if rows[i] != t.RowTents[i] || cols[i] != t.ColTents[i] {
			return fmt.Sprintf("row %d has %d tents and column %d has %d, want %d and %d", i+1, rows[i], i+1, cols[i], t.RowTents[i], t.ColTents[i])
		}
	}
	if !paired(trees, on, size) {
		return "trees and tents do not form pairs"
	}
	return ""
}
