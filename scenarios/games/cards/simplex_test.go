package cards

import (
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
)

func TestMatrixGames(t *testing.T) {
	for _, c := range []struct {
		why   string
		pay   [][]int
		value string
	}{
		{"rock, paper, scissors", [][]int{{0, -1, 1}, {1, 0, -1}, {-1, 1, 0}}, "0/1"},
		{"matching pennies", [][]int{{1, -1}, {-1, 1}}, "0/1"},
		{"a saddle point", [][]int{{4, 2}, {3, 1}}, "2/1"},
		{"one mix of two", [][]int{{3, -1}, {-2, 4}}, "1/1"},
		{"a fraction", [][]int{{2, -3}, {-3, 4}}, "-1/12"},
		{"the odd row is never played", [][]int{{1, -1}, {-1, 1}, {-5, -5}}, "0/1"},
		{"more columns than rows", [][]int{{5, 0, 3}, {0, 5, 3}}, "5/2"},
		{"all the same, and degenerate", [][]int{{-7, -7}, {-7, -7}}, "-7/1"},
	} {
		if got := solve(c.pay).value.String(); got != c.value {
			t.Errorf("%s: the value of %v is %s, want %s", c.why, c.pay, got, c.value)
		}
	}
}

// The mixes prove the value: the rows' wins as much against each column, and the columns' loses no
// more against each row.
func TestSolutionsProveThemselves(t *testing.T) {
	r := rng.New(1, "simplex")
	for range 3000 {
		rows, columns := r.Between(1, 5), r.Between(1, 5)
		pay := drawPay(r, rows, columns, r.Between(0, mostPay))
		s := solve(pay)
		if slices.Min(s.rows) < 0 || slices.Min(s.columns) < 0 {
			t.Fatalf("%v is solved by %+v", pay, s)
		}
		if got := s.rows.guaranteed(pay); got.Cmp(s.value) != 0 {
			t.Fatalf("%v: the rows' mix %v wins %v for sure, and the value is %v", pay, s.rows, got, s.value)
		}
		turned := make([][]int, columns)
		for j := range turned {
			for i := range rows {
				turned[j] = append(turned[j], -pay[i][j])
			}
		}
		if got := s.columns.guaranteed(turned); got.Neg(got).Cmp(s.value) != 0 {
			t.Fatalf("%v: the columns' mix %v loses %v at most, and the value is %v", pay, s.columns, got, s.value)
		}
	}
}
