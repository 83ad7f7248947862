package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestThinKeepsTheExtremes checks that the chosen points look like the whole: in every
// column, and so in any picture without more columns.
func TestThinKeepsTheExtremes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-1e6, 1e6), 0, 200).Draw(t, "x")
		slices.Sort(x)
		y := make([]float64, len(x))
		for i := range y {
			y[i] = rapid.SampledFrom([]float64{math.NaN(), -1, 0, 0.5, 1, 7}).Draw(t, "y")
		}
		columns := rapid.IntRange(1, 50).Draw(t, "columns")
		kept := Thin(x, y, columns)
		if len(kept) > 4*columns || !slices.IsSorted(kept) || len(slices.Compact(slices.Clone(kept))) != len(kept) {
			t.Fatalf("%d points of %d columns: %v", len(kept), columns, kept)
		}
		numbers := 0
		all, some := map[int][2]float64{}, map[int][2]float64{}
		for i := range x {
			if !math.IsNaN(y[i]) {
				numbers++
				widen(all, columnOf(x, i, columns), y[i])
			}
		}
		for _, i := range kept {
			widen(some, columnOf(x, i, columns), y[i])
		}
		if len(all) != len(some) {
			t.Fatalf("%d columns have points, want %d", len(some), len(all))
		}
		for c, want := range all {
			if some[c] != want {
				t.Fatalf("column %d goes from %g to %g, want %v", c, some[c][0], some[c][1], want)
			}
		}
		if numbers > 0 && numbers <= columns && len(all) == numbers && len(kept) != numbers {
			t.Fatalf("%d points with a column each, kept %d", numbers, len(kept))
		}
	})
}

// columnOf returns the column of a point.
func columnOf(x []float64, i, columns int) int {
	each := (x[len(x)-1] - x[0]) / float64(columns)
	if each <= 0 {
		return 0
	}
	return min(columns-1, int((x[i]-x[0])/each))
}

// widen extends the range of a column by a value.
func widen(of map[int][2]float64, column int, v float64) {
	r, there := of[column]
	if !there {
		r = [2]float64{v, v}
	}
	of[column] = [2]float64{min(r[0], v), max(r[1], v)}
}

func TestThinOfNothing(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		why     string
		x, y    []float64
		columns int
		want    []int
	}{
		{"no points", nil, nil, 5, nil},
		{"no columns", []float64{1}, []float64{1}, 0, nil},
		{"no numbers", []float64{1, 2}, []float64{nan, nan}, 5, nil},
		{"one place", []float64{1, 1, 1, 1, 1, 1}, []float64{2, 3, 1, 2, 2, 2}, 5, []int{0, 1, 2, 5}},
	} {
		if got := Thin(c.x, c.y, c.columns); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.why, got, c.want)
		}
	}
}
