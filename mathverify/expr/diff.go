package expr

import "errors"

// ErrDiff is the error for an expression that [Diff] cannot differentiate.
var ErrDiff = errors.New("its derivative is not known")

// MaxDiff bounds the nodes of a derivative.
const MaxDiff = 20_000

// Diff returns the derivative of n by a variable. It is not simplified. The errors are
// ErrDiff, and ErrLarge if it would have more than [MaxDiff] nodes.
func Diff(n *Node, variable string) (*Node, error) {
	d := differ{variable: variable, left: MaxDiff}
	return d.diff(n)
}

// ErrLarge is the error for a derivative that is too large.
var ErrLarge = errors.New("its derivative is too large")

// A differ differentiates by a variable.
type differ struct {
	variable string
	left     int
}

func (d *differ) diff(n *Node) (*Node, error) {
	if d.left--; d.left < 0 {
		return nil, ErrLarge
	}
	if !n.Mentions(d.variable) {
		return Int(0), nil
	}
	switch n.Op {
	case Symbol:
		return Int(1), nil
	case Add, Neg:
		args, err := d.each(n.Args)
		return New(n.Op, args...), err
	case Mul:
		return d.product(n.Args)
	case Div:
		// (u/v)' = u'/v - u·v'/v²
		args, err := d.each(n.Args)
		if err != nil {
			return nil, err
		}
		u, v := n.Args[0], n.Args[1]
		return New(Add, New(Div, args[0], v), New(Neg, New(Div, New(Mul, u, args[1]), New(Pow, v, Int(2))))), nil
	case Pow:
		return d.power(n)
	case Apply:
		return d.apply(n)
	}
	return nil, ErrDiff
}

func (d *differ) each(args []*Node) ([]*Node, error) {
	out := make([]*Node, len(args))
	for i, arg := range args {
		var err error
		if out[i], err = d.diff(arg); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// product differentiates a product factor by factor.
func (d *differ) product(args []*Node) (*Node, error) {
	sum := New(Add)
	for i, arg := range args {
		if !arg.Mentions(d.variable) {
			continue
		}
		da, err := d.diff(arg)
		if err != nil {
			return nil, err
		}
		if d.left -= len(args); d.left < 0 {
			return nil, ErrLarge
		}
		factors := append([]*Node{da}, args[:i]...)
		sum.Args = append(sum.Args, New(Mul, append(factors, args[i+1:]...)...))
	}
	return sum, nil
}

// power differentiates u^v.
func (d *differ) power(n *Node) (*Node, error) {
	u, v := n.Args[0], n.Args[1]
	du, err := d.diff(u)
	if err != nil {
		return nil, err
	}
	if !v.Mentions(d.variable) { // v·u^(v-1)·u'
		return New(Mul, v, New(Pow, u, New(Add, v, Int(-1))), du), nil
	}
	dv, err := d.diff(v)
	if err != nil {
		return nil, err
	}
	if u.Op == Constant && u.Name == "e" {
		return New(Mul, n, dv), nil
	}
	// u^v·(v'·ln u + v·u'/u)
	return New(Mul, n, New(Add, New(Mul, dv, Call("ln", u)), New(Mul, v, New(Div, du, u)))), nil
}

// apply differentiates a function of one argument by the chain rule.
func (d *differ) apply(n *Node) (*Node, error) {
	outer, is := derivatives[n.Name]
	if !is || len(n.Args) != 1 {
		return nil, ErrDiff
	}
	du, err := d.diff(n.Args[0])
	if err != nil {
		return nil, err
	}
	return New(Mul, outer(n.Args[0]), du), nil
}

func square(x *Node) *Node { return New(Pow, x, Int(2)) }

func inverse(x *Node) *Node { return New(Div, Int(1), x) }

func rootOf(x *Node) *Node { return New(Pow, x, New(Div, Int(1), Int(2))) }

func less(a, b *Node) *Node { return New(Add, a, New(Neg, b)) }

// derivatives are those of functions of one argument.
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
