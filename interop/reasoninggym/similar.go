package reasoninggym

import (
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/task/answer"
)

// similar takes the stored value of JSON, and pays for an object by its likeness to it, less
// with text around it. A comparison that takes too long ends as if nothing were alike.
func similar(of *item, got string) float64 {
	got, want := answer.Trim(got), answer.Trim(of.oracle)
	if got == "" {
		return 0
	}
	if got == want {
		return 1
	}
	first, last := strings.Index(got, "{"), strings.LastIndex(got, "}")
	if first < 0 || last < 0 {
		return 0
	}
	object := ""
	if first < last {
		object = got[first : last+1]
	}
	extra := runes(got) - runes(object)
	most := max(runes(want)/(runes(want)+0.5*extra), 0.2)
	v, isFound := pyReadJSON(object)
	w, isWanted := pyReadJSON(want)
	if !isFound || !isWanted {
		return share(got, want)
	}
	if pySame(v, w) {
		return most
	}
	return max(likeness(v, w)*most, 0.01)
}

// likeness returns how alike two values are, 0 to 1: by the edits that turn one into the
// other.
func likeness(a, b any) float64 {
	const steps = 10_000_000
	e := &edits{left: steps}
	e.a.add("root", a)
	e.b.add("root", b)
	far := e.distance()
	if e.left < 0 {
		return 0
	}
	return max(0, 1-far/(0.2*float64(max(pyDumped(a), pyDumped(b)))))
}

// A tree is a value of JSON as labels in postorder.
type tree struct {
	labels   []string
	leftmost []int // the first leaf below each node
}

// add appends a value, and returns the index of its first leaf.
func (t *tree) add(label string, v any) int {
	first := -1
	child := func(label string, v any) {
		if leaf := t.add(label, v); first < 0 {
			first = leaf
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			child(name, v[name])
		}
	case []any:
		for i, one := range v {
			child("item_"+strconv.Itoa(i), one)
		}
	default:
		label += ":" + pyWriteScalar(v)
	}
	if first < 0 {
		first = len(t.labels)
	}
	t.labels, t.leftmost = append(t.labels, label), append(t.leftmost, first)
	return first
}

// roots returns the nodes that have a left sibling, and the root.
func (t *tree) roots() (all []int) {
	seen := map[int]bool{}
	for i := len(t.labels) - 1; i >= 0; i-- {
		if !seen[t.leftmost[i]] {
			seen[t.leftmost[i]] = true
			all = append(all, i)
		}
	}
	slices.Reverse(all)
	return all
}

// edits compares two trees by the algorithm of Zhang and Shasha.
type edits struct {
	a, b             tree
	removed, added   []float64   // the costs of nodes
	changed, between [][]float64 // the costs of changing a label, and one tree into another
	left             int         // steps
}

// distance returns the cost of the edits that turn a into b.
func (e *edits) distance() float64 {
	for _, label := range e.a.labels {
		e.removed = append(e.removed, e.label(label, ""))
	}
	for _, label := range e.b.labels {
		e.added = append(e.added, e.label("", label))
	}
	for _, a := range e.a.labels {
		row := make([]float64, len(e.b.labels))
		for j, b := range e.b.labels {
			if row[j] = e.label(a, b); e.left < 0 {
				return 0
			}
		}
		e.changed, e.between = append(e.changed, row), append(e.between, make([]float64, len(row)))
	}
	for _, i := range e.a.roots() {
		for _, j := range e.b.roots() {
			if e.forests(i, j); e.left < 0 {
				return 0
			}
		}
	}
	return e.between[len(e.a.labels)-1][len(e.b.labels)-1]
}

// forests compares the trees below two nodes.
func (e *edits) forests(i, j int) {
	li, lj := e.a.leftmost[i], e.b.leftmost[j]
	rows, columns := i-li+2, j-lj+2
	if e.left -= rows * columns; e.left < 0 {
		return
	}
	cost := make([][]float64, rows)
	for x := range cost {
		cost[x] = make([]float64, columns)
		if x > 0 {
			cost[x][0] = cost[x-1][0] + e.removed[li+x-1]
		}
	}
	for y := 1; y < columns; y++ {
		cost[0][y] = cost[0][y-1] + e.added[lj+y-1]
	}
	for x := 1; x < rows; x++ {
		for y := 1; y < columns; y++ {
			a, b := li+x-1, lj+y-1
			least := min(cost[x-1][y]+e.removed[a], cost[x][y-1]+e.added[b])
			if e.a.leftmost[a] == li && e.b.leftmost[b] == lj {
				least = min(least, cost[x-1][y-1]+e.changed[a][b])
				e.between[a][b] = least
			} else {
				least = min(least, cost[e.a.leftmost[a]-li][e.b.leftmost[b]-lj]+e.between[a][b])
			}
			cost[x][y] = least
		}
	}
}

// label returns the cost of turning one label into another.
func (e *edits) label(a, b string) float64 {
	e.left -= 4
	nameA, valueA, leafA := strings.Cut(a, ":")
	nameB, valueB, leafB := strings.Cut(b, ":")
	if !leafA || !leafB {
		return e.letters(a, b)
	}
	far := e.letters(nameA, nameB)
	if valueA == valueB {
		return far
	}
	between := e.letters(valueA, valueB)
	plainA, plainB := strings.ReplaceAll(valueA, ".", ""), strings.ReplaceAll(valueB, ".", "")
	switch {
	case numeric(plainA) && numeric(plainB):
		x, isX := pyReadFloat(valueA)
		y, isY := pyReadFloat(valueB)
		if isX && isY {
			x, y = math.Abs(x), math.Abs(y)
			between = max(runes(valueA), runes(valueB)) * math.Abs(x-y) / max(min(x, y), 1e-4)
		}
	case numeric(valueA) || numeric(valueB):
		between += max(runes(a), runes(b))
	}
	return far + between
}

// numeric reports whether a text has only digits.
func numeric(text string) bool {
	return text != "" && strings.IndexFunc(text, func(r rune) bool { return !unicode15.IsNumber(r) }) < 0
}

// letters returns the number of letters to insert, delete or replace.
func (e *edits) letters(a, b string) float64 {
	if a == b {
		return 0
	}
	x, y := []rune(a), []rune(b)
	if e.left -= len(x)*len(y)/8 + len(x) + len(y); e.left < 0 || len(x) == 0 || len(y) == 0 {
		return float64(max(len(x), len(y)))
	}
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range x {
		before := row[0]
		row[0] = i + 1
		for j, s := range y {
			least := min(row[j+1]+1, row[j]+1, before+int(part(r != s, 1)))
			before, row[j+1] = row[j+1], least
		}
	}
	return float64(row[len(y)])
}
