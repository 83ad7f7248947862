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

// calcudoku asks for the only Latin square whose cages give certain results.
var calcudoku = task.Spec[calcudokuParams, calcudokuItem]{
	Name:     "calcudoku",
	Category: "games",
	Doc: "Fill a square so that no row or column repeats a number and the numbers in each cage give its result by its operation. " +
		"Every puzzle has exactly one solution.",
	Source:  "Calcudoku, by T. Miyamoto (2004).",
	Version: 3,
	Default: calcudokuParams{MinSize: 5, MaxSize: 5, MaxCage: 3},
	Levels: []calcudokuParams{
		{MinSize: 4, MaxSize: 5, MaxCage: 2},
		{MinSize: 5, MaxSize: 5, MaxCage: 3},
		{MinSize: 6, MaxSize: 6, MaxCage: 2},
		{MinSize: 6, MaxSize: 6, MaxCage: 3},
		{MinSize: 7, MaxSize: 7, MaxCage: 3},
		{MinSize: 7, MaxSize: 7, MaxCage: 4},
	},
	Make: makeCalcudoku,
}

// calcudokuParams are the settings of one difficulty.
type calcudokuParams struct {
	MinSize int `json:"min_size" want:"4 to 7"` // rows, and columns
	MaxSize int `json:"max_size" want:"min_size to 7"`
	MaxCage int `json:"max_cage" want:"2 to 5"` // cells of a cage
}

// calcudokuItem is one puzzle.
type calcudokuItem struct {
	Cages    grid.Grid[int] `json:"cages" want:"1 to 7" each:"0 or more and less than results"` // by cell: its cage, from 0
	Results  []result       `json:"results"`                                                    // by cage
	Solution grid.Grid[int] `json:"solution" each:"1 or more and at most cages"`
	Phrasing int            `json:"phrasing" want:"0 to 5"`
}

// A result is what the numbers in a cage give.
type result struct {
	Op     string `json:"op"` // "+", "-", "*", "/"; none in a cage of one cell
	Number int    `json:"number"`
}

// cageNames are the names of cages.
const cageNames = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// makeCalcudoku draws a Latin square and cages, and changes cages until no other square fits.
func makeCalcudoku(p calcudokuParams, r *rng.Rand) (calcudokuItem, error) {
	const steps = 300
	size := r.Between(p.MinSize, p.MaxSize)
	own := drawLatin(size, r)
	c := drawCages(size, p.MaxCage, r)
	for _, cells := range c.cells {
		c.results = append(c.results, drawResult(cells, own, r))
	}
	for {
		search := latinSearch{size: size, allowed: anyNumber(size), fits: c.fits, known: own, steps: steps}
		found := search.run()
		if !found && search.steps >= 0 {
			break
		}
		var differ set
		for at, k := range own {
			if len(c.cells[c.of[at]]) > 1 && (!found || search.cells[at] != k) {
				differ.add(at)
			}
		}
		c.single(pick(differ, r), own, r)
	}
	item := calcudokuItem{Solution: square(own, size), Phrasing: calcudokuWordings.draw(r)}
	names := named(c.of)
	item.Cages = square(names, size)
	item.Results = make([]result, len(c.cells))
	for at, name := range names {
		item.Results[name] = c.results[c.of[at]]
	}
	return item, nil
}

// cages are the cages of a board.
type cages struct {
	size    int
	of      []int // by cell: its cage
	cells   [][]int
	results []result
}

// drawCages divides a board into cages of at most so many cells.
func drawCages(size, most int, r *rng.Rand) *cages {
	c := &cages{size: size, of: make([]int, size*size)}
	order := make([]int, size*size)
	for at := range order {
		order[at], c.of[at] = at, -1
	}
	rng.Shuffle(r, order)
	for _, at := range order {
		if c.of[at] >= 0 {
			continue
		}
		cage := len(c.cells)
		c.of[at] = cage
		cells := []int{at}
		for range r.Between(2, most) - 1 {
			var free []int
			for _, from := range cells {
				eachBeside(from, size, func(to int) {
					if c.of[to] < 0 {
						free = append(free, to)
					}
				})
			}
			if len(free) == 0 {
				break
			}
			to := free[r.Between(0, len(free)-1)]
			c.of[to] = cage
			cells = append(cells, to)
		}
		c.cells = append(c.cells, cells)
	}
	return c
}

// drawResult draws an operation for the cells of a cage, and computes its result.
func drawResult(cells, numbers []int, r *rng.Rand) result {
	ops := []string{"+", "*"}
	if len(cells) == 2 {
		ops = append(ops, "-", "-")
		if a, b := numbers[cells[0]], numbers[cells[1]]; max(a, b)%min(a, b) == 0 {
			ops = append(ops, "/", "/")
		}
	}
	op := ops[r.Between(0, len(ops)-1)]
	if len(cells) == 1 {
		op = ""
	}
	return result{op, compute(op, cells, numbers)}
}

// compute returns the result of an operation for the numbers in some cells; 0 if a division
// leaves a rest.
func compute(op string, cells, numbers []int) int {
	n := numbers[cells[0]]
	for _, at := range cells[1:] {
		switch k := numbers[at]; {
		case op == "+":
			n += k
		case op == "*":
			n *= k
		case op == "-":
			n = max(n, k) - min(n, k)
		case max(n, k)%min(n, k) != 0:
			return 0
		default:
			n = max(n, k) / min(n, k)
		}
	}
	return n
}

// single makes a cell a cage of its own. What hangs together of its old cage stays a cage.
func (c *cages) single(cell int, numbers []int, r *rng.Rand) {
	old := c.of[cell]
	left := setOf(c.cells[old]...).less(setOf(cell))
	c.cells[old], c.results[old] = []int{cell}, result{"", numbers[cell]}
	for !left.empty() {
		part := []int{left.first()}
		left = left.less(setOf(part...))
		for i := 0; i < len(part); i++ {
			eachBeside(part[i], c.size, func(at int) {
				if left.has(at) {
					left = left.less(setOf(at))
					part = append(part, at)
				}
			})
		}
		for _, at := range part {
			c.of[at] = len(c.cells)
		}
		c.cells, c.results = append(c.cells, part), append(c.results, drawResult(part, numbers, r))
	}
}

// fits reports whether the numbers in the cage of a cell can give its result; 0 is an empty cell.
func (c *cages) fits(numbers []int, at int) bool {
	cells, want := c.cells[c.of[at]], c.results[c.of[at]]
	sum, product, open := 0, 1, 0
	for _, cell := range cells {
		k := numbers[cell]
		if k == 0 {
			open++
			continue
		}
		sum, product = sum+k, product*k
	}
	switch {
	case open == 0:
		return compute(want.Op, cells, numbers) == want.Number
	case want.Op == "+":
		return sum+open <= want.Number && sum+open*c.size >= want.Number
	case want.Op == "*":
		for range open {
			product *= c.size
		}
		return product >= want.Number
	case want.Op == "-":
		return sum > want.Number || sum+want.Number <= c.size
	}
	return sum%want.Number == 0 || sum*want.Number <= c.size
}

// calcudokuWordings are the wordings of the question.
var calcudokuWordings = wordings{
	{"Solve this calcudoku of %n rows and %n columns. Fill in numbers from 1 to %n so that no number occurs twice in a row or in a column. Cells with the same letter form a cage. Below the board, each cage has a result and an operation: its numbers added (+), multiplied (*), the smaller subtracted from the larger (-), or the larger divided by the smaller (/). A cage without an operation is one cell with that number. A number may occur more than once in a cage.",
		"There is one solution. Answer with the numbers alone: %n lines of %n digits with single spaces between them."},
	{"Which numbers belong in the cells?",
		"The letters above divide a board of %n by %n cells into cages, one for each letter. The rules are:\n1. Every row and every column contains each of the numbers 1 to %n once.\n2. \"12 +\" after the letter of a cage says that the sum of its numbers is 12, and \"12 *\" that their product is 12.\n3. Cages with - or / have two cells. \"3 -\" says that the larger number is the smaller one plus 3, and \"3 /\" that it is three times the smaller one; which of the cells has the larger is not said.\n4. If there is only a number after the letter, the cage is a single cell and contains it.\n5. Numbers may repeat within a cage as far as rule 1 permits.\n\nWrite %n rows of %n digits, separated by single spaces. Write nothing else. Only one board is right."},
	{"Here is a puzzle of arithmetic on a square with %n rows. Its cells are grouped into blocks, marked by letters, and a clue for each block follows under the square.",
		"The solution puts one of the numbers from 1 to %n into every cell, in such a way that the numbers of a row are all different and the numbers of a column are all different. A clue names a target and a sign. With +, the numbers of the block add up to the target; with *, they multiply to it. With -, the difference of the two numbers of the block, taken as a positive number, is the target; with /, the quotient of the larger and the smaller is. A clue without a sign gives the number of the only cell of its block. Equal numbers in a block are fine if they are in different rows and columns. The solution is unique. Reply with the numbers row by row, one line per row and a space between numbers."},
	{"Your answer will be %n lines of %n numbers each (single spaces between numbers, no other text) that form a Latin square: each line, and likewise each column, has all the numbers from 1 to %n. The square has to satisfy these groups:",
		"All places with the same letter belong to one group. Its line says what number you must get from the numbers at these places: + asks for their sum, * for their product, - for the difference of two numbers (larger minus smaller), / for the quotient of two numbers (larger divided by smaller), and no sign at all for the one number itself. A group may hold the same number at several places, but not within a line or a column. Exactly one square does all this."},
	{"Place the digits 1 to %n in the %n by %n grid of which you see the regions and their totals.",
		"No digit may be used twice in any row or any column, while a region (the cells with one letter) may use a digit again. Combining the digits of a region by its operation must yield its total. The operations are addition (+), multiplication (*), subtraction of the smaller of two digits from the larger (-), and division of the larger of two digits by the smaller without a remainder (/). Where no operation is named, the region has one cell, and the total is its digit. Print the only possible grid in %n lines of %n digits separated by spaces, without letters or comments."},
	{"Cages of the board, then what each of them gives:",
		"Find the %n by %n numbers behind the letters. They are between 1 and %n. No two cells of a row have the same number, and no two cells of a column do. All numbers behind a letter together give the value that is listed for that letter: their total if + follows the value, their product if * follows, what is left when the lower of the two is taken from the higher if - follows, how many times the lower of the two goes into the higher if / follows, with nothing left over. If nothing follows, the letter stands for that value. The same number may be behind a letter twice. There is one solution; state it as %n rows of numbers with a space between neighbors and nothing else."},
}

func (c calcudokuItem) Prompt() string {
	return calcudokuWordings.ask(c.Phrasing, c.appendCages(nil, 0), func(byte) string { return strconv.Itoa(len(c.Cages)) })
}

// appendCages appends the cages as seen in a view, with new names, and their results.
func (c calcudokuItem) appendCages(b []byte, v view) []byte {
	size := len(c.Cages)
	cells := make([]int, 0, size*size)
	for _, row := range seen(v, c.Cages) {
		cells = append(cells, row...)
	}
	names := named(cells)
	b = signs(cageNames).append(b, square(names, size))
	next := 0
	for at, name := range names {
		if name < next {
			continue
		}
		next++
		result := c.Results[cells[at]]
		b = append(b, '\n', cageNames[name], ':', ' ')
		b = strconv.AppendInt(b, int64(result.Number), 10)
		if result.Op != "" {
			b = append(append(b, ' '), result.Op...)
		}
	}
	return b
}

// Canonical implements [task.Canonicalizer]. The names of the cages change nothing.
func (c calcudokuItem) Canonical() string {
	return least(func(v view) []byte { return c.appendCages(nil, v) })
}

// Check refuses a record with a wrong solution.
func (c calcudokuItem) Check() error {
	size := len(c.Cages)
	if slices.ContainsFunc(c.Cages, func(row []int) bool { return len(row) != size }) || len(c.Results) > size*size {
		return fmt.Errorf("cages is not square, or has fewer cells than there are results, %d", len(c.Results))
	}
	for cage, cells := range c.cells() {
		var known bool
		op := c.Results[cage].Op
		switch len(cells) {
		case 0:
			return fmt.Errorf("results has %d cages, and one of them has no cell", len(c.Results))
		case 1:
			known = op == ""
		case 2:
			known = op == "+" || op == "*" || op == "-" || op == "/"
		default:
			known = op == "+" || op == "*"
		}
		if !known {
			return fmt.Errorf("op is %.20q in a cage of %d cells", op, len(cells))
		}
	}
	return checkBoards(c, size, c.Solution)
}

// cells returns the cells of each cage.
func (c calcudokuItem) cells() [][]int {
	list := make([][]int, len(c.Results))
	for i, row := range c.Cages {
		for j, cage := range row {
			list[cage] = append(list[cage], i*len(row)+j)
		}
	}
	return list
}

func (c calcudokuItem) Solve() string { return grid.Ints(c.Solution) }

// Score implements [task.Scorer]. All numbers have to be right.
func (c calcudokuItem) Score(text string) quintain.Verdict {
	return judge(text, len(c.Cages), readDigit, c.broken)
}

// broken returns the first rule that numbers break.
func (c calcudokuItem) broken(numbers []int) string {
	if at, found := repeated(numbers, len(c.Cages)); found {
		return "a number occurs before in its row or column, or is too large, in " + where(at, len(c.Cages))
	}
	for cage, cells := range c.cells() {
		if want := c.Results[cage]; compute(want.Op, cells, numbers) != want.Number {
			return fmt.Sprintf("the cage from %s on does not give %d %s", where(cells[0], len(c.Cages)), want.Number, want.Op)
		}
	}
	return ""
}
