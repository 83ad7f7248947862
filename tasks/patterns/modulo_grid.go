package patterns

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// moduloGrid asks for the hidden marks of a grid made by a rule of remainders.
var moduloGrid = task.Spec[moduloGridParams, moduloGridItem]{
	Name:     "modulo_grid",
	Category: "cognition",
	Doc: "Find the rule of remainders that marks the cells of a grid, and fill in the hidden marks. " +
		"The prompt states the possible rules; all that agree with the visible marks give the same hidden ones.",
	Source:  "A puzzle of reasoning-gym, with its settings.",
	Version: 3,
	Default: moduloGridParams{SizeX: 20, SizeY: 20, MaxDivisor: 20, MaxTarget: 20, MaxHoles: 1},
	Levels: []moduloGridParams{
		{SizeX: 9, SizeY: 9, MaxDivisor: 3, MaxTarget: 2, MaxHoles: 6},
		{SizeX: 12, SizeY: 12, MaxDivisor: 6, MaxTarget: 5, MaxHoles: 8},
		{SizeX: 16, SizeY: 16, MaxDivisor: 24, MaxTarget: 23, MaxHoles: 10},
		{SizeX: 22, SizeY: 22, MaxDivisor: 36, MaxTarget: 35, MaxHoles: 12},
		{SizeX: 30, SizeY: 30, MaxDivisor: 50, MaxTarget: 49, MaxHoles: 14},
		{SizeX: 40, SizeY: 40, MaxDivisor: 70, MaxTarget: 69, MaxHoles: 20},
	},
	Make: makeModuloGrid,
}

// moduloGridParams are the settings of one difficulty.
type moduloGridParams struct {
	SizeX      int `json:"size_x" want:"6 to 100"` // maximum of columns; the minimum is three quarters of it
	SizeY      int `json:"size_y" want:"6 to 100"` // rows, likewise
	MaxDivisor int `json:"max_divisor" want:"2 to 100"`
	MaxTarget  int `json:"max_target" want:"1 to 100"` // maximum of the marked remainder
	MaxHoles   int `json:"max_holes" want:"1 to 30"`   // maximum of hidden cells; the minimum is half of it
}

// moduloGridItem is one grid. Entries of reasoning-gym have it only in the question.
type moduloGridItem struct {
	Divisor    int      `json:"divisor"`
	Target     int      `json:"target"` // the marked remainder
	Operation  string   `json:"operation"`
	MaxDivisor int      `json:"max_divisor,omitempty"`          // as stated in the prompt; 0: Divisor
	Grid       []string `json:"grid,omitempty" want:"1 to 200"` // rows of marks
	Phrasing   int      `json:"phrasing,omitempty" want:"0 to 5"`
}

// The marks of a cell.
const (
	hit    = '✅' // the remainder is the target
	miss   = '❌'
	hidden = '❔'
)

const (
	leastHits = 2   // visible hits
	leastSize = 6   // rows and columns of our grids
	mostSide  = 200 // rows and columns of any grid
)

// A moduloRule decides which cells of a grid are hits.
type moduloRule struct {
	operation       string
	divisor, target int
}

// moduloOperations are the operations on column and row, both counted from 0.
var moduloOperations = []string{"sum", "diff", "prod", "pow"}

// remainder returns the remainder of cell x, y.
func (m moduloRule) remainder(x, y int) int {
	switch m.operation {
	case "sum":
		return (x + y) % m.divisor
	case "diff":
		return max(x-y, y-x) % m.divisor
	case "prod":
		return x * y % m.divisor
	}
	power := 1 % m.divisor
	for base := x % m.divisor; y > 0; y >>= 1 {
		if y&1 != 0 {
			power = power * base % m.divisor
		}
		base = base * base % m.divisor
	}
	return power
}

// is reports whether cell c is a hit.
func (m moduloRule) is(c cell) bool { return m.remainder(c.x, c.y) == m.target }

// split appends the cells of a grid to hits and misses.
func (m moduloRule) split(width, height int, hits, misses []cell) ([]cell, []cell) {
	for y := range height {
		for x := range width {
			if c := (cell{x, y}); m.is(c) {
				hits = append(hits, c)
			} else {
				misses = append(misses, c)
			}
		}
	}
	return hits, misses
}

// A cell is a place in a grid.
type cell struct{ x, y int }

// makeModuloGrid draws a rule until it marks some cells and leaves others. A
// hidden cell is a hit with probability 1/2, so that the more frequent mark is no guess. All
// rules that agree with the visible cells must agree on the hidden ones.
func makeModuloGrid(p moduloGridParams, r *rng.Rand) (moduloGridItem, error) {
	const tries = 1000
	hits, misses := make([]cell, 0, p.SizeX*p.SizeY), make([]cell, 0, p.SizeX*p.SizeY)
	for range tries {
		width, height := moduloSide(p.SizeX, r), moduloSide(p.SizeY, r)
		m := moduloRule{operation: rng.Pick(r, moduloOperations), divisor: r.Between(2, p.MaxDivisor)}
		m.target = r.Between(0, min(m.divisor-1, p.MaxTarget))
		hits, misses = m.split(width, height, hits[:0], misses[:0])
		holes := r.Between((p.MaxHoles+1)/2, p.MaxHoles)
		var hiddenHits int
		for range holes {
			hiddenHits += r.Between(0, 1)
		}
		if len(hits)-hiddenHits < leastHits || len(misses) < holes {
			continue
		}
		rng.ToFront(r, hits, hiddenHits)
		rng.ToFront(r, misses, holes-hiddenHits)
		shown := view{hits: hits[hiddenHits:], misses: misses[holes-hiddenHits:], hiddenHits: hits[:hiddenHits], hiddenMisses: misses[:holes-hiddenHits]}
		if !shown.decides(p.MaxDivisor) {
			continue
		}
		return moduloGridItem{
			Divisor: m.divisor, Target: m.target, Operation: m.operation, MaxDivisor: p.MaxDivisor,
			Grid: shown.rows(width, height), Phrasing: r.Between(0, len(moduloGridPhrasings)-1),
		}, nil
	}
	return moduloGridItem{}, errors.New("no rule of these settings marks a few cells and leaves others")
}

// moduloSide draws the length of a side. With few lengths, the first row would soon give
// away the grid.
func moduloSide(most int, r *rng.Rand) int { return r.Between(max(leastSize, most*3/4), most) }

// A view is the cells of a grid, some of them hidden.
type view struct{ hits, misses, hiddenHits, hiddenMisses []cell }

// decides reports whether all rules with a divisor up to most that agree with the visible
// cells agree on the hidden ones.
func (v view) decides(most int) bool {
	for _, operation := range moduloOperations {
		for divisor := 2; divisor <= most; divisor++ {
			m := moduloRule{operation: operation, divisor: divisor}
			m.target = m.remainder(v.hits[0].x, v.hits[0].y)
			if m.fits(v.hits, v.misses) && !m.fits(v.hiddenHits, v.hiddenMisses) {
				return false
			}
		}
	}
	return true
}

// fits reports whether the rule marks all hits and no misses.
func (m moduloRule) fits(hits, misses []cell) bool {
	return !slices.ContainsFunc(misses, m.is) && !slices.ContainsFunc(hits, func(c cell) bool { return !m.is(c) })
}

// rows writes the grid.
func (v view) rows(width, height int) []string {
	marks := make([]rune, width*height)
	for _, group := range []struct {
		cells []cell
		mark  rune
	}{{v.hits, hit}, {v.misses, miss}, {v.hiddenHits, hidden}, {v.hiddenMisses, hidden}} {
		for _, c := range group.cells {
			marks[c.y*width+c.x] = group.mark
		}
	}
	rows := make([]string, height)
	for y := range rows {
		rows[y] = string(marks[y*width : (y+1)*width])
	}
	return rows
}

// moduloGridPhrasings are the wordings of the question, around the greatest divisor and
// before the grid.
var moduloGridPhrasings = [][2]string{
	{
		"A rule has marked every cell of the grid below, and some of the marks are hidden. The columns are numbered x = 0, 1, 2, … from the left and the rows y = 0, 1, 2, … from the top. " +
			"The rule works out one of x + y, |x - y|, x * y or x^y (where 0^0 is 1), divides it by a fixed whole number from 2 to ",
		", and writes ✅ where the remainder is a certain number and ❌ everywhere else. Find the rule. Which marks are hidden behind the ❔?",
	},
	{
		"Replace every ❔ in this grid by the right mark.\n\nHow the grid was made: number the columns and rows from 0, starting in the top left corner. Take the sum of both numbers of a cell, their difference (never negative), their product, " +
			"or the column's number to the power of the row's number (0 to the power 0 counts as 1), but the same one of these for all cells. A cell is ✅ if that value leaves a certain remainder when it is divided by a certain number from 2 to ",
		", and ❌ if not.",
	},
	{
		"Somebody chose one of four formulas, x + y, |x - y|, x * y or x^y, a divisor from 2 to ",
		", and a remainder. Then they went through a grid, cell by cell: x is the number of cells to the left of a cell, y the number of cells above it, and 0^0 is taken to be 1. Where the formula left that remainder they put ✅, elsewhere ❌. " +
			"A few marks were covered with ❔ afterwards. Work out what they were.",
	},
	{
		"Can you see the pattern? Each ✅ below stands where a formula in the column x and the row y has one particular remainder; each ❌ stands where it has another. Both x and y start at 0 in the top left corner. " +
			"The formula is x + y, |x - y|, x * y or x^y, with 0^0 = 1, and the divisor is at least 2 and at most ",
		". The same formula, divisor and remainder hold for the whole grid. Uncover the cells that show ❔.",
	},
	{
		"Below is a grid with gaps (❔). Its marks follow one condition of the form\n\n    f(x, y) mod d = t\n\nwhere f(x, y) is x + y, |x - y|, x * y or x^y (0^0 is 1), d lies between 2 and ",
		", and x and y count columns and rows from 0, from the top left. A cell that meets the condition has ✅, the others have ❌. Determine the condition and fill the gaps.",
	},
	{
		"Your task is to restore a damaged grid: ❔ stands for each mark that was lost. The marks depend on the position only. For the cell in column x and row y, both counted from 0 at the top left, " +
			"one quantity was computed, always by the same formula: x + y, |x - y|, x * y, or x^y with 0^0 = 1. If its remainder after division by some number d was some number t, the mark is ✅; otherwise it is ❌. All that is known of d is that it is one of 2 to ",
		".",
	},
}

func (m moduloGridItem) Prompt() string {
	words := moduloGridPhrasings[m.Phrasing]
	b := make([]byte, 0, task.PromptRoom+4*len(m.Grid)*len(m.Grid))
	b = append(strconv.AppendInt(append(b, words[0]...), int64(max(m.MaxDivisor, m.Divisor)), 10), words[1]...)
	b = append(b, "\n\n"...)
	b = append(b, strings.Join(m.Grid, "\n")...)
	return string(append(b, "\n\nAnswer with the whole grid, row by row, with ✅ or ❌ in every cell."...))
}

// Canonical implements [task.Canonicalizer]. Rows and columns may be exchanged: the rules count both
// from 0, and all but one treat them alike.
func (m moduloGridItem) Canonical() string {
	rows := make([][]rune, len(m.Grid))
	for i, row := range m.Grid {
		rows[i] = []rune(row)
	}
	if len(rows) == 0 || len(rows[0]) == 0 {
		return ""
	}
	const transposed = 4
	return canon.Least(2, func(i int) string {
		var b []byte
		for _, row := range canon.Seen(rows, i*transposed) {
			b = append(append(b, string(row)...), '\n')
		}
		return string(b)
	})
}

// Choices implements [task.Chooser]: each hidden mark is one of two.
func (m moduloGridItem) Choices() int {
	choices := 1
	for _, row := range m.Grid {
		choices = min(choices<<strings.Count(row, string(hidden)), 1<<30)
	}
	return choices
}

// Complete implements [task.Completer]: the grid is the lines of marks.
func (m *moduloGridItem) Complete(question string) {
	if m.Grid != nil {
		return
	}
	for line := range strings.Lines(question) {
		line = strings.TrimSpace(line)
		if line != "" && strings.Trim(line, string([]rune{hit, miss, hidden})) == "" {
			m.Grid = append(m.Grid, line)
		}
	}
}

// Check refuses a record with a wrong mark.
func (m moduloGridItem) Check() error {
	rule := m.rule()
	switch {
	case rule.divisor < 1 || rule.divisor > 1000:
		return fmt.Errorf("divisor is %d, want 1 to 1000", rule.divisor)
	case rule.operation != "sum" && rule.operation != "diff" && rule.operation != "prod" && rule.operation != "pow":
		return fmt.Errorf("operation is %q, want one of %v", rule.operation, moduloOperations)
	case len(m.Grid[0]) > mostSide*len(string(hit)):
		return fmt.Errorf("grid: want at most %d cells in a row", mostSide)
	}
	width := len([]rune(m.Grid[0]))
	for y, row := range m.Grid {
		x := 0
		for _, mark := range row {
			if mark != hidden && mark != rule.mark(x, y) {
				return fmt.Errorf("grid: row %d, cell %d is %c, against the rule", y+1, x+1, mark)
			}
			x++
		}
		if x != width {
			return fmt.Errorf("grid: row %d has %d cells, want %d", y+1, x, width)
		}
	}
	return nil
}

// rule returns the rule of the grid.
func (m moduloGridItem) rule() moduloRule { return moduloRule{m.Operation, m.Divisor, m.Target} }

// mark returns the mark of a cell.
func (m moduloRule) mark(x, y int) rune {
	if m.is(cell{x, y}) {
		return hit
	}
	return miss
}

func (m moduloGridItem) Solve() string {
	rule, b := m.rule(), make([]byte, 0, 4*len(m.Grid)*len(m.Grid))
	for y, row := range m.Grid {
		if y > 0 {
			b = append(b, '\n')
		}
		x := 0
		for _, mark := range row {
			if mark == hidden {
				mark = rule.mark(x, y)
			}
			b = append(b, string(mark)...)
			x++
		}
	}
	return string(b)
}

// Score implements [task.Scorer]. It ignores space around rows and between marks.
func (m moduloGridItem) Score(text string) quintain.Verdict {
	got := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	want := strings.Split(m.Solve(), "\n")
	n := 0
	for _, row := range got {
		row = strings.Map(withoutSpace, row)
		switch {
		case row == "":
			continue
		case strings.Trim(row, string([]rune{hit, miss})) != "":
			return quintain.Malformed("the answer has something other than rows of ✅ and ❌")
		case n == len(want):
			return quintain.Wrong(fmt.Sprintf("there are more than %d rows", n))
		case row != want[n]:
			return quintain.Wrong(fmt.Sprintf("row %d is not %s", n+1, want[n]))
		}
		n++
	}
	switch {
	case n == 0:
		return quintain.Malformed("the answer is empty")
	case n < len(want):
		return quintain.Wrong(fmt.Sprintf("there are %d rows, want %d", n, len(want)))
	}
	return quintain.Right()
}

// withoutSpace drops spaces, tabs and the emoji variation selector.
func withoutSpace(r rune) rune {
	if r == ' ' || r == '\t' || r == '\uFE0F' {
		return -1
	}
	return r
}
