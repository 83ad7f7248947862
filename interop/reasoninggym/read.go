package reasoninggym

import (
	"math/big"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/internal/unicode15"
	"github.com/quintain-rl/quintain/task/answer"
)

// A reader reads Python's expressions with factorials.
type reader struct {
	text     string
	nested   int // operands within operands
	brackets int // open ones
	fault    bool
}

// The limits of formulas.
const (
	mostFormula = 20_000 // bytes
	mostNested  = 150
)

// readSymPy reads all of text as one expression. A number with a point has Digits; a text in quotes
// is a [expr.Named]; operators and functions that package expr lacks are an [expr.Apply] with
// their name.
func readSymPy(text string) (*expr.Node, bool) {
	text = answer.Trim(text)
	if len(text) > mostFormula {
		return nil, false
	}
	r := &reader{text: text}
	n := r.level(0)
	r.space()
	return n, !r.fault && r.text == ""
}

// operators lists Python's operators of two operands, the loosest first.
var operators = [][]string{{"==", "!="}, {"|"}, {"^"}, {"&"}, {"<<", ">>"}, {"+", "-"}, {"//", "*", "/", "%"}}

// space skips space and, within brackets, line ends; a comment ends the text.
func (r *reader) space() {
	cut := " \t\f"
	if r.brackets > 0 {
		cut += "\r\n"
	}
	r.text = strings.TrimLeft(r.text, cut)
	if strings.HasPrefix(r.text, "#") {
		_, r.text, _ = strings.Cut(r.text, "\n")
		if r.fault = r.fault || r.text != "" && r.brackets == 0; !r.fault {
			r.space()
		}
	}
}

// operator skips one of some operators, and returns it.
func (r *reader) operator(of []string) (string, bool) {
	r.space()
	for _, op := range of {
		if strings.HasPrefix(r.text, op) && !(op == "*" && strings.HasPrefix(r.text, "**")) {
			r.text = r.text[len(op):]
			return op, true
		}
	}
	return "", false
}

// level reads operands of operators as loose as those with index i.
func (r *reader) level(i int) *expr.Node {
	if i == len(operators) {
		return r.signed()
	}
	left := r.level(i + 1)
	for !r.fault {
		op, ok := r.operator(operators[i])
		if !ok {
			break
		}
		left = join(op, left, r.level(i+1))
	}
	return left
}

// join returns an operator applied to two operands.
func join(op string, a, b *expr.Node) *expr.Node {
	switch op {
	case "+":
		return expr.New(expr.Add, a, b)
	case "-":
		return expr.New(expr.Add, a, expr.New(expr.Neg, b))
	case "*":
		return expr.New(expr.Mul, a, b)
	case "/":
		return expr.New(expr.Div, a, b)
	}
	return expr.Call(op, a, b)
}

// signed reads a power with any signs before it.
func (r *reader) signed() *expr.Node {
	if r.nested++; r.nested > mostNested {
		r.fault = true
	}
	defer func() { r.nested-- }()
	if r.fault {
		return nil
	}
	op, ok := r.operator([]string{"+", "-", "~"})
	switch {
	case ok && op == "-":
		return expr.New(expr.Neg, r.signed())
	case ok && op == "+":
		return r.signed()
	case ok:
		return expr.Call(op, r.signed())
	}
	base := r.postfix()
	if _, power := r.operator([]string{"**"}); power {
		return expr.New(expr.Pow, base, r.signed())
	}
	return base
}

// postfix reads an operand with factorials behind it.
func (r *reader) postfix() *expr.Node {
	n := r.operand()
	for !r.fault {
		if r.space(); !strings.HasPrefix(r.text, "!") || strings.HasPrefix(r.text, "!=") {
			break
		}
		name := "factorial"
		if strings.HasPrefix(r.text, "!!") {
			name = "factorial2"
			r.text = r.text[1:]
		}
		r.text = r.text[1:]
		n = expr.Call(name, n)
	}
	return n
}

// operand reads a number, a name, a call, a text or brackets.
func (r *reader) operand() *expr.Node {
	r.space()
	first := ' '
	for _, c := range r.text {
		first = c
		break
	}
	switch {
	case first == '(':
		return r.inBrackets()
	case first == '"' || first == '\'':
		text, rest, ok := pyCutText(r.text)
		r.fault, r.text = r.fault || !ok, rest
		return &expr.Node{Op: expr.Named, Name: text}
	case first >= '0' && first <= '9' || first == '.':
		return r.number()
	case first == '_' || unicode15.IsLetter(first):
		return r.name()
	}
	r.fault = true
	return nil
}

// inBrackets reads an expression in brackets.
func (r *reader) inBrackets() *expr.Node {
	args := r.arguments()
	if len(args) != 1 {
		r.fault = true
		return nil
	}
	return args[0]
}

// arguments reads expressions in brackets, with commas between them.
func (r *reader) arguments() (args []*expr.Node) {
	r.text = r.text[1:]
	r.brackets++
	for !r.fault {
		if r.space(); strings.HasPrefix(r.text, ")") {
			break
		}
		args = append(args, r.level(0))
		if _, more := r.operator([]string{","}); !more && !strings.HasPrefix(r.text, ")") {
			r.fault = true
		}
	}
	r.brackets--
	if !r.fault {
		r.text = r.text[1:]
	}
	return args
}

// name reads a name, or a call of one.
func (r *reader) name() *expr.Node {
	end := strings.IndexFunc(r.text, func(c rune) bool { return !pyInWord(c) })
	if end < 0 {
		end = len(r.text)
	}
	name := r.text[:end]
	r.text = r.text[end:]
	if r.space(); strings.HasPrefix(r.text, "(") {
		return expr.Call(name, r.arguments()...)
	}
	return expr.Var(name)
}

// number reads a number.
func (r *reader) number() *expr.Node {
	end := 0
	for end < len(r.text) && (pyInWord(rune(r.text[end])) && r.text[end] < 0x80 || r.text[end] == '.' ||
		(r.text[end] == '+' || r.text[end] == '-') && end > 0 && r.text[end-1]|0x20 == 'e' && !hex(r.text)) {
		end++
	}
	word := r.text[:end]
	r.text = r.text[end:]
	if n, ok := answer.ReadInteger(word); ok {
		return expr.Rational(new(big.Rat).SetInt(n))
	}
	const most = 400
	if x, ok := answer.ReadFloat(word); ok && strings.ContainsAny(word, ".eE") && x < 1e300 {
		if d, _ := answer.ReadDecimal(word); d.Exp < most && d.Exp > -most && len(d.Digits) < most {
			n := expr.Rational(new(big.Rat).SetFloat64(x))
			n.Digits = max(len(d.Digits), 1)
			return n
		}
	}
	r.fault = true
	return nil
}

// hex reports whether a number is written in another base.
func hex(text string) bool {
	return len(text) > 1 && text[0] == '0' && strings.IndexByte("xXoObB", text[1]) >= 0
}
