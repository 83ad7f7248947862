package mathverify

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// sameVector compares two vectors of which at least one is a matrix, a tuple in angle brackets
// or a sum of unit vectors. A column is also a point, in round or angle brackets; a row is none.
func (c *comparison) sameVector(g, a *expr.Node) bool {
	if g.Op == expr.Matrix && a.Op == expr.Matrix {
		return c.sameRows(g, a)
	}
	if m, other, ok := matrixAnd(g, a); ok {
		if coefficient, size := identity(other); coefficient != nil {
			return len(m.Args) == len(m.Args[0].Args) && (size == 0 || size == len(m.Args)) && c.sameRows(m, diagonal(coefficient, len(m.Args)))
		}
		if other.Op == expr.Tuple && other.Name != "<>" && (other.Name != "()" || len(m.Args) == 1) {
			return false
		}
		if a == other && other.Op == expr.Apply && other.Name == "binom" && len(m.Args) == 2 && len(m.Args[0].Args) == 1 {
			return c.eachSame(cellsOf(m), other.Args)
		}
	}
	size := max(len(cellsOf(g)), len(cellsOf(a)))
	if size == 0 {
		size = 3
	}
	x, y := components(g, size), components(a, size)
	return x != nil && y != nil && len(x) == len(y) && c.eachSame(x, y)
}

// matrixAnd returns the matrix of two nodes, and the other if it is none.
func matrixAnd(g, a *expr.Node) (m, other *expr.Node, ok bool) {
	switch {
	case g.Op == expr.Matrix && a.Op != expr.Matrix:
		return g, a, true
	case a.Op == expr.Matrix && g.Op != expr.Matrix:
		return a, g, true
	}
	return nil, nil, false
}

// areVectors reports whether a comparison is one of vectors: one side is a matrix or in angle
// brackets, or a sum of unit vectors beside a tuple or beside unit vectors in another form.
func areVectors(g, a *expr.Node) bool {
	for _, n := range []*expr.Node{g, a} {
		if n.Op == expr.Matrix || n.Op == expr.Tuple && n.Name == "<>" {
			return true
		}
	}
	switch {
	case g.Op == expr.Tuple || a.Op == expr.Tuple:
		return g.Op != a.Op && (hasUnitVectors(g) || hasUnitVectors(a))
	case (g.Op == expr.Add || g.Op == expr.Mul) && (g.Has(expr.Apply) || a.Has(expr.Apply)):
		return hasUnitVectors(g) && hasUnitVectors(a)
	}
	return false
}

// cellsOf returns the components of a point, or of a matrix of one column.
func cellsOf(n *expr.Node) []*expr.Node {
	switch {
	case n.Op == expr.Tuple && (n.Name == "()" || n.Name == "<>"):
		return n.Args
	case n.Op == expr.Matrix && len(n.Args[0].Args) == 1:
		var cells []*expr.Node
		for _, row := range n.Args {
			cells = append(cells, row.Args[0])
		}
		return cells
	}
	return nil
}

// components returns the components of a vector; nil if n is none. Of a sum of unit vectors
// it returns as many as wanted.
func components(n *expr.Node, wanted int) []*expr.Node {
	if cells := cellsOf(n); cells != nil {
		return cells
	}
	v := unitVectors(n)
	if v == nil || wanted < 2 || wanted > 3 || wanted == 2 && v[2] != nil {
		return nil
	}
	for i, component := range v {
		if component == nil {
			v[i] = expr.Int(0)
		}
	}
	return v[:wanted]
}

// hasUnitVectors reports whether n is a sum of unit vectors, at least one of them marked as such
// or other than i, which is also the imaginary unit.
func hasUnitVectors(n *expr.Node) bool {
	marked := !n.Walk(func(m *expr.Node) bool {
		return !(m.Op == expr.Symbol && (m.Name == "j" || m.Name == "k") || m.Op == expr.Constant && m.Name == "bold i" || m.Op == expr.Apply && direction(m) >= 0)
	})
	return marked && unitVectors(n) != nil
}

// direction returns 0, 1 or 2 for the unit vectors i, j and k, or -1.
func direction(n *expr.Node) int {
	switch {
	case n.Op == expr.Constant && (n.Name == "i" || n.Name == "bold i"):
		return 0
	case n.Op == expr.Symbol && n.Name == "j":
		return 1
	case n.Op == expr.Symbol && n.Name == "k":
		return 2
	case n.Op == expr.Apply && listed(" hat vec bar overrightarrow widehat ", n.Name) && len(n.Args) == 1:
		return direction(n.Args[0])
	}
	return -1
}

// unitVectors returns the coefficients of i, j and k in a sum of their multiples, each nil if
// it is zero; nil if n is no such sum.
func unitVectors(n *expr.Node) []*expr.Node {
	if d := direction(n); d >= 0 {
		v := make([]*expr.Node, 3)
		v[d] = expr.Int(1)
		return v
	}
	switch n.Op {
	case expr.Add:
		return sumOfVectors(n.Args)
	case expr.Neg:
		return multiplied(unitVectors(n.Args[0]), func(x *expr.Node) *expr.Node { return expr.New(expr.Neg, x) })
	case expr.Div:
		return multiplied(unitVectors(n.Args[0]), func(x *expr.Node) *expr.Node { return expr.New(expr.Div, x, n.Args[1]) })
	case expr.Mul:
		return multipleOf(n)
	}
	return nil
}

// sumOfVectors adds multiples of different unit vectors; nil if one is none, or two are of the
// same.
func sumOfVectors(args []*expr.Node) []*expr.Node {
	sum := make([]*expr.Node, 3)
	for _, arg := range args {
		v := unitVectors(arg)
		if v == nil {
			return nil
		}
		for i, x := range v {
			switch {
			case x != nil && sum[i] != nil:
				return nil
			case x != nil:
				sum[i] = x
			}
		}
	}
	return sum
}

// multipleOf returns the coefficients of a product with a unit vector, or a sum of them, as
// its last factor.
func multipleOf(n *expr.Node) []*expr.Node {
	last := len(n.Args) - 1
	factor := n.Args[0]
	if last > 1 {
		factor = expr.New(expr.Mul, n.Args[:last]...)
	}
	return multiplied(unitVectors(n.Args[last]), func(x *expr.Node) *expr.Node { return expr.New(expr.Mul, factor, x) })
}

// multiplied changes the coefficients that are not zero.
func multiplied(v []*expr.Node, change func(*expr.Node) *expr.Node) []*expr.Node {
	for i, x := range v {
		if x != nil {
			v[i] = change(x)
		}
	}
	return v
}

// scaledTuple returns the multiple of a tuple by a number, member by member; nil if n is none.
func scaledTuple(n *expr.Node) *expr.Node {
	last := len(n.Args) - 1
	switch {
	case n.Op == expr.Mul && n.Args[last].Op == expr.Tuple && !slices.ContainsFunc(n.Args[:last], func(arg *expr.Node) bool { return !isScalar(arg) || !closed(arg) }):
	case n.Op == expr.Neg && n.Args[0].Op == expr.Tuple:
		return scaledTuple(expr.New(expr.Mul, expr.Int(-1), n.Args[0]))
	default:
		return nil
	}
	v := n.Args[last]
	if v.Name != "()" && v.Name != "<>" {
		return nil
	}
	twin := *v
	twin.Args = make([]*expr.Node, len(v.Args))
	for i, member := range v.Args {
		twin.Args[i] = expr.New(expr.Mul, append(slices.Clone(n.Args[:last]), member)...)
	}
	return &twin
}

// identity returns the coefficient of a multiple of the unit matrix, and its size or 0; nil if n
// is none.
func identity(n *expr.Node) (coefficient *expr.Node, size int) {
	switch n.Op {
	case expr.Constant:
		if n.Name == "I" {
			return expr.Int(1), 0
		}
	case expr.Symbol:
		if digits, ok := strings.CutPrefix(n.Name, "I_"); ok && len(digits) > 0 && strings.Trim(digits, "23456") == strings.Repeat("*", len(digits)/3) && digits[0] == digits[len(digits)-1] {
			return expr.Int(1), int(digits[0] - '0')
		}
	case expr.Neg:
		if x, size := identity(n.Args[0]); x != nil {
			return expr.New(expr.Neg, x), size
		}
	case expr.Div:
		if x, size := identity(n.Args[0]); x != nil {
			return expr.New(expr.Div, x, n.Args[1]), size
		}
	case expr.Mul:
		last := len(n.Args) - 1
		if x, size := identity(n.Args[last]); x != nil {
			return expr.New(expr.Mul, append(n.Args[:last:last], x)...), size
		}
	}
	return nil, 0
}

// diagonal returns a multiple of the unit matrix.
func diagonal(coefficient *expr.Node, size int) *expr.Node {
	return cells(size, size, func(i, j int) *expr.Node {
		if i == j {
			return coefficient
		}
		return expr.Int(0)
	})
}
