package mathverify

import (
	"math/big"
	"slices"

	"github.com/quintain-rl/quintain/grade/mathverify/exact"
	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// A side is a relation in the form "difference op 0".
type side struct {
	difference *expr.Node
	op         rune // = ≠ < or ≤
}

// sides splits a chain of relations; nil if it has other relations.
func sides(n *expr.Node) []side {
	var all []side
	for i, op := range []rune(n.Name) {
		left, right := n.Args[i], n.Args[i+1]
		switch op {
		case '>', '≥':
			left, right = right, left
			op = map[rune]rune{'>': '<', '≥': '≤'}[op]
		case '≈':
			op = '='
		case '∈', '∉':
			return nil
		}
		all = append(all, side{expr.New(expr.Add, left, expr.New(expr.Neg, right)), op})
	}
	return all
}

// sameRelation compares two equations or inequalities: each side of one must be a
// multiple of a side of the other. For inequalities the factor must be positive.
func (c *comparison) sameRelation(g, a *expr.Node) bool {
	if g.Op != expr.Relation || a.Op != expr.Relation {
		return c.sameRegions(g, a)
	}
	if g.Name == a.Name && len(g.Name) <= len("∉") && (g.Name == "∉" || g.Name == "∈") {
		return c.sameValue(g.Args[0], a.Args[0]) && c.sameValue(g.Args[1], a.Args[1])
	}
	left, right := sides(g), sides(a)
	if left == nil || right == nil {
		return c.sameRegions(g, a)
	}
	if len(left) == len(right) && len(left) <= maxPairs && paired(left, right, c.proportional) {
		return true
	}
	if hasInequality(left) && hasInequality(right) {
		return c.sameRegions(g, a)
	}
	return false
}

// hasInequality reports whether any side is an inequality.
func hasInequality(all []side) bool {
	return slices.ContainsFunc(all, func(s side) bool { return s.op != '=' })
}

// proportional reports whether two sides have the same operation and proportional
// differences.
func (c *comparison) proportional(x, y side) bool {
	if x.op != y.op || closed(x.difference) != closed(y.difference) {
		return false
	}
	f, err := c.space.Read(x.difference)
	if err != nil {
		return false
	}
	h, err := c.space.Read(y.difference)
	if err != nil || f.IsZero() || h.IsZero() {
		return false
	}
	ratio, ok := c.space.Ratio(f, h)
	if !ok && x.op == '=' || !ok && x.op == '≠' {
		ratio, ok = c.space.Ratio(f.Numerator(), h.Numerator())
	}
	if ok {
		c.note("exact", "the equations are multiples of each other", true)
		return x.op == '=' || x.op == '≠' || ratio.Sign() > 0
	}
	if c.space.Known(f) && c.space.Known(h) {
		return false
	}
	return c.proportionalValues(x, y)
}

// proportionalValues compares two differences by their values: f(p)·h(q) = f(q)·h(p) for
// all points p and q.
func (c *comparison) proportionalValues(x, y side) bool {
	shift := func(n *expr.Node) *expr.Node {
		return n.Map(func(m *expr.Node) *expr.Node {
			if m.Op == expr.Symbol {
				return expr.Var(m.Name + " ")
			}
			return m
		})
	}
	left := expr.New(expr.Mul, x.difference, shift(y.difference))
	right := expr.New(expr.Mul, shift(x.difference), y.difference)
	verdict, err := compareValues(left, right, c.budget)
	if verdict != exact.Equal {
		if verdict == exact.Unknown && err != nil {
			c.fails(err)
		}
		return false
	}
	c.reason = SameNumeric
	if x.op == '=' || x.op == '≠' {
		return true
	}
	half := expr.Rational(big.NewRat(1, 2))
	sum := expr.New(expr.Mul, x.difference, y.difference)
	at := sum.Map(func(m *expr.Node) *expr.Node {
		if m.Op == expr.Symbol {
			return half
		}
		return m
	})
	s, err := signOf(at, c.budget)
	return err == nil && s > 0
}
