package reasoninggym

import (
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// call evaluates a function or an operator of whole numbers.
func (e *evaluator) call(n *expr.Node) form {
	args := make([]form, len(n.Args))
	var numbers []num
	for i, arg := range n.Args {
		args[i] = e.form(arg)
		if x, ok := args[i].number(); ok {
			numbers = append(numbers, x)
		}
	}
	all := len(numbers) == len(args)
	switch {
	case e.fault:
		return form{}
	case n.Name == "sqrt" && len(args) == 1:
		return e.raise(args[0], constant(exact(big.NewRat(1, 2))))
	case n.Name == "pow" && len(args) == 2:
		return e.raise(args[0], args[1])
	case n.Name == "==" || n.Name == "!=":
		return e.truth((args[0].text() == args[1].text()) == (n.Name == "=="))
	case len(args) == 2 && isSymPyOperator(n.Name):
		if !all {
			return e.fail()
		}
		return e.operate(n.Name, numbers[0], numbers[1])
	case all && len(args) == 1:
		return e.function(n.Name, numbers[0])
	case len(args) > 1 && (all || n.Name == "max" || n.Name == "min" || n.Name == "Max" || n.Name == "Min"):
		return e.choose(n.Name, args)
	}
	var name strings.Builder
	name.WriteString(n.Name + "(")
	for _, arg := range args {
		name.WriteString(arg.text() + ",")
	}
	e.spend(name.Len() / 4)
	return e.symbol(name.String() + ")")
}

// isSymPyOperator reports whether the name of an [expr.Apply] is an operator of Python.
func isSymPyOperator(name string) bool {
	for _, level := range operators {
		if slices.Contains(level, name) {
			return true
		}
	}
	return false
}

// operate applies an operator to two numbers.
func (e *evaluator) operate(op string, a, b num) form {
	if op == "//" || op == "%" {
		return e.divide(op, a, b)
	}
	x, isX := a.whole()
	y, isY := b.whole()
	if !isX || !isY {
		return e.fail()
	}
	z := new(big.Int)
	switch op {
	case "|":
		z.Or(x, y)
	case "^":
		z.Xor(x, y)
	case "&":
		z.And(x, y)
	default:
		if y.Sign() < 0 || !y.IsInt64() || y.Int64() > mostBits {
			return e.fail()
		}
		if z.Lsh(x, uint(y.Int64())); op == ">>" {
			z.Rsh(x, uint(y.Int64()))
		}
	}
	return constant(exact(new(big.Rat).SetInt(z)))
}

// truth returns a truth value, which counts as a number.
func (e *evaluator) truth(is bool) form {
	if is {
		return constant(count(1))
	}
	return form{}
}

// divide returns the quotient rounded down, or the remainder.
func (e *evaluator) divide(op string, a, b num) form {
	if b.zero() {
		return e.fail()
	}
	if a.exact == nil || b.exact == nil {
		q := math.Floor(a.value() / b.value())
		if op == "%" {
			return constant(num{float: a.value() - q*b.value()})
		}
		return constant(num{float: q})
	}
	q := floor(new(big.Rat).Quo(a.exact, b.exact))
	if op == "//" {
		return constant(exact(q))
	}
	return constant(exact(q.Sub(a.exact, q.Mul(q, b.exact))))
}

// floor rounds down.
func floor(x *big.Rat) *big.Rat {
	n := new(big.Int).Div(x.Num(), x.Denom()) // Euclidean, and the denominator is positive
	return new(big.Rat).SetInt(n)
}

// function applies a function to a number.
func (e *evaluator) function(name string, x num) form {
	n, isWhole := x.whole()
	switch name {
	case "factorial":
		const most = 1000
		if !isWhole || n.Sign() < 0 || n.Cmp(big.NewInt(most)) > 0 {
			return e.fail()
		}
		return constant(exact(new(big.Rat).SetInt(new(big.Int).MulRange(1, n.Int64()))))
	case "Abs", "abs":
		if x.value() < 0 {
			return constant(x.times(count(-1)))
		}
		return constant(x)
	case "Integer", "S", "Rational", "N", "Float", "sympify", "simplify", "expand":
		return e.convert(name, x)
	case "floor", "ceiling":
		if x.exact == nil {
			return e.fail()
		}
		if name == "floor" {
			return constant(exact(floor(x.exact)))
		}
		up := floor(new(big.Rat).Neg(x.exact))
		return constant(exact(up.Neg(up)))
	}
	return e.transcend(name, x)
}

// convert turns a number into one of another kind.
func (e *evaluator) convert(name string, x num) form {
	switch name {
	case "N", "Float":
		return constant(num{float: x.value()})
	case "Integer":
		if x.exact == nil {
			return e.fail()
		}
		return constant(exact(new(big.Rat).SetInt(new(big.Int).Quo(x.exact.Num(), x.exact.Denom()))))
	}
	return constant(x)
}

// transcend applies a function with few exact values; others stay as they are.
func (e *evaluator) transcend(name string, x num) form {
	functions := map[string]func(float64) float64{
		"exp": math.Exp, "log": math.Log, "ln": math.Log, "sin": math.Sin, "cos": math.Cos, "tan": math.Tan,
		"asin": math.Asin, "acos": math.Acos, "atan": math.Atan, "sinh": math.Sinh, "cosh": math.Cosh, "tanh": math.Tanh,
	}
	f, known := functions[name]
	if !known {
		return e.symbol(name + "(" + x.text() + ",)")
	}
	y := f(x.value())
	plain := x.zero() && name != "acos" || x.text() == "1" && (name == "log" || name == "ln" || name == "acos")
	switch {
	case math.IsNaN(y) || math.IsInf(y, 0):
		return e.fail()
	case x.exact == nil:
		return constant(num{float: y})
	case plain:
		return constant(count(int64(y)))
	}
	base := name + "(" + x.text() + ",)"
	e.values[base] = y
	return e.symbol(base)
}

// choose returns the largest or the least of several numbers, or the quotient of two.
func (e *evaluator) choose(name string, of []form) form {
	values := make([]float64, len(of))
	for i, f := range of {
		x, ok := e.value(f)
		if !ok {
			return e.fail()
		}
		values[i] = x
	}
	switch name {
	case "max", "Max":
		return of[slices.Index(values, slices.Max(values))]
	case "min", "Min":
		return of[slices.Index(values, slices.Min(values))]
	case "Rational":
		return e.multiply(of[0], e.raise(of[1], constant(count(-1))))
	}
	return e.fail()
}
