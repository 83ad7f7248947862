package replies

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/grid"
)

// A board is the largest block of prompt lines with equally many cells.
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
	var b board
	b.rows, b.by = grid.Find(prompt)
	b.cells = byFrequency(slices.Concat(b.rows...))
	for _, s := range b.cells {
		if !slices.Contains(holes, s) {
			b.symbols = append(b.symbols, s)
		}
	}
	return b
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
