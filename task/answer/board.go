package answer

import (
	"fmt"
	"strings"
)

// A Board is the numbers of rows and columns of an answer that is a grid of cells.
type Board struct{ Rows, Cols int }

// Read reads the cells of a grid, row by row: a line per row, or a list of lists. It
// ignores bars, commas, quotes and rulers between the cells, and space if each cell is one
// byte. cell reads a cell, and returns -1 for an invalid one. fault describes what is wrong
// with the answer.
func (b Board) Read(text string, cell func(text string) int) (cells []int, fault string) {
	cells = make([]int, 0, b.Rows*b.Cols)
	for line := range strings.FieldsFuncSeq(text, endsRow) {
		if strings.Trim(line, "-+=|, \t") == "" {
			continue
		}
		before := len(cells)
		for token := range strings.FieldsFuncSeq(line, endsCell) {
			if cells = appendCells(cells, token, cell); cells == nil {
				return nil, fmt.Sprintf("%.20q is not a valid cell", token)
			}
			if len(cells) > before+b.Cols {
				break
			}
		}
		if row := before / b.Cols; len(cells) != before+b.Cols || row == b.Rows {
			return nil, fmt.Sprintf("row %d does not have %d cells, or there are more than %d rows", row+1, b.Cols, b.Rows)
		}
	}
	if len(cells) != cap(cells) {
		return nil, fmt.Sprintf("want %d rows of %d cells, got %d", b.Rows, b.Cols, len(cells)/b.Cols)
	}
	return cells, ""
}

// appendCells appends the cells of a token: one, or one for each character. It returns nil
// if it can be read as neither.
func appendCells(cells []int, token string, cell func(text string) int) []int {
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
	return r == ',' || r == '|' || r == '"' || r == '\'' || Space(r)
}
