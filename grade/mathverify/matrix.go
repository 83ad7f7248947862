package mathverify

import "github.com/quintain-rl/quintain/grade/mathverify/expr"

// maxCells bounds the size of the matrices we multiply.
const maxCells = 400

// matrix evaluates operations on matrices; nil if n does not evaluate to a matrix.
func (c *comparison) matrix(n *expr.Node, depth int) *expr.Node {
	if depth > 20 || c.budget.Spend(1) != nil {
		return nil
	}
	switch n.Op {
	case expr.Matrix:
		return n
	case expr.Neg:
		return c.scaledMatrix(expr.Int(-1), c.matrix(n.Args[0], depth+1))
	case expr.Div:
		return c.scaledMatrix(expr.New(expr.Div, expr.Int(1), n.Args[1]), c.matrix(n.Args[0], depth+1))
	case expr.Pow:
		return c.transposed(n, depth)
	case expr.Add:
		return c.foldMatrix(n.Args, depth, sumOfMatrices)
	case expr.Mul:
		return c.foldMatrix(n.Args, depth, productOfMatrices)
	}
	return nil
}

// hasMatrix reports whether there is a matrix in n, or a row that is transposed.
func hasMatrix(n *expr.Node) bool {
	return !n.Walk(func(m *expr.Node) bool {
		return m.Op != expr.Matrix && !(isTransposed(m) && m.Args[0].Op == expr.Tuple)
	})
}

// isTransposed reports whether n has the exponent T.
func isTransposed(n *expr.Node) bool {
	return n.Op == expr.Pow && n.Args[1].Op == expr.Symbol && n.Args[1].Name == "T"
}

// transposed returns the transpose of a matrix, or of a row in brackets.
func (c *comparison) transposed(n *expr.Node, depth int) *expr.Node {
	if !isTransposed(n) {
		return nil
	}
	m := n.Args[0]
	if m.Op == expr.Tuple {
		m = expr.New(expr.Matrix, expr.New(expr.List, m.Args...))
	} else if m = c.matrix(m, depth+1); m == nil {
		return nil
	}
	return cells(len(m.Args[0].Args), len(m.Args), func(i, j int) *expr.Node { return m.Args[j].Args[i] })
}

// foldMatrix joins the arguments from left to right.
func (c *comparison) foldMatrix(args []*expr.Node, depth int, join func(a, b *expr.Node) *expr.Node) *expr.Node {
	var result *expr.Node
	for _, arg := range args {
		m := c.matrix(arg, depth+1)
		if m == nil {
			if arg.Has(expr.Matrix) && arg.Op != expr.Apply {
				return nil
			}
			m = arg
		}
		if result == nil {
			result = m
			continue
		}
		if result = join(result, m); result == nil {
			return nil
		}
	}
	if result == nil || result.Op != expr.Matrix {
		return nil
	}
	return result
}

func (c *comparison) scaledMatrix(factor, m *expr.Node) *expr.Node {
	if m == nil {
		return nil
	}
	return productOfMatrices(factor, m)
}

// sumOfMatrices adds two matrices of one shape, or a matrix and a multiple of the unit matrix.
func sumOfMatrices(a, b *expr.Node) *expr.Node {
	if m, other, ok := matrixAnd(a, b); ok {
		coefficient, size := identity(other)
		if coefficient == nil || len(m.Args) != len(m.Args[0].Args) || size != 0 && size != len(m.Args) {
			return nil
		}
		a, b = m, diagonal(coefficient, len(m.Args))
	}
	if a.Op != expr.Matrix || b.Op != expr.Matrix || len(a.Args) != len(b.Args) || len(a.Args[0].Args) != len(b.Args[0].Args) {
		return nil
	}
	return cells(len(a.Args), len(a.Args[0].Args), func(i, j int) *expr.Node {
		return expr.New(expr.Add, a.Args[i].Args[j], b.Args[i].Args[j])
	})
}

// productOfMatrices multiplies two matrices, a number and a matrix, or two numbers.
func productOfMatrices(a, b *expr.Node) *expr.Node {
	switch {
	case a.Op != expr.Matrix && b.Op != expr.Matrix:
		return expr.New(expr.Mul, a, b)
	case a.Op != expr.Matrix:
		return cells(len(b.Args), len(b.Args[0].Args), func(i, j int) *expr.Node { return expr.New(expr.Mul, a, b.Args[i].Args[j]) })
	case b.Op != expr.Matrix:
		return productOfMatrices(b, a)
	}
	inner := len(b.Args)
	if len(a.Args[0].Args) != inner || len(a.Args)*len(b.Args[0].Args)*inner > maxCells {
		return nil
	}
	return cells(len(a.Args), len(b.Args[0].Args), func(i, j int) *expr.Node {
		sum := expr.New(expr.Add)
		for k := range inner {
			sum.Args = append(sum.Args, expr.New(expr.Mul, a.Args[i].Args[k], b.Args[k].Args[j]))
		}
		return sum
	})
}

// cells makes a matrix cell by cell.
func cells(rows, columns int, cell func(i, j int) *expr.Node) *expr.Node {
	m := expr.New(expr.Matrix)
	for i := range rows {
		row := expr.New(expr.List)
		for j := range columns {
			row.Args = append(row.Args, cell(i, j))
		}
		m.Args = append(m.Args, row)
	}
	return m
}
