package mathematics

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestPoolMatrixScore(t *testing.T) {
	average := poolMatrixItem{
		Matrix: tasktest.Matrix("1 0 7\n0 0 8\n3 4 0"), PoolType: "average", PoolSize: 2, Rows: 3, Cols: 3,
		Solution: [][]float64{{0.25, 7.5}, {3.5, 0}},
	}
	if err := task.Check(average); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, average.Score, []tasktest.Near{
		{"0.25 7.5\n3.5 0", 1, ""},
		{" 0.25\t7.50\r\n\n3.5 0.0 \n", 1, "other space and spelling"},
		{"# averages\n0.25 7.5 # above\n3.5 0", 0, "comments, which NumPy takes: they may deny"},
		{"2.5e-1 7.5\n+3.5 0.", 1, ""},
		{"0.25 7.51\n3.5 0", 0, "a hundredth off; enough for reasoning-gym"},
		{"0.25 7.42\n3.5 0", 0, "farther off, where reasoning-gym pays 0.1 for the shape"},
		{"0.25 7.5\n3.5 0.001", 0, "zero is zero"},
		{"0 0\n0 0", 0, "the shape alone"},
		{"0.25 7.5 3.5 0", 0, "one row"},
		{"7.5 0.25\n0 3.5", 0, "mirrored"},
		{"1 0 7\n0 0 8\n3 4 0", 0, "the question itself"},
		{"1 8\n4 0", 0, "the largest"},
		{"0.25 7.5\n3.5", 0, "one is missing"},
		{"0.25, 7.5\n3.5, 0", 0, "commas"},
		{"[[0.25, 7.5], [3.5, 0]]", 0, "a list"},
		{"nan nan\nnan nan", 0, ""},
		{"inf inf\ninf inf", 0, ""},
		{"1/4 7.5\n3.5 0", 0, "nothing is worked out"},
		{"#", 0, "nothing but a comment"},
	})
	largest := poolMatrixItem{Matrix: tasktest.Matrix("1 2 3\n4 5 6"), PoolType: "max", PoolSize: 2, Rows: 2, Cols: 3, Solution: [][]float64{{5, 6}}}
	if err := task.Check(largest); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, largest.Score, []tasktest.Near{{"5 6", 1, ""}, {"5\n6", 1, "a column, as in reasoning-gym"}, {"5\n7", 0, ""}, {"5", 0, ""}, {"5 6\n5 6", 0, ""}})
}

func TestClosePool(t *testing.T) {
	for _, test := range []struct {
		got, want float64
		close     bool
	}{
		{0.11, 1. / 9, true}, {0.1111, 1. / 9, true}, {0.12, 1. / 9, false}, {0.1, 1. / 9, false},
		{0.12, 0.125, true}, {0.13, 0.125, true}, {0.126, 0.125, false}, {0.125, 0.125, true}, {0.1249, 0.125, false}, {7.5, 7.5, true}, {-0.33, -1. / 3, true}, {-0.34, -1. / 3, false}, {0.33333333333, 1. / 3, true}, {0.3333333334, 1. / 3, true}, {0.129, 0.125, false}, {0.02, 1. / 49, true}, {0.005, 0, false}, {-9, 9, false},
	} {
		if closePool(test.got, test.want) != test.close {
			t.Errorf("%v for %v: want %v", test.got, test.want, test.close)
		}
	}
}

func TestPoolMatrixRecords(t *testing.T) {
	m := tasktest.Matrix("1 2")
	for _, bad := range []poolMatrixItem{
		{},
		{Matrix: m, PoolType: "max", PoolSize: 0, Solution: [][]float64{{2}}},
		{Matrix: m, PoolType: "min", PoolSize: 2, Solution: [][]float64{{2}}},
		{Matrix: m, PoolType: "max", PoolSize: 2, Solution: [][]float64{{1}}},
		{Matrix: m, PoolType: "max", PoolSize: 2, Solution: [][]float64{{2, 2}}},
		{Matrix: m, PoolType: "max", PoolSize: 2, Solution: [][]float64{{2}, {2}}},
		{Matrix: m, PoolType: "average", PoolSize: 2, Solution: [][]float64{{1.51}}},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

var poolRE = regexp.MustCompile(`(max|average) pooling.*? (\d+) (?:by|rows)`)

// The second solver reads the prompt, and assigns each cell to its block.
func TestPoolMatrixSecond(t *testing.T) {
	check := func(item poolMatrixItem, prompt, got string) error {
		asked := poolRE.FindStringSubmatch(prompt)
		size, _ := strconv.Atoi(asked[2])
		blocks := map[[2]int][]int{}
		m := tasktest.Matrix(prompt)
		for i, row := range m {
			for j, n := range row {
				at := [2]int{i / size, j / size}
				blocks[at] = append(blocks[at], n)
			}
		}
		n := 0
		for i, line := range strings.Split(got, "\n") {
			for j, word := range strings.Split(line, " ") {
				most, sum := 0, 0
				for _, cell := range blocks[[2]int{i, j}] {
					most, sum = max(most, cell), sum+cell
				}
				want := float64(most)
				if asked[1] == "average" {
					want = float64(sum) / float64(len(blocks[[2]int{i, j}]))
				}
				if v, err := strconv.ParseFloat(word, 64); err != nil || math.Abs(v-want) > 0.005+1e-9 {
					return fmt.Errorf("%s in line %d, want %v", word, i+1, want)
				}
				n++
			}
		}
		if n != len(blocks) || n == len(m)*len(m[0]) || len(m) != item.Rows || len(m[0]) != item.Cols {
			return fmt.Errorf("%d numbers for %d blocks", n, len(blocks))
		}
		return nil
	}
	tasktest.Second(t, poolMatrix.Task(), 1200, check)
	tasktest.Second(t, tasktest.With(t, poolMatrix.Task(), `{}`), 300, check)
}

func TestPoolMatrixKeys(t *testing.T) {
	tasktest.Variant(t, poolMatrix.Task(), "from another side, with the same blocks", func(p *poolMatrixItem, r *rng.Rand) func(string) string {
		side := p.fitting(r.Between(1, canon.Sides-1))
		p.Matrix, p.Solution = canon.Seen(p.Matrix, side), canon.Seen(p.Solution, side)
		p.Rows, p.Cols = len(p.Matrix), len(p.Matrix[0])
		return func(string) string { return p.Solve() }
	})
	tasktest.Other(t, poolMatrix.Task(), "another number", func(p *poolMatrixItem) {
		p.Matrix[0][0] += 100
		p.Solution = pools(*p)
	})
}
