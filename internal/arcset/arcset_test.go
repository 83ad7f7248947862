package arcset

import (
	"fmt"
	"regexp"
	"testing"
)

func Example() {
	task := Training()[0]
	fmt.Println(task.ID, task.Cells, len(task.Train()), len(task.Test()))
	fmt.Println(task.Test()[0].Input)
	// Output:
	// 007bbfb7 540 5 1
	// [[7 0 7] [7 0 7] [7 7 0]]
}

func TestSets(t *testing.T) {
	id := regexp.MustCompile(`^[0-9a-f]{8}$`)
	seen := map[string]bool{}
	for name, set := range map[string][]Task{"training": Training(), "evaluation": Evaluation()} {
		if len(set) != 400 {
			t.Errorf("the %s set has %d tasks, want 400", name, len(set))
		}
		for i, task := range set {
			if !id.MatchString(task.ID) || seen[task.ID] || i > 0 && task.ID <= set[i-1].ID {
				t.Errorf("%s %d: ID %q is wrong, comes again, or is out of order", name, i, task.ID)
			}
			seen[task.ID] = true
			if len(task.Train()) < 2 || len(task.Test()) < 1 {
				t.Errorf("%s has %d and %d pairs, want 2 and 1 or more", task.ID, len(task.Train()), len(task.Test()))
			}
			cells := 0
			for _, pair := range append(task.Train(), task.Test()...) {
				for _, grid := range [][][]int{pair.Input, pair.Output} {
					cells += area(t, task.ID, grid)
				}
			}
			if cells != task.Cells {
				t.Errorf("%s has %d cells, and says %d", task.ID, cells, task.Cells)
			}
		}
	}
}

// area checks a grid and counts its cells.
func area(t *testing.T, id string, grid [][]int) (cells int) {
	t.Helper()
	if len(grid) < 1 || len(grid) > 30 {
		t.Fatalf("%s has a grid of %d rows", id, len(grid))
	}
	for _, row := range grid {
		if len(row) < 1 || len(row) > 30 || len(row) != len(grid[0]) {
			t.Fatalf("%s has a row of %d cells", id, len(row))
		}
		for _, color := range row {
			if color < 0 || color > 9 {
				t.Fatalf("%s has the color %d", id, color)
			}
		}
		cells += len(row)
	}
	return cells
}
