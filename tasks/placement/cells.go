package placement

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/task/answer"
)

// A cellReader reads the number in a cell; -1 for an invalid text.
type cellReader func(text string) int

// digit reads a digit from 1 to 9.
func digit(text string) int {
	if len(text) == 1 && text[0] >= '1' && text[0] <= '9' {
		return int(text[0] - '0')
	}
	return -1
}

// A shape is the numbers of rows and columns of a grid.
type shape struct{ rows, cols int }

// read reads the cells of a grid, row by row: a line per row, or a list of lists. It
// ignores bars, commas, quotes and rulers between the cells, and space if each cell is one
// character. fault describes what is wrong with the answer.
func (s shape) read(text string, cell cellReader) (cells []int, fault string) {
	cells = make([]int, 0, s.rows*s.cols)
	for line := range strings.FieldsFuncSeq(text, endsRow) {
		if strings.Trim(line, "-+=|, \t") == "" {
			continue
		}
		before := len(cells)
		for token := range strings.FieldsFuncSeq(line, endsCell) {
			if cells = appendCells(cells, token, cell); cells == nil {
				return nil, fmt.Sprintf("%.20q is not a valid cell", token)
			}
			if len(cells) > before+s.cols {
				break
			}
		}
		if row := before / s.cols; len(cells) != before+s.cols || row == s.rows {
			return nil, fmt.Sprintf("row %d does not have %d cells, or there are more than %d rows", row+1, s.cols, s.rows)
		}
	}
	if len(cells) != cap(cells) {
		return nil, fmt.Sprintf("want %d rows of %d cells, got %d", s.rows, s.cols, len(cells)/s.cols)
	}
	return cells, ""
}

// appendCells appends the cells of a token: one, or one for each character. It returns nil
// if it can be read as neither.
func appendCells(cells []int, token string, cell cellReader) []int {
	if n := cell(token); n >= 0 {
		return append(cells, n)
	}
	const longest = 32 // limit of a row without space
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
