package moves

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A boxnetSquare is a square of a field, with an agent in it. Rows and columns count from
// 0; its name has the coordinates of its middle.
type boxnetSquare struct{ row, col int }

// appendMiddle appends the coordinates of the middle, with a text between them.
func (s boxnetSquare) appendMiddle(b []byte, between string) []byte {
	b = append(strconv.AppendInt(b, int64(s.row), 10), ".5"...)
	b = append(b, between...)
	return append(strconv.AppendInt(b, int64(s.col), 10), ".5"...)
}

// readMiddle reads a square from the coordinates of its middle.
func readMiddle(row, col string) (s boxnetSquare, read bool) {
	var isRow, isCol bool
	s.row, isRow = readHalf(row)
	s.col, isCol = readHalf(col)
	return s, isRow && isCol
}

// readHalf reads a number such as 2.5, and returns its whole part.
func readHalf(text string) (whole int, read bool) {
	const longest = 3 // limit of digits before the point
	digits, half := strings.CutSuffix(strings.TrimSpace(text), ".5")
	whole, err := strconv.Atoi(digits)
	return whole, half && err == nil && whole >= 0 && len(digits) <= longest
}

// distance returns the number of squares from s to other, counting one of the two.
func (s boxnetSquare) distance(other boxnetSquare) int {
	rows, cols := s.row-other.row, s.col-other.col
	return max(rows, -rows) + max(cols, -cols)
}

// towards returns the next square on the way to another one.
func (s boxnetSquare) towards(other boxnetSquare) boxnetSquare {
	if s.row != other.row {
		return boxnetSquare{s.row + cmp.Compare(other.row, s.row), s.col}
	}
	return boxnetSquare{s.row, s.col + cmp.Compare(other.col, s.col)}
}

// A boxnetThing is a box or a target in a square.
type boxnetThing struct {
	in     boxnetSquare
	kind   string // boxPrefix or targetPrefix
	colour string
}

// The beginnings of names of things, before their colour.
const (
	boxPrefix    = "box_"
	targetPrefix = "target_"
)

// A boxnetField is a field of squares with their contents, row by row. As JSON it is an
// object with a list of things for each square: {"0.5_0.5": ["box_red"], …}.
type boxnetField struct {
	rows, cols int
	things     []boxnetThing
}

// sort orders the things by square.
func (f *boxnetField) sort() {
	slices.SortStableFunc(f.things, func(a, b boxnetThing) int {
		return cmp.Or(cmp.Compare(a.in.row, b.in.row), cmp.Compare(a.in.col, b.in.col))
	})
}

// count returns the number of things of a kind.
func (f *boxnetField) count(kind string) (n int) {
	for _, thing := range f.things {
		if thing.kind == kind {
			n++
		}
	}
	return n
}

// text lists the nonempty squares, one per line.
func (f boxnetField) text() string {
	b := make([]byte, 0, 32*len(f.things))
	for i, thing := range f.things {
		switch {
		case i > 0 && thing.in == f.things[i-1].in:
			b = append(b, ", "...)
		default:
			if i > 0 {
				b = append(b, '\n')
			}
			b = append(thing.in.appendMiddle(append(b, "square["...), ", "), "]: "...)
		}
		b = append(append(b, thing.kind...), thing.colour...)
	}
	return string(b)
}

// MarshalJSON implements [json.Marshaler].
func (f boxnetField) MarshalJSON() ([]byte, error) {
	b, left := []byte{'{'}, f.things
	for row := range f.rows {
		for col := range f.cols {
			at := boxnetSquare{row, col}
			b = append(at.appendMiddle(append(b, '"'), "_"), `":[`...)
			for ; len(left) > 0 && left[0].in == at; left = left[1:] {
				b = append(append(append(append(b, '"'), left[0].kind...), left[0].colour...), `",`...)
			}
			b = append(trimComma(b), `],`...)
		}
	}
	return append(trimComma(b), '}'), nil
}

// trimComma removes the comma after the last element of an unfinished list.
func trimComma(b []byte) []byte {
	if b[len(b)-1] == ',' {
		return b[:len(b)-1]
	}
	return b
}

// UnmarshalJSON implements [json.Unmarshaler].
func (f *boxnetField) UnmarshalJSON(raw []byte) error {
	var squares map[string][]string
	if err := strictjson.Unmarshal(raw, &squares); err != nil {
		return err
	}
	*f = boxnetField{}
	for _, name := range slices.Sorted(maps.Keys(squares)) {
		row, col, _ := strings.Cut(name, "_")
		at, read := readMiddle(row, col)
		if !read || at.row >= boxnetMostSide || at.col >= boxnetMostSide {
			return fmt.Errorf("initial_state has a square %.20q, want names such as \"0.5_1.5\"", name)
		}
		f.rows, f.cols = max(f.rows, at.row+1), max(f.cols, at.col+1)
		for _, text := range squares[name] {
			thing := boxnetThing{in: at, kind: boxPrefix}
			colour, ok := strings.CutPrefix(text, boxPrefix)
			if !ok {
				thing.kind = targetPrefix
				colour, ok = strings.CutPrefix(text, targetPrefix)
			}
			if thing.colour = colour; !ok || checkColour(colour) != nil {
				return fmt.Errorf("initial_state has a %.20q, want things such as \"box_red\" and \"target_red\"", text)
			}
			f.things = append(f.things, thing)
		}
	}
	if len(squares) != f.rows*f.cols {
		return fmt.Errorf("initial_state has %d squares, want %d rows of %d", len(squares), f.rows, f.cols)
	}
	f.sort()
	return nil
}

// checkColour refuses a name that is not a plain word.
func checkColour(name string) error {
	const longest = 20 // letters
	if name == "" || len(name) > longest || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz") != "" {
		return fmt.Errorf("%.40q is not a colour, want up to %d small letters", name, longest)
	}
	return nil
}

// A boxnetAction is an agent's action in one step: it moves a box of a colour from its
// square to a neighboring square, or, if to is its own square, onto a target there.
type boxnetAction struct {
	agent, to boxnetSquare
	colour    string
}

// append appends the action as a member of a JSON object.
func (a boxnetAction) append(b []byte) []byte {
	b = append(a.agent.appendMiddle(append(b, `"Agent[`...), ", "), `]": "move(box_`...)
	b = append(append(b, a.colour...), ", "...)
	if a.to == a.agent {
		return append(append(append(b, targetPrefix...), a.colour...), `)"`...)
	}
	return append(a.to.appendMiddle(append(b, "square["...), ", "), `])"`...)
}

// readBoxnetAction reads an action from an agent's name and its deed. It ignores case and
// space.
func readBoxnetAction(agent, does string) (a boxnetAction, read bool) {
	const longest = 100 // bytes
	if len(agent)+len(does) > longest {
		return a, false
	}
	if a.agent, read = readSquare(strings.ToLower(agent), "agent"); !read {
		return a, false
	}
	does, isMove := strings.CutPrefix(strings.TrimSpace(strings.ToLower(does)), "move")
	does, opened := strings.CutPrefix(strings.TrimSpace(does), "(")
	does, closed := strings.CutSuffix(strings.TrimSpace(does), ")")
	what, where, two := strings.Cut(does, ",")
	colour, isBox := strings.CutPrefix(strings.TrimSpace(what), boxPrefix)
	if !isMove || !opened || !closed || !two || !isBox {
		return a, false
	}
	a.colour, a.to = colour, a.agent
	if target, ok := strings.CutPrefix(strings.TrimSpace(where), targetPrefix); ok {
		return a, target == colour
	}
	a.to, read = readSquare(where, "square")
	return a, read && a.to != a.agent
}

// readSquare reads a square as a word and coordinates: square[0.5, 1.5].
func readSquare(text, word string) (boxnetSquare, bool) {
	text, named := strings.CutPrefix(strings.TrimSpace(text), word)
	text, opened := strings.CutPrefix(strings.TrimSpace(text), "[")
	text, closed := strings.CutSuffix(strings.TrimSpace(text), "]")
	row, col, two := strings.Cut(text, ",")
	if !named || !opened || !closed || !two {
		return boxnetSquare{}, false
	}
	return readMiddle(row, col)
}
