package answer

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Board is the numbers of rows and columns of an answer that is a grid of cells.
type Board struct{ Rows, Cols int }

// Read reads the cells of a grid in any notation of [Rows], row by row. A row may also be a word
// of cells of one byte. cell reads a cell, and returns -1 for an invalid one. fault describes what
// is wrong with the answer.
func (b Board) Read(text string, cell func(text string) int) (cells []int, fault string) {
	cells = make([]int, 0, b.Rows*b.Cols)
	for row, tokens := range Rows(text) {
		for _, token := range tokens {
			if cells = appendCells(cells, token, cell); cells == nil {
				return nil, fmt.Sprintf("%.20q is not a valid cell", token)
			}
			if len(cells) > (row+1)*b.Cols {
				break
			}
		}
		if len(cells) != (row+1)*b.Cols || row == b.Rows {
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

// Rows returns the cells of a board or a list of lists in any usual notation: a line for each
// row, lists in brackets, a table with bars and rulers, a matrix of LaTeX. Cells are separated by
// bars, commas, ampersands or space, and may be in quotation marks. Rows without cells are left out.
func Rows(text string) (rows [][]string) {
	ends := "\n\r"
	if matrix, ok := latexMatrix(text); ok {
		text = matrix
	} else if text = Trim(text); strings.HasPrefix(text, "[") || strings.HasPrefix(text, "(") || strings.HasPrefix(text, "{") {
		ends = "[](){}"
		if inner := unbracketed(text); inner != text && !strings.ContainsAny(inner, ends) {
			text, ends = inner, ";\n" // [1 2; 3 4], or a single list
		}
	}
	masked := withoutQuoted(text)
	for masked != "" {
		end := strings.IndexAny(masked, ends)
		if end < 0 {
			end = len(masked)
		}
		if strings.Trim(masked[:end], "-+=|:,; \t\n\r") != "" {
			rows = append(rows, cellsOf(text[:end], masked[:end]))
		}
		masked, text = masked[min(end+1, len(masked)):], text[min(end+1, len(text)):]
	}
	return rows
}

// cellsOf returns the cells of a row. In masked, the quoted ones hold no separators.
func cellsOf(row, masked string) (cells []string) {
	for from := 0; from < len(row); {
		end := len(masked)
		if cell := strings.IndexFunc(masked[from:], endsCell); cell >= 0 {
			end = from + cell
		}
		if end > from {
			cells = append(cells, unquoted(row[from:end]))
		}
		_, size := utf8.DecodeRuneInString(masked[end:])
		from = end + max(size, 1)
	}
	return cells
}

func endsCell(r rune) bool { return r == ',' || r == '|' || r == '&' || r == ';' || Space(r) }

// latexMatrix returns the rows of a matrix or an array of LaTeX as lines.
func latexMatrix(text string) (lines string, ok bool) {
	before, inner, begins := strings.Cut(plainBrackets(text), `\begin{`)
	name, inner, _ := strings.Cut(inner, "}")
	inner, after, ends := strings.Cut(inner, `\end{`+name+"}")
	if !begins || !ends || strings.Trim(before+after, "[]()$ \n") != "" {
		return "", false
	}
	if columns, rest, are := strings.Cut(inner, "}"); are && strings.HasPrefix(columns, "{") {
		inner = rest
	}
	inner = strings.NewReplacer("\n", " ", `\hline`, "", `\\`, "\n").Replace(inner)
	return inner, true
}

// boardReading writes the board that text is with a line for each row and spaces between the
// cells. Boards have equally long rows, and at least two cells.
func boardReading(text string) (board string, ok bool) {
	if !strings.ContainsAny(text, "\n[\\") {
		return "", false
	}
	rows := Rows(text)
	lines := make([]string, len(rows))
	for i, row := range rows {
		lines[i] = strings.Join(row, " ")
		if len(row) != len(rows[0]) || strings.Count(lines[i], " ") != len(row)-1 {
			return "", false
		}
	}
	return strings.Join(lines, "\n"), len(rows) > 1 || len(rows) == 1 && len(rows[0]) > 1 && (strings.Count(text, "[") > 1 || strings.Contains(text, `\begin`))
}
