package grid

// A Walled is a grid in one slice, for searches: around its cells there is a wall, so
// that a step from a cell always leads to a cell or to the wall. Copies share the
// cells.
type Walled[T any] struct {
	Rows, Cols int // without the wall
	Cells      []T // row by row, the wall included; see [Walled.At]
}

// NewWalled returns a grid whose cells, like the wall around them, are all wall.
func NewWalled[T any](rows, cols int, wall T) Walled[T] {
	w := Walled[T]{rows, cols, make([]T, (rows+2)*(cols+1))} // the end of a row also walls in the next one
	w.Cells[0] = wall
	for filled := 1; filled < len(w.Cells); filled *= 2 { // copying is faster than one cell after the other
		copy(w.Cells[filled:], w.Cells[:filled])
	}
	return w
}

// At returns the place in Cells of the cell in a row and a column, counted from 0.
func (w Walled[T]) At(row, col int) int { return (row+1)*(w.Cols+1) + col }

// Row returns the cells of a row, which may be changed.
func (w Walled[T]) Row(row int) []T { return w.Cells[w.At(row, 0):w.At(row, w.Cols)] }

// Steps returns how far the places of the four neighbors are from that of a cell: of
// those above, below, to the left and to the right.
func (w Walled[T]) Steps() [4]int { return [4]int{-(w.Cols + 1), w.Cols + 1, -1, 1} }
