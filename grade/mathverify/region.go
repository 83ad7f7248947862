package mathverify

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// A region is a set of real numbers: those for which holds returns true. Between two
// adjacent endpoints it holds for all numbers or for none.
type region struct {
	ends  []*expr.Node
	holds func(at place) bool
}

// A place is an endpoint of the compared regions, or a gap between two: 2i+1 is endpoint
// i, and 2i the gap before it.
type place struct {
	index int
	of    func(end *expr.Node) int // the place of an endpoint
}

// compare returns -1, 0 or 1 if the place is before, at or after an endpoint.
func (p place) compare(end *expr.Node) int {
	switch infinite(end) {
	case 1:
		return -1
	case -1:
		return 1
	}
	at := p.of(end)
	switch {
	case p.index < at:
		return -1
	case p.index > at:
		return 1
	}
	return 0
}

// maxEnds bounds the endpoints that we sort.
const maxEnds = 60

// sameRegions compares two sets of real numbers.
func (c *comparison) sameRegions(g, a *expr.Node) bool {
	if parts(g)+parts(a) > maxEnds {
		c.reason = Limit
		return false
	}
	r, ok := c.region(g)
	s, ok2 := c.region(a)
	if !ok || !ok2 {
		return false
	}
	ends, ok := c.order(append(slices.Clone(r.ends), s.ends...))
	if !ok {
		c.reason = Unknown
		return false
	}
	of := func(end *expr.Node) int {
		for i, group := range ends {
			if slices.Contains(group, end) {
				return 2*i + 1
			}
		}
		return 0
	}
	for i := range 2*len(ends) + 1 {
		at := place{i, of}
		if r.holds(at) != s.holds(at) {
			return false
		}
	}
	c.note("set", "intervals and points", true)
	return true
}

// sameCombination compares unions and intersections of sets without a value, as A ∪ B, in any order.
func sameCombination(c *comparison, g, a *expr.Node) bool {
	left, right := joined(g, nil), joined(a, nil)
	if g.Op != a.Op || g.Name != a.Name || len(left) != len(right) || len(left) > maxPairs {
		return false
	}
	if g.Name == "minus" {
		return c.eachSame(left, right)
	}
	return paired(left, right, c.sameValue)
}

// joined appends the sets that n joins by one operation without an order.
func joined(n *expr.Node, sets []*expr.Node) []*expr.Node {
	if n.Name == "minus" {
		return n.Args
	}
	for _, arg := range n.Args {
		if arg.Op == expr.Combine && arg.Name == n.Name {
			sets = joined(arg, sets)
		} else {
			sets = append(sets, arg)
		}
	}
	return sets
}

// parts counts the sets that n joins, up to one more than we compare.
func parts(n *expr.Node) (count int) {
	n.Walk(func(m *expr.Node) bool {
		if m.Op == expr.Combine {
			count++
		}
		return count <= maxEnds
	})
	return count
}

// order sorts endpoints in ascending order, into groups of equal ones.
func (c *comparison) order(ends []*expr.Node) (groups [][]*expr.Node, ok bool) {
	if len(ends) > maxEnds {
		return nil, false
	}
	for _, end := range ends {
		if infinite(end) != 0 {
			continue
		}
		at, equal := 0, false
		for at < len(groups) {
			sign, ok := c.sign(expr.New(expr.Add, end, expr.New(expr.Neg, groups[at][0])))
			if !ok {
				return nil, false
			}
			equal = sign == 0
			if sign <= 0 {
				break
			}
			at++
		}
		if equal {
			groups[at] = append(groups[at], end)
		} else {
			groups = slices.Insert(groups, at, []*expr.Node{end})
		}
	}
	return groups, true
}

// sign returns the sign of a number.
func (c *comparison) sign(n *expr.Node) (int, bool) {
	if f, err := c.space.Read(n); err == nil {
		if value, ok := f.Number(); ok {
			return value.Sign(), true
		}
	}
	if s, err := signOf(n, c.budget); err == nil {
		return s, true
	}
	return 0, c.sameScalar(n, expr.Int(0))
}

// region reads a node as a set of real numbers.
func (c *comparison) region(n *expr.Node) (region, bool) {
	switch n.Op {
	case expr.Named:
		return region{holds: func(place) bool { return true }}, n.Name == "R"
	case expr.Tuple:
		return c.interval(n)
	case expr.Set:
		return c.points(n)
	case expr.Combine:
		return c.combined(n)
	case expr.Relation:
		return c.inequality(n)
	case expr.List:
		return c.alternatives(n)
	}
	return region{}, false
}

// interval reads an interval between two numbers.
func (c *comparison) interval(n *expr.Node) (region, bool) {
	if len(n.Args) != 2 || n.Name == "<>" || !closed(n.Args[0]) || !closed(n.Args[1]) || n.Paren {
		return region{}, false
	}
	low, high := n.Args[0], n.Args[1]
	if infinite(low) == 1 || infinite(high) == -1 || infinite(low) != 0 && n.Name[0] == '[' || infinite(high) != 0 && n.Name[1] == ']' {
		return region{}, false
	}
	if infinite(low) == 0 && infinite(high) == 0 {
		if s, ok := c.sign(expr.New(expr.Add, high, expr.New(expr.Neg, low))); !ok || s <= 0 {
			return region{}, false
		}
	}
	return region{[]*expr.Node{low, high}, func(at place) bool {
		l, h := at.compare(low), at.compare(high)
		return (l > 0 || l == 0 && n.Name[0] == '[') && (h < 0 || h == 0 && n.Name[1] == ']')
	}}, true
}

// points reads a set of numbers.
func (c *comparison) points(n *expr.Node) (region, bool) {
	for _, arg := range n.Args {
		if !closed(arg) || !isScalar(arg) || infinite(arg) != 0 {
			return region{}, false
		}
	}
	return region{n.Args, func(at place) bool {
		return slices.ContainsFunc(n.Args, func(end *expr.Node) bool { return at.compare(end) == 0 })
	}}, true
}

func isScalar(n *expr.Node) bool { return n.Op <= expr.Big }

// combined reads a union, an intersection or a difference.
func (c *comparison) combined(n *expr.Node) (region, bool) {
	left, ok := c.region(n.Args[0])
	right, ok2 := c.region(n.Args[1])
	if !ok || !ok2 || len(left.ends)+len(right.ends) > maxEnds {
		return region{}, false
	}
	return combine(n.Name, left, right), true
}

// combine returns the union or the intersection of regions, or the first minus the
// second.
func combine(name string, parts ...region) region {
	var ends []*expr.Node
	for _, part := range parts {
		ends = append(ends, part.ends...)
	}
	return region{ends, func(at place) bool {
		holds := func(r region) bool { return r.holds(at) }
		fails := func(r region) bool { return !r.holds(at) }
		switch name {
		case "union":
			return slices.ContainsFunc(parts, holds)
		case "intersection":
			return !slices.ContainsFunc(parts, fails)
		}
		return holds(parts[0]) && fails(parts[1])
	}}
}

// alternatives reads inequalities joined by "or" or "and", and unions written as lists.
func (c *comparison) alternatives(n *expr.Node) (region, bool) {
	if n.Name != "or" && n.Name != "and" && n.Name != "" || len(n.Args) == 0 || len(n.Args) > maxEnds {
		return region{}, false
	}
	name := "union"
	if n.Name != "or" {
		name = "intersection"
	}
	var parts []region
	subject := subjectOf(n.Args[0])
	for _, arg := range n.Args {
		interval := arg.Op == expr.Tuple && n.Name == "or"
		if !interval && (arg.Op != expr.Relation || subject == "" || subjectOf(arg) != subject) {
			return region{}, false
		}
		r, ok := c.region(arg)
		if !ok {
			return region{}, false
		}
		parts = append(parts, r)
	}
	return combine(name, parts...), true
}

// subjectOf returns the only variable of a relation, or nothing.
func subjectOf(n *expr.Node) string {
	name, many := "", false
	n.Walk(func(m *expr.Node) bool {
		if m.Op == expr.Symbol {
			many = many || name != "" && name != m.Name
			name = m.Name
		}
		return true
	})
	if many {
		return ""
	}
	return name
}

// inequality reads a chain of linear inequalities in one variable, or "x ∈ S".
func (c *comparison) inequality(n *expr.Node) (region, bool) {
	if len(n.Args) > maxEnds {
		return region{}, false
	}
	n = withSubject(n)
	x := subjectOf(n)
	if x == "" {
		return region{}, false
	}
	if n.Name == "∈" {
		return c.region(n.Args[1])
	}
	var parts []region
	for i, op := range []rune(n.Name) {
		r, ok := c.bound(x, op, n.Args[i], n.Args[i+1])
		if !ok {
			return region{}, false
		}
		parts = append(parts, r)
	}
	return combine("intersection", parts...), true
}

// withSubject puts a variable for f(x) or the like if the relation bounds that.
func withSubject(n *expr.Node) *expr.Node {
	name := ""
	for _, arg := range n.Args {
		if arg.Op == expr.Apply && !known(arg.Name) || arg.Op == expr.Apply && arg.Name == "abs" && capitals(arg.Args[0]) {
			name = arg.String()
		}
	}
	if name == "" {
		return n
	}
	twin := *n
	twin.Args = slices.Clone(n.Args)
	for i, arg := range n.Args {
		if arg.String() == name {
			twin.Args[i] = expr.Var(name)
		}
	}
	return &twin
}

// bound reads the inequality "left op right" in x.
func (c *comparison) bound(x string, op rune, left, right *expr.Node) (region, bool) {
	switch {
	case infinite(left) < 0 && op == '<', infinite(right) > 0 && op == '<', infinite(left) > 0 && op == '>', infinite(right) < 0 && op == '>':
		return region{holds: func(place) bool { return true }}, true
	case distance(left) && closed(right):
		return c.within(x, op, left.Args[0], right)
	case distance(right) && closed(left):
		return c.within(x, turned(op), right.Args[0], left)
	}
	return c.linear(x, op, expr.New(expr.Add, left, expr.New(expr.Neg, right)))
}

// distance reports whether n is |x|, or |x - a| for a number a.
func distance(n *expr.Node) bool {
	if n.Op != expr.Apply || n.Name != "abs" {
		return false
	}
	inner := n.Args[0]
	if inner.Op == expr.Add && len(inner.Args) == 2 && closed(inner.Args[1]) {
		inner = inner.Args[0]
	}
	return inner.Op == expr.Symbol
}

// turned returns an operation for exchanged sides.
func turned(op rune) rune {
	if other, ok := map[rune]rune{'<': '>', '>': '<', '≤': '≥', '≥': '≤'}[op]; ok {
		return other
	}
	return op
}

// within reads the inequality "|difference| op radius" in x.
func (c *comparison) within(x string, op rune, difference, radius *expr.Node) (region, bool) {
	name := "intersection"
	switch op {
	case '>', '≥':
		name = "union"
	case '<', '≤':
	default:
		return region{}, false
	}
	above, ok := c.linear(x, op, expr.New(expr.Add, difference, expr.New(expr.Neg, radius)))
	below, ok2 := c.linear(x, turned(op), expr.New(expr.Add, difference, expr.New(expr.Neg, expr.New(expr.Neg, radius))))
	return combine(name, above, below), ok && ok2
}

// linear reads the inequality "difference op 0" in x.
func (c *comparison) linear(x string, op rune, difference *expr.Node) (region, bool) {
	f, err := c.space.Read(difference)
	if err != nil {
		return region{}, false
	}
	end, slope, ok := c.space.Root(f, x)
	if !ok {
		return c.isolated(x, op, difference)
	}
	return bounded(expr.Rational(end), op, slope), true
}

// isolated reads an inequality between x itself and a number, such as x < √2.
func (c *comparison) isolated(x string, op rune, difference *expr.Node) (region, bool) {
	left, right := difference.Args[0], difference.Args[1].Args[0]
	switch {
	case left.Op == expr.Symbol && left.Name == x && closed(right):
		return bounded(right, op, 1), true
	case right.Op == expr.Symbol && right.Name == x && closed(left):
		return bounded(left, op, -1), true
	}
	return region{}, false
}

// bounded returns the set of numbers x with slope·(x - end) op 0.
func bounded(end *expr.Node, op rune, slope int) region {
	return region{[]*expr.Node{end}, func(at place) bool {
		s := at.compare(end) * slope
		switch op {
		case '<':
			return s < 0
		case '≤':
			return s <= 0
		case '>':
			return s > 0
		case '≥':
			return s >= 0
		case '≠':
			return s != 0
		}
		return s == 0 && strings.ContainsRune("=≈", op)
	}}
}
