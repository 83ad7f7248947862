package transformations

import (
	"slices"

	"github.com/quintain-rl/quintain/internal/grid"
)

// A thing is a set of cells of one color, connected by their sides.
type thing struct {
	box
	color int
	cells [][2]int
}

// mostThings limits the things of a picture.
const mostThings = 16

// things returns the things of a picture, row by row, or none if there are too many.
func (p *picture) things() []thing {
	if p.looked {
		return p.found
	}
	p.looked = true
	h, w := size(p.board)
	seen := grid.New[bool](h, w)
	var found []thing
	for i, row := range p.board {
		for j, c := range row {
			if c == ground || seen[i][j] {
				continue
			}
			if len(found) == mostThings {
				return nil
			}
			found = append(found, p.thing(seen, i, j))
		}
	}
	p.found = found
	return found
}

var (
	sides   = [][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}}
	corners = [][2]int{{-1, -1}, {-1, 1}, {1, -1}, {1, 1}}
	ring    = slices.Concat(sides, corners)
)

// thing returns the thing at a cell, and marks its cells as seen.
func (p *picture) thing(seen grid.Grid[bool], i, j int) thing {
	t := thing{box: box{i, j, i, j}, color: p.board[i][j], cells: [][2]int{{i, j}}}
	seen[i][j] = true
	for k := 0; k < len(t.cells); k++ {
		t.add(t.cells[k][0], t.cells[k][1])
		for _, s := range sides {
			i, j := t.cells[k][0]+s[0], t.cells[k][1]+s[1]
			if at(p.board, i, j) == t.color && !seen[i][j] {
				seen[i][j] = true
				t.cells = append(t.cells, [2]int{i, j})
			}
		}
	}
	return t
}

// holes returns the cells of a thing's box from which no path around the thing leads out of
// the box.
func (t thing) holes() (holes [][2]int) {
	h, w := t.height()+2, t.width()+2
	taken := grid.New[bool](h, w) // with a margin
	for _, c := range t.cells {
		taken[c[0]-t.top+1][c[1]-t.left+1] = true
	}
	out := [][2]int{{0, 0}}
	taken[0][0] = true
	for k := 0; k < len(out); k++ {
		for _, s := range sides {
			i, j := out[k][0]+s[0], out[k][1]+s[1]
			if i >= 0 && j >= 0 && i < h && j < w && !taken[i][j] {
				taken[i][j] = true
				out = append(out, [2]int{i, j})
			}
		}
	}
	for i, row := range taken {
		for j, is := range row {
			if !is {
				holes = append(holes, [2]int{i + t.top - 1, j + t.left - 1})
			}
		}
	}
	return holes
}

// inner returns the cells of a thing with all eight neighbors in the thing.
func (t thing) inner(b board) [][2]int {
	return slices.DeleteFunc(slices.Clone(t.cells), func(c [2]int) bool {
		return slices.ContainsFunc(ring, func(s [2]int) bool { return at(b, c[0]+s[0], c[1]+s[1]) != t.color })
	})
}

// draw colors cells of a board.
func draw(b board, cells [][2]int, color int) {
	for _, c := range cells {
		b[c[0]][c[1]] = color
	}
}
