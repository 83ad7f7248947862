package grid

import "strings"

// longestCell limits the characters of a cell that Find takes for one.
const longestCell = 4

// Find returns the largest block of lines of text with equally many cells, and the
// separator of its cells. Cells are the words between spaces if no cell is long, or the
// characters of a line without spaces. The grid is nil if there are not two such lines.
func Find(text string) (g Grid[string], by string) {
	var now Grid[string]
	nowBy := ""
	for line := range strings.Lines(text + "\n\n") {
		cells, sep := cellsOf(strings.TrimRight(line, "\n"))
		if len(now) > 0 && (len(cells) != len(now[0]) || sep != nowBy) {
			if len(now) > len(g) {
				g, by = now, nowBy
			}
			now = nil
		}
		if len(cells) > 1 {
			now, nowBy = append(now, cells), sep
		}
	}
	if len(g) < 2 {
		return nil, ""
	}
	return g, by
}

// cellsOf splits a line of a board into cells. They are nil if it is no such line.
func cellsOf(line string) (cells []string, by string) {
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
