package grids

import (
	"fmt"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// binairo asks for the only filling of a board with zeros and ones.
var binairo = task.Spec[binairoParams, binairoItem]{
	Name:     "binairo",
	Category: "games",
	Doc: "Fill a board with zeros and ones so that each row and column has as many of both, none has three equal digits in a row, and no two rows or columns are the same. " +
		"Every puzzle has exactly one solution.",
	Source:  "Binairo, also known as Takuzu, by F. Coussement and P. de Schepper (2009).",
	Version: 2,
	Default: binairoParams{MinSize: 8, MaxSize: 8, Extra: 5},
	Levels: []binairoParams{
		{MinSize: 6, MaxSize: 6, Extra: 20},
		{MinSize: 6, MaxSize: 6, Extra: 0},
		{MinSize: 8, MaxSize: 8, Extra: 10},
		{MinSize: 8, MaxSize: 8, Extra: 0},
		{MinSize: 10, MaxSize: 10, Extra: 5},
		{MinSize: 10, MaxSize: 10, Extra: 0},
	},
	Make: makeBinairo,
}

// binairoParams are the settings of one difficulty.
type binairoParams struct {
	MinSize int `json:"min_size" want:"4 to 10"` // rows, and columns
	MaxSize int `json:"max_size" want:"min_size to 10"`
	Extra   int `json:"extra_percent" want:"0 to 50"` // of the cells, given besides those that the solution needs
}

// Check refuses what no tag does.
func (p binairoParams) Check() error {
	switch {
	case p.MinSize%2 != 0:
		return fmt.Errorf("min_size is %d, want an even number", p.MinSize)
	case p.MaxSize%2 != 0:
		return fmt.Errorf("max_size is %d, want an even number", p.MaxSize)
	}
	return nil
}

// binairoItem is one puzzle.
type binairoItem struct {
	Puzzle   grid.Grid[int] `json:"puzzle" want:"1 to 11" each:"0 to 2"` // 2 is an empty cell
	Solution grid.Grid[int] `json:"solution" each:"0 to 1"`
	Phrasing int            `json:"phrasing" want:"0 to 5"`
}

const binairoSigns = signs("01_")

// binairoRules returns the rules of an empty board.
func binairoRules(size int) *sums {
	rules := newSums(size * size)
	for i := range size {
		var row, column set
		for j := range size {
			row.add(i*size + j)
			column.add(j*size + i)
			if j >= 2 {
				rules.bind(setOf(i*size+j-2, i*size+j-1, i*size+j), 1, 2)
				rules.bind(setOf(j*size-2*size+i, j*size-size+i, j*size+i), 1, 2)
			}
		}
		rules.bind(row, size/2, size/2)
		rules.bind(column, size/2, size/2)
	}
	rules.fits = func(on set) bool { return equalLines(on, size) == "" }
	return rules
}

// equalLines names two rows or columns with the same marks, if there are any.
func equalLines(on set, size int) string {
	var rows, columns [mostSide]int
	for i := range size {
		for j := range size {
			rows[i] = rows[i]<<1 | task.Bit(on.has(i*size+j))
			columns[i] = columns[i]<<1 | task.Bit(on.has(j*size+i))
		}
		for k := range i {
			switch {
			case rows[i] == rows[k]:
				return fmt.Sprintf("rows %d and %d are the same", k+1, i+1)
			case columns[i] == columns[k]:
				return fmt.Sprintf("columns %d and %d are the same", k+1, i+1)
			}
		}
	}
	return ""
}

// makeBinairo fills a board at random and gives cells until no other filling is left.
func makeBinairo(p binairoParams, r *rng.Rand) (binairoItem, error) {
	const fillSteps, steps = 200, 60
	size := 2 * r.Between(p.MinSize/2, p.MaxSize/2)
	rules := binairoRules(size)
	fill := sumSearch{rules: rules, rand: r, steps: fillSteps}
	for !fill.run(marks{}) {
		fill.steps = fillSteps
	}
	full := fill.found
	var given marks
	give := func(cell int) {
		if full.has(cell) {
			given.on.add(cell)
		} else {
			given.off.add(cell)
		}
	}
	for range size * size / 5 { // fewer are never enough
		give(r.Between(0, size*size-1))
	}
	for {
		other, found, unique := rules.other(full, given, steps)
		if unique {
			break
		}
		choice := rules.cells.less(given.on.or(given.off))
		if found {
			choice = other.less(full).or(full.less(other))
		}
		for range size / 5 { // one at a time takes long on a large board
			give(pick(choice, r))
		}
	}
	for range size * size * p.Extra / 100 {
		if left := rules.cells.less(given.on.or(given.off)); !left.empty() {
			give(pick(left, r))
		}
	}
	item := binairoItem{Solution: square(full.ints(size*size), size), Phrasing: binairoWordings.draw(r)}
	item.Puzzle = grid.Build(size, size, func(i, j int) int {
		switch cell := i*size + j; {
		case given.on.has(cell):
			return 1
		case given.off.has(cell):
			return 0
		}
		return 2
	})
	return item, nil
}

// binairoWordings are the wordings of the question; %h is half of the size.
var binairoWordings = wordings{
	{"Complete this binairo of %n rows and %n columns. An underscore is an empty cell, and has to become 0 or 1. In the end, every row and every column has %h zeros and %h ones. Nowhere do three equal digits stand next to each other in a row or in a column. No two rows are the same, and no two columns are the same.",
		"Answer with the full board alone: %n lines of %n digits, with single spaces between the digits."},
	{"Fill in the blanks (_) with zeros and ones.",
		"The rules:\n1. Each of the %n rows contains %h zeros and %h ones, and so does each of the %n columns.\n2. No row and no column has the same digit in three neighboring cells.\n3. All rows differ from each other. All columns differ from each other.\n4. The digits that are printed above stay.\n\nExactly one board keeps them all. Write it as %n rows of %n digits separated by single spaces, and write nothing else."},
	{"I have a square with %n rows in which only some of the cells show their digit:",
		"The hidden digits, marked _, are zeros and ones too. Half of each row is zeros, half is ones (%h and %h), and the same is true of each column. At most two equal digits are side by side or one above the other before a different one follows. You will find no row twice and no column twice. Which digits are hidden? Reply with the whole square, row by row, a space between neighboring digits."},
	{"Your answer will be a binary board: %n lines with %n digits each, every digit a 0 or a 1, with a single space between two digits and no other text. It must agree with the following board wherever that has a digit rather than an underscore.",
		"It must also be balanced and free of repetition: %h zeros and %h ones in each row and in each column; never 0 0 0 or 1 1 1 in three cells in a line, whether across or down; no row equal to another row; no column equal to another column. There is only one such board."},
	{"In this puzzle, also known as takuzu, cells hold 0 or 1, and lines (rows as well as columns) obey three laws. A line holds each digit %h times. A line does not hold three of the same digit in succession. A line is not a copy of another line in its direction. Some cells of the %n by %n board are known:",
		"Find the rest, shown as _. There is one solution; print it with the known cells included, as %n lines of %n digits with spaces between them, and leave out any comment."},
	{"Which zeros and ones complete the board below? It has %n rows of %n cells, and _ stands for a cell without a digit.",
		"A completed board counts as solved if\n- it keeps all digits that you see,\n- there are exactly %h ones (and %h zeros) in any row and any column,\n- no three cells that follow each other in a row or a column contain the same digit, and\n- neither two of its rows nor two of its columns are identical.\nThis board has a single solution. State it in %n lines, with the digits of a line separated by spaces."},
}

func (b binairoItem) Prompt() string {
	return binairoWordings.ask(b.Phrasing, binairoSigns.append(nil, b.Puzzle), func(c byte) string {
		if c == 'h' {
			return strconv.Itoa(len(b.Puzzle) / 2)
		}
		return strconv.Itoa(len(b.Puzzle))
	})
}

// Canonical implements [task.Canonicalizer]. Exchanging the digits changes nothing.
func (b binairoItem) Canonical() string {
	return min(least(func(v view) []byte { return binairoSigns.append(nil, seen(v, b.Puzzle)) }),
		least(func(v view) []byte { return signs("10_").append(nil, seen(v, b.Puzzle)) }))
}

// Check refuses a record with a wrong solution.
func (b binairoItem) Check() error { return checkBoards(b, len(b.Puzzle), b.Puzzle, b.Solution) }

func (b binairoItem) Solve() string { return string(binairoSigns.append(nil, b.Solution)) }

// Score implements [task.Scorer]. All cells have to be right.
func (b binairoItem) Score(text string) quintain.Verdict {
	return judge(text, len(b.Puzzle), binairoSigns[:2].read, b.broken)
}

// broken returns the first rule that a board breaks.
func (b binairoItem) broken(cells []int) string {
	size := len(b.Puzzle)
	var on set
	for at, digit := range cells {
		if given := b.Puzzle[at/size][at%size]; given != 2 && given != digit {
			return "the given digit has changed in " + where(at, size)
		}
		if digit == 1 {
			on.add(at)
		}
		i, j := at/size, at%size
		if j >= 2 && cells[at-1] == digit && cells[at-2] == digit || i >= 2 && cells[at-size] == digit && cells[at-2*size] == digit {
			return "three equal digits in a line end in " + where(at, size)
		}
	}
	for i := range size {
		ones, down := 0, 0
		for j := range size {
			ones, down = ones+cells[i*size+j], down+cells[j*size+i]
		}
		if 2*ones != size || 2*down != size {
			return fmt.Sprintf("row %d has %d ones and column %d has %d, want %d", i+1, ones, i+1, down, size/2)
		}
	}
	return equalLines(on, size)
}
