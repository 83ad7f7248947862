package moves

import (
	"strings"
	"sync"
)

// mostLayers limits the layers of a cube.
const mostLayers = 6

// A rubiks is the state of a cube: the colors of its stickers, face by face and row by row, as
// in the net.
type rubiks struct {
	n     int
	cells [6 * mostLayers * mostLayers]byte
}

// faceColors are the colors of the faces of a solved cube: white, yellow, orange, red, green
// and blue.
const faceColors = "WYORGB"

// scrambled returns a solved cube of n layers after some turns.
func scrambled(n int, turns []cubeTurn) *rubiks {
	c := &rubiks{n: n}
	for i := range c.at(6, 0) {
		c.cells[i] = faceColors[i/(n*n)]
	}
	for _, t := range turns {
		c.turn(t)
	}
	return c
}

// at returns the index of a cell of a face, counted by row.
func (c *rubiks) at(face, cell int) int { return face*c.n*c.n + cell }

// solved reports whether each face has one color.
func (c *rubiks) solved() bool {
	for i := range c.at(6, 0) {
		if c.cells[i] != c.cells[i-i%(c.n*c.n)] {
			return false
		}
	}
	return true
}

// turn turns layers.
func (c *rubiks) turn(t cubeTurn) {
	if t.whole {
		t.first, t.last = 0, c.n-1
	}
	for range t.quarters {
		for depth := t.first; depth <= t.last; depth++ {
			c.turnLayer(t.face, depth)
		}
	}
}

// turnLayer turns the layer at a depth below a face by a quarter, clockwise as seen from
// the face.
func (c *rubiks) turnLayer(face, depth int) {
	if depth == 0 {
		c.turnFace(face, 1)
	}
	if depth == c.n-1 {
		c.turnFace(face^1, 3) // the opposite face, seen from its back
	}
	strips := c.around(face, depth)
	for i := range c.n {
		last := c.cells[strips[3].from+i*strips[3].step]
		for _, s := range strips {
			at := s.from + i*s.step
			c.cells[at], last = last, c.cells[at]
		}
	}
}

// turnFace turns the stickers of a face clockwise.
func (c *rubiks) turnFace(face, quarters int) {
	var room [mostLayers * mostLayers]byte
	cells := c.cells[c.at(face, 0):c.at(face+1, 0)]
	for range quarters {
		copy(room[:], cells)
		for i := range cells {
			cells[i] = room[(c.n-1-i%c.n)*c.n+i/c.n]
		}
	}
}

// A strip is a row or column of a face: the index of its first cell, and the step to the
// next.
type strip struct{ from, step int }

// around returns the strips of a layer in the order of a clockwise turn, which carries each
// to the next, cell by cell.
func (c *rubiks) around(face, depth int) [4]strip {
	m := c.n - 1
	far := m - depth
	row := func(face, i int) strip { return strip{c.at(face, i*c.n), 1} }
	column := func(face, i int) strip { return strip{c.at(face, i), c.n} }
	backwards := func(s strip) strip { return strip{s.from + m*s.step, -s.step} }
	switch face {
	case top:
		return [4]strip{row(front, depth), row(left, depth), row(back, depth), row(right, depth)}
	case bottom:
		return [4]strip{row(front, far), row(right, far), row(back, far), row(left, far)}
	case left:
		return [4]strip{column(top, depth), column(front, depth), column(bottom, depth), backwards(column(back, far))}
	case right:
		return [4]strip{column(front, far), column(top, far), backwards(column(back, depth)), column(bottom, far)}
	case front:
		return [4]strip{row(top, far), column(right, depth), backwards(row(bottom, depth)), backwards(column(left, far))}
	}
	return [4]strip{row(top, depth), backwards(column(left, depth)), backwards(row(bottom, far)), column(right, far)}
}

// rubiksViews returns the ways to see a cube of each size: held in 24 ways, and each in a mirror. A way
// lists the sticker that is seen at each place.
var rubiksViews = sync.OnceValue(func() (views [mostLayers + 1][][]byte) {
	for n := 2; n <= mostLayers; n++ {
		for _, turns := range heldWays() {
			cube := &rubiks{n: n}
			for i := range cube.at(6, 0) {
				cube.cells[i] = byte(i)
			}
			for _, t := range turns {
				cube.turn(t)
			}
			seen := cube.cells[:cube.at(6, 0)]
			views[n] = append(views[n], seen, cube.mirrored())
		}
	}
	return views
})

// mirrored returns the cells of a cube as a mirror shows them that exchanges left and right.
func (c *rubiks) mirrored() []byte {
	cells := make([]byte, c.at(6, 0))
	for face := range 6 {
		from := face
		if face == left || face == right {
			from = left + right - face
		}
		for i := range c.n * c.n {
			cells[c.at(face, i)] = c.cells[c.at(from, i/c.n*c.n+c.n-1-i%c.n)]
		}
	}
	return cells
}

// row writes one row of some faces, with wider gaps between the faces.
func (c *rubiks) row(b *strings.Builder, row int, faces ...int) {
	for i, face := range faces {
		if i > 0 {
			b.WriteString("  ")
		}
		for j := range c.n {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteByte(c.cells[c.at(face, row*c.n+j)])
		}
	}
}

// net draws the unfolded cube: up, then left, front, right and back, then down.
func (c *rubiks) net() string {
	b := new(strings.Builder)
	margin := strings.Repeat(" ", 2*c.n+1)
	for row := range c.n {
		b.WriteString(margin)
		c.row(b, row, top)
		b.WriteByte('\n')
	}
	for row := range c.n {
		c.row(b, row, left, front, right, back)
		b.WriteByte('\n')
	}
	for row := range c.n {
		b.WriteString(margin)
		c.row(b, row, bottom)
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// faces draws the faces one after the other.
func (c *rubiks) faces() string {
	b := new(strings.Builder)
	for face, name := range []string{"up", "down", "left", "right", "front", "back"} {
		b.WriteString(name + ":\n")
		for row := range c.n {
			c.row(b, row, face)
			b.WriteByte('\n')
		}
		b.WriteByte('\n')
	}
	return strings.TrimSuffix(b.String(), "\n\n")
}
