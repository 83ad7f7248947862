// Package grid holds cells in rows and columns: the matrices, boards and maps of several
// tasks.
package grid

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// A Grid holds cells in rows of equal length. Rows and columns count from 0. In JSON it
// is a list of rows.
type Grid[T any] [][]T

// New returns a grid of zero values.
func New[T any](rows, cols int) Grid[T] {
	cells, g := make([]T, rows*cols), make(Grid[T], rows)
	for i := range g {
		g[i] = cells[i*cols : (i+1)*cols : (i+1)*cols]
	}
	return g
}

// Build returns a grid of the cells that cell returns. It calls cell row by row, from
// left to right.
func Build[T any](rows, cols int, cell func(row, col int) T) Grid[T] {
	g := New[T](rows, cols)
	for i, row := range g {
		for j := range row {
			row[j] = cell(i, j)
		}
	}
	return g
}

// Equal reports whether a and b have the same shape and the same cells.
func Equal[T comparable](a, b Grid[T]) bool { return slices.EqualFunc(a, b, slices.Equal[[]T]) }

// Turned returns g turned clockwise by a number of quarters, 0 or more. Whole turns
// return g itself. The grid must have a cell.
func (g Grid[T]) Turned(quarters int) Grid[T] {
	rows, cols := len(g), len(g[0])
	switch quarters % 4 {
	case 1:
		return Build(cols, rows, func(i, j int) T { return g[rows-1-j][i] })
	case 2:
		return Build(rows, cols, func(i, j int) T { return g[rows-1-i][cols-1-j] })
	case 3:
		return Build(cols, rows, func(i, j int) T { return g[j][cols-1-i] })
	}
	return g
}

// Append appends the rows of g to b, one per line, without a final line feed. It calls
// cell for each cell and separates cells by spaces.
func (g Grid[T]) Append(b []byte, cell func(b []byte, c T) []byte) []byte {
	for i, row := range g {
		if i > 0 {
			b = append(b, '\n')
		}
		for j, c := range row {
			if j > 0 {
				b = append(b, ' ')
			}
			b = cell(b, c)
		}
	}
	return b
}

// AppendInts is [Grid.Append] for whole numbers in decimal.
func AppendInts(b []byte, g Grid[int]) []byte {
	return g.Append(b, func(b []byte, n int) []byte {
		if n >= 0 && n <= 9 {
			return append(b, byte('0'+n))
		}
		return strconv.AppendInt(b, int64(n), 10)
	})
}

// Ints returns the text of [AppendInts].
func Ints(g Grid[int]) string {
	if len(g) == 0 {
		return ""
	}
	return string(AppendInts(make([]byte, 0, 3*len(g)*len(g[0])), g))
}

// CheckInts rejects a grid without cells, with rows of different lengths, or with a
// number outside least to most. The error calls it a matrix.
func CheckInts(g Grid[int], least, most int) error {
	if len(g) == 0 || len(g[0]) == 0 {
		return errors.New("matrix has no cells")
	}
	for i, row := range g {
		if len(row) != len(g[0]) {
			return fmt.Errorf("matrix has %d numbers in row %d, want %d as in the first", len(row), i+1, len(g[0]))
		}
		for _, n := range row {
			if n < least || n > most {
				return fmt.Errorf("matrix has %d, want %d to %d", n, least, most)
			}
		}
	}
	return nil
}
