package boards

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestMiniSudokuScore(t *testing.T) {
	item := miniSudokuItem{
		Puzzle:   [][]int{{1, 0, 2, 0}, {0, 0, 0, 4}, {0, 0, 0, 0}, {0, 3, 4, 0}},
		Solution: [][]int{{1, 4, 2, 3}, {3, 2, 1, 4}, {4, 1, 3, 2}, {2, 3, 4, 1}},
		NumEmpty: 11,
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"1 4 2 3\n3 2 1 4\n4 1 3 2\n2 3 4 1", 1, ""},
		{"1 4 2 3\n3 2 1 4 \n4 1 3 2\n2 3 4 1", 1, "space at the end of a line"},
		{"1 4 2 3\r\n3 2 1 4\r\n4 1 3 2\r\n2 3 4 1", 1, ""},
		{"1 4 2 3\n3 2 1 4\n4 1 3 2\n2 3 4 1\n", 1, "a line feed at the end"},
		{"1423\n3214\n4132\n2341", 1, "without space"},
		{"1 4 | 2 3\n3 2 | 1 4\n----+----\n4 1 | 3 2\n2 3 | 4 1", 1, "bars"},
		{"Solution:\n1 4 2 3\n3 2 1 4\n4 1 3 2\n2 3 4 1", 0, "words around it"},
		{"1 4 2 3\n3 2 1 4\n4 1 3 2\n2 3 4 2", 0.9 * 8 / 11, "one cell of eleven wrong"},
		{"1 4 2 3\n3 2 1 4\n4 1 3 2\n1 4 4 2", 0.9 * 2 / 11, "three, among them a given one"},
		{"1 4 2 3\n3 2 1 4\n4 1 3 2", 0, "a row left out"},
		{"1 4 2 3\n3 2 1 4", 0, "two rows left out"},
		{"1 4 2 3\n4 1 3 2\n3 2 1 4\n2 3 4 1", 0, "two rows in each other's place"},
		{"1 1 2 1\n1 1 1 4\n1 1 1 1\n1 3 4 1", 0, "the puzzle filled with ones; reasoning-gym pays"},
		{"1 3 2 4\n1 2 3 4\n1 2 3 4\n1 3 4 2", 0, "every row right by itself"},
		{"1 _ 2 _\n_ _ _ 4\n_ _ _ _\n_ 3 4 _", 0, "the puzzle itself"},
		{"1 1 1 1\n1 4 2 3\n3 2 1 4\n4 1 3 2\n2 3 4 1", 0, "the right grid one line too late"},
		{"1 4 2 3 3 2 1 4 4 1 3 2 2 3 4 1", 0, "all in one line"},
		{"[[1, 4, 2, 3], [3, 2, 1, 4], [4, 1, 3, 2], [2, 3, 4, 1]]", 1, "a list of rows"},
		{"１ 4 2 3\n3 2 1 4\n4 1 3 2\n2 3 4 1", 0, "a wide digit is none, so that the rows move up"},
		{miniSudokuExample, 0, "the example in the question"},
		{"\n\n\n", 0, ""},
	})
	solved := miniSudokuItem{Puzzle: item.Solution, Solution: item.Solution}
	tasktest.Nears(t, solved.Score, []tasktest.Near{
		{"1 4 2 3\n3 2 1 4\n4 1 3 2\n2 3 4 1", 1, "nothing to fill in"},
		{"1 4 2 3\n3 2 1 4\n4 1 3 2\n2 3 4 2", 0, ""},
	})
}

func TestMiniSudokuParams(t *testing.T) {
	tasktest.Refused(t, miniSudoku.Task(), map[string]string{
		`{"min_empty":-1}`:                "min_empty",
		`{"min_empty":13}`:                "min_empty",
		`{"max_empty":13}`:                "max_empty",
		`{"min_empty":6,"max_empty":5}`:   "max_empty",
		`{"min_empty":6.5}`:               "min_empty",
		`{"min_empty":0,"max_empty":-1}`:  "max_empty",
		`{"min_rounds":-1}`:               "min_rounds",
		`{"min_rounds":4}`:                "min_rounds",
		`{"min_empty":12,"min_rounds":6}`: "min_rounds",
	})
}

func TestMiniSudokuCheck(t *testing.T) {
	const puzzle, solution = `[[1,0,2,0],[0,0,0,4],[0,0,0,0],[0,3,4,0]]`, `[[1,4,2,3],[3,2,1,4],[4,1,3,2],[2,3,4,1]]`
	for _, test := range []struct {
		record, why string
		sound       bool
	}{
		{`{"puzzle":` + puzzle + `,"solution":` + solution + `,"num_empty":11}`, "", true},
		{`{"puzzle":` + puzzle + `,"solution":` + solution + `,"num_empty":11,"phrasing":-1}`, "no such wording", false},
		{`{"puzzle":` + puzzle + `,"solution":[[1,4,2,3],[3,2,1,4],[4,1,3,2]],"num_empty":11}`, "three rows", false},
		{`{"puzzle":[[1],[],[],[]],"solution":` + solution + `,"num_empty":11}`, "short rows", false},
		{`{"puzzle":[[2,0,0,0],[0,0,0,4],[0,0,0,0],[0,3,4,0]],"solution":` + solution + `,"num_empty":11}`, "another puzzle's solution", false},
		{`{"puzzle":` + puzzle + `,"solution":[[1,4,2,3],[3,2,1,4],[4,1,3,2],[2,3,4,9]],"num_empty":11}`, "a nine", false},
		{`{"puzzle":[[1,0,2,0],[0,0,0,4],[0,0,0,0],[0,3,4,0]],"solution":[[1,4,2,3],[4,2,1,4],[3,1,3,2],[2,3,4,1]],"num_empty":11}`, "a double", false},
	} {
		p := quintain.Problem{Task: "mini_sudoku", Instance: quintain.RawRecord([]byte(test.record))}
		if v, err := miniSudoku.Task().Grade(p, "1"); (err == nil) != test.sound {
			t.Errorf("record %s: verdict %+v, %v (%s)", test.record, v, err, test.why)
		}
	}
}

// Puzzles with min_rounds 5 take five rounds, counted from the prompt by the candidates
// of each cell.
func TestMiniSudokuRounds(t *testing.T) {
	hardest := tasktest.With(t, miniSudoku.Task(), `{"min_empty":12,"max_empty":12,"min_rounds":5}`)
	for i := range 200 {
		item := tasktest.Made[miniSudokuItem](t, hardest, 0, i)
		cells := strings.Fields(strings.Split(item.Prompt(), "\n\n")[1])
		rounds := 0
		for slices.Contains(cells, "_") {
			known := slices.Clone(cells)
			for at, cell := range cells {
				fit := slices.DeleteFunc([]string{"1", "2", "3", "4"}, func(n string) bool { return !fitsMini(cells, at, n) })
				if cell == "_" && len(fit) == 1 {
					known[at] = fit[0]
				}
			}
			if slices.Equal(known, cells) {
				t.Fatalf("no cell is known after %d rounds:\n%s", rounds, item.Prompt())
			}
			cells = known
			rounds++
		}
		if rounds != miniMaxRounds {
			t.Errorf("%d rounds, want %d:\n%s", rounds, miniMaxRounds, item.Prompt())
		}
	}
}

func TestMiniBoards(t *testing.T) {
	if n := len(miniBoards()); n != 288 {
		t.Errorf("there are %d boards, want 288", n)
	}
}

// The second solver reads the puzzle from the prompt and tries all numbers in all empty
// cells, to find the solution and that it is the only one.
func TestMiniSudokuSecond(t *testing.T) {
	tasktest.Second(t, miniSudoku.Task(), 1200, func(item miniSudokuItem, prompt, got string) error {
		question := strings.Split(prompt, "\n\n")[1]
		cells := strings.Fields(question)
		if len(cells) != 16 {
			return fmt.Errorf("the prompt has %d cells", len(cells))
		}
		empty := 16 - len(slices.DeleteFunc(slices.Clone(cells), func(c string) bool { return c == "_" }))
		if empty != item.NumEmpty {
			return fmt.Errorf("the prompt has %d empty cells, want %d", empty, item.NumEmpty)
		}
		lacking := map[string]bool{}
		for i, n := range strings.Fields(got) {
			if cells[i] == "_" {
				lacking[n] = true
			}
		}
		if len(lacking) < 2 {
			return errors.New("all empty cells have one number, which the others show")
		}
		var found []string
		fillMini(cells, 0, func() {
			rows := make([]string, 4)
			for i := range rows {
				rows[i] = strings.Join(cells[4*i:4*i+4], " ")
			}
			found = append(found, strings.Join(rows, "\n"))
		})
		if len(found) != 1 || found[0] != got {
			return fmt.Errorf("solution %q, want the one of %q", got, found)
		}
		return nil
	})
}

// fillMini calls yield for every valid filling of the cells from at on.
func fillMini(cells []string, at int, yield func()) {
	if at == 16 {
		yield()
		return
	}
	given := cells[at]
	for _, n := range []string{"1", "2", "3", "4"} {
		if given != "_" && given != n {
			continue
		}
		if fitsMini(cells, at, n) {
			cells[at] = n
			fillMini(cells, at+1, yield)
		}
	}
	cells[at] = given
}

// fitsMini reports whether no other cell in the row, column or box has n.
func fitsMini(cells []string, at int, n string) bool {
	clash := false
	for i, c := range cells {
		row, column := i/4 == at/4, i%4 == at%4
		box := i/8 == at/8 && i%4/2 == at%4/2
		clash = clash || i != at && (row || column || box) && c == n
	}
	return !clash
}

// Thoughtless answers earn next to nothing: copying the puzzle and filling each row with
// its missing numbers in order.
func TestMiniSudokuFixedStrategy(t *testing.T) {
	own, err := miniSudoku.Task().With(json.RawMessage(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	const n = 500
	sum := 0.0
	for i := range n {
		p, err := own.Problem(quintain.Draw{Seed: 3, Index: i})
		if err != nil {
			t.Fatal(err)
		}
		item, isOurs := p.Instance.Value().(miniSudokuItem)
		if !isOurs {
			t.Fatal("the problem has lost its record")
		}
		filled := make([][]int, 4)
		for row := range filled {
			filled[row] = slices.Clone(item.Puzzle[row])
			for column, next := 0, 1; column < 4; column++ {
				if filled[row][column] != 0 {
					continue
				}
				for slices.Contains(filled[row], next) {
					next++
				}
				filled[row][column] = next
			}
		}
		sum += item.Score(miniText(filled)).Score
	}
	if mean := sum / n; mean > 0.1 {
		t.Errorf("filling rows without looking earns %.3f on average, want at most 0.1", mean)
	}
}

func TestMiniSudokuKeys(t *testing.T) {
	tasktest.Variant(t, miniSudoku.Task(), "other numbers, rows and columns in another order, and exchanged", func(m *miniSudokuItem, r *rng.Rand) func(string) string {
		numbers := []int{0, 1, 2, 3, 4}
		rng.Shuffle(r, numbers[1:])
		var order [2][]int
		for k := range order {
			first, a, b := 2*r.Between(0, 1), r.Between(0, 1), r.Between(0, 1)
			order[k] = []int{first + a, first + 1 - a, 2 - first + b, 3 - first - b}
		}
		moved := func(g grid.Grid[int]) grid.Grid[int] {
			return grid.Build(4, 4, func(i, j int) int { return numbers[g[order[0][j]][order[1][i]]] })
		}
		m.Puzzle, m.Solution = moved(m.Puzzle), moved(m.Solution)
		return func(string) string { return m.Solve() }
	})
	tasktest.Other(t, miniSudoku.Task(), "another cell is given", func(m *miniSudokuItem) {
		for i, row := range m.Puzzle {
			for j := range row {
				if row[j] == 0 {
					row[j] = m.Solution[i][j]
					return
				}
			}
		}
	})
}
