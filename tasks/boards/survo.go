package boards

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// survo asks to put given numbers into a table with given sums.
var survo = task.Spec[survoParams, survoItem]{
	Name:     "survo",
	Category: "games",
	Doc:      "Put given numbers into the empty cells of a table so that the sums of its rows and columns are right. Every puzzle has exactly one solution.",
	Source:   "Survo puzzles, S. Mustonen (2006); the settings are those of reasoning-gym.",
	Version:  3,
	Default:  survoParams{MinBoardSize: 4, MaxBoardSize: 5, MinEmpty: 3, MaxEmpty: 5, MinNum: 1, MaxNum: 9},
	Levels: []survoParams{
		{MinBoardSize: 4, MaxBoardSize: 4, MinEmpty: 2, MaxEmpty: 3, MinNum: 1, MaxNum: 9},
		{MinBoardSize: 4, MaxBoardSize: 4, MinEmpty: 4, MaxEmpty: 5, MinNum: 1, MaxNum: 20},
		{MinBoardSize: 5, MaxBoardSize: 5, MinEmpty: 6, MaxEmpty: 7, MinNum: 1, MaxNum: 20},
		{MinBoardSize: 5, MaxBoardSize: 6, MinEmpty: 8, MaxEmpty: 9, MinNum: 1, MaxNum: 40},
		{MinBoardSize: 6, MaxBoardSize: 6, MinEmpty: 10, MaxEmpty: 11, MinNum: 1, MaxNum: 60},
		{MinBoardSize: 7, MaxBoardSize: 7, MinEmpty: 13, MaxEmpty: 14, MinNum: 1, MaxNum: 99},
	},
	Make: makeSurvo,
}

// survoParams are the settings of one difficulty. A problem may have too few empty cells:
// it takes the best of a few tries.
type survoParams struct {
	MinBoardSize int `json:"min_board_size" want:"4 to 12"` // rows and columns, including the sums
	MaxBoardSize int `json:"max_board_size" want:"min_board_size to 12"`
	MinEmpty     int `json:"min_empty" want:"1 or more"` // cells to fill
	MaxEmpty     int `json:"max_empty" want:"min_empty or more"`
	MinNum       int `json:"min_num" want:"1 or more"` // of the numbers other than sums
	MaxNum       int `json:"max_num" want:"more than min_num and at most 10000"`
}

const (
	survoMaxSize   = 12
	survoMaxNumber = 10_000
)

// Check refuses what no tag does.
func (p survoParams) Check() error {
	return task.Within("max_empty", p.MaxEmpty, p.MinEmpty, (p.MinBoardSize-1)*(p.MinBoardSize-1))
}

// survoItem is one puzzle. The last number of each row and column is the sum of the others.
type survoItem struct {
	Puzzle           grid.Grid[int] `json:"puzzle" want:"board_size"` // by row; 0 is an empty cell
	Solution         grid.Grid[int] `json:"solution"`
	CandidateNumbers []int          `json:"candidate_numbers"` // for the empty cells, one each
	BoardSize        int            `json:"board_size" want:"2 to 12"`
	NumEmpty         int            `json:"num_empty"`
	MinNum           int            `json:"min_num"`
	MaxNum           int            `json:"max_num"`
	Phrasing         int            `json:"phrasing,omitempty" want:"0 to 5"`
}

// makeSurvo draws numbers and empties cells in random order, each only if no other filling
// has the same sums.
func makeSurvo(p survoParams, r *rng.Rand) (survoItem, error) {
	size, empty := r.Between(p.MinBoardSize, p.MaxBoardSize), r.Between(p.MinEmpty, p.MaxEmpty)
	item := survoItem{BoardSize: size, NumEmpty: -1, MinNum: p.MinNum, MaxNum: p.MaxNum, Phrasing: r.Between(0, len(survoPhrasings)-1)}
	const tries = 6
	for try := 0; try < tries && item.NumEmpty < empty; try++ {
		full := drawTable(p, size, r)
		table := survoTable{rows: grid.Build(size, size, func(i, j int) int { return full[i][j] })}
		if table.dig(empty, r); len(table.empty) > item.NumEmpty {
			item.Puzzle, item.Solution, item.NumEmpty = table.rows, full, len(table.empty)
			item.CandidateNumbers = table.numbers
		}
	}
	rng.Shuffle(r, item.CandidateNumbers)
	return item, nil
}

// drawTable draws a table with its sums. If there are enough numbers, its cells are all
// different.
func drawTable(p survoParams, size int, r *rng.Rand) grid.Grid[int] {
	cells := (size - 1) * (size - 1)
	different := p.MaxNum-p.MinNum+1 >= cells
	var numbers []int64
	if different {
		numbers = rng.Different(r, cells, int64(p.MinNum), int64(p.MaxNum))
	}
	full := grid.New[int](size, size)
	last := size - 1
	for i := range last {
		for j := range last {
			n := r.Between(p.MinNum, p.MaxNum)
			if different {
				n = int(numbers[i*last+j])
			}
			full[i][j] = n
			full[i][last] += n
			full[last][j] += n
			full[last][last] += n
		}
	}
	return full
}

// A survoTable is a table with empty cells.
type survoTable struct {
	rows    grid.Grid[int]
	empty   [][2]int // the empty cells
	numbers []int    // their contents
}

// dig empties up to most cells, each only if the filling stays unique.
func (t *survoTable) dig(most int, r *rng.Rand) {
	last := len(t.rows) - 1
	order := make([]int, last*last)
	for i := range order {
		order[i] = i
	}
	rng.Shuffle(r, order)
	for _, at := range order {
		if len(t.empty) == most {
			return
		}
		i, j := at/last, at%last
		n := t.rows[i][j]
		t.rows[i][j] = 0
		t.empty = append(t.empty, [2]int{i, j})
		t.numbers = append(t.numbers, n)
		if !t.alone() {
			t.rows[i][j] = n
			t.empty = t.empty[:len(t.empty)-1]
			t.numbers = t.numbers[:len(t.numbers)-1]
		}
	}
}

// A survoCount counts the fillings of a table.
type survoCount struct {
	numbers []int // the different ones, in order
	times   []int // how often each may still be used
	rows    []survoLine
	columns []survoLine
	empty   [][2]int // in the order of filling
	found   int
	steps   int // steps left
}

// A survoLine is the open rest of a row or a column.
type survoLine struct{ sum, open int }

// alone reports whether the table has exactly one filling. If that takes too long to tell,
// it reports false.
func (t *survoTable) alone() bool {
	const most = 2000
	last := len(t.rows) - 1
	c := survoCount{rows: make([]survoLine, last), columns: make([]survoLine, last), empty: slices.Clone(t.empty), steps: most}
	for i := range last {
		c.rows[i].sum, c.columns[i].sum = t.rows[i][last], t.rows[last][i]
	}
	for i := range last {
		for j := range last {
			n := t.rows[i][j]
			c.rows[i].sum -= n
			c.columns[j].sum -= n
			if n == 0 {
				c.rows[i].open++
				c.columns[j].open++
			}
		}
	}
	for _, n := range slices.Sorted(slices.Values(t.numbers)) {
		if k := len(c.numbers) - 1; k >= 0 && c.numbers[k] == n {
			c.times[k]++
			continue
		}
		c.numbers, c.times = append(c.numbers, n), append(c.times, 1)
	}
	c.fill(0)
	return c.found == 1 && c.steps > 0
}

// fill fills the empty cells from index from on, next the one with the fewest empty cells
// in its row or column.
func (c *survoCount) fill(from int) {
	if c.steps--; c.steps < 0 || c.found > 1 {
		return
	}
	if from == len(c.empty) {
		c.found++
		return
	}
	best, fewest := from, len(c.empty)
	for k := from; k < len(c.empty); k++ {
		if open := min(c.rows[c.empty[k][0]].open, c.columns[c.empty[k][1]].open); open < fewest {
			best, fewest = k, open
		}
	}
	c.empty[from], c.empty[best] = c.empty[best], c.empty[from]
	row, column := &c.rows[c.empty[from][0]], &c.columns[c.empty[from][1]]
	for k, n := range c.numbers {
		if c.times[k] == 0 || !row.takes(n) || !column.takes(n) {
			continue
		}
		c.times[k]--
		row.put(n)
		column.put(n)
		c.fill(from + 1)
		row.remove(n)
		column.remove(n)
		c.times[k]++
	}
	c.empty[from], c.empty[best] = c.empty[best], c.empty[from]
}

// takes reports whether n may go into the line: the last cell must get the rest of the sum,
// and earlier ones must leave some.
func (l *survoLine) takes(n int) bool { return n == l.sum || l.open > 1 && n < l.sum }

func (l *survoLine) put(n int) { l.sum, l.open = l.sum-n, l.open-1 }

func (l *survoLine) remove(n int) { l.sum, l.open = l.sum+n, l.open+1 }

// survoPhrasings are the wordings of the question: before the table, before the numbers,
// and after them. N stands for the number of rows.
var survoPhrasings = [][3]string{
	{"Some numbers are missing from this table. The last number of each row and of each column is the sum of all the others in that row or column.\n\n",
		"\n\nPut these numbers into the empty cells (_), each of them once: ",
		".\n\nAnswer with the whole table, sums included: N lines of N numbers separated by single spaces."},
	{"Here is a table:\n\n", "\n\nIn the table above, the right column holds the sums of the rows and the bottom row the sums of the columns. The underscores have to be replaced by the following numbers, all of which are used, none of them more often than it is listed: ",
		".\n\nReply with the N rows of the completed table, the sums among them. Put each row on its own line and single spaces between the numbers."},
	{"Complete the table so that all of its totals are right.\n\n",
		"\n\nTotals are printed to the right of the rows and below the columns. Every _ is a missing number. The missing numbers, in no particular order: ",
		".\n\nWrite down all N rows of N numbers, one row per line, with a space between two numbers. Totals belong to the rows, too. Add no other text."},
	{"A shop has counted what it sold: one row for each article, one column for each day, the totals at the end of each row and each column. Somebody has spilled coffee on the sheet, and where it says _, nothing can be read any more.\n\n",
		"\n\nThe lost numbers were found on slips of paper, but nobody knows which slip belongs where. They say: ",
		".\n\nRestore the sheet from the totals. Give it as N lines of N numbers with single spaces between them, including the totals, and nothing else."},
	{"Which number goes where? You have ",
		" to fill the blank cells of the table below with, and each of these numbers is for one cell.\n\n",
		"\n\nA blank cell is shown as _. To the right of every row and below every column, you see what its numbers must add up to. There is only one way. Print the filled table as N lines, each with N numbers (the sums count as numbers of the table) and single spaces in between."},
	{"Your answer should have N lines of N numbers, separated by single spaces. It is the table below without its blanks (_): in every line the last number is the sum of those before it, and in every column the last number is the sum of those above it. These numbers are to be used for the blanks, each as often as it appears in this list: ",
		".\n\n", "\n\nLeave the numbers that are already there as they are, and write only the table."},
}

func (s survoItem) Prompt() string {
	words, size := survoPhrasings[s.Phrasing], strconv.Itoa(s.BoardSize)
	const numbersFirst = 4 // from this wording on, the numbers come before the table
	table, numbers := s.table(), listed(s.CandidateNumbers)
	if s.Phrasing >= numbersFirst {
		table, numbers = numbers, table
	}
	words[0] = strings.ReplaceAll(words[0], "N", size)
	words[2] = strings.ReplaceAll(words[2], "N", size)
	return strings.Join([]string{words[0], table, words[1], numbers, words[2]}, "")
}

// listed writes numbers as in a sentence.
func listed(numbers []int) string {
	b := make([]byte, 0, 64)
	for i, n := range numbers {
		switch {
		case i > 0 && i == len(numbers)-1:
			b = append(b, " and "...)
		case i > 0:
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	return string(b)
}

// table writes the table with its sums set apart.
func (s survoItem) table() string {
	last, wide := len(s.Puzzle)-1, 0
	for _, row := range s.Puzzle {
		for _, n := range row {
			wide = max(wide, len(strconv.Itoa(n)))
		}
	}
	b := make([]byte, 0, 512)
	for i, row := range s.Puzzle {
		if i == last {
			b = append(b, strings.Repeat("-", last*(wide+1))+"-+"+strings.Repeat("-", wide+1)+"\n"...)
		}
		for j, n := range row {
			text := "_"
			if n != 0 || i == last || j == last {
				text = strconv.Itoa(n)
			}
			if j == last {
				b = append(b, " |"...)
			}
			b = fmt.Appendf(b, " %*s", wide, text)
		}
		b = append(b, '\n')
	}
	return string(b[:len(b)-1])
}

// Canonical implements [task.Canonicalizer]. The order of the numbers, of the rows and of the columns
// does not matter, nor which of them are called rows, nor the end from which numbers are counted.
func (s survoItem) Canonical() string { return canon.Least(2, s.key) }

// key is the canonical form, of the numbers counted from the least, or from the greatest if end is 1.
func (s survoItem) key(end int) string {
	last := s.BoardSize - 1
	numbers := slices.Sorted(slices.Values(s.CandidateNumbers))
	for _, row := range s.Puzzle[:last] {
		for _, n := range row[:last] {
			if n != 0 {
				numbers = append(numbers, n)
			}
		}
	}
	from := [2]int{slices.Min(numbers), slices.Max(numbers)}[end]
	counted := func(sum, of int) int { return (1 - 2*end) * (sum - of*from) }
	var g canon.Graph
	rows, cols := make([]int, last), make([]int, last)
	for i := range last {
		rows[i], cols[i] = g.Node(counted(s.Puzzle[i][last], last)), g.Node(counted(s.Puzzle[last][i], last))
	}
	for i, row := range rows {
		for j, col := range cols {
			if n := s.Puzzle[i][j]; n != 0 {
				g.Join(row, col, 1+counted(n, 1))
			}
		}
	}
	numbers = numbers[:len(s.CandidateNumbers)]
	for i, n := range numbers {
		numbers[i] = counted(n, 1)
	}
	slices.Sort(numbers)
	return fmt.Sprint(last, g.Key(), numbers)
}

// Check refuses a record with a wrong solution.
func (s survoItem) Check() error {
	if err := grid.CheckInts(s.Puzzle, 0, survoMaxSize*survoMaxSize*survoMaxNumber); err != nil {
		return fmt.Errorf("puzzle: %w", err)
	}
	if len(s.Puzzle[0]) != s.BoardSize {
		return errors.New("puzzle is not square")
	}
	return task.CheckSolution(s)
}

func (s survoItem) Solve() string { return grid.Ints(s.Solution) }

// Score implements [task.Scorer]. Any table with the given cells and sums, and the given
// numbers in the other cells, is right.
func (s survoItem) Score(text string) quintain.Verdict {
	size := s.BoardSize
	cells, fault := answer.Board{Rows: size, Cols: size}.Read(text, wholeNumber)
	if fault != "" {
		return quintain.Malformed(fault)
	}
	used, last := make([]int, 0, len(s.CandidateNumbers)), size-1
	left := make([]int, 2*size) // by row and by column: the sum of its numbers less its total
	for at, n := range cells {
		i, j := at/size, at%size
		switch given := s.Puzzle[i][j]; {
		case i != last && j != last && given == 0:
			used = append(used, n)
		case given != n:
			return quintain.Wrong(fmt.Sprintf("row %d, column %d is %d, want %d as in the puzzle", i+1, j+1, n, given))
		}
		if i == last {
			left[size+j] -= 2 * n
		}
		if j == last {
			left[i] -= 2 * n
		}
		left[i] += n
		left[size+j] += n
	}
	slices.Sort(used)
	if !slices.Equal(used, slices.Sorted(slices.Values(s.CandidateNumbers))) {
		return quintain.Wrong(fmt.Sprintf("the empty cells hold %v, want the given numbers", used))
	}
	for k, n := range left {
		if n != 0 {
			return quintain.Wrong(fmt.Sprintf("%s %d does not add up", [2]string{"row", "column"}[k/size], k%size+1))
		}
	}
	return quintain.Right()
}

// wholeNumber reads a number from 0 to 99999999.
func wholeNumber(text string) int {
	const most = 8 // digits
	if text == "" || len(text) > most || strings.Trim(text, "0123456789") != "" {
		return -1
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}
