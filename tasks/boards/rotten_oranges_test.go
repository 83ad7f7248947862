package boards

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestRottenOrangesScore(t *testing.T) {
	item := rottenOrangesItem{Matrix: tasktest.Matrix("2 1 1\n1 1 0\n0 1 1"), Solution: 4, N: 3}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, rottenOranges.Scorer(item), []tasktest.Near{
		{"4", 1, ""},
		{"4 minutes", 1. / 9, "reasoning-gym pays for a text that contains the answer"},
		{" 4", 1, "another spelling"},
		{"-4", 0, ""},
		{"5", 0, "one off"},
		{"-1", 0, ""},
		{"four", 0, ""},
	})
	never := rottenOrangesItem{Matrix: tasktest.Matrix("2 0 1"), Solution: -1}
	if err := task.Check(never); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, rottenOranges.Scorer(never), []tasktest.Near{{"-1", 1, ""}, {"1", 0, ""}, {"0", 0, ""}})
	for _, bad := range []rottenOrangesItem{
		{},
		{Matrix: tasktest.Matrix("2 3")},
		{Matrix: tasktest.Matrix("2 1")},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

// The second solver reads the prompt and goes minute by minute over the whole grid.
func TestRottenOrangesSecond(t *testing.T) {
	check := func(item rottenOrangesItem, prompt, got string) error {
		m := tasktest.Matrix(prompt)
		minutes, left := 0, 0
		for changed := true; changed; minutes++ {
			m, changed, left = aMinuteLater(m)
		}
		want := minutes - 1
		if left > 0 {
			want = -1
		}
		if got != strconv.Itoa(want) || len(m) != item.N {
			return fmt.Errorf("solution %s, want %d", got, want)
		}
		return nil
	}
	tasktest.Second(t, rottenOranges.Task(), 1200, check)
	for _, params := range []string{`{"min_n":3,"max_n":4}`, `{"p_oranges":0.2,"min_n":3}`, `{"p_rotten":1}`} {
		tasktest.Second(t, tasktest.With(t, rottenOranges.Task(), params), 200, check)
	}
}

// aMinuteLater returns the grid after a minute, whether it changed, and the number of fresh
// oranges left.
func aMinuteLater(m grid.Grid[int]) (next grid.Grid[int], changed bool, left int) {
	next = grid.New[int](len(m), len(m))
	for i, row := range m {
		for j, cell := range row {
			next[i][j] = cell
			if cell != 1 {
				continue
			}
			if i > 0 && m[i-1][j] == 2 || j > 0 && row[j-1] == 2 || i+1 < len(m) && m[i+1][j] == 2 || j+1 < len(row) && row[j+1] == 2 {
				next[i][j], changed = 2, true
			} else {
				left++
			}
		}
	}
	return next, changed, left
}

func TestRottenOrangesKeys(t *testing.T) {
	tasktest.Variant(t, rottenOranges.Task(), "from another side", func(o *rottenOrangesItem, r *rng.Rand) func(string) string {
		o.Matrix = canon.Seen(o.Matrix, r.Between(1, canon.Sides-1))
		return nil
	})
	tasktest.Other(t, rottenOranges.Task(), "an orange is taken away", func(o *rottenOrangesItem) {
		o.Matrix[0][0], o.Solution = noOrange, 0
		o.Solution = minutesOf(o.Matrix)
	})
}
