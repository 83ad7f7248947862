package guard

import (
	"slices"

	"go.starlark.net/syntax"
)

// integers are the variables that can only be integers, as every value assigned to them
// anywhere in the program is one. They need no check of sizes.
type integers map[string]bool

// findIntegers begins with all variables and removes those with another value.
func findIntegers(f *syntax.File) integers {
	values := map[string][]syntax.Expr{} // nil is unknown
	syntax.Walk(f, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.AssignStmt:
			assigned(values, n)
		case *syntax.DefStmt:
			unknown(values, n.Name)
			unknown(values, n.Params...)
		case *syntax.LambdaExpr:
			unknown(values, n.Params...)
		case *syntax.ForStmt:
			looped(values, n.Vars, n.X)
		case *syntax.ForClause:
			looped(values, n.Vars, n.X)
		}
		return true
	})
	found := integers{}
	for name := range values {
		found[name] = true
	}
	for found.reduce(values) {
	}
	return found
}

// reduce removes the variables with a value that may not be an integer, and reports whether there were any.
func (v integers) reduce(values map[string][]syntax.Expr) (removed bool) {
	for name, list := range values {
		if v[name] && !slices.ContainsFunc(list, func(e syntax.Expr) bool { return !v.has(e) }) {
			continue
		}
		removed = removed || v[name]
		delete(v, name)
	}
	return removed
}

// has reports whether e is an integer or fails.
func (v integers) has(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.Literal:
		return e.Token == syntax.INT
	case *syntax.Ident:
		return v[e.Name]
	case *syntax.ParenExpr:
		return v.has(e.X)
	case *syntax.UnaryExpr:
		return e.Op == syntax.MINUS && v.has(e.X)
	case *syntax.BinaryExpr:
		switch e.Op {
		case syntax.MINUS, syntax.SLASHSLASH: // there are no floats
			return true
		case syntax.PLUS:
			return v.has(e.X) || v.has(e.Y)
		case syntax.PERCENT:
			return v.has(e.X)
		case syntax.STAR:
			return v.has(e.X) && v.has(e.Y)
		}
	}
	return false
}

// assigned records what an assignment gives to its variables.
func assigned(values map[string][]syntax.Expr, s *syntax.AssignStmt) {
	to, is := s.LHS.(*syntax.Ident)
	switch {
	case is && s.Op == syntax.EQ:
		values[to.Name] = append(values[to.Name], s.RHS)
	case is:
		values[to.Name] = append(values[to.Name], &syntax.BinaryExpr{X: to, Op: updates[s.Op], Y: s.RHS})
	default:
		unknown(values, s.LHS)
	}
}

// looped records the variables of a loop.
func looped(values map[string][]syntax.Expr, vars, over syntax.Expr) {
	one, is := vars.(*syntax.Ident)
	call, calls := over.(*syntax.CallExpr)
	if !is || !calls {
		unknown(values, vars)
		return
	}
	if f, is := call.Fn.(*syntax.Ident); !is || f.Name != "range" {
		unknown(values, vars)
	}
	values[one.Name] = append(values[one.Name], &syntax.Literal{Token: syntax.INT})
}

// unknown records all variables in list.
func unknown(values map[string][]syntax.Expr, list ...syntax.Expr) {
	for _, e := range list {
		syntax.Walk(e, func(n syntax.Node) bool {
			if name, is := n.(*syntax.Ident); is {
				values[name.Name] = append(values[name.Name], nil)
			}
			return true
		})
	}
}
