package expr

import (
	"errors"
	"slices"
)

// ErrDiff says that [Diff] cannot differentiate an expression.
var ErrDiff = errors.New("its derivative is not known")

// MaxDiff bounds the nodes of a derivative.
const MaxDiff = 20_000

// Diff returns the derivative of n by a variable, unsimplified. The errors are ErrDiff,
// and ErrLarge if it would have more than about [MaxDiff] nodes, which also bounds the
// cost.
func Diff(n *Node, variable string) (*Node, error) {
	d := differ{variable: variable, left: MaxDiff}
	derivative, _, err := d.diff(n)
	if err != nil || derivative != nil {
		return derivative, err
	}
	return Int(0), nil
}

// ErrLarge says that a derivative is too large.
var ErrLarge = errors.New("its derivative is too large")

// A differ differentiates by a variable. The derivative of an expression without it is
// nil.
type differ struct {
	variable string
	left     int // nodes
}

// diff also returns how many nodes n has.
func (d *differ) diff(n *Node) (derivative *Node, size int, err error) {
	if d.left -= 1 + len(n.Args); d.left < 0 {
		return nil, 0, ErrLarge
	}
	if n.Op == Symbol && n.Name == d.variable {
		return Int(1), 1, nil
	}
	args := make([]*Node, len(n.Args)) // the derivatives of the arguments
	size, changing := 1, 0
	for i, arg := range n.Args {
		var part int
		if args[i], part, err = d.diff(arg); err != nil {
			return nil, 0, err
		}
		size += part
		if args[i] != nil {
			changing++
		}
	}
	if changing == 0 {
		return nil, size, nil
	}
	derivative, copies := d.join(n, args, changing)
	if derivative == nil {
		return nil, 0, ErrDiff
	}
	if d.left -= copies * size; d.left < 0 {
		return nil, 0, ErrLarge
	}
	return derivative, size, nil
}

// join builds the derivative of n from those of its arguments, some of which change.
// Copies is how often it contains about all of n.
func (d *differ) join(n *Node, args []*Node, changing int) (derivative *Node, copies int) {
	switch n.Op {
	case Add, Neg:
		return New(n.Op, slices.DeleteFunc(args, func(arg *Node) bool { return arg == nil })...), 0
	case Mul:
		if changing*len(args) > d.left {
			return New(Mul), d.left + 1
		}
		return product(n.Args, args), changing
	case Div:
		return quotient(n.Args[0], n.Args[1], args[0], args[1]), 2
	case Pow:
		return power(n, args[0], args[1]), 3
	case Apply:
		if outer, ok := derivatives[n.Name]; ok && len(args) == 1 {
			return New(Mul, outer(n.Args[0]), args[0]), 2
		}
	}
	return nil, 0
}

// product returns the derivative of a product, factor by factor.
func product(factors, derivatives []*Node) *Node {
	sum := New(Add)
	for i, derivative := range derivatives {
		if derivative == nil {
			continue
		}
		one := append([]*Node{derivative}, factors[:i]...)
		sum.Args = append(sum.Args, New(Mul, append(one, factors[i+1:]...)...))
	}
	return sum
}

// quotient returns the derivative of u/v: u'/v - u·v'/v².
func quotient(u, v, du, dv *Node) *Node {
	var first, second *Node
	if du != nil {
		first = New(Div, du, v)
	}
	if dv == nil {
		return first
	}
	second = New(Neg, New(Div, New(Mul, u, dv), square(v)))
	if first == nil {
		return second
	}
	return New(Add, first, second)
}

// power returns the derivative of n = u^v.
func power(n, du, dv *Node) *Node {
	u, v := n.Args[0], n.Args[1]
	if dv == nil { // v·u^(v-1)·u'
		return New(Mul, v, New(Pow, u, New(Add, v, Int(-1))), du)
	}
	if u.Op == Constant && u.Name == "e" {
		return New(Mul, n, dv)
	}
	// u^v·(v'·ln u + v·u'/u)
	growth := New(Mul, dv, Call("ln", u))
	if du != nil {
		growth = New(Add, growth, New(Mul, v, New(Div, du, u)))
	}
	return New(Mul, n, growth)
}

func square(x *Node) *Node { return New(Pow, x, Int(2)) }

func inverse(x *Node) *Node { return New(Div, Int(1), x) }

func rootOf(x *Node) *Node { return New(Pow, x, New(Div, Int(1), Int(2))) }

func less(a, b *Node) *Node { return New(Add, a, New(Neg, b)) }

// derivatives holds those of functions of one argument.
var derivatives = map[string]func(x *Node) *Node{
	"sin":    func(x *Node) *Node { return Call("cos", x) },
	"cos":    func(x *Node) *Node { return New(Neg, Call("sin", x)) },
	"tan":    func(x *Node) *Node { return inverse(square(Call("cos", x))) },
	"cot":    func(x *Node) *Node { return New(Neg, inverse(square(Call("sin", x)))) },
	"sec":    func(x *Node) *Node { return New(Mul, Call("sec", x), Call("tan", x)) },
	"csc":    func(x *Node) *Node { return New(Neg, New(Mul, Call("csc", x), Call("cot", x))) },
	"arcsin": func(x *Node) *Node { return inverse(rootOf(less(Int(1), square(x)))) },
	"arccos": func(x *Node) *Node { return New(Neg, inverse(rootOf(less(Int(1), square(x))))) },
	"arctan": func(x *Node) *Node { return inverse(New(Add, Int(1), square(x))) },
	"sinh":   func(x *Node) *Node { return Call("cosh", x) },
	"cosh":   func(x *Node) *Node { return Call("sinh", x) },
	"tanh":   func(x *Node) *Node { return inverse(square(Call("cosh", x))) },
	"arsinh": func(x *Node) *Node { return inverse(rootOf(New(Add, square(x), Int(1)))) },
	"arcosh": func(x *Node) *Node { return inverse(rootOf(less(square(x), Int(1)))) },
	"artanh": func(x *Node) *Node { return inverse(less(Int(1), square(x))) },
	"ln":     inverse,
	"abs":    func(x *Node) *Node { return New(Div, x, Call("abs", x)) },
}
