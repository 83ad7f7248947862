package transformations

import (
	"slices"

	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// A painter draws pictures for rules.
type painter struct {
	r       *rng.Rand
	palette []int // at least three different colors
	brush   int   // the color for paint, not in the palette
	space   int   // size of pictures, in thousandths
	crowd   int   // fullness of pictures, in thousandths
}

// A scene is a kind of picture.
type scene func(p *painter) board

// side draws a number of rows or columns.
func (p *painter) side(least, most int) int {
	n := least + (most-least)*p.space/1000
	return p.r.Between(max(least, n-1), min(most, n+1))
}

// color draws a color of the palette.
func (p *painter) color() int { return rng.Pick(p.r, p.palette) }

// specks returns a board with random cells, some colored, some ground.
func (p *painter) specks(h, w int) board {
	share := float64(p.r.Between(350, 450)+p.crowd/2) / 1000
	colors := p.palette[:p.r.Between(2, len(p.palette))]
	return grid.Build(h, w, func(int, int) int {
		if p.r.Chance(share) {
			return rng.Pick(p.r, colors)
		}
		return ground
	})
}

// Scenes of cells without shapes: of any size, square, with even or odd sides, small.
func noise(p *painter) board { return p.specks(p.side(3, 16), p.side(3, 16)) }
func regular(p *painter) board {
	n := p.side(3, 16)
	return p.specks(n, n)
}
func even(p *painter) board  { return p.specks(2*p.side(2, 8), 2*p.side(2, 8)) }
func odd(p *painter) board   { return p.specks(2*p.side(1, 7)+1, 2*p.side(1, 7)+1) }
func small(p *painter) board { return p.specks(p.side(2, 6), p.side(2, 6)) }
func smallSquare(p *painter) board {
	n := p.side(2, 6)
	return p.specks(n, n)
}

// silhouette draws cells of one color.
func silhouette(p *painter) board {
	b := noise(p)
	for _, row := range b {
		for j := range row {
			row[j] = min(row[j], 1) * p.palette[0]
		}
	}
	return b
}

// sparse leaves some rows and columns without colors.
func sparse(p *painter) board {
	b := p.specks(p.side(4, 16), p.side(4, 16))
	h, w := size(b)
	row, col := p.r.Between(0, h-1), p.r.Between(0, w-1)
	for i := range b {
		for j := range b[i] {
			if i == row || j == col || p.r.Chance(0.3) {
				b[i][j] = ground
			}
		}
	}
	return b
}

// island draws colored cells in the middle of much ground.
func island(p *painter) board {
	land := p.specks(p.side(2, 7), p.side(2, 7))
	h, w := size(land)
	b := grid.New[int](h+p.side(2, 8), w+p.side(2, 8))
	rows, cols := size(b)
	top, left := p.r.Between(0, rows-h), p.r.Between(0, cols-w)
	for i, row := range land {
		copy(b[top+i][left:], row)
	}
	return b
}

// dots draws single cells, no two in one row or column, or near each other.
func dots(p *painter) board {
	return p.scattered(p.r.Between(1, 1+p.crowd/200))
}

// dot draws a single cell.
func dot(p *painter) board { return p.scattered(1) }

// scattered returns a board with n dots, if there is room for them.
func (p *painter) scattered(n int) board {
	b := grid.New[int](p.side(5, 16), p.side(5, 16))
	h, w := size(b)
	rows, cols := p.apart(h), p.apart(w)
	for k := range min(n, len(rows), len(cols)) {
		b[rows[k]][cols[k]] = p.color()
	}
	return b
}

// apart returns indexes from 0 to n-1 in random order, with gaps of two or more.
func (p *painter) apart(n int) (places []int) {
	for i := p.r.Between(0, 2); i < n; i += 3 {
		places = append(places, i)
	}
	rng.Shuffle(p.r, places)
	return places
}

// pairs draws two cells of one color in some rows.
func pairs(p *painter) board {
	b := grid.New[int](p.side(4, 16), p.side(4, 16))
	h, w := size(b)
	for _, i := range rng.Different(p.r, p.r.Between(1, h/2), 0, int64(h-1)) {
		left := p.r.Between(0, w-3)
		right, c := p.r.Between(left+2, w-1), p.color()
		b[i][left], b[i][right] = c, c
	}
	return b
}

// pairsUp draws two cells of one color in some columns.
func pairsUp(p *painter) board { return transposed(pairs(p)) }

// twoCorners draws two cells of one color at opposite corners of a rectangle.
func twoCorners(p *painter) board {
	b := grid.New[int](p.side(5, 16), p.side(5, 16))
	h, w := size(b)
	top, left, c := p.r.Between(0, h-4), p.r.Between(0, w-4), p.color()
	bottom, right := p.r.Between(top+3, h-1), p.r.Between(left+3, w-1)
	if p.r.Chance(0.5) {
		left, right = right, left
	}
	b[top][left], b[bottom][right] = c, c
	return b
}

// panels draws two boards side by side, each with cells of one color, and a line between
// them. All pictures of a problem have the same three colors.
func panels(p *painter) board {
	h, w := p.side(3, 9), p.side(2, 7)
	b := grid.New[int](h, 2*w+1)
	share := float64(p.r.Between(300, 700)) / 1000
	for _, row := range b {
		for j := range row {
			switch {
			case j == w:
				row[j] = p.palette[2]
			case p.r.Chance(share):
				row[j] = p.palette[task.Bit(j > w)]
			}
		}
	}
	return b
}

// panelsUp draws two boards above each other.
func panelsUp(p *painter) board { return transposed(panels(p)) }

// stripe draws a row of colors; neighbors differ.
func stripe(p *painter) board {
	b := grid.New[int](1, p.side(2, 8))
	for j := range b[0] {
		b[0][j] = p.color()
		for j > 0 && b[0][j] == b[0][j-1] {
			b[0][j] = p.color()
		}
	}
	return b
}

// damaged returns a scene of regular boards, with the cells in a rectangle replaced by
// ground.
func damaged(whole scene) scene {
	return func(p *painter) board {
		b := whole(p)
		h, w := size(b)
		x := box{top: p.r.Between(0, h-2), left: p.r.Between(0, w-2)}
		x.bottom = p.r.Between(x.top+1, min(h-1, x.top+max(1, h/3)))
		x.right = p.r.Between(x.left+1, min(w-1, x.left+max(1, w/3)))
		for i := x.top; i <= x.bottom; i++ {
			clear(b[i][x.left : x.right+1])
		}
		return b
	}
}

// full returns a board without ground, with each cell colored like its source.
func (p *painter) full(h, w int, source source) board {
	b := grid.Build(h, w, func(int, int) int { return p.color() })
	return grid.Build(h, w, func(i, j int) int {
		row, col := source(i, j, h, w)
		return b[row][col]
	})
}

// Scenes of boards that are symmetric or repeat a part.
func alikeSideways(p *painter) board {
	return p.full(p.side(5, 16), p.side(5, 16), func(i, j, _, w int) (int, int) { return i, min(j, w-1-j) })
}
func alikeUpDown(p *painter) board { return transposed(alikeSideways(p)) }
func alikeDiagonally(p *painter) board {
	n := p.side(5, 16)
	return p.full(n, n, func(i, j, _, _ int) (int, int) { return min(i, j), max(i, j) })
}
func alikeTurned(p *painter) board {
	return p.full(p.side(5, 16), p.side(5, 16), func(i, j, h, w int) (int, int) {
		if i > h-1-i || i == h-1-i && j > w-1-j {
			return h - 1 - i, w - 1 - j
		}
		return i, j
	})
}
func repeating(p *painter) board {
	rows, cols := p.r.Between(1, 3), p.r.Between(2, 3)
	return p.full(p.side(6, 16), p.side(6, 16), func(i, j, _, _ int) (int, int) { return i % rows, j % cols })
}

// things draws shapes of one color each, with ground between them.
func things(p *painter) board { return p.shapes(p.r.Between(2, 3+p.crowd/250), false) }

// hollows draws things, some with holes.
func hollows(p *painter) board { return p.shapes(p.r.Between(2, 3+p.crowd/250), true) }

// blocks draws rectangles large enough to have inner cells.
func blocks(p *painter) board {
	return p.put(p.r.Between(1, 2+p.crowd/500), func() board {
		h, w, c := p.r.Between(3, 5), p.r.Between(3, 5), p.color()
		return grid.Build(h, w, func(int, int) int { return c })
	})
}

// one draws a single thing.
func one(p *painter) board { return p.shapes(1, false) }

// oneOdd draws things of one color, except for one.
func oneOdd(p *painter) board {
	b := things(p)
	found := (&picture{board: b}).things()
	for i, t := range found {
		draw(b, t.cells, p.palette[task.Bit(i > 0)])
	}
	return b
}

// shapes draws n things, or as many as fit. If hollow is true, they may have holes.
func (p *painter) shapes(n int, hollow bool) board {
	most := 3 + p.space/400
	return p.put(n, func() board { return p.shape(p.r.Between(1, most), p.r.Between(1, most), hollow) })
}

// put draws n things, or as many as fit, with ground around each.
func (p *painter) put(n int, shape func() board) board {
	b := grid.New[int](p.side(8, 18), p.side(8, 18))
	h, w := size(b)
	for tries, drawn := 0, 0; drawn < n && tries < 40; tries++ {
		thing := shape()
		rows, cols := size(thing)
		top, left := p.r.Between(0, h-rows), p.r.Between(0, w-cols)
		if !free(b, box{top - 1, left - 1, top + rows, left + cols}) {
			continue
		}
		drawn++
		for i, row := range thing {
			copy(b[top+i][left:], row)
		}
	}
	return b
}

// free reports whether a box has only ground.
func free(b board, x box) bool {
	h, w := size(b)
	for i := max(0, x.top); i <= min(h-1, x.bottom); i++ {
		if slices.ContainsFunc(b[i][max(0, x.left):min(w, x.right+1)], colored) {
			return false
		}
	}
	return true
}

// shape draws a thing that fills a board of its own: a rectangle, a rectangle with a hole,
// or connected cells.
func (p *painter) shape(h, w int, hollow bool) board {
	c := p.color()
	if hollow && p.r.Chance(0.5) {
		h, w = h+2, w+2
		return grid.Build(h, w, func(i, j int) int { return c * task.Bit(rim(i, j, h, w)) })
	}
	if p.r.Chance(0.3) {
		return grid.Build(h, w, func(int, int) int { return c })
	}
	b := grid.New[int](h, w)
	i, j := p.r.Between(0, h-1), p.r.Between(0, w-1)
	for range h * w { // a random walk
		b[i][j] = c
		s := rng.Pick(p.r, sides)
		i, j = min(max(i+s[0], 0), h-1), min(max(j+s[1], 0), w-1)
	}
	x, _ := around(b, colored)
	return cut(b, x)
}
