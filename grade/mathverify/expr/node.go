// Package expr parses mathematical text, LaTeX or plain, into a tree. It runs none of the
// text: an unknown command is an error. Its cost is linear in the length of the text;
// both the length and the depth of the tree have limits.
package expr

import (
	"math/big"
	"strconv"
	"strings"
)

// An Op is the kind of a [Node].
type Op uint8

// The kinds of nodes, and what Name and Args hold.
const (
	Number    Op = iota // Value; Digits, if written as a decimal
	Symbol              // Name: a variable, with its subscript ("x_1") and primes
	Constant            // Name: "pi", "e", "inf", or one of the forms of i: "i", "I" (which is also the unit matrix) and "bold i" (also a unit vector)
	Add                 // the sum of Args
	Mul                 // the product of Args
	Div                 // Args[0] divided by Args[1]
	Neg                 // minus Args[0]
	Pow                 // Args[0] to the power of Args[1]
	Apply               // the function Name of Args
	Big                 // Name is "sum", "prod" (variable, from, to, body), "int" (the same, or variable and body), "lim", "lim+" or "lim-" (variable, target, body) or "diff" (variable, body)
	PlusMinus           // Args[0] plus or minus Args[1]; Name is "pm" or "mp"
	List                // Args, with commas, "or" or "and" between them; Name is "or" or "and" for such a list, and "{}" for plain braces
	Tuple               // Args in brackets; Name is "()", "[]", "[)", "(]" or "<>"
	Set                 // Args in braces
	Named               // the set Name: "R", "Q", "Z", "N", "C"
	Combine             // Args joined by Name: "union", "intersection" or "minus"
	Matrix              // Args are its rows, each a List
	Relation            // Args, with one rune of Name between each two: = ≠ < ≤ > ≥ ≈ ∈ ∉
	Ratio               // Args with colons between them
	Based               // the digits Name in the base Args[0]
)

// A Node is a mathematical expression. Once parsed, nodes do not change, so several
// goroutines may share them.
type Node struct {
	Op    Op
	Name  string
	Args  []*Node
	Value *big.Rat // of a Number

	// Digits is the number of significant digits of a Number written as a decimal; 0:
	// exact; -1: endless digits that repeat.
	Digits int

	// Paren reports brackets around it.
	Paren bool
}

// Int returns a whole number as a node.
func Int(n int64) *Node {
	if n >= 0 && n < int64(len(digits)) {
		return digits[n]
	}
	return Rational(new(big.Rat).SetInt64(n))
}

// digits holds the nodes of the one-digit numbers.
var digits = func() (nodes [10]*Node) {
	for i := range nodes {
		nodes[i] = Rational(big.NewRat(int64(i), 1))
	}
	return nodes
}()

// Rational returns an exact number as a node, which keeps value.
func Rational(value *big.Rat) *Node { return &Node{Op: Number, Value: value} }

// New returns a node with the given arguments.
func New(op Op, args ...*Node) *Node { return &Node{Op: op, Args: args} }

// Call returns the function name of args.
func Call(name string, args ...*Node) *Node { return &Node{Op: Apply, Name: name, Args: args} }

// Var returns a variable.
func Var(name string) *Node { return &Node{Op: Symbol, Name: name} }

// IsInt reports whether the node is the whole number n.
func (n *Node) IsInt(value int64) bool {
	return n.Op == Number && n.Value.IsInt() && n.Value.Num().IsInt64() && n.Value.Num().Int64() == value
}

// Walk calls visit with the node and all nodes below it, until visit returns false.
func (n *Node) Walk(visit func(*Node) bool) bool {
	if !visit(n) {
		return false
	}
	for _, arg := range n.Args {
		if !arg.Walk(visit) {
			return false
		}
	}
	return true
}

// Has reports whether the node, or one below it, is an op.
func (n *Node) Has(op Op) bool { return !n.Walk(func(m *Node) bool { return m.Op != op }) }

// Mentions reports whether the variable name occurs in the node.
func (n *Node) Mentions(name string) bool {
	return !n.Walk(func(m *Node) bool { return m.Op != Symbol || m.Name != name })
}

// Map returns a copy of the node with change applied to each node, from the leaves up.
func (n *Node) Map(change func(*Node) *Node) *Node {
	if len(n.Args) == 0 {
		return change(n)
	}
	twin := *n
	twin.Args = make([]*Node, len(n.Args))
	for i, arg := range n.Args {
		twin.Args[i] = arg.Map(change)
	}
	return change(&twin)
}

// Replace returns the node with value substituted for the variable name.
func (n *Node) Replace(name string, value *Node) *Node {
	return n.Map(func(m *Node) *Node {
		if m.Op == Symbol && m.Name == name {
			return value
		}
		return m
	})
}

// names of the ops in [Node.String].
var names = [...]string{"", "", "", "+", "*", "/", "-", "^", "", "", "±", "list", "tuple", "set", "", "", "matrix", "", ":", "based"}

// String returns the tree as nested lists, the operation first: "(+ x (* 2 y))".
func (n *Node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *Node) write(b *strings.Builder) {
	switch {
	case n.Op == Number:
		b.WriteString(n.Value.RatString())
		if n.Digits > 0 {
			b.WriteString("~" + strconv.Itoa(n.Digits))
		}
		return
	case len(n.Args) == 0 && n.Op <= Constant, n.Op == Named:
		b.WriteString(n.Name)
		return
	}
	b.WriteString("(" + strings.TrimSpace(names[n.Op]+" "+n.Name))
	for _, arg := range n.Args {
		b.WriteByte(' ')
		arg.write(b)
	}
	b.WriteByte(')')
}
