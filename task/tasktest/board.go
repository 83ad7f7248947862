package tasktest

import (
	"slices"
	"strings"
)

// A board is the largest block of lines of a prompt that have equally many cells: the
// characters of a line, or what spaces separate if no cell is long.
type board struct {
	rows    [][]string
	by      string   // between cells
	cells   []string // what stands in them, the most frequent first
	symbols []string // those of cells that are not holes
}

// holes are the signs that prompts use for cells to be filled in.
var holes = []string{"_", ".", "?", "0", "*", "-", "❔", "#"}

// findBoard finds the board of a prompt; one without rows if there is none.
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

// cellsOf takes a line of a board apart; nil if it is not one.
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

// text is the board as it stands.
func (b board) text() string { return b.mapped(func(s string) string { return s }) }

// filled is the board with the k-th most frequent sign in every cell.
func (b board) filled(k int) string {
	symbol := at(b.cells, k)
	return b.mapped(func(string) string { return symbol })
}

// patched is the board with symbol k in every hole.
func (b board) patched(k int) string {
	symbol := at(b.symbols, k)
	return b.mapped(func(s string) string {
		if slices.Contains(holes, s) {
			return symbol
		}
		return s
	})
}

// mapped is the board with change made to every cell.
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
