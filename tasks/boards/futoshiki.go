package boards

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// futoshiki asks for the only filling of a Latin square with inequality signs.
var futoshiki = task.Spec[futoshikiParams, futoshikiItem]{
	Name:     "futoshiki",
	Category: "games",
	Doc:      "Fill a square so that no row or column repeats a number and all signs between neighbors hold. Every puzzle has exactly one solution.",
	Source:   "Futoshiki, by T. Seto (2001); the settings are those of reasoning-gym.",
	Version:  3,
	Default:  futoshikiParams{MinBoardSize: 4, MaxBoardSize: 9, MinDifficulty: 0, MaxDifficulty: 3},
	Levels: []futoshikiParams{
		{MinBoardSize: 4, MaxBoardSize: 4, MinDifficulty: 0, MaxDifficulty: 0},
		{MinBoardSize: 4, MaxBoardSize: 5, MinDifficulty: 1, MaxDifficulty: 1},
		{MinBoardSize: 5, MaxBoardSize: 6, MinDifficulty: 1, MaxDifficulty: 2},
		{MinBoardSize: 6, MaxBoardSize: 7, MinDifficulty: 2, MaxDifficulty: 3},
		{MinBoardSize: 8, MaxBoardSize: 8, MinDifficulty: 3, MaxDifficulty: 3},
		{MinBoardSize: 9, MaxBoardSize: 9, MinDifficulty: 3, MaxDifficulty: 3},
	},
	Make: makeFutoshiki,
}

// futoshikiParams are the settings of one difficulty.
type futoshikiParams struct {
	MinBoardSize  int `json:"min_board_size" want:"4 to 9"`
	MaxBoardSize  int `json:"max_board_size" want:"min_board_size to 9"`
	MinDifficulty int `json:"min_difficulty" want:"0 to 3"` // higher: fewer given cells, more signs
	MaxDifficulty int `json:"max_difficulty" want:"min_difficulty to 3"`
}

// futoshikiShares are, by difficulty, the percentage of empty cells, as far as the solution
// stays unique, and the percentage of neighbors with a sign between them.
var futoshikiShares = [...]struct{ empty, signs int }{{45, 20}, {60, 30}, {75, 38}, {100, 45}}

// futoshikiItem is one puzzle.
type futoshikiItem struct {
	Puzzle           grid.Grid[int]  `json:"puzzle"`      // by row; 0 is an empty cell
	Constraints      []futoshikiSign `json:"constraints"` // by row and column
	Solution         grid.Grid[int]  `json:"solution"`
	BoardSize        int             `json:"board_size" want:"1 to 9"`
	DifficultyRating int             `json:"difficulty_rating"`
	Phrasing         int             `json:"phrasing,omitempty" want:"0 to 5"`
}

// A futoshikiSign says which of two neighbors is larger. As JSON it is a list: row and
// column of the first cell, those of the cell to its right or below it, "<" or ">".
type futoshikiSign struct {
	row, col, row2, col2 int
	less                 bool // the first cell is smaller
}

// MarshalJSON implements [json.Marshaler].
func (s futoshikiSign) MarshalJSON() ([]byte, error) {
	sign := '>'
	if s.less {
		sign = '<'
	}
	return fmt.Appendf(nil, `[%d,%d,%d,%d,"%c"]`, s.row, s.col, s.row2, s.col2, sign), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *futoshikiSign) UnmarshalJSON(raw []byte) error {
	sign := ""
	list := []any{&s.row, &s.col, &s.row2, &s.col2, &sign}
	if err := strictjson.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("constraints: %w", err)
	}
	if len(list) != 5 || sign != "<" && sign != ">" {
		return fmt.Errorf(`constraints has %.60s, want two rows and columns and "<" or ">"`, raw)
	}
	s.less = sign == "<"
	return nil
}

// futoshikiRules returns the rules of a board.
func futoshikiRules(size int, signs []futoshikiSign) *numbering {
	rules := newNumbering(size, lines(size))
	for _, s := range signs {
		low, high := s.row*size+s.col, s.row2*size+s.col2
		if !s.less {
			low, high = high, low
		}
		rules.less[low] = append(rules.less[low], uint8(high))
		rules.more[high] = append(rules.more[high], uint8(low))
	}
	return rules
}

// makeFutoshiki fills a board at random, puts signs between neighbors and empties cells.
func makeFutoshiki(p futoshikiParams, r *rng.Rand) (futoshikiItem, error) {
	size := r.Between(p.MinBoardSize, p.MaxBoardSize)
	rating := r.Between(p.MinDifficulty, p.MaxDifficulty)
	item := futoshikiItem{BoardSize: size, DifficultyRating: rating, Phrasing: r.Between(0, len(futoshikiPhrasings)-1)}
	full := futoshikiRules(size, nil).fill(r)
	signs := allSigns(full, size)
	kept := len(signs) * futoshikiShares[rating].signs / 100
	rng.ToFront(r, signs, kept)
	item.Constraints = signs[:kept:kept]
	slices.SortFunc(item.Constraints, func(a, b futoshikiSign) int {
		return slices.Compare([]int{a.row, a.col, a.row2}, []int{b.row, b.col, b.row2})
	})
	cells := slices.Clone(full)
	futoshikiRules(size, item.Constraints).dig(cells, size*size*futoshikiShares[rating].empty/100, r)
	item.Puzzle, item.Solution = square(cells, size), square(full, size)
	return item, nil
}

// allSigns returns the signs between all neighbors of a filled board.
func allSigns(full []int, size int) (signs []futoshikiSign) {
	for i := range size {
		for j := range size {
			if j+1 < size {
				signs = append(signs, futoshikiSign{i, j, i, j + 1, full[i*size+j] < full[i*size+j+1]})
			}
			if i+1 < size {
				signs = append(signs, futoshikiSign{i, j, i + 1, j, full[i*size+j] < full[i*size+size+j]})
			}
		}
	}
	return signs
}

// futoshikiPhrasings are the wordings of the question: before the puzzle, and after it.
// N stands for the size of the board.
var futoshikiPhrasings = [][2]string{
	{"Solve this N x N futoshiki. Every row and every column must contain each of the numbers 1 to N exactly once, and all signs between neighboring cells must hold: < and > between a cell and the one to its right, ∧ and ∨ between a cell and the one below it (the tip points to the smaller number). An underscore marks an empty cell.\n\n",
		"\n\nAnswer with the completed board alone, in the layout that you see: the signs and the lines between the rows stay, and a number replaces each underscore."},
	{"Here is a puzzle:\n\n", "\n\nAbove you see a board of N rows and N columns. Put a number from 1 to N in place of each _ so that no number occurs twice in a row or in a column. The signs have to be obeyed as well: each of them stands between two cells and points its tip at the cell with the smaller number, whether that is on the left (<), on the right (>), above (∧) or below (∨). " +
		"Reply with the whole board, printed just like the one above, with its signs and with the lines between its rows, and with nothing else."},
	{"Which numbers belong in the blank cells of this futoshiki?\n\n",
		"\n\nThe rules: the numbers 1 to N appear once each in every row and once each in every column. Where < or > stands between two cells, it says which of them holds less, as in arithmetic. ∧ says that the cell above it holds less than the cell below it; ∨ says that it holds more. Blank cells are shown as _. Write the full board and keep its form: rows of numbers with their signs, and a line for the signs between every two rows, even where there are none."},
	{"In a futoshiki, a Latin square has to be rebuilt from a few numbers and from comparisons between neighbors. Here, \"a < b\" and \"a > b\" compare two cells of a row, and a ∧ or ∨ between two rows compares the cell above it with the cell below it; the open side always faces the larger number. The board has N rows and columns, the numbers go from 1 to N, no line of the board repeats a number, and _ is a cell whose number you have to find.\n\n",
		"\n\nThere is only one way to do it. Print the solution as the puzzle is printed, signs and lines between rows included, without any other text."},
	{"Fill in the missing numbers (_).\n\n",
		"\n\nWhat you must respect:\n- Each row holds the numbers 1 to N, each of them once.\n- So does each column.\n- A sign between two cells, < or > from left to right, ∧ or ∨ from top to bottom, has its tip at the smaller of the two numbers.\n\nWhat you must write: the filled board with its signs, laid out as above (N rows, and a line between each two of them), and nothing else."},
	{"Your answer will be the solved form of the following puzzle, in the same layout of N rows with lines for signs between them. Only the underscores change, into numbers.\n\n",
		"\n\nEvery line and every column of the solution is an arrangement of the numbers 1 to N. A number that is printed above stays where it is, and each _ is to be replaced. Between some neighbors there is a sign that compares them: < means that the left one is smaller, > that the right one is, ∧ that the upper one is, and ∨ that the lower one is."},
}

func (f futoshikiItem) Prompt() string {
	words, size := futoshikiPhrasings[f.Phrasing], string(rune('0'+f.BoardSize))
	b := append(make([]byte, 0, 2*task.PromptRoom), strings.ReplaceAll(words[0], "N", size)...)
	b = f.appendBoard(b, f.Puzzle)
	return string(append(b, strings.ReplaceAll(words[1], "N", size)...))
}

// appendBoard appends rows with the signs of the board: lines of cells, and between them
// lines of signs. No line ends in a space.
func (f futoshikiItem) appendBoard(b []byte, rows grid.Grid[int]) []byte {
	const wide = 4 // from a cell to the next
	lines := make([][]rune, 2*f.BoardSize-1)
	for i := range lines {
		lines[i] = []rune(strings.Repeat(" ", wide*f.BoardSize))
	}
	for i, row := range rows {
		for j, n := range row {
			lines[2*i][wide*j] = rune("_123456789"[n])
		}
	}
	for _, s := range f.Constraints {
		switch {
		case s.row == s.row2 && s.less:
			lines[2*s.row][wide*s.col+2] = '<'
		case s.row == s.row2:
			lines[2*s.row][wide*s.col+2] = '>'
		case s.less:
			lines[2*s.row+1][wide*s.col] = '∧'
		default:
			lines[2*s.row+1][wide*s.col] = '∨'
		}
	}
	for i, line := range lines {
		if i > 0 {
			b = append(b, '\n')
		}
		b = append(b, strings.TrimRight(string(line), " ")...)
	}
	return b
}

// Canonical implements [task.Canonicalizer]. Neither the order of rows and columns matters, as far as
// the signs leave it open, nor whether all is counted from the other end.
func (f futoshikiItem) Canonical() string {
	return canon.Least(2, func(i int) string { return f.key(i == 1) })
}

// key returns a key of the puzzle, or of the one in which 1 and the largest number, and less and
// more, and so on, have changed places.
func (f futoshikiItem) key(reversed bool) string {
	const line, cell, number, less = 0, 1, 2, 3
	var g canon.Graph
	size := f.BoardSize
	lines, numbers, cells := g.Nodes(2*size, line), g.Nodes(size, number), g.Nodes(size*size, cell)
	rises := func(low, high int) {
		if reversed {
			low, high = high, low
		}
		g.Arrow(low, high, less)
	}
	for n := range size - 1 {
		rises(numbers+n, numbers+n+1)
	}
	for at := range size * size {
		g.Arrow(cells+at, lines+at/size, line)
		g.Arrow(cells+at, lines+size+at%size, line)
		if n := f.Puzzle[at/size][at%size]; n > 0 {
			g.Arrow(cells+at, numbers+n-1, number)
		}
	}
	for _, s := range f.Constraints {
		a, b := cells+s.row*size+s.col, cells+s.row2*size+s.col2
		if !s.less {
			a, b = b, a
		}
		rises(a, b)
	}
	return g.Key()
}

// Check refuses a record with a wrong solution.
func (f futoshikiItem) Check() error {
	for _, s := range f.Constraints {
		right, below := s.row == s.row2 && s.col+1 == s.col2, s.row+1 == s.row2 && s.col == s.col2
		if s.row < 0 || s.col < 0 || s.row2 >= f.BoardSize || s.col2 >= f.BoardSize || !right && !below {
			return fmt.Errorf("constraints has cells %d,%d and %d,%d, which are not neighbors on the board", s.row, s.col, s.row2, s.col2)
		}
	}
	return futoshikiRules(f.BoardSize, f.Constraints).checkRecord(f.Puzzle, f.Solution)
}

func (f futoshikiItem) Solve() string { return string(f.appendBoard(nil, f.Solution)) }

// unsigned replaces the signs between cells by space.
var unsigned = strings.NewReplacer("<", " ", ">", " ", "∧", " ", "∨", " ", "^", " ", "⌄", " ")

// Score implements [task.Scorer]. The answer may omit the signs. A board with a wrong
// cell earns nothing.
func (f futoshikiItem) Score(text string) quintain.Verdict {
	return scoreNumbers(f.Solution, unsigned.Replace(text))
}
