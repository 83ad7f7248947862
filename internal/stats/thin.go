package stats

import "math"

// Thin picks the points of a line that a picture with a number of columns needs: the
// first, the last, the lowest and the highest of each column (M4; Jugel, Jerzak,
// Hackenbroich and Markl, 2014). It returns their indices in order, at most four per
// column. The columns are equal parts of the width; x never falls, and is as long as y.
// Thin skips points with a NaN y.
func Thin(x, y []float64, columns int) []int {
	var kept []int
	if len(x) == 0 || columns < 1 {
		return nil
	}
	low := x[0]
	each := (x[len(x)-1] - low) / float64(columns)
	column := func(i int) int {
		if each <= 0 {
			return 0
		}
		return min(columns-1, int((x[i]-low)/each))
	}
	for i := 0; i < len(x); {
		to := i + 1
		for to < len(x) && column(to) == column(i) {
			to++
		}
		kept = appendColumn(kept, y, i, to)
		i = to
	}
	return kept
}

// appendColumn appends the points to keep among y[from:to].
func appendColumn(kept []int, y []float64, from, to int) []int {
	first, last, least, most := -1, -1, -1, -1
	for i := from; i < to; i++ {
		if math.IsNaN(y[i]) {
			continue
		}
		if first < 0 {
			first, least, most = i, i, i
		}
		last = i
		if y[i] < y[least] {
			least = i
		}
		if y[i] > y[most] {
			most = i
		}
	}
	if first < 0 {
		return kept
	}
	at := -1
	for _, i := range [...]int{first, min(least, most), max(least, most), last} {
		if i > at {
			kept, at = append(kept, i), i
		}
	}
	return kept
}
