package patterns

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// rectangleCount asks for the number of rectangles in a picture.
var rectangleCount = task.Spec[rectangleCountParams, rectangleCountItem]{
	Name:     "rectangle_count",
	Category: "cognition",
	Doc: "Count the rectangles in a grid of characters, from their outlines. Outlines cross, but nowhere run along each other or touch, " +
		"so that the picture has only one reading. Straight lines between them are no rectangles, so that the amount of ink says little.",
	Source:  "A puzzle of reasoning-gym, with its settings and max_lines.",
	Version: 3,
	Default: rectangleCountParams{MaxRectangles: 10, Width: 80, Height: 80},
	Levels: []rectangleCountParams{
		{MaxRectangles: 6, Width: 24, Height: 16, MaxLines: 8},
		{MaxRectangles: 10, Width: 36, Height: 24, MaxLines: 16},
		{MaxRectangles: 20, Width: 60, Height: 44, MaxLines: 30},
		{MaxRectangles: 30, Width: 72, Height: 56, MaxLines: 40},
		{MaxRectangles: 40, Width: 84, Height: 76, MaxLines: 60},
		{MaxRectangles: 60, Width: 104, Height: 100, MaxLines: 80},
	},
	Make:  makeRectangleCount,
	Match: task.MatchNumber,
}

// rectangleCountParams are the settings of one difficulty.
type rectangleCountParams struct {
	MaxRectangles int `json:"max_rectangles" want:"1 to 100"` // the minimum is 1
	Width         int `json:"width" want:"10 to 200"`         // characters of a row
	Height        int `json:"height" want:"10 to 200"`        // rows
	MaxLines      int `json:"max_lines" want:"0 to 200"`      // straight lines that belong to no rectangle; the minimum is 0
}

// rectangleCountItem is one picture.
type rectangleCountItem struct {
	Puzzle        string `json:"puzzle" want:"1 or more"` // rows of space, '#' and '█'
	Solution      int    `json:"solution" want:"0 or more"`
	NumRectangles int    `json:"num_rectangles"`  // same as Solution
	Lines         bool   `json:"lines,omitempty"` // there may be lines that belong to no rectangle
	Phrasing      int    `json:"phrasing,omitempty" want:"0 to 5"`
}

// The contents of a cell.
const (
	blank    = ' '
	outline  = '#'
	crossing = '█' // of two outlines
)

// makeRectangleCount draws rectangles of all sizes until it has the number drawn first, or
// no more fit. Half of them cross others. Then it draws lines in the same way.
func makeRectangleCount(p rectangleCountParams, r *rng.Rand) (rectangleCountItem, error) {
	const tries = 200 // failed tries in a row
	d := newDrawing(p.Height, p.Width)
	n, want, long := 0, r.Between(1, p.MaxRectangles), r.Float()
	for failed := 0; n < want && failed < tries; failed++ {
		outline := d.outline(randomBox(p, long, r))
		crossings, fits := d.crossings(outline)
		if fits && (crossings > 0 || n == 0 || r.Chance(0.1)) {
			d.add(outline)
			n, failed = n+1, 0
		}
	}
	left := r.Between(0, p.MaxLines)
	for failed := 0; left > 0 && failed < tries; failed++ {
		line := d.line(randomBox(p, long, r), r.Chance(0.5))
		if _, fits := d.crossings(line); fits {
			d.add(line)
			left, failed = left-1, 0
		}
	}
	return rectangleCountItem{Puzzle: d.String(), Solution: n, NumRectangles: n, Lines: p.MaxLines > 0, Phrasing: r.Between(0, len(rectangleCountPhrasings)-1)}, nil
}

// A box is a rectangle, given by the rows and columns of its outline.
type box struct{ top, left, bottom, right int }

// leastSide is the least number of rows and columns of a rectangle: one of them is inside.
const leastSide = 3

// randomBox draws a box of a random size. long is the share of long sides: it differs from
// picture to picture, so that the amount of ink does not tell the number.
func randomBox(p rectangleCountParams, long float64, r *rng.Rand) box {
	side := func(room int) int {
		if r.Chance(long) {
			return r.Between(leastSide, max(leastSide, room*2/3))
		}
		return r.Between(leastSide, max(leastSide, room/6))
	}
	height, width := side(p.Height), side(p.Width)
	top, left := r.Between(0, p.Height-height), r.Between(0, p.Width-width)
	return box{top, left, top + height - 1, left + width - 1}
}

// A drawing is a grid with outlines.
type drawing struct {
	grid.Walled[stroke] // with a blank border, so that each cell has eight neighbors
	rows                int
	room                []placed
}

// A stroke is the set of lines through a cell, and the corner where two of them meet.
type stroke byte

const (
	across stroke = 1 << iota
	down
	corner
	here // set for the outline in question
)

// newDrawing returns an empty drawing.
func newDrawing(rows, cols int) *drawing {
	return &drawing{grid.NewWalled[stroke](rows+2, cols+2, 0), rows, make([]placed, 0, 2*(rows+cols))}
}

// crossings counts the outlines that an outline or a line crosses. fits reports whether it
// crosses them at right angles, away from all corners, and touches them nowhere else, its
// corners not even diagonally.
func (d *drawing) crossings(outline []placed) (n int, fits bool) {
	for _, o := range outline {
		if there := d.Cells[o.at]; there != 0 {
			if there|o.line != across|down {
				return 0, false
			}
			n++
		}
	}
	for _, o := range outline {
		d.Cells[o.at] |= here
	}
	fits = !slices.ContainsFunc(outline, d.touches)
	for _, o := range outline {
		d.Cells[o.at] &^= here
	}
	return n, fits
}

// touches reports whether a stroke without a crossing is beside another outline, or
// diagonal to one where either has a corner.
func (d *drawing) touches(o placed) bool {
	if d.Cells[o.at] != here {
		return false
	}
	steps := d.Steps()
	for _, step := range steps {
		if beside := d.Cells[o.at+step]; beside != 0 && beside&here == 0 {
			return true
		}
	}
	for _, step := range [4]int{steps[0] + steps[2], steps[0] + steps[3], steps[1] + steps[2], steps[1] + steps[3]} {
		if angle := d.Cells[o.at+step]; angle != 0 && angle&here == 0 && (o.line|angle)&corner != 0 {
			return true
		}
	}
	return false
}

// add draws an outline or a line, which must fit.
func (d *drawing) add(outline []placed) {
	for _, o := range outline {
		d.Cells[o.at] |= o.line
	}
}

// A placed stroke is a stroke and the index of its cell.
type placed struct {
	at   int
	line stroke
}

// line returns one side of b, its ends first, valid until the next call. Its ends count as
// corners, so that no other line crosses or touches them.
func (d *drawing) line(b box, lies bool) []placed {
	at := func(i int) int { return d.At(b.top+1+i, b.left+1) }
	last, kind := b.bottom-b.top, down
	if lies {
		at = func(i int) int { return d.At(b.top+1, b.left+1+i) }
		last, kind = b.right-b.left, across
	}
	list := d.room[:0]
	list = append(list, placed{at(0), corner}, placed{at(last), corner})
	for i := 1; i < last; i++ {
		list = append(list, placed{at(i), kind})
	}
	d.room = list
	return list
}

// outline returns the outline of b, corners first, valid until the next call of outline or
// line.
func (d *drawing) outline(b box) []placed {
	at := func(row, col int) int { return d.At(row+1, col+1) }
	list := d.room[:0]
	list = append(list, placed{at(b.top, b.left), corner}, placed{at(b.top, b.right), corner},
		placed{at(b.bottom, b.left), corner}, placed{at(b.bottom, b.right), corner})
	for col := b.left + 1; col < b.right; col++ {
		list = append(list, placed{at(b.top, col), across}, placed{at(b.bottom, col), across})
	}
	for row := b.top + 1; row < b.bottom; row++ {
		list = append(list, placed{at(row, b.left), down}, placed{at(row, b.right), down})
	}
	d.room = list
	return list
}

// String draws the picture, a line for each row.
func (d *drawing) String() string {
	b := make([]byte, 0, d.rows*(d.Cols+8))
	for row := range d.rows {
		if row > 0 {
			b = append(b, '\n')
		}
		for _, cell := range d.Row(row + 1)[1 : d.Cols-1] {
			switch cell {
			case 0:
				b = append(b, blank)
			case across | down:
				b = utf8.AppendRune(b, crossing)
			default:
				b = append(b, outline)
			}
		}
	}
	return string(b)
}

// rectangleCountPhrasings are the wordings of the question, before the picture.
var rectangleCountPhrasings = []string{
	"How many rectangles are drawn in the picture below? Each has an outline of # characters. Where two outlines cross, the character is █.\n\n",
	"Count the rectangles.\n\nIn this picture, # is a piece of the outline of one rectangle, and █ is a cell in which the outlines of two rectangles cross.\n\n",
	"A plotter has drawn the frames of several rectangles on top of each other. It prints # along a frame, and █ wherever a frame crosses another one. Tell how many frames there are.\n\n",
	"The following lines of text show rectangles that may overlap. Only their edges are visible, as #; an edge that crosses another edge shows █ there. Find out how many rectangles were drawn.\n\n",
	"Somebody has laid wire frames, all of them rectangles with their sides parallel to the page, over one another. Seen from above, a wire is # and two crossing wires are █. How many frames are there?\n\n",
	"Look at this drawing of rectangles, made of the characters # (an outline) and █ (two outlines that cross).\n\n",
}

// rectangleCountLines goes before the ending if there may be lines.
const rectangleCountLines = "\n\nThere may also be straight lines of the same characters, which belong to no rectangle and are not counted. A line crosses outlines, and other lines, only as outlines cross each other."

// rectangleCountEnding ends the question. No rectangle is cut off, and outlines cross in
// single cells only.
const rectangleCountEnding = "\n\nEvery rectangle is whole, at least three characters wide and three high, and no two outlines touch except where they cross. " +
	"Count only the rectangles that were drawn, and not those that the crossings form. Answer with their number."

func (c rectangleCountItem) Prompt() string {
	ending := rectangleCountEnding
	if c.Lines {
		ending = rectangleCountLines + ending
	}
	return rectangleCountPhrasings[c.Phrasing] + c.Puzzle + ending
}

// Canonical implements [task.Canonicalizer]. The side from which the picture is seen does not matter,
// nor the empty rows and columns around it.
func (c rectangleCountItem) Canonical() string {
	lines := strings.Split(c.Puzzle, "\n")
	blank := func(line string) bool { return strings.Trim(line, " ") == "" }
	for len(lines) > 0 && blank(lines[0]) {
		lines = lines[1:]
	}
	for len(lines) > 0 && blank(lines[len(lines)-1]) {
		lines = lines[:len(lines)-1]
	}
	rows, first, width := make([][]rune, len(lines)), len(c.Puzzle), 0
	for i, line := range lines {
		rows[i] = []rune(strings.TrimRight(line, " "))
		if ink := slices.IndexFunc(rows[i], func(r rune) bool { return r != ' ' }); ink >= 0 {
			first = min(first, ink)
		}
		width = max(width, len(rows[i]))
	}
	for i, row := range rows {
		row = append(row, slices.Repeat([]rune{' '}, width-len(row))...)
		rows[i] = row[min(first, width):]
	}
	return canon.Board(rows, func(cell rune) byte {
		if cell > 127 {
			return 'X'
		}
		return byte(cell)
	})
}

func (c rectangleCountItem) Solve() string { return strconv.Itoa(c.Solution) }
