package tasktest

import (
	"slices"
	"strings"
)

// A board is the largest block of prompt lines with equally many cells. Cells are the
// characters of a line, or the words between spaces if no cell is long.
type board struct {
	rows    [][]string
	by      string   // separator of cells
	cells   []string // the contents of cells, most frequent first
	symbols []string // the cells other than holes
}

// holes are the signs for empty cells in prompts.
var holes = []string{"_", ".", "?", "0", "*", "-", "❔", "#"}

// findBoard finds the board of a prompt. It has no rows if there is none.
func findBoard(prompt string) board {
	var best, now board
	for line := range strings.Lines(prompt + "\n\n") {
		cells, by := cellsOf(strings.TrimRight(line, "\n"))
		if len(now.rows) > 0 && (len(cells) != len(now.rows[0]) || by != now.by) {
			if len(now.rows) > len(best.rows) {
				best = now
			}
			now = board{}
		}
		if len(cells) > 1 {
			now.rows, now.by = append(now.rows, cells), by
		}
	}
	if len(best.rows) < 2 {
		return board{}
	}
	best.cells = byFrequency(slices.Concat(best.rows...))
	for _, s := range best.cells {
		if !slices.Contains(holes, s) {
			best.symbols = append(best.symbols, s)
		}
	}
	return best
}

// cellsOf splits a line of a board into cells. They are nil if it is no such line.
func cellsOf(line string) (cells []string, by string) {
	const longestCell = 4
	cells = strings.Fields(line)
	for _, cell := range cells {
		if len([]rune(cell)) > longestCell {
			cells = nil
			break
		}
	}
	if len(cells) > 1 {
		return cells, " "
	}
	if strings.Contains(strings.TrimSpace(line), " ") {
		return nil, ""
	}
	return strings.Split(line, ""), ""
}

// text returns the board unchanged.
func (b board) text() string { return b.mapped(func(s string) string { return s }) }

// filled returns the board with the k-th most frequent sign in every cell.
func (b board) filled(k int) string {
	symbol := at(b.cells, k)
	return b.mapped(func(string) string { return symbol })
}

// patched returns the board with symbol k in every hole.
func (b board) patched(k int) string {
	symbol := at(b.symbols, k)
	return b.mapped(func(s string) string {
		if slices.Contains(holes, s) {
			return symbol
		}
		return s
	})
}

// mapped returns the board with change applied to every cell.
func (b board) mapped(change func(string) string) string {
	var lines []string
	for _, row := range b.rows {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = change(cell)
		}
		lines = append(lines, strings.Join(cells, b.by))
	}
	return strings.Join(lines, "\n")
}
