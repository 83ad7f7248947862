package transformations

import (
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func Example() {
	task := arcTraining()[0]
	fmt.Println(task.ID, task.Cells, len(task.Train()), len(task.Test()))
	fmt.Println(task.Test()[0].Input)
	// Output:
	// 007bbfb7 540 5 1
	// [[7 0 7] [7 0 7] [7 7 0]]
}

func TestSets(t *testing.T) {
	id := regexp.MustCompile(`^[0-9a-f]{8}$`)
	seen := map[string]bool{}
	for name, set := range map[string][]arcTask{"training": arcTraining(), "evaluation": arcEvaluation()} {
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

// The tasks are the corrected ones: ef135b50 lacked a cell of its answer in the first release.
func TestCorrected(t *testing.T) {
	for zipped, want := range map[string]string{
		trainingGz:   "8e6d68b44b440a452a5f65d52a049fba33c9a0c41509127597c51d989ef6d171",
		evaluationGz: "d74fbca8e33bd27b8c4c746af41f194f1ab934072cd35faaf292bcef71c04ebe",
	} {
		r, err := gzip.NewReader(strings.NewReader(zipped))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(r)
		if got := fmt.Sprintf("%x", sha256.Sum256(plain)); got != want || err != nil {
			t.Errorf("the text has SHA-256 %s, error %v, want %s", got, err, want)
		}
	}
	i := slices.IndexFunc(arcTraining(), func(task arcTask) bool { return task.ID == "ef135b50" })
	if got, want := fmt.Sprint(arcTraining()[i].Test()[0].Output[6]), "[0 2 2 2 9 2 2 2 2 0]"; got != want {
		t.Errorf("row 7 of the answer to ef135b50 is %s, want %s", got, want)
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
