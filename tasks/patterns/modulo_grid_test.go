package patterns

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

// evenSums marks the cells with an even sum of column and row.
var evenSums = moduloGridItem{Divisor: 2, Target: 0, Operation: "sum", Grid: []string{"✅❌❔", "❌❔❌"}}

func TestModuloGridScore(t *testing.T) {
	if err := task.Check(evenSums); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, evenSums.Score, []tasktest.Near{
		{"✅❌✅\n❌✅❌", 1, ""},
		{"  ✅ ❌ ✅ \r\n\r\n❌\t✅\uFE0F ❌\n", 1, "space does not count"},
		{"✅❌✅\n❌❌❌", 0, "a wrong mark"},
		{"✅❌❔\n❌✅❌", 0, "a mark is still hidden"},
		{"✅❌✅", 0, "a row is missing"},
		{"✅❌✅\n❌✅❌\n✅❌✅", 0, "a row too many"},
		{"✅❌✅❌✅❌", 0, "no rows"},
		{"The grid is\n✅❌✅\n❌✅❌", 0, "there is more than the grid"},
	})
	tasktest.RefusedRecords(t, moduloGrid.Task(), []string{
		`{"divisor":2,"target":0,"operation":"sum"}`,
		`{"divisor":0,"target":0,"operation":"sum","grid":["❔"]}`,
		`{"divisor":2,"target":0,"operation":"root","grid":["❔"]}`,
		`{"divisor":2,"target":0,"operation":"sum","grid":["✅✅"]}`,
		`{"divisor":2,"target":0,"operation":"sum","grid":["✅❌","❌"]}`,
		`{"divisor":2,"target":0,"operation":"sum","grid":["✅x"]}`,
		`{"divisor":2,"target":0,"operation":"sum","grid":["✅"],"phrasing":6}`,
	})
}

// The second solver tries every rule in the prompt on the visible marks, with numbers of
// any size: all that agree with them give the solution.
func TestModuloGridSecond(t *testing.T) {
	check := func(item moduloGridItem, prompt, got string) error {
		var most int
		for _, before := range []string{"from 2 to ", "at least 2 and at most ", "between 2 and ", "one of 2 to "} {
			if _, after, found := strings.Cut(prompt, before); found {
				if _, err := fmt.Sscan(strings.FieldsFunc(after, func(r rune) bool { return r < '0' || r > '9' })[0], &most); err != nil {
					return err
				}
			}
		}
		var shown []string
		for _, line := range strings.Split(prompt, "\n") {
			if strings.HasPrefix(line, "✅") || strings.HasPrefix(line, "❌") || strings.HasPrefix(line, "❔") {
				shown = append(shown, line)
			}
		}
		found := map[string]bool{}
		for operation := range 4 {
			for divisor := 2; divisor <= most; divisor++ {
				left := remainders(shown, operation, int64(divisor))
				for target := range divisor {
					if grid, fits := marked(shown, left, int64(target)); fits {
						found[grid] = true
					}
				}
			}
		}
		if len(found) != 1 || !found[got] {
			return fmt.Errorf("%d grids agree with the marks shown, the solution among them: %v", len(found), found[got])
		}
		return nil
	}
	tasktest.Second(t, moduloGrid.Task(), 600, check)
	tasktest.Second(t, tasktest.With(t, moduloGrid.Task(), `{"size_x":6,"size_y":6,"max_divisor":12,"max_holes":3}`), 600, check)
}

// remainders returns the remainders of all cells of a grid.
func remainders(rows []string, operation int, divisor int64) (left [][]int64) {
	for y, row := range rows {
		var of []int64
		for x := range len([]rune(row)) {
			a, b, v := big.NewInt(int64(x)), big.NewInt(int64(y)), new(big.Int)
			switch operation {
			case 0:
				v.Add(a, b)
			case 1:
				v.Abs(v.Sub(a, b))
			case 2:
				v.Mul(a, b)
			case 3:
				v.Exp(a, b, big.NewInt(divisor))
			}
			of = append(of, v.Mod(v, big.NewInt(divisor)).Int64())
		}
		left = append(left, of)
	}
	return left
}

// marked returns the grid for a target, and whether it agrees with the visible marks.
func marked(shown []string, left [][]int64, target int64) (grid string, fits bool) {
	var rows []string
	for y, row := range shown {
		var marks []rune
		for x, mark := range []rune(row) {
			want := '❌'
			if left[y][x] == target {
				want = '✅'
			}
			if mark != '❔' && mark != want {
				return "", false
			}
			marks = append(marks, want)
		}
		rows = append(rows, string(marks))
	}
	return strings.Join(rows, "\n"), true
}

// An entry of reasoning-gym has its grid in the question.
func TestModuloGridOfReasoningGym(t *testing.T) {
	item := moduloGridItem{Divisor: 2, Target: 0, Operation: "sum"}
	item.Complete("Fill in the question marks.\n\n✅❌❔\n❌❔❌\n\nWrite the grid.")
	if got, want := fmt.Sprint(item), fmt.Sprint(evenSums); got != want {
		t.Errorf("the item is %s, want %s", got, want)
	}
}

func TestModuloGridKeys(t *testing.T) {
	tasktest.Variant(t, moduloGrid.Task(), "rows as columns", func(m *moduloGridItem, _ *rng.Rand) func(string) string {
		if m.Operation == "pow" {
			return nil
		}
		transposed := func(lines []string) (seen []string) {
			var rows [][]rune
			for _, line := range lines {
				rows = append(rows, []rune(line))
			}
			for _, row := range canon.Seen(rows, 4) {
				seen = append(seen, string(row))
			}
			return seen
		}
		m.Grid = transposed(m.Grid)
		return func(answer string) string { return strings.Join(transposed(strings.Split(answer, "\n")), "\n") }
	})
	tasktest.Other(t, moduloGrid.Task(), "another mark is hidden", func(m *moduloGridItem) {
		m.Grid[0] = strings.Replace(m.Grid[0], string(miss), string(hidden), 1)
	})
	tasktest.Same(t, moduloGrid.Task(), "the wording does not matter", func(m *moduloGridItem) { m.Phrasing = (m.Phrasing + 1) % len(moduloGridPhrasings) })
}
