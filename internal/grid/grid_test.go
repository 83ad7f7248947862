package grid_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/quintain-rl/quintain/internal/grid"
)

func Example() {
	g := grid.Build(2, 3, func(row, col int) int { return 3*row + col + 1 })
	fmt.Println(grid.Ints(g))
	fmt.Println(grid.Ints(g.Turned(1)))
	fmt.Println(grid.Equal(g, g.Turned(1).Turned(3)))
	// Output:
	// 1 2 3
	// 4 5 6
	// 4 1
	// 5 2
	// 6 3
	// true
}

// A search spreads a fire from the first cell.
func ExampleWalled() {
	w := grid.NewWalled(3, 3, '#')
	for i, row := range []string{"..#", "#..", "..."} {
		copy(w.Row(i), []rune(row))
	}
	burns := []int{w.At(0, 0)}
	for i := 0; i < len(burns); i++ {
		for _, step := range w.Steps() {
			if next := burns[i] + step; w.Cells[next] == '.' {
				w.Cells[next] = '*'
				burns = append(burns, next)
			}
		}
	}
	for i := range w.Rows {
		fmt.Println(string(w.Row(i)))
	}
	// Output:
	// **#
	// #**
	// ***
}

func TestTurned(t *testing.T) {
	g := grid.Grid[int]{{1, 2, 3}, {4, 5, 6}}
	for quarters, want := range []string{"1 2 3\n4 5 6", "4 1\n5 2\n6 3", "6 5 4\n3 2 1", "3 6\n2 5\n1 4", "1 2 3\n4 5 6", "4 1\n5 2\n6 3"} {
		if got := grid.Ints(g.Turned(quarters)); got != want {
			t.Errorf("%d quarters: %q, want %q", quarters, got, want)
		}
	}
}

func TestAppend(t *testing.T) {
	for _, test := range []struct {
		grid grid.Grid[string]
		want string
	}{
		{nil, "> "},
		{grid.Grid[string]{{"a"}}, `> "a"`},
		{grid.Grid[string]{{"a", "b"}, {"", "c"}}, "> \"a\" \"b\"\n\"\" \"c\""},
	} {
		if got := string(test.grid.Append([]byte("> "), strconv.AppendQuote)); got != test.want {
			t.Errorf("%q is written as %q, want %q", test.grid, got, test.want)
		}
	}
	if got, want := grid.Ints(grid.Grid[int]{{-1, 10}, {9, 0}}), "-1 10\n9 0"; got != want {
		t.Errorf("numbers are written as %q, want %q", got, want)
	}
	if got := grid.Ints(nil); got != "" {
		t.Errorf("no rows are written as %q", got)
	}
}

func TestCheckInts(t *testing.T) {
	for _, test := range []struct {
		grid grid.Grid[int]
		fine bool
	}{
		{grid.Grid[int]{{1, 2}, {3, 4}}, true},
		{grid.Grid[int]{{0, 9}}, true},
		{nil, false},
		{grid.Grid[int]{{}}, false},
		{grid.Grid[int]{{1, 2}, {3}}, false},
		{grid.Grid[int]{{1, 10}}, false},
		{grid.Grid[int]{{-1}}, false},
	} {
		if err := grid.CheckInts(test.grid, 0, 9); (err == nil) != test.fine {
			t.Errorf("%v: error %v", test.grid, err)
		}
	}
}

// Rows share memory but do not overlap.
func TestNewRowsAreApart(t *testing.T) {
	g := grid.New[int](2, 2)
	g[0] = append(g[0], 7)
	if !slices.Equal(g[1], []int{0, 0}) {
		t.Errorf("appending to the first row changed the second to %v", g[1])
	}
}

// Every step from a cell ends at a neighbor or at the wall.
func TestWalledSteps(t *testing.T) {
	for _, shape := range [][2]int{{1, 1}, {1, 4}, {4, 1}, {3, 5}} {
		w := grid.NewWalled(shape[0], shape[1], -1)
		for i := range w.Rows {
			for j := range w.Cols {
				w.Cells[w.At(i, j)] = 100*i + j
			}
		}
		for i := range w.Rows {
			for j := range w.Cols {
				for k, step := range w.Steps() {
					row, col := i+[]int{-1, 1, 0, 0}[k], j+[]int{0, 0, -1, 1}[k]
					want := -1
					if row >= 0 && row < w.Rows && col >= 0 && col < w.Cols {
						want = 100*row + col
					}
					if got := w.Cells[w.At(i, j)+step]; got != want {
						t.Errorf("shape %v: step %d from row %d, column %d ends at %d, want %d", shape, k, i, j, got, want)
					}
				}
			}
		}
	}
}
