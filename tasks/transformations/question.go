package transformations

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/internal/grid"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
)

// A gridPair is a grid and its result.
type gridPair struct {
	Input  board `json:"input"`
	Output board `json:"output"`
}

// gridPhrasings are the wordings: before the examples, before and between the two grids of
// an example, after it, and before and after the grid in question.
var gridPhrasings = [][6]string{
	{"Each pair of grids shows the same transformation. The digits are colors, and 0 is the background.\n", "\nInput:\n", "\nOutput:\n", "\n", "\nHere is one more input. What is its output?\n\nInput:\n", ""},
	{"A rule turns one grid into another. Find it with the help of these examples, in which 0 stands for an empty cell.\n", "\nBefore\n", "\nAfter\n", "\n", "\nApply the rule to this grid.\n\nBefore\n", "\nAfter\n?"},
	{"You are shown pictures made of colored squares, written as digits (0 is black). A machine took each picture on its left tray and printed another one.\n", "\nTaken:\n", "\nPrinted:\n", "\n", "\nWhat will it print for the following picture?\n\n", ""},
	{"Puzzle: what was done to the first grid of each pair to get the second? The same was done in all of them.\n", "\n", "\n  becomes\n", "\n", "\nDo it once more:\n\n", "\n  becomes …"},
	{"Study the examples, work out how an output is made from its input, and make the output for the test. Colors are numbered from 1 to 9; 0 means none.\n", "\nEXAMPLE INPUT\n", "\nEXAMPLE OUTPUT\n", "\n", "\nTEST INPUT\n", "\nTEST OUTPUT\n?"},
	{"I have a function f from grids to grids. This is what it did so far:\n", "\nf of\n", "\nis\n", "\n", "\nTell me what it makes of the next grid.\n\nf of\n", "\nis what?"},
	{"Somebody edits pixel images by one fixed recipe. Every digit is a pixel, with 0 for an unlit one.\n", "\nOriginal image:\n", "\nEdited image:\n", "\n", "\nThis image has not been edited yet:\n", "\n\nEdit it by the same recipe."},
}

// gridEnding states the form of the answer.
const gridEnding = "\n\nAnswer with the resulting grid alone: a line for each row, with a space between the digits. Its size may differ from that of the grid above."

// questionText asks for the result of a grid.
func questionText(examples []gridPair, input board, phrasing int) string {
	words := &gridPhrasings[phrasing]
	room := 2*task.PromptRoom + 2*len(input)*len(input[0])
	for _, e := range examples {
		room += 2*len(e.Input)*len(e.Input[0]) + 2*len(e.Output)*len(e.Output[0])
	}
	b := append(make([]byte, 0, room), words[0]...)
	for _, e := range examples {
		b = grid.AppendInts(append(b, words[1]...), e.Input)
		b = grid.AppendInts(append(b, words[2]...), e.Output)
		b = append(b, words[3]...)
	}
	b = append(grid.AppendInts(append(b, words[4]...), input), words[5]...)
	return string(append(b, gridEnding...))
}

// questionKey identifies the question, whatever the order of the examples, the colors and the side
// from which all pictures are seen. It is empty without examples.
func questionKey(examples []gridPair, input board) string {
	if len(examples) == 0 {
		return ""
	}
	return canon.Least(canon.Sides, func(side int) string {
		var lines []string
		for _, e := range examples {
			lines = append(lines, colorless(side, e.Input, e.Output))
		}
		slices.Sort(lines)
		return strings.Join(append(lines, colorless(side, input)), ";")
	})
}

// colorless writes grids, seen from a side, with colors numbered as they come. The background keeps
// its 0.
func colorless(side int, grids ...board) string {
	b, names, known := make([]byte, 0, 2*task.PromptRoom), [10]byte{'0'}, byte('0')
	for _, g := range grids {
		seen := canon.Seen(g, side)
		b = append(strconv.AppendInt(b, int64(len(seen)), 10), ':')
		for _, c := range slices.Concat(seen...) {
			if names[c] == 0 {
				known++
				names[c] = known
			}
			b = append(b, names[c])
		}
		b = append(b, '/')
	}
	return string(b)
}

// mostSide limits the rows and the columns of a grid.
const mostSide = 60

// checkPairs refuses too many pairs, and empty or too large grids.
func checkPairs(pairs []gridPair) error {
	const most = 21
	if len(pairs) > most {
		return fmt.Errorf("examples has %d pairs, want %d at most", len(pairs)-1, most-1)
	}
	for _, e := range pairs {
		for _, b := range []board{e.Input, e.Output} {
			if err := grid.CheckInts(b, 0, 9); err != nil {
				return err
			}
			if h, w := size(b); max(h, w) > mostSide {
				return fmt.Errorf("a grid has %d rows and %d columns, want %d at most", h, w, mostSide)
			}
		}
	}
	return nil
}

// matchGrid compares an answer with the only right grid. As in reasoning-gym, it ignores
// lines that begin with "Shape: ".
func matchGrid(text string, want board) quintain.Verdict {
	row := 0
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' || r == ']' }) {
		if line = strings.TrimFunc(line, outsideRow); line == "" || strings.HasPrefix(line, "Shape: ") {
			continue
		}
		if row == len(want) {
			return quintain.Wrong("there are too many rows")
		}
		if !sameRow(line, want[row]) {
			return quintain.Wrong(fmt.Sprintf("row %d is %.60q, want %v", row+1, line, want[row]))
		}
		row++
	}
	if row < len(want) {
		return quintain.Wrong(fmt.Sprintf("there are %d rows, want %d", row, len(want)))
	}
	return quintain.Right()
}

// outsideRow reports whether r may stand before or after a row.
func outsideRow(r rune) bool { return r == '[' || r == ',' || answer.Space(r) }

// sameRow reports whether a line has these digits, separated by space, commas or nothing.
func sameRow(line string, digits []int) bool {
	for i, d := range digits {
		if i > 0 {
			line = strings.TrimLeftFunc(line, func(r rune) bool { return r == ',' || answer.Space(r) })
		}
		if line == "" || line[0] != byte('0'+d) {
			return false
		}
		line = line[1:]
	}
	return line == ""
}
