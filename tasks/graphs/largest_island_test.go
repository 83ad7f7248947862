package graphs

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestIslandScore(t *testing.T) {
	item := islandItem{Grid: [][]int{{1, 1, 0}, {0, 0, 1}, {1, 1, 1}}, Solution: 4}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, largestIsland.Scorer(item), []tasktest.Near{
		{"4", 1, ""}, {" 4.\n", 1, ""}, {"6", 0, "corners do not join"}, {"14", 0, "reasoning-gym pays 0.5"}, {"2 or 4", 0, "no choice"}, {"four", 0, "a number was asked for"}, {"", 0, "nothing"},
	})
}

func TestIslandParams(t *testing.T) {
	tasktest.RefusedRecords(t, largestIsland.Task(), []string{
		`{}`, `{"grid":[[1,0],[1]],"solution":2}`, `{"grid":[[1,2]],"solution":2}`, `{"grid":[[1,1]],"solution":1}`, `{"grid":[[1,1]],"solution":2,"phrasing":6}`,
	})
}

// The second solver reads the map and joins the sets of cells that touch.
func TestIslandSecond(t *testing.T) {
	tasktest.Second(t, largestIsland.Task(), 1002, func(_ islandItem, prompt, got string) error {
		m := tasktest.Matrix(prompt)
		cols := len(m[0])
		parent, size := make([]int, len(m)*cols), make([]int, len(m)*cols)
		for i := range parent {
			parent[i] = i
		}
		root := func(i int) int {
			for parent[i] != i {
				i = parent[i]
			}
			return i
		}
		for i, row := range m {
			for j, cell := range row {
				if cell == 1 && i > 0 && m[i-1][j] == 1 {
					parent[root(i*cols+j)] = root((i-1)*cols + j)
				}
				if cell == 1 && j > 0 && row[j-1] == 1 {
					parent[root(i*cols+j)] = root(i*cols + j - 1)
				}
			}
		}
		most := 0
		for i := range parent {
			if m[i/cols][i%cols] == 1 {
				size[root(i)]++
				most = max(most, size[root(i)])
			}
		}
		if got != strconv.Itoa(most) {
			return fmt.Errorf("the solution is %s, want %d", got, most)
		}
		return nil
	})
}

func TestIslandKeys(t *testing.T) {
	tasktest.Variant(t, largestIsland.Task(), "from another side", func(i *islandItem, r *rng.Rand) func(string) string {
		i.Grid = canon.Seen(i.Grid, r.Between(1, canon.Sides-1))
		return nil
	})
	tasktest.Other(t, largestIsland.Task(), "another map", func(i *islandItem) {
		if i.Solution > 1 && i.Grid[0][0] == 0 && i.Grid[0][1] == 0 && i.Grid[1][0] == 0 {
			i.Grid[0][0] = 1
		}
	})
}
