package grids

import (
	"slices"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
)

// A view is one of the eight ways to look at a square: bit 0 exchanges rows and columns, then
// bit 1 turns the rows upside down, and bit 2 exchanges left and right. View 0 changes
// nothing. No puzzle of this room cares from where it is seen.
type view int

// views is the number of views.
const views = 8

func (v view) exchanged() bool  { return v&1 != 0 }
func (v view) upsideDown() bool { return v&2 != 0 }
func (v view) mirrored() bool   { return v&4 != 0 }

// seen returns a square grid as seen in a view.
func seen[T any](v view, g grid.Grid[T]) grid.Grid[T] {
	n := len(g)
	return grid.Build(n, n, func(i, j int) T {
		if v.upsideDown() {
			i = n - 1 - i
		}
		if v.mirrored() {
			j = n - 1 - j
		}
		if v.exchanged() {
			i, j = j, i
		}
		return g[i][j]
	})
}

// seenLines returns the clues of rows, from above, and of columns, from the left, as they
// are in a view.
func seenLines[T any](v view, rows, cols []T) (newRows, newCols []T) {
	if v.exchanged() {
		rows, cols = cols, rows
	}
	rows, cols = slices.Clone(rows), slices.Clone(cols)
	if v.upsideDown() {
		slices.Reverse(rows)
	}
	if v.mirrored() {
		slices.Reverse(cols)
	}
	return rows, cols
}

// least returns the least text of a puzzle over all views: the same for each of them.
func least(text func(view) []byte) string {
	return canon.Least(views, func(i int) string { return string(text(view(i))) })
}
