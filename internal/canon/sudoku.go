package canon

// Sudoku returns a key of a square of numbers, 0 for an empty cell, with boxes of so many rows and
// columns: the same whatever the numbers are called, and in every order of the rows and columns that
// keeps lines and boxes together.
func Sudoku(square [][]int, side int) string {
	const line, box, number, cell = 0, 1, 2, 3
	var g Graph
	n := side * side
	lines, boxes, numbers := g.Nodes(2*n, line), g.Nodes(n, box), g.Nodes(n, number)
	for i, row := range square {
		for j, given := range row {
			at := g.Node(cell)
			g.Arrow(at, lines+i, line)
			g.Arrow(at, lines+n+j, line)
			g.Arrow(at, boxes+i/side*side+j/side, box)
			if given > 0 {
				g.Arrow(at, numbers+given-1, number)
			}
		}
	}
	return g.Key()
}
