package mathverify

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// same compares two trees.
func (c *comparison) same(g, a *expr.Node) bool {
	g, a = c.settle(g), c.settle(a)
	gn, gv := named(g)
	an, av := named(a)
	switch {
	case gn != nil && av == nil && closed(gv) && a.Op == expr.Relation && strings.Trim(a.Name, "=") == "":
		return false // the question, not its solution
	case gv == nil && a.Op == expr.Relation || av == nil && g.Op == expr.Relation:
		return c.sameRelation(g, a) || gv == nil && solved(c, g, a) || gn != nil && av == nil && solved(c, a, g)
	case gv == nil && a.Op == expr.List && a.Name == "" && len(g.Args) > 2 && (strings.Trim(g.Name, "<") == "" || strings.Trim(g.Name, ">") == ""):
		return len(g.Args) == len(a.Args) && c.eachSame(g.Args, a.Args) // a < b < c lists them in order
	case gv == nil:
		return c.sameRegions(g, a) || solved(c, g, a)
	case av == nil:
		if total := sumOfNames(a); total != nil && !gv.Has(expr.Relation) {
			return c.sameValue(gv, total)
		}
		if isScalar(gv) && !closed(gv) && isIdentity(c, a) {
			return c.sameValue(gv, a.Args[len(a.Args)-1])
		}
		return c.sameRegions(g, a)
	case gn != nil && an != nil && gn.String() != an.String() && (isSymbol(gn) && isSymbol(an) || isFunction(gn) || isFunction(an)):
		return c.sameRelation(g, a)
	case gn != nil && an == nil && isSymbol(av) && !isSymbol(gv):
		return false
	case gn == nil && an != nil && isSymbol(an) && gv.Op == expr.Set && len(gv.Args) == 1 && isScalar(av):
		return c.sameValue(gv.Args[0], av)
	}
	return c.sameValue(gv, av)
}

// solved reports whether an answer is what an equation of x and y says of y, in which it is linear: 6/x
// for xy = 6. If the answer names a variable, it is that one.
func solved(c *comparison, g, a *expr.Node) bool {
	names := []string{"y", "r", "rho"}
	if name, value := named(a); name != nil && isSymbol(name) {
		names, a = []string{name.Name}, value
	}
	if a == nil || g.Name != "=" || !isScalar(a) || closed(a) {
		return false
	}
	f := expr.New(expr.Add, g.Args[0], expr.New(expr.Neg, g.Args[1]))
	for _, y := range names {
		if x := subjectOf(a); x == y || x == "" || !f.Mentions(y) || subjectOf(f.Replace(y, expr.Int(1))) != x {
			continue
		}
		at := func(n int64) *expr.Node { return f.Replace(y, expr.Int(n)) }
		slope := expr.New(expr.Add, at(1), expr.New(expr.Neg, at(0)))
		bend := expr.New(expr.Add, at(2), expr.New(expr.Neg, at(1)), expr.New(expr.Neg, slope))
		return c.sameScalar(bend, expr.Int(0)) && !c.sameScalar(slope, expr.Int(0)) && c.sameScalar(f.Replace(y, a), expr.Int(0))
	}
	return false
}

// maxSides bounds the sides of an identity.
const maxSides = 5

// isIdentity reports whether all sides of an equation are the same expression, so that it is no
// equation but a calculation.
func isIdentity(c *comparison, n *expr.Node) bool {
	if n.Op != expr.Relation || strings.Trim(n.Name, "=") != "" || len(n.Args) > maxSides {
		return false
	}
	for _, side := range n.Args[1:] {
		if !isScalar(side) || !isScalar(n.Args[0]) || !c.sameScalar(n.Args[0], side) {
			return false
		}
	}
	return true
}

// isFunction reports whether n is a function that we can evaluate.
func isFunction(n *expr.Node) bool { return n.Op == expr.Apply && known(n.Name) }

func isSymbol(n *expr.Node) bool { return n.Op == expr.Symbol }

// settle normalizes lists of equations, alternatives with ± and operations on matrices.
func (c *comparison) settle(n *expr.Node) *expr.Node {
	if n.Op != expr.Matrix && hasMatrix(n) {
		if m := c.matrix(n, 0); m != nil {
			return m
		}
	}
	if n.Op == expr.Big && strings.HasPrefix(n.Name, "lim") {
		if sign := c.space.Infinite(n); sign != 0 {
			return signed(sign, &expr.Node{Op: expr.Constant, Name: "inf"})
		}
	}
	if v := scaledTuple(n); v != nil {
		return v
	}
	if n.Op == expr.Tuple && n.Has(expr.PlusMinus) {
		return expr.New(expr.List, alternatives(n)...)
	}
	if n.Op == expr.List || n.Op == expr.Tuple || n.Op == expr.Set {
		return records(spread(n))
	}
	if n.Op != expr.Relation && n.Has(expr.PlusMinus) {
		return spread(expr.New(expr.List, n))
	}
	if n.Op == expr.Relation && strings.Trim(n.Name, "=≈") == "" && n.Has(expr.PlusMinus) {
		if name, value := named(n); value != nil {
			list := spread(expr.New(expr.List, value))
			return &expr.Node{Op: expr.Relation, Name: "=", Args: []*expr.Node{orName(name), list}}
		}
	}
	return n
}

func signed(sign int, n *expr.Node) *expr.Node {
	if sign < 0 {
		return expr.New(expr.Neg, n)
	}
	return n
}

// orName returns a name, or a placeholder if there is none.
func orName(name *expr.Node) *expr.Node {
	if name == nil {
		return expr.Var("?")
	}
	return name
}

// maxSpread bounds the members into which ± splits one.
const maxSpread = 64

// spread replaces each member with ± by its two alternatives.
func spread(n *expr.Node) *expr.Node {
	if !n.Has(expr.PlusMinus) || len(n.Args) > maxSpread {
		return n
	}
	twin := *n
	twin.Args = nil
	for _, arg := range n.Args {
		if !arg.Has(expr.PlusMinus) {
			twin.Args = append(twin.Args, arg)
			continue
		}
		twin.Args = append(twin.Args, alternatives(arg)...)
	}
	return &twin
}

// alternatives returns n with each sign of ±. The members of a tuple have signs of their own, unless ∓
// binds them.
func alternatives(n *expr.Node) []*expr.Node {
	bound := !n.Walk(func(m *expr.Node) bool { return m.Op != expr.PlusMinus || m.Name == "pm" })
	if n.Op != expr.Tuple || bound || len(n.Args) > len("xyzw") {
		return []*expr.Node{signs(n, 1), signs(n, -1)}
	}
	all := []*expr.Node{n}
	for i, member := range n.Args {
		if !member.Has(expr.PlusMinus) {
			continue
		}
		var next []*expr.Node
		for _, tuple := range all {
			for _, sign := range []int{1, -1} {
				twin := *tuple
				twin.Args = slices.Clone(tuple.Args)
				twin.Args[i] = signs(member, sign)
				next = append(next, &twin)
			}
		}
		all = next
	}
	return all
}

// signs returns n with ± replaced by one sign, and ∓ by the opposite.
func signs(n *expr.Node, sign int) *expr.Node {
	return n.Map(func(m *expr.Node) *expr.Node {
		if m.Op != expr.PlusMinus {
			return m
		}
		plus := sign > 0 == (m.Name == "pm")
		second := m.Args[1]
		if !plus {
			second = expr.New(expr.Neg, second)
		}
		if m.Args[0].IsInt(0) {
			return second
		}
		return expr.New(expr.Add, m.Args[0], second)
	})
}

// named splits an equation "name = value": the value is the last exact member of a chain.
// An equation without a name, and any relation other than = and "x ∈ S", has a nil value.
// Anything but a relation is its own value.
func named(n *expr.Node) (name, value *expr.Node) {
	if n.Op != expr.Relation {
		return nil, n
	}
	ops := []rune(n.Name)
	if len(ops) == 1 && ops[0] == '∈' {
		return n.Args[0], n.Args[1]
	}
	if strings.Trim(n.Name, "=≈") != "" {
		return nil, nil
	}
	args := n.Args
	for i, op := range ops {
		if op == '≈' && (i > 0 || !nameLike(args[0])) {
			args = args[:i+1]
			break
		}
	}
	last := len(args) - 1
	switch {
	case last == 0:
		return nil, args[0]
	case nameLike(args[0]) && (!nameLike(args[last]) || last == 1 || !closed(args[last-1])):
		return args[0], args[last]
	case nameLike(args[0]):
		return args[0], args[last-1]
	case nameLike(args[last]):
		return args[last], args[last-1]
	case allClosed(args):
		return nil, args[last]
	}
	return nil, nil
}

// closed reports whether there is no variable in n.
func closed(n *expr.Node) bool { return !n.Has(expr.Symbol) }

func allClosed(args []*expr.Node) bool {
	for _, arg := range args[1:] {
		if !closed(arg) {
			return false
		}
	}
	return closed(args[0]) || args[0].Op == expr.Big
}

// nameLike reports whether an expression only names a quantity: x, f(x), AB, |AB|, ∠ABC,
// AB/CD, A:B, (x, y).
func nameLike(n *expr.Node) bool {
	switch n.Op {
	case expr.Symbol:
		return true
	case expr.Constant:
		return false
	case expr.Mul:
		if (n.Args[0].Op == expr.Symbol || n.Args[0].Op == expr.Named || nameLike(n.Args[0]) && n.Args[0].Op == expr.Pow) && len(n.Args) == 2 && (n.Args[1].Paren && argumentLike(n.Args[1]) || n.Args[0].Name == "Delta" && n.Args[1].Op == expr.Symbol) {
			return true
		}
		return capitals(n)
	case expr.Div:
		return capitals(n.Args[0]) && capitals(n.Args[1]) || isSymbol(n.Args[0]) && isSymbol(n.Args[1]) || isDerivative(n)
	case expr.Ratio:
		return !slices.ContainsFunc(n.Args, func(arg *expr.Node) bool { return !capitals(arg) && !isSymbol(arg) })
	case expr.Pow:
		return (capitals(n.Args[0]) || isSymbol(n.Args[0]) && listed(" f g h ", n.Args[0].Name)) && n.Args[1].Op == expr.Neg && n.Args[1].Args[0].IsInt(1)
	case expr.Apply:
		return !known(n.Name) || ofName(n.Name, n.Args[0])
	case expr.Big:
		return !closed(n)
	case expr.Tuple:
		return !slices.ContainsFunc(n.Args, func(arg *expr.Node) bool { return arg.Op == expr.Tuple || !nameLike(arg) })
	}
	return false
}

// ofName reports whether a function of an argument names a quantity, as sin A, |AB|, det A or
// min f. An absolute value of x is no such name, since x = ±3 solves |x| = 3.
func ofName(function string, argument *expr.Node) bool {
	switch {
	case function == "abs":
		return capitals(argument) || argument.Op == expr.Apply || argument.Op == expr.Symbol && listed(" z w v u a b c ", argument.Name)
	case listed(" det max min ", function):
		return argument.Op == expr.Symbol
	case listed(" sin cos tan cot sec csc ", function):
		return isAngle(argument)
	}
	return false
}

// isAngle reports whether an expression is a variable, a sum of variables, or a fraction or a
// multiple of one by a number.
func isAngle(n *expr.Node) bool {
	switch n.Op {
	case expr.Symbol:
		return true
	case expr.Add:
		return !slices.ContainsFunc(n.Args, func(arg *expr.Node) bool { return !isSymbol(arg) && (arg.Op != expr.Neg || !isSymbol(arg.Args[0])) })
	case expr.Mul:
		return len(n.Args) == 2 && n.Args[0].Op == expr.Number && isSymbol(n.Args[1])
	case expr.Div:
		return isSymbol(n.Args[0]) && n.Args[1].Op == expr.Number
	}
	return false
}

// isDerivative reports whether n is dy/dx.
func isDerivative(n *expr.Node) bool {
	return !slices.ContainsFunc(n.Args, func(arg *expr.Node) bool {
		return arg.Op != expr.Mul || len(arg.Args) != 2 || arg.Args[0].Op != expr.Symbol || arg.Args[0].Name != "d" || arg.Args[1].Op != expr.Symbol
	})
}

// argumentLike reports whether an expression in brackets may be the argument in the
// definition of a function: a variable or a number.
func argumentLike(n *expr.Node) bool { return n.Op == expr.Symbol || n.Op == expr.Number }

// capitals reports whether an expression is a product of capital letters, as in names of
// points.
func capitals(n *expr.Node) bool {
	if n.Op == expr.Mul {
		for _, arg := range n.Args {
			if !capitals(arg) {
				return false
			}
		}
		return true
	}
	return n.Op == expr.Symbol && n.Name[0] >= 'A' && n.Name[0] <= 'Z'
}

// known reports whether we can evaluate a function.
func known(name string) bool {
	return listed(" sin cos tan cot sec csc arcsin arccos arctan arccot arcsec arccsc sinh cosh tanh coth sech csch arsinh arcosh artanh"+
		" ln log abs sign floor ceil gcd lcm max min binom factorial factorial2 mod det re im arg ", name)
}

// sumOfNames returns the value of an equation such as m + n = 204, with only variables,
// functions and signs on its left-hand side.
func sumOfNames(n *expr.Node) *expr.Node {
	if n.Op != expr.Relation || strings.Trim(n.Name, "=") != "" || !closed(n.Args[len(n.Args)-1]) {
		return nil
	}
	if !namesOnly(n.Args[0]) {
		return nil
	}
	return n.Args[len(n.Args)-1]
}

func namesOnly(n *expr.Node) bool {
	switch n.Op {
	case expr.Symbol:
		return true
	case expr.Apply:
		return !known(n.Name)
	case expr.Add, expr.Neg, expr.Mul:
		for _, arg := range n.Args {
			if !namesOnly(arg) && !(n.Op == expr.Mul && arg.Paren && arg.Op != expr.Add) {
				return false
			}
		}
		return true
	}
	return false
}

// records turns lists of equations into lists of values if all are for one variable, else
// into tuples with the names of their members.
func records(n *expr.Node) *expr.Node {
	if n.Op == expr.Tuple || n.Op == expr.List && n.Name == "" {
		n = tuples(n)
	}
	if n.Op == expr.Set || len(n.Args) == 0 {
		return n
	}
	names := make([]string, len(n.Args))
	values := make([]*expr.Node, len(n.Args))
	for i, arg := range n.Args {
		name, value := named(arg)
		switch {
		case value == nil:
			return n
		case name != nil:
			names[i] = name.String()
		}
		values[i] = value
	}
	if names[0] == "" {
		return n
	}
	if one := names[0]; allOr(names, one) {
		return flat(&expr.Node{Op: expr.List, Args: values})
	}
	if base, _, ok := strings.Cut(names[0], "_"); ok && !slices.ContainsFunc(names, func(name string) bool { return !strings.HasPrefix(name, base+"_") }) {
		return &expr.Node{Op: expr.List, Name: "{}", Args: values}
	}
	return grouped(names, values)
}

// tuples turns members that are lists of equations into tuples.
func tuples(n *expr.Node) *expr.Node {
	twin := *n
	twin.Args = make([]*expr.Node, len(n.Args))
	for i, arg := range n.Args {
		if arg.Op == expr.Tuple && arg.Has(expr.Relation) {
			arg = records(arg)
			if arg.Op == expr.List {
				arg = &expr.Node{Op: expr.Tuple, Name: "()", Args: arg.Args}
			}
		}
		twin.Args[i] = arg
	}
	return &twin
}

// allOr reports whether every name is either one or missing.
func allOr(names []string, one string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return name != "" && name != one })
}

// flat splices nested lists into n.
func flat(n *expr.Node) *expr.Node {
	twin := *n
	twin.Args = nil
	for _, arg := range n.Args {
		if arg.Op == expr.List {
			twin.Args = append(twin.Args, arg.Args...)
		} else {
			twin.Args = append(twin.Args, arg)
		}
	}
	return &twin
}

// grouped makes a tuple of each run of equations without a repeated name. It sorts the
// members by name and marks the tuple as named.
func grouped(names []string, values []*expr.Node) *expr.Node {
	var groups []*expr.Node
	for start := 0; start < len(names); {
		end := start + 1
		for end < len(names) && names[end] != names[start] {
			end++
		}
		groups = append(groups, record(names[start:end], values[start:end]))
		start = end
	}
	if len(groups) == 1 {
		return groups[0]
	}
	return expr.New(expr.List, groups...)
}

// record returns a tuple with its members sorted by name.
func record(names []string, values []*expr.Node) *expr.Node {
	order := make([]int, len(names))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return strings.Compare(names[i], names[j]) })
	r := &expr.Node{Op: expr.Tuple, Name: "()", Paren: true}
	for _, i := range order {
		r.Args = append(r.Args, values[i])
	}
	return r
}
