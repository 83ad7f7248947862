package grid

// A Walled is a grid in one slice, for searches: a wall surrounds its cells, so that a
// step from a cell always leads to a cell or to the wall. Copies share the cells.
type Walled[T any] struct {
	Rows, Cols int // without the wall
	Cells      []T // row by row, the wall included; see [Walled.At]
}

// NewWalled returns a grid of wall alone.
func NewWalled[T any](rows, cols int, wall T) Walled[T] {
	w := Walled[T]{rows, cols, make([]T, (rows+2)*(cols+1))} // the end of a row is also the wall of the next one
	w.Cells[0] = wall
	for filled := 1; filled < len(w.Cells); filled *= 2 { // doubling copies beats a cell at a time
		copy(w.Cells[filled:], w.Cells[:filled])
	}
	return w
}

// At returns the index in Cells of the cell at a row and column, counted from 0.
func (w Walled[T]) At(row, col int) int { return (row+1)*(w.Cols+1) + col }

// Row returns the cells of a row; the caller may change them.
func (w Walled[T]) Row(row int) []T { return w.Cells[w.At(row, 0):w.At(row, w.Cols)] }

// Steps returns the distances in Cells from a cell to its four neighbors: above, below,
// left and right.
func (w Walled[T]) Steps() [4]int { return [4]int{-(w.Cols + 1), w.Cols + 1, -1, 1} }
