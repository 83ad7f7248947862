package mathverify

import (
	"errors"
	"math/big"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/exact"
	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/grade/mathverify/reply"
)

// sameValue compares two values by their kinds.
func (c *comparison) sameValue(g, a *expr.Node) bool {
	g, a = c.settle(g), c.settle(a)
	if c.budget.Spend(1) != nil {
		c.reason = Limit
		return false
	}
	switch {
	case g.Op == expr.Relation || a.Op == expr.Relation:
		return c.same(g, a)
	case g.Op == expr.Named && (a.Op == expr.Named || a.Op == expr.Symbol):
		return g.Name == a.Name
	case g.Op == expr.Combine || a.Op == expr.Combine || g.Op == expr.Named || a.Op == expr.Named:
		return c.sameRegions(g, a) || sameCombination(c, g, a)
	case areVectors(g, a):
		return c.sameVector(g, a)
	case g.Op == expr.Tuple || a.Op == expr.Tuple:
		return c.sameTuple(g, a)
	case !isCollection(g) && a.Op == expr.List && a.Name == "or" && isScalar(g):
		return !slices.ContainsFunc(a.Args, func(member *expr.Node) bool { return !c.sameValue(g, member) })
	case isCollection(g) || isCollection(a):
		return c.sameMembers(g, a)
	case g.Op == expr.Ratio || a.Op == expr.Ratio:
		return g.Op == a.Op && c.sameRatio(g, a) || g.Op == expr.Ratio && len(g.Args) == 2 && isScalar(a) && closed(g) && !zero(g.Args[1]) && c.sameScalar(expr.New(expr.Div, g.Args...), a)
	case g.Op == expr.Based || a.Op == expr.Based:
		return g.Op == a.Op && strings.TrimLeft(g.Name, "0") == strings.TrimLeft(a.Name, "0") && c.sameScalar(g.Args[0], a.Args[0])
	}
	return c.sameScalar(g, a)
}

func isCollection(n *expr.Node) bool { return n.Op == expr.List || n.Op == expr.Set }

// sameTuple compares ordered members. A list counts as the tuple of its members if it is
// the reference, or in plain braces.
func (c *comparison) sameTuple(g, a *expr.Node) bool {
	switch {
	case isRegion(g) && a.Op == expr.List && len(a.Args) > 0 && bounds(a):
		return c.sameRegions(g, a)
	case a.Op == expr.Set && len(a.Args) == 1 && a.Args[0].Op == expr.Tuple && g.Op == expr.Tuple:
		return c.sameTuple(g, a.Args[0])
	case a.Op == expr.Apply && len(a.Name) == 1 && capitals(expr.Var(a.Name)) && g.Op == expr.Tuple: // the point A(1, 2)
		return c.sameTuple(g, &expr.Node{Op: expr.Tuple, Name: "()", Args: a.Args})
	case len(g.Args) != len(a.Args) && isRegion(g) && isRegion(a):
		return c.sameRegions(g, a)
	case len(g.Args) != len(a.Args):
		return false
	case g.Op == expr.Tuple && a.Op == expr.Tuple:
		return g.Name == a.Name && c.eachSame(g.Args, a.Args)
	case g.Op == expr.List && a.Op == expr.Tuple && a.Paren:
		return c.sameMembers(g, expr.New(expr.List, a.Args...))
	case g.Op == expr.List && a.Op == expr.Tuple && a.Name == "()", a.Op == expr.List && g.Op == expr.Tuple && g.Paren:
		return c.eachSame(g.Args, a.Args) || g.Paren && c.sameMembers(expr.New(expr.List, g.Args...), a)
	case g.Op == expr.Tuple && g.Name == "()" && a.Op == expr.List && a.Name == "{}":
		return c.eachSame(g.Args, a.Args)
	}
	return false
}

func isRegion(n *expr.Node) bool { return n.Op == expr.Tuple && len(n.Args) == 2 }

// eachSame compares members in order.
func (c *comparison) eachSame(g, a []*expr.Node) bool {
	for i := range g {
		if !c.sameValue(g[i], a[i]) {
			return false
		}
	}
	return true
}

func (c *comparison) sameRows(g, a *expr.Node) bool {
	if len(g.Args) != len(a.Args) || len(g.Args[0].Args) != len(a.Args[0].Args) {
		return false
	}
	for i := range g.Args {
		if !c.eachSame(g.Args[i].Args, a.Args[i].Args) {
			return false
		}
	}
	return true
}

// sameRatio compares ratios, which need not be reduced.
func (c *comparison) sameRatio(g, a *expr.Node) bool {
	if len(g.Args) != len(a.Args) {
		return false
	}
	if c.eachSame(g.Args, a.Args) {
		return true
	}
	for i := range g.Args {
		if zero(g.Args[i]) || zero(a.Args[i]) {
			return false
		}
		if i > 0 && !c.sameScalar(expr.New(expr.Mul, g.Args[i-1], a.Args[i]), expr.New(expr.Mul, g.Args[i], a.Args[i-1])) {
			return false
		}
	}
	return true
}

func zero(n *expr.Node) bool { return n.IsInt(0) }

// maxPairs bounds the members that we compare pairwise.
const maxPairs = 64

// sameMembers compares unordered members. In sets, repetitions do not count.
func (c *comparison) sameMembers(g, a *expr.Node) bool {
	if !isCollection(g) || !isCollection(a) {
		return false
	}
	if bounds(g) && bounds(a) && len(g.Args) == len(a.Args) && g.Name != a.Name {
		return c.sameRegions(g, a)
	}
	if g.Op == expr.Set || a.Op == expr.Set || len(a.Args) > 0 && a.Args[0].Op == expr.Tuple {
		g, a = distinct(g), distinct(a)
	}
	if len(g.Args) != len(a.Args) {
		return false
	}
	left, right, ok := unmatched(flat(g).Args, flat(a).Args)
	if !ok || len(left) != len(right) {
		return false
	}
	if len(left) > maxPairs {
		c.reason = Limit
		return false
	}
	return paired(left, right, c.sameValue)
}

// bounds reports whether a list consists of inequalities.
func bounds(n *expr.Node) bool {
	for _, arg := range n.Args {
		if arg.Op != expr.Relation || strings.Trim(arg.Name, "=≈∈") == "" {
			return false
		}
	}
	return true
}

// paired reports whether each of left has a partner of its own in right.
func paired[T any](left, right []T, same func(x, y T) bool) bool {
	used := make([]bool, len(right))
	for _, x := range left {
		partner := -1
		for j, y := range right {
			if !used[j] && same(x, y) {
				partner = j
				break
			}
		}
		if partner < 0 {
			return false
		}
		used[partner] = true
	}
	return true
}

// unmatched removes the rational numbers from both lists. They must be the same.
func unmatched(g, a []*expr.Node) (left, right []*expr.Node, ok bool) {
	counts := map[string]int{}
	for _, n := range g {
		if value, is := rationalText(n); is {
			counts[value]++
		} else {
			left = append(left, n)
		}
	}
	var extra []*expr.Node
	for _, n := range a {
		value, is := rationalText(n)
		switch {
		case is && counts[value] > 0:
			counts[value]--
		case is:
			extra = append(extra, n)
		default:
			right = append(right, n)
		}
	}
	for _, n := range g {
		if value, is := rationalText(n); is && counts[value] > 0 {
			counts[value]--
			left = append(left, n)
		}
	}
	right = append(right, extra...)
	return left, right, len(left) == len(right)
}

// rationalText returns the value of a number as text.
func rationalText(n *expr.Node) (string, bool) {
	if n.Op == expr.Number {
		return n.Value.RatString(), true
	}
	if n.Op == expr.Neg && n.Args[0].Op == expr.Number {
		return new(big.Rat).Neg(n.Args[0].Value).RatString(), true
	}
	return "", false
}

// distinct removes repeated members.
func distinct(n *expr.Node) *expr.Node {
	seen := map[string]bool{}
	twin := *n
	twin.Args = nil
	for _, arg := range n.Args {
		name, ok := rationalText(arg)
		if !ok {
			name = arg.String()
		}
		if !seen[name] {
			seen[name] = true
			twin.Args = append(twin.Args, arg)
		}
	}
	return &twin
}

// infinite returns the sign of an infinity, or 0 for a finite value.
func infinite(n *expr.Node) int {
	switch {
	case n.Op == expr.Constant && n.Name == "inf":
		return 1
	case n.Op == expr.Neg:
		return -infinite(n.Args[0])
	}
	return 0
}

// sameScalar compares two expressions: by their normal forms, as a decimal and its exact
// value, and by their values.
func (c *comparison) sameScalar(g, a *expr.Node) bool {
	if gi, ai := infinite(g), infinite(a); gi != 0 || ai != 0 {
		return gi == ai
	}
	if closed(g) && !closed(a) && inWords(c.answerText) { // units within
		a = a.Map(func(m *expr.Node) *expr.Node {
			if m.Op == expr.Symbol && listed(reply.Letters, m.Name) {
				return expr.Int(1)
			}
			return m
		})
	}
	if a.Op == expr.Apply && a.Name == "residue" && g.Op == expr.Number && a.Args[1].Op == expr.Number && g.Value.Cmp(a.Args[1].Value) < 0 {
		a = a.Args[0]
	}
	verdict, err := c.sameForm(g, a)
	switch {
	case verdict == exact.Equal:
		return true
	case verdict == exact.Different:
		return c.rounded(g, a)
	case errors.Is(err, exact.ErrUndefined):
		return false
	}
	return c.rounded(g, a) || c.sameNumeric(g, a)
}

// sameForm compares normal forms.
func (c *comparison) sameForm(g, a *expr.Node) (exact.Verdict, error) {
	part, done := c.budget.Part(maxExactSteps)
	c.space.Budget = part
	f, errG := c.space.Read(g)
	h, errA := c.space.Read(a)
	c.space.Budget = c.budget
	done()
	if errG != nil || errA != nil {
		return exact.Unknown, errors.Join(errG, errA)
	}
	verdict, err := c.space.Compare(f, h)
	c.note("exact", "normal forms", verdict == exact.Equal)
	return verdict, err
}

// sameNumeric compares values at random points.
func (c *comparison) sameNumeric(g, a *expr.Node) bool {
	verdict, err := compareValues(g, a, c.budget)
	c.note("numeric", "values at random points", verdict == exact.Equal)
	switch {
	case verdict == exact.Equal:
		c.reason = SameNumeric
		return true
	case verdict == exact.Unknown && err != nil && !errors.Is(err, errUndefined):
		c.fails(err)
	}
	return false
}

// minDigits is how many significant digits a decimal needs to stand for an exact value, and minRounded
// how many a reference needs to stand for a value that no decimal is, if two stand after the point.
const (
	minDigits  = 7
	minRounded = 3
	minCut     = 5 // for a reference that is cut and not rounded
)

// decimal returns the value of a number written as a decimal, and its number of
// significant digits.
func decimal(n *expr.Node) (value *big.Rat, digits int) {
	switch n.Op {
	case expr.Number:
		if n.Digits > 0 {
			return n.Value, n.Digits
		}
	case expr.Neg:
		if value, digits = decimal(n.Args[0]); value != nil {
			return new(big.Rat).Neg(value), digits
		}
	case expr.Mul:
		if len(n.Args) == 2 && n.Args[1].Op == expr.Pow && n.Args[1].Args[0].IsInt(10) {
			return scaled(n)
		}
	}
	return nil, 0
}

// maxScale bounds the exponents of powers of ten in decimals.
const maxScale = 400

// scaled returns the value of a decimal times a power of ten.
func scaled(n *expr.Node) (*big.Rat, int) {
	value, digits := decimal(n.Args[0])
	exponent := n.Args[1].Args[1]
	sign := int64(1)
	if exponent.Op == expr.Neg {
		sign, exponent = -1, exponent.Args[0]
	}
	if value == nil || exponent.Op != expr.Number || !exponent.Value.IsInt() || exponent.Value.Cmp(big.NewRat(maxScale, 1)) > 0 {
		return nil, 0
	}
	power := expr.PowerOfTen(sign * exponent.Value.Num().Int64())
	return power.Mul(power, value), digits
}

// rounded reports whether one number is a decimal of at least seven significant digits to
// which the other rounds, for a reference three if the answer has no finite decimal; or both are
// neighbours in binary floating point.
func (c *comparison) rounded(g, a *expr.Node) bool {
	gv, gd := decimal(g)
	av, ad := decimal(a)
	switch {
	case gv != nil && av != nil:
		return neighbours(gv, gd, av, ad)
	case gv != nil && closed(a) && (gd >= minDigits || gd >= minRounded && lastPlace(gv, gd).Cmp(big.NewRat(1, 100)) <= 0 && endless(c, a)):
		return c.isRounded(a, gv, gd) || gd == minCut && c.isRounded(a, cut(gv, gd), gd)
	case av != nil && ad >= minDigits && closed(g):
		return c.isRounded(g, av, ad)
	}
	return false
}

// endless reports whether a number is written exactly and is no finite decimal.
func endless(c *comparison, n *expr.Node) bool {
	if !n.Walk(func(m *expr.Node) bool { return m.Digits == 0 }) {
		return false
	}
	f, err := c.space.Read(n)
	if err != nil {
		return true
	}
	value, ok := f.Number()
	if !ok {
		return true
	}
	_, finite := value.FloatPrec()
	return !finite
}

// cut returns the middle of the numbers whose digits begin with those of a value.
func cut(value *big.Rat, digits int) *big.Rat {
	half := lastPlace(value, digits)
	half.Quo(half, big.NewRat(int64(2*value.Sign()), 1))
	return half.Add(half, value)
}

// isRounded reports whether value is n rounded to digits.
func (c *comparison) isRounded(n *expr.Node, value *big.Rat, digits int) bool {
	half := lastPlace(value, digits)
	half.Quo(half, big.NewRat(2, 1))
	if digits == floatDigits || digits == floatDigits-1 {
		half = new(big.Rat).Mul(new(big.Rat).Abs(value), big.NewRat(1, 1<<52))
	}
	near, err := nearValue(n, value, half, c.budget)
	if err != nil || !near {
		return false
	}
	c.note("decimal", "the decimal is the rounded value", true)
	c.reason = SameNumeric
	return true
}

// lastPlace is the unit of the last of the significant digits of a value.
func lastPlace(value *big.Rat, digits int) *big.Rat {
	abs := new(big.Rat).Abs(value)
	power := len(abs.Num().String()) - len(abs.Denom().String())
	if abs.Cmp(expr.PowerOfTen(int64(power))) < 0 {
		power--
	}
	return expr.PowerOfTen(int64(power + 1 - digits))
}

// floatDigits is the most digits that a binary floating-point number needs.
const floatDigits = 17

// neighbours reports whether two decimals, neither a whole number, are equal or adjacent
// in binary floating point, and at least one has all its digits.
func neighbours(g *big.Rat, gd int, a *big.Rat, ad int) bool {
	if max(gd, ad) < floatDigits-1 || max(gd, ad) > floatDigits || g.IsInt() || a.IsInt() {
		return false
	}
	d := new(big.Rat).Sub(g, a)
	d.Quo(d.Abs(d), new(big.Rat).Abs(g))
	return d.Cmp(big.NewRat(1, 1<<52)) <= 0
}
