package patterns

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestRectangleCountScore(t *testing.T) {
	item := rectangleCountItem{Puzzle: "####\n#  #\n####", Solution: 12}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, rectangleCount.Scorer(item), []tasktest.Near{
		{"12", 1, ""},
		{"12.0", 1, "the same number"},
		{"11", 0, "one off: reasoning-gym pays 0.64"},
		{"13", 0, "one off"},
		{"-12", 0, "the other sign"},
		{"112", 0, "a digit too many"},
	})
	tasktest.RefusedRecords(t, rectangleCount.Task(), []string{
		`{"solution":1}`,
		`{"puzzle":"#","solution":-1}`,
		`{"puzzle":"#","solution":1,"phrasing":6}`,
	})
}

// An outline crosses others at right angles, and touches them nowhere else.
func TestRectanglesAreApart(t *testing.T) {
	for _, c := range []struct {
		why  string
		box  box
		fits bool
	}{
		{"outside of it", box{0, 10, 4, 12}, true},
		{"inside of it, beside its side", box{3, 3, 5, 5}, false},
		{"inside of it, with a blank around", box{4, 4, 6, 6}, true},
		{"across two sides", box{5, 0, 12, 11}, true},
		{"across a corner", box{4, 4, 11, 11}, true},
		{"the same corner", box{2, 2, 4, 4}, false},
		{"along a side", box{2, 4, 6, 11}, false},
		{"beside a side", box{4, 9, 6, 11}, false},
		{"a blank from a side", box{4, 10, 6, 12}, true},
		{"a corner on a side", box{4, 8, 6, 11}, false},
		{"corners that touch at an angle", box{9, 9, 11, 11}, false},
		{"a side over a corner", box{0, 8, 10, 11}, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			d := newDrawing(14, 14)
			d.add(d.outline(box{2, 2, 8, 8}))
			if _, fits := d.crossings(d.outline(c.box)); fits != c.fits {
				d.add(d.outline(c.box))
				t.Errorf("fits: %v, want %v\n%s", fits, c.fits, d)
			}
		})
	}
}

// The second solver follows each outline from its upper left corner, straight on at
// crossings, and finds every other character of the picture on a straight line.
func TestRectangleCountSecond(t *testing.T) {
	tasktest.Second(t, rectangleCount.Task(), 1200, func(_ rectangleCountItem, prompt, got string) error {
		_, picture, _ := strings.Cut(prompt, "\n\n")
		if strings.HasPrefix(picture, "In this picture") {
			_, picture, _ = strings.Cut(picture, "\n\n")
		}
		picture, _, _ = strings.Cut(picture, "\n\nEvery")
		picture, _, _ = strings.Cut(picture, "\n\nThere may")
		var cells [][]rune
		for _, line := range strings.Split(picture, "\n") {
			cells = append(cells, []rune(line+" "))
		}
		cells = append(cells, []rune(strings.Repeat(" ", len(cells[0]))))
		n, seen := outlines(cells)
		seen += loose(cells)
		if drawn := strings.Count(picture, "#") + 2*strings.Count(picture, "█"); got != strconv.Itoa(n) || seen != drawn {
			return fmt.Errorf("solution %s, want %d, which have %d of %d characters\n%s", got, n, seen, drawn, picture)
		}
		return nil
	})
}

// loose counts the characters on the lines that begin and end without a corner.
func loose(cells [][]rune) (n int) {
	ink := func(row, col int) bool {
		return row >= 0 && col >= 0 && row < len(cells) && col < len(cells[row]) && cells[row][col] != ' '
	}
	for row := range cells {
		for col := range cells[row] {
			if cells[row][col] != '#' || ink(row-1, col) || ink(row, col-1) || ink(row, col+1) == ink(row+1, col) {
				continue
			}
			across := ink(row, col+1)
			length := 1
			for across && ink(row, col+length) || !across && ink(row+length, col) {
				length++
			}
			lastRow, lastCol := row, col+length-1
			if !across {
				lastRow, lastCol = row+length-1, col
			}
			if across && (ink(lastRow-1, lastCol) || ink(lastRow+1, lastCol)) || !across && (ink(lastRow, lastCol-1) || ink(lastRow, lastCol+1)) {
				return -1 // the end is a corner: this is no loose line
			}
			n += length
		}
	}
	return n
}

// outlines counts the outlines, and the characters on them.
func outlines(cells [][]rune) (n, seen int) {
	ink := func(row, col int) bool { return row >= 0 && col >= 0 && cells[row][col] != ' ' }
	for row := range cells {
		for col := range cells[row] {
			if cells[row][col] != '#' || !ink(row, col+1) || !ink(row+1, col) || ink(row-1, col) || ink(row, col-1) {
				continue
			}
			right, bottom := col+1, row+1
			for !(cells[row][right] == '#' && ink(row+1, right)) {
				right++
			}
			for !(cells[bottom][col] == '#' && ink(bottom, col+1)) {
				bottom++
			}
			n, seen = n+1, seen+2*(right-col+bottom-row)
		}
	}
	return n, seen
}

func TestRectangleCountKeys(t *testing.T) {
	tasktest.Variant(t, rectangleCount.Task(), "from another side, and elsewhere on the paper", func(c *rectangleCountItem, r *rng.Rand) func(string) string {
		var rows [][]rune
		width := 0
		for line := range strings.SplitSeq(c.Puzzle, "\n") {
			rows = append(rows, []rune(line))
			width = max(width, len(rows[len(rows)-1]))
		}
		for i, row := range rows {
			rows[i] = append(row, []rune(strings.Repeat(" ", width-len(row)))...)
		}
		c.Puzzle = strings.Repeat("\n", r.Between(0, 2))
		for _, row := range canon.Seen(rows, r.Between(1, canon.Sides-1)) {
			c.Puzzle += "   " + string(row) + "\n"
		}
		return nil
	})
	tasktest.Other(t, rectangleCount.Task(), "a line is longer", func(c *rectangleCountItem) {
		c.Puzzle = strings.Replace(c.Puzzle, "# ", "##", 1)
	})
}
