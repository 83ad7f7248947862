package boards

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

// pathItem returns the item of a grid; spaces separate its rows.
func pathItem(t *testing.T, grid, solution string) shortestPathItem {
	t.Helper()
	var rows [][]string
	for _, row := range strings.Fields(grid) {
		rows = append(rows, strings.Split(row, ""))
	}
	matrix, err := json.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	item := shortestPathItem{Solution: strings.Fields(solution)}
	if err := json.Unmarshal(matrix, &item.Matrix); err != nil {
		t.Fatal(err)
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	return item
}

func TestShortestPathScore(t *testing.T) {
	tasktest.Nears(t, pathItem(t, "*OO XXO #OO", "right right down down left left").Score, []tasktest.Near{
		{"right right down down left left", 1, ""},
		{" right\tright down\ndown  left\u00a0left\n", 1, "space is free"},
		{"right right down down left left right left", 0, "longer than necessary; reasoning-gym pays a half"},
		{"right left right right down down left left", 0, ""},
		{"right right down down left", 0, "one move short"},
		{"right right down down left left left", 0, "off the grid"},
		{"up right right down down left left", 0, ""},
		{"right right right right down down left left", 0, "not into the next row"},
		{"down down", 0, "through a wall"},
		{"Right right down down left left", 0, "upper case"},
		{"right, right, down, down, left, left", 0, "commas"},
		{"rightrightdowndownleftleft", 0, "no spaces"},
		{"right right down down left left.", 0, "a full stop"},
		{"The way is right right down down left left", 0, "words"},
		{"infeasible", 0, "there is a way"},
		{"right right down down left left infeasible", 0, "both"},
		{"infeasible right right down down left left", 0, ""},
		{"right left right left", 0, "no goal"},
	})
	tasktest.Nears(t, pathItem(t, "*OX XX# OOO", "").Score, []tasktest.Near{
		{"infeasible", 1, ""},
		{" infeasible\n", 1, "space is free"},
		{"Infeasible", 0, "upper case"},
		{"infeasible.", 0, ""},
		{"infeasible infeasible", 0, ""},
		{"not feasible", 0, ""},
		{"right right down", 0, "through a wall"},
	})
	tasktest.Nears(t, pathItem(t, "*#", "right").Score, []tasktest.Near{
		{"right", 1, ""},
		{"right left right", 0, "over the goal"},
		{"left", 0, ""},
	})
}

func TestShortestPathParams(t *testing.T) {
	tasktest.Refused(t, shortestPath.Task(), map[string]string{
		`{"min_rows":0}`:                        "min_rows",
		`{"max_rows":4}`:                        "max_rows",
		`{"max_rows":501}`:                      "max_rows",
		`{"min_cols":0}`:                        "min_cols",
		`{"min_rows":1,"min_cols":1}`:           "min_cols",
		`{"max_cols":4}`:                        "max_cols",
		`{"max_cols":501}`:                      "max_cols",
		`{"p_blocked":-0.1}`:                    "p_blocked",
		`{"p_blocked":1.1}`:                     "p_blocked",
		`{"p_blocked":"0.4"}`:                   "p_blocked",
		`{"min_rows":6,"max_rows":5}`:           "max_rows",
		`{"min_cols":6,"max_cols":5}`:           "max_cols",
		`{"p_blocked":1e999}`:                   "p_blocked",
		`{"min_rows":2147483647}`:               "max_rows",
		`{"min_rows":1,"min_cols":-1000000000}`: "min_cols",
	})
}

func TestShortestPathCheck(t *testing.T) {
	for _, test := range []struct {
		record, why string
		sound       bool
	}{
		{`{"matrix":[["*","O"],["X","#"]],"solution":["right","down"]}`, "", true},
		{`{"matrix":[["*","X"],["X","#"]],"solution":[]}`, "", true},
		{` { "matrix" : [ [ "*" , "#" ] ] , "solution" : [ "right" ] } `, "space in the record", true},
		{`{"matrix":[["*","O"],["X","#"]],"solution":["down","right"]}`, "through a wall", false},
		{`{"matrix":[["*","O"],["X","#"]],"solution":[]}`, "there is a way", false},
		{`{"matrix":[["*","X"],["X","#"]],"solution":["right","down"]}`, "there is no way", false},
		{`{"matrix":[["*","O"],["O","#"]],"solution":["right","left","right","down"]}`, "there is a shorter way", false},
		{`{"matrix":[["*","O"],["O","#"]],"solution":["right","sideways"]}`, "no such move", false},
		{`{"matrix":[["*","O"],["#"]],"solution":["down"]}`, "rows of different lengths", false},
		{`{"matrix":[["*"],["#","O"]],"solution":["down"]}`, "", false},
		{`{"matrix":[["*","#"],[]],"solution":["right"]}`, "an empty row", false},
		{`{"matrix":[],"solution":[]}`, "no cell", false},
		{`{"matrix":[[]],"solution":[]}`, "", false},
		{`{"matrix":null,"solution":[]}`, "no matrix", false},
		{`{"matrix":["*","#"],"solution":["right"]}`, "no rows", false},
		{`{"matrix":[["*","#",["O"]]],"solution":["right"]}`, "rows in rows", false},
		{`{"matrix":[["*","?","#"]],"solution":[]}`, "an unknown letter", false},
		{`{"matrix":[["*","OO","#"]],"solution":[]}`, "two letters", false},
		{`{"matrix":[["*","","#"]],"solution":[]}`, "none", false},
		{`{"matrix":[["*","\n","#"]],"solution":[]}`, "", false},
		{`{"matrix":[["O","X"],["X","#"]],"solution":[]}`, "no start", false},
		{`{"matrix":[["*","X"],["X","O"]],"solution":[]}`, "no goal", false},
		{`{"matrix":[["*","X","*"],["X","#","X"]],"solution":[]}`, "two starts", false},
		{`{"matrix":[["*","#","#"]],"solution":["right"]}`, "two goals", false},
		{`{"matrix":[["*","#"` + strings.Repeat(`,"O"`, pathMaxSide) + `]],"solution":["right"]}`, "too wide", false},
		{`{"matrix":[["*","#"]],"solution":["right"],"phrasing":99}`, "no such wording", false},
	} {
		p := quintain.Problem{Task: "shortest_path", Instance: quintain.RawRecord([]byte(test.record))}
		if v, err := shortestPath.Task().Grade(p, "right"); (err == nil) != test.sound {
			t.Errorf("record %.80s: verdict %+v, %v (%s)", test.record, v, err, test.why)
		}
	}
}

// Extreme settings give sound problems too.
func TestShortestPathEdges(t *testing.T) {
	for _, params := range []string{
		`{"p_blocked":0}`, `{"p_blocked":1}`, `{"p_blocked":0.01}`, `{"p_blocked":0.95}`,
		`{"min_rows":1,"max_rows":1,"min_cols":2,"max_cols":2}`,
		`{"min_rows":5,"max_rows":5,"min_cols":1,"max_cols":1}`,
		`{"min_rows":2,"max_rows":2,"min_cols":2,"max_cols":2,"p_blocked":0.5}`,
	} {
		own, err := shortestPath.Task().With(json.RawMessage(params))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 200 {
			p, err := own.Problem(quintain.Draw{Index: i})
			if err != nil {
				t.Fatal(err)
			}
			p.Instance = quintain.RawRecord([]byte(p.Instance.String()))
			if _, err := own.Solve(p); err != nil {
				t.Fatalf("params %s: %v\n%s", params, err, p.Prompt)
			}
		}
	}
}

// "infeasible" is equally frequent at every level, and rare.
func TestShortestPathDeadEnds(t *testing.T) {
	const n = 600
	for level := range shortestPath.Levels {
		dead, moves := 0, 0
		for i := range n {
			p, err := shortestPath.Task().Problem(quintain.Draw{Seed: 5, Level: level, Index: i})
			if err != nil {
				t.Fatal(err)
			}
			item, isOurs := p.Instance.Value().(shortestPathItem)
			if !isOurs {
				t.Fatal("the problem has lost its record")
			}
			if moves += len(item.Solution); len(item.Solution) == 0 {
				dead++
			}
		}
		t.Logf("level %d: %.1f %% without a way, %.1f moves on average", level, 100*float64(dead)/n, float64(moves)/float64(n-dead))
		if share := float64(dead) / n; math.Abs(share-pathDeadEnd) > 0.04 {
			t.Errorf("level %d: %.3f of the problems have no way, want about %.3f", level, share, pathDeadEnd)
		}
	}
}

// The second solver reads the grid from the prompt, sweeps over it until no distance
// changes, and walks the solution.
func TestShortestPathSecond(t *testing.T) {
	tasktest.Second(t, shortestPath.Task(), 1002, func(_ shortestPathItem, prompt, got string) error {
		grid := strings.Split(strings.ReplaceAll(strings.Split(prompt, "\n\n")[1], " ", ""), "\n")
		far := distances(grid)
		row, col := find(grid, "#")
		most := far[row][col]
		if most == outOfReach {
			if got != "infeasible" {
				return fmt.Errorf("solution %q, want infeasible", got)
			}
			return nil
		}
		moves := strings.Split(got, " ")
		row, col = find(grid, "*")
		for _, move := range moves {
			row += map[string]int{"up": -1, "down": 1}[move]
			col += map[string]int{"left": -1, "right": 1}[move]
			if row < 0 || row >= len(grid) || col < 0 || col >= len(grid[row]) || grid[row][col] == 'X' {
				return fmt.Errorf("solution %q leaves the open cells", got)
			}
		}
		if grid[row][col] != '#' || len(moves) != most {
			return fmt.Errorf("solution %q ends on %c after %d moves, want # after %d", got, grid[row][col], len(moves), most)
		}
		return nil
	})
}

// find returns the row and column of c in grid.
func find(grid []string, c string) (row, col int) {
	for row, line := range grid {
		if col := strings.Index(line, c); col >= 0 {
			return row, col
		}
	}
	return -1, -1
}

// outOfReach exceeds any distance.
const outOfReach = 1 << 20

// distances returns the distance of each cell of grid from the start.
func distances(grid []string) [][]int {
	far := make([][]int, len(grid))
	for row, line := range grid {
		far[row] = make([]int, len(line))
		for col := range far[row] {
			far[row][col] = outOfReach
		}
	}
	row, col := find(grid, "*")
	far[row][col] = 0
	relax := func(row, col, down, across int) bool {
		fromRow, fromCol := row-down, col-across
		if grid[row][col] == 'X' || fromRow < 0 || fromRow >= len(grid) || fromCol < 0 || fromCol >= len(grid[0]) || far[fromRow][fromCol]+1 >= far[row][col] {
			return false
		}
		far[row][col] = far[fromRow][fromCol] + 1
		return true
	}
	for changed := true; changed; {
		changed = false
		for i := range len(grid) * len(grid[0]) {
			row, col := i/len(grid[0]), i%len(grid[0])
			changed = relax(row, col, 1, 0) || changed
			changed = relax(row, col, 0, 1) || changed
			row, col = len(grid)-1-row, len(grid[0])-1-col
			changed = relax(row, col, -1, 0) || changed
			changed = relax(row, col, 0, -1) || changed
		}
	}
	return far
}

func TestShortestPathKeys(t *testing.T) {
	tasktest.Variant(t, shortestPath.Task(), "from another side", func(s *shortestPathItem, r *rng.Rand) func(string) string {
		side := r.Between(1, canon.Sides-1)
		var rows [][]byte
		for i := range s.Matrix.Rows {
			rows = append(rows, s.Matrix.Row(i))
		}
		rows = canon.Seen(rows, side)
		s.Matrix = newPathMatrix(len(rows), len(rows[0]))
		for i, row := range rows {
			copy(s.Matrix.Row(i), row)
		}
		translate := tasktest.SeenMoves(side, [4]string{"up", "down", "left", "right"})
		for i, move := range s.Solution {
			s.Solution[i] = translate(move)
		}
		return translate
	})
	tasktest.Variant(t, shortestPath.Task(), "from the goal to the start", func(s *shortestPathItem, _ *rng.Rand) func(string) string {
		for i, c := range s.Matrix.Cells {
			switch c {
			case cellStart:
				s.Matrix.Cells[i] = cellGoal
			case cellGoal:
				s.Matrix.Cells[i] = cellStart
			}
		}
		slices.Reverse(s.Solution)
		for i, move := range s.Solution {
			s.Solution[i] = tasktest.SeenMoves(3, [4]string{"up", "down", "left", "right"})(move)
		}
		return func(string) string { return s.Solve() }
	})
}
