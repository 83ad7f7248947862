package placement

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/task/answer"
)

// A cellReader returns the number that a text stands for in a cell, or -1.
type cellReader func(text string) int

// digit reads a digit from 1 to 9.
func digit(text string) int {
	if len(text) == 1 && text[0] >= '1' && text[0] <= '9' {
		return int(text[0] - '0')
	}
	return -1
}

// A shape is how many rows and columns a grid has.
type shape struct{ rows, cols int }

// read reads the cells of a grid, row by row: a row a line, or a list of lists. Bars,
// commas, quotes and rulers between the cells do not count, nor does the space where
// each cell is one character. The fault says what is wrong with the answer.
func (s shape) read(text string, cell cellReader) (cells []int, fault string) {
	cells = make([]int, 0, s.rows*s.cols)
	for line := range strings.FieldsFuncSeq(text, endsRow) {
		if strings.Trim(line, "-+=|, \t") == "" {
			continue
		}
		before := len(cells)
		for token := range strings.FieldsFuncSeq(line, endsCell) {
			if cells = appendCells(cells, token, cell); cells == nil {
				return nil, fmt.Sprintf("%.20q cannot stand in a cell", token)
			}
			if len(cells) > before+s.cols {
				break
			}
		}
		if row := before / s.cols; len(cells) != before+s.cols || row == s.rows {
			return nil, fmt.Sprintf("row %d has not %d cells, or there are more than %d rows", row+1, s.cols, s.rows)
		}
	}
	if len(cells) != cap(cells) {
		return nil, fmt.Sprintf("want %d rows of %d cells, got %d", s.rows, s.cols, len(cells)/s.cols)
	}
	return cells, ""
}

// appendCells appends what a token stands for: one cell, or one for each character. It
// returns nil if it is neither.
func appendCells(cells []int, token string, cell cellReader) []int {
	if n := cell(token); n >= 0 {
		return append(cells, n)
	}
	const longest = 32 // row without space
	if len(token) > longest {
		return nil
	}
	for i := range len(token) {
		n := cell(token[i : i+1])
		if n < 0 {
			return nil
		}
		cells = append(cells, n)
	}
	return cells
}

func endsRow(r rune) bool { return r == '\n' || r == '\r' || r == '[' || r == ']' }

func endsCell(r rune) bool {
	return r == ',' || r == '|' || r == '"' || r == '\'' || answer.Space(r)
}
