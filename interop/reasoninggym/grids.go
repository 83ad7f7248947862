package reasoninggym

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task/answer"
)

// arcGrid takes a grid with its digits apart, and pays for any other grid of digits.
func arcGrid(of *item, got string) float64 {
	var m struct {
		Output [][]int `json:"output"`
	}
	if !of.read(&m) {
		return 0
	}
	var grid [][]int
	var kept []string
	for _, line := range pyLines(got) {
		if line = answer.Trim(line); !strings.HasPrefix(line, "Shape: ") {
			kept = append(kept, line)
		}
	}
	text := answer.Trim(strings.Join(kept, "\n"))
	if text == "" {
		return 0.05
	}
	for line := range strings.SplitSeq(text, "\n") {
		var row []int
		for cell := range strings.FieldsFuncSeq(line, func(r rune) bool { return r == ' ' }) {
			if len(cell) != 1 || cell[0] < '0' || cell[0] > '9' {
				return 0
			}
			row = append(row, int(cell[0]-'0'))
		}
		grid = append(grid, row)
	}
	return oneIf(slices.EqualFunc(grid, m.Output, slices.Equal), 0.05)
}

// squeezed takes a matrix with any space between its cells, and pays the share of the length
// for a text that contains it.
func squeezed(of *item, got string) float64 {
	if got == "" {
		return 0
	}
	want := answer.Trim(of.oracle)
	if answer.Trim(got) == want {
		return 1
	}
	var rows []string
	for _, line := range pyLines(got) {
		rows = append(rows, strings.Join(answer.Fields(line), " "))
	}
	got = answer.Trim(strings.Join(rows, "\n"))
	switch {
	case got == want:
		return 1
	case want != "" && strings.Contains(got, want):
		return answer.Share(want, got)
	}
	return 0
}

// pooled takes numbers near the stored ones, and pays a little for as many rows and columns.
func pooled(of *item, got string) float64 {
	found, width, isFound := readTable(got)
	wanted, wantedWidth, isWanted := readTable(of.oracle)
	if !isFound || !isWanted || len(found) != len(wanted) || !sameShape(len(found), width, wantedWidth) {
		return 0
	}
	for i, want := range wanted {
		if d := math.Abs(want - found[i]); !(d <= 1e-8+0.01*math.Abs(found[i])) || math.IsInf(found[i], 0) {
			return 0.1
		}
	}
	return 1
}

// sameShape reports whether two tables of n cells have the same shape. A table with a
// single row or column is a list.
func sameShape(n, width, other int) bool {
	list := func(width int) bool { return width == 1 || width == n }
	return width == other || list(width) && list(other)
}

// readTable reads a table of numbers, as numpy does: comments, empty lines.
func readTable(text string) (cells []float64, width int, ok bool) {
	for _, line := range pyLines(text) {
		line, _, _ = strings.Cut(line, "#")
		words := answer.Fields(line)
		if len(words) == 0 {
			continue
		}
		if width == 0 {
			width = len(words)
		}
		if len(words) != width {
			return nil, 0, false
		}
		for _, word := range words {
			x, is := pyReadFloat(word)
			if !is || strings.Contains(word, "_") || !pyASCII(word) {
				return nil, 0, false
			}
			cells = append(cells, float64(float32(x)))
		}
	}
	return cells, width, true
}

// sortedNumbers takes a sorted list of as many numbers, each at most 1 from the stored one.
func sortedNumbers(of *item, got string) float64 {
	var m struct {
		Direction string `json:"direction"`
	}
	if !of.read(&m) {
		return 0
	}
	found, isFound := readNumbers(got)
	wanted, isWanted := readNumbers(of.oracle)
	if !isFound || !isWanted || len(found) != len(wanted) {
		return 0
	}
	for i, x := range found {
		if math.Abs(x-wanted[i]) > 1 {
			return 0
		}
		if i == 0 {
			continue
		}
		if before := found[i-1]; m.Direction == "ascending" && before > x || m.Direction != "ascending" && before < x {
			return 0
		}
	}
	return 1
}

// readNumbers reads a list of numbers or of their texts, in quotes of either kind.
func readNumbers(text string) (all []float64, ok bool) {
	v, ok := pyReadJSON(strings.ReplaceAll(text, "'", `"`))
	list, is := v.([]any)
	if !ok || !is {
		return nil, false
	}
	for _, one := range list {
		x, is := pyNumber(one)
		if text, isText := one.(string); isText {
			x, is = pyReadFloat(text)
		}
		if !is {
			return nil, false
		}
		all = append(all, x)
	}
	return all, true
}

// life pays for each right cell of a board.
func life(of *item, got string) float64 {
	v, isFound := pyReadJSON(got)
	w, isWanted := pyReadJSON(of.oracle)
	wanted, isList := w.([]any)
	if !isFound || !isWanted || !isList || len(wanted) == 0 {
		return 0
	}
	found, _ := v.([]any)
	right, all := 0, 0
	for i, row := range wanted {
		cells, several := row.([]any)
		if !several {
			all++
			if i < len(found) && pySame(found[i], row) {
				right++
			}
			continue
		}
		var have any
		if i < len(found) {
			have = found[i]
		}
		n, bad := rightCells(have, cells)
		if bad {
			return 0
		}
		right += n
		all += len(cells)
	}
	if all == 0 {
		return 0
	}
	return float64(right) / float64(all)
}

// rightCells counts the right cells of a row. An object in place of the row is bad.
func rightCells(have any, want []any) (n int, bad bool) {
	if _, ok := have.(map[string]any); ok && len(want) > 0 {
		return 0, true
	}
	row, _ := have.([]any)
	for i, cell := range want {
		if i < len(row) && pySame(row[i], cell) {
			n++
		}
	}
	return n, false
}

// anagrams takes the groups in any order, and pays a little for all other JSON lists.
func anagrams(of *item, got string) float64 {
	var m struct {
		Groups []any `json:"solution"`
	}
	if !of.read(&m) {
		return 0
	}
	v, ok := pyReadJSON(got)
	found, isFound := inOrder(v)
	wanted, isWanted := inOrder(m.Groups)
	if !ok || !isFound || !isWanted {
		return 0
	}
	equal := func(a, b []any) bool { return slices.EqualFunc(a, b, pySame) }
	return oneIf(slices.EqualFunc(found, wanted, equal), 0.01)
}

// inOrder sorts the elements of lists, then the lists by their first element.
func inOrder(v any) (lists [][]any, ok bool) {
	outer, ok := elements(v)
	for _, one := range outer {
		list, is := elements(one)
		ok = ok && is && sortValues(list, func(v any) any { return v })
		lists = append(lists, list)
	}
	return lists, ok && sortValues(lists, func(list []any) any {
		if len(list) == 0 {
			return ""
		}
		return list[0]
	})
}

// elements returns the elements of a list, the characters of a text or the names of an object.
func elements(v any) (list []any, ok bool) {
	switch v := v.(type) {
	case []any:
		return slices.Clone(v), true
	case string:
		for _, r := range v {
			list = append(list, string(r))
		}
		return list, true
	case map[string]any:
		for name := range v {
			list = append(list, name)
		}
		return list, true
	}
	return nil, false
}

// sortValues sorts a list by values as Python does, and reports whether Python can.
func sortValues[T any](list []T, by func(T) any) bool {
	all := true
	slices.SortStableFunc(list, func(a, b T) int {
		n, ok := order(by(a), by(b))
		all = all && ok
		return n
	})
	return all
}

// order compares two texts, two numbers or two lists.
func order(a, b any) (n int, ok bool) {
	switch x := a.(type) {
	case string:
		y, is := b.(string)
		return strings.Compare(x, y), is
	case []any:
		y, is := b.([]any)
		for i := range min(len(x), len(y)) {
			if !pySame(x[i], y[i]) {
				return order(x[i], y[i])
			}
		}
		return cmp.Compare(len(x), len(y)), is
	}
	x, isX := pyNumber(a)
	y, isY := pyNumber(b)
	return cmp.Compare(x, y), isX && isY
}

// partitions takes the partitions in any order, each any number of times.
func partitions(of *item, got string) float64 {
	var m struct {
		All [][]string `json:"solution"`
	}
	v, ok := pyReadJSON(got)
	list, isList := v.([]any)
	if !of.read(&m) || !ok || !isList {
		return 0
	}
	wanted := map[string]bool{}
	for _, one := range m.All {
		wanted[strings.Join(one, "\x00")] = false
	}
	for _, one := range list {
		parts, ok := one.([]any)
		if !ok && one != "" {
			return 0
		}
		text, ok := joinedTexts(parts)
		if _, known := wanted[text]; !ok || !known {
			return 0
		}
		wanted[text] = true
	}
	for _, found := range wanted {
		if !found {
			return 0
		}
	}
	return 1
}

// joinedTexts joins a list of texts.
func joinedTexts(list []any) (string, bool) {
	parts := make([]string, len(list))
	for i, one := range list {
		text, ok := one.(string)
		if !ok {
			return "", false
		}
		parts[i] = text
	}
	return strings.Join(parts, "\x00"), true
}

// latinSquare takes the stored text, and pays for each right digit in lines with as many
// digits as the square has columns, less for more text.
func latinSquare(of *item, got string) float64 {
	var m struct {
		Rows [][]int `json:"solution"`
	}
	if !of.read(&m) {
		return 0
	}
	if len(m.Rows) == 0 {
		return of.spoil("there is no solution")
	}
	shorter := 1.0
	if runes(got) > runes(of.oracle) {
		shorter = answer.Share(of.oracle, got)
	}
	if trimmedLines(got) == trimmedLines(of.oracle) {
		return shorter
	}
	size, row, same := len(m.Rows), 0, 0
	for line := range strings.SplitSeq(got, "\n") {
		var digits []int
		for _, r := range line {
			if r >= '1' && r <= '9' {
				digits = append(digits, int(r-'0'))
			}
		}
		if len(digits) != size || row == size {
			continue
		}
		for i, d := range digits {
			if i < len(m.Rows[row]) && d == m.Rows[row][i] {
				same++
			}
		}
		row++
	}
	return 0.9 * float64(same) / float64(size*size) * shorter
}

// trimmedLines returns text without the space at the end of its lines.
func trimmedLines(text string) string {
	all := strings.Split(text, "\n")
	for i := range all {
		all[i] = answer.TrimRight(all[i])
	}
	return strings.Join(all, "\n")
}

// kakurasu takes any grid of 0 and 1 with the right sums; other characters do not count.
func kakurasu(of *item, got string) float64 {
	var m struct {
		Rows    int   `json:"n_rows"`
		Columns int   `json:"n_cols"`
		RowSums []int `json:"row_sums"`
		ColSums []int `json:"col_sums"`
	}
	if !of.read(&m) {
		return 0
	}
	if len(m.RowSums) != m.Rows || len(m.ColSums) != m.Columns {
		return of.spoil("n_rows and n_cols are not the numbers of sums")
	}
	all := strings.Split(answer.Trim(got), "\n")
	if len(all) != m.Rows {
		return 0
	}
	columns := make([]int, m.Columns)
	for i, line := range all {
		sum, at := 0, 0
		for _, r := range line {
			if r != '0' && r != '1' {
				continue
			}
			if at == m.Columns {
				return 0
			}
			if r == '1' {
				sum += at + 1
				columns[at] += i + 1
			}
			at++
		}
		if at != m.Columns || sum != m.RowSums[i] {
			return 0
		}
	}
	return oneIf(slices.Equal(columns, m.ColSums), 0)
}

// survo takes the numbers of the stored table; other words do not count.
func survo(of *item, got string) float64 {
	var m struct {
		Size int       `json:"board_size"`
		Rows [][]int64 `json:"solution"`
	}
	if !of.read(&m) {
		return 0
	}
	var table [][]int64
	for _, line := range pyLines(answer.Trim(got)) {
		var row []int64
		for _, word := range answer.Fields(line) {
			if n, ok := pyReadInt(word); ok && n.IsInt64() {
				row = append(row, n.Int64())
			} else if ok {
				row = append(row, math.MinInt64) // in no table
			}
		}
		if len(row) > 0 {
			table = append(table, row)
		}
	}
	return oneIf(len(table) == m.Size && slices.EqualFunc(table, m.Rows, slices.Equal), 0)
}
