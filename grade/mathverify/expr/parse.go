package expr

import (
	"errors"
	"fmt"
	"strings"
)

// The limits of [Parse].
const (
	MaxLength = 1 << 16 // bytes
	MaxDepth  = 400     // nested brackets, fractions and the like
)

// ErrText says that the text is words, not an expression.
var ErrText = errors.New("these are words, not an expression")

// Parse parses a whole text as one expression, equation, list, set … It expects text from
// [Fold]. It skips dollar signs, units after numbers, and commands that change only the
// look. Parse is safe for concurrent use, and so is the tree.
func Parse(text string) (*Node, error) {
	if len(text) > MaxLength {
		return nil, fmt.Errorf("it has %d bytes, at most %d are read", len(text), MaxLength)
	}
	tokens, err := lex(text)
	if err != nil {
		return nil, err
	}
	p := &parser{cursor: cursor{tokens: withoutRemarks(withoutDomains(tokens))}}
	n := p.answer()
	if p.err == nil && p.peek().kind != kEnd {
		p.fail("does not belong here")
	}
	if p.err != nil {
		return nil, p.err
	}
	return n, nil
}

// A parser reads tokens by recursive descent. It stops at its first error.
type parser struct {
	cursor
	bars  int    // absolute values that a | would close
	angle int    // arguments of functions, where a degree is an angle
	side  string // in the target of a limit, its name: "lim", then "lim+" or "lim-" if it is from one side
}

// answer reads a whole answer: parts separated by semicolons.
func (p *parser) answer() *Node {
	if p.peek().kind == kEnd {
		return p.fail("is all there is")
	}
	if !p.accept("=") && !p.accept("~") && !p.accept("forall") {
		p.accept("to")
	}
	parts := []*Node{p.list()}
	for p.accept(";") && p.peek().kind != kEnd {
		parts = append(parts, p.list())
	}
	p.trailing()
	if len(parts) == 1 {
		return parts[0]
	}
	for i, part := range parts {
		if part.Op == List && part.Name == "" {
			parts[i] = &Node{Op: Tuple, Name: "()", Args: part.Args}
		}
	}
	return New(List, parts...)
}

// trailing skips punctuation at the end.
func (p *cursor) trailing() {
	for p.peek().is(",") || p.peek().is(";") || p.peek().is(`\\`) || p.peek().is(":") {
		p.at++
	}
}

// list reads members separated by commas, "and" or "or".
func (p *parser) list() *Node {
	first := p.relation()
	var members []*Node // once there are several
	name := ""
	for p.err == nil {
		joint, joined := p.joints()
		if joint != "" {
			name = joint
		}
		if !joined || !p.peek().starts() {
			break
		}
		if members == nil {
			members = []*Node{first}
		}
		members = append(members, p.relation())
	}
	if members == nil {
		return first
	}
	return &Node{Op: List, Name: name, Args: members}
}

// joints skips commas, "and" and "or", and returns the last of these words.
func (p *cursor) joints() (word string, found bool) {
	for {
		t := p.peek()
		if !t.is(",") && !t.is("and") && !t.is("or") {
			return word, found
		}
		if !t.is(",") {
			word = t.text
		}
		p.at++
		found = true
	}
}

// relations maps operations to the runes in the name of a Relation.
var relations = map[string]string{"=": "=", "!=": "≠", "<": "<", "<=": "≤", ">": ">", ">=": "≥", "~": "≈", "in": "∈", "notin": "∉"}

// relation reads a chain of equations and inequalities.
func (p *parser) relation() *Node {
	first := p.ratio()
	if p.peek().is("equiv") || p.peek().is("pmod") {
		return latex{p}.congruence(first)
	}
	var ops []byte
	var args []*Node // once there are several
	for p.err == nil {
		t := p.peek()
		if t.kind != kOp || relations[t.text] == "" {
			break
		}
		p.at++
		if args == nil {
			args = []*Node{first}
		}
		ops = append(ops, relations[t.text]...)
		args = append(args, p.ratio())
	}
	if args == nil {
		return first
	}
	return &Node{Op: Relation, Name: string(ops), Args: args}
}

// ratio reads parts separated by colons.
func (p *parser) ratio() *Node {
	first := p.union()
	var parts []*Node // once there are several
	for p.peek().is(":") && p.peekAt(1).kind != kEnd {
		p.at++
		if parts == nil {
			parts = []*Node{first}
		}
		parts = append(parts, p.union())
	}
	if parts == nil {
		return first
	}
	return New(Ratio, parts...)
}

// combinations maps the operations on sets.
var combinations = map[string]string{"union": "union", "inter": "intersection", "minus": "minus"}

// union reads sets joined by operations, left to right; intersection binds tightest.
func (p *parser) union() *Node {
	left := p.intersection()
	for p.err == nil && (p.peek().is("union") || p.peek().is("minus")) {
		op := p.take().text
		left = &Node{Op: Combine, Name: combinations[op], Args: []*Node{left, p.intersection()}}
	}
	return left
}

func (p *parser) intersection() *Node {
	left := p.sum()
	for p.err == nil && p.accept("inter") {
		left = &Node{Op: Combine, Name: "intersection", Args: []*Node{left, p.sum()}}
	}
	return left
}

// sum reads terms joined by signs.
func (p *parser) sum() *Node {
	var first *Node
	if t := p.peek(); t.is("pm") || t.is("-+") || t.is("mp") {
		p.at++
		first = &Node{Op: PlusMinus, Name: t.text, Args: []*Node{Int(0), p.product()}}
	} else {
		first = p.product()
	}
	for p.err == nil {
		if t := p.peek(); t.is("pm") || t.is("mp") {
			p.at++
			first = &Node{Op: PlusMinus, Name: t.text, Args: []*Node{first, p.product()}}
		} else if t.is("+") || t.is("-") {
			first = p.terms(first)
		} else {
			return p.over(first)
		}
	}
	return first
}

// terms reads the terms added to or subtracted from first.
func (p *parser) terms(first *Node) *Node {
	all := []*Node{first}
	for p.err == nil {
		switch {
		case p.peek().is("+") && p.peekAt(1).is("...") && p.peekAt(2).is("+"):
			p.at += 3
			return latex{p}.progression(all, p.product())
		case p.accept("+"):
			all = append(all, p.product())
		case p.accept("-"):
			next := p.product()
			if first.Op > Big && next.Op == Set && len(all) == 1 {
				return &Node{Op: Combine, Name: "minus", Args: []*Node{first, next}}
			}
			all = append(all, New(Neg, next))
		default:
			return New(Add, all...)
		}
	}
	return New(Add, all...)
}

// over reads \over or \choose, infix commands with the rest of their group as arguments.
func (p *parser) over(left *Node) *Node {
	switch {
	case p.accept("over"):
		return New(Div, left, p.sum())
	case p.accept("choose"):
		return Call("binom", left, p.sum())
	}
	return left
}

// product reads factors joined by signs of multiplication and division, or nothing.
func (p *parser) product() *Node {
	if p.negative() {
		return New(Neg, p.product())
	}
	left := p.factors()
	for p.err == nil {
		switch {
		case p.productGoesOn():
			left = latex{p}.wholeProduct(left)
		case p.accept("*"):
			left = New(Mul, left, p.signed())
		case p.accept("/"):
			left = New(Div, left, p.divisor())
		case p.accept("mod"):
			left = Call("mod", left, p.signed())
		case !p.unit() && p.factorStarts(left):
			left = New(Mul, left, p.factors())
		default:
			return left
		}
	}
	return left
}

// signed reads factors that may have a sign, as in 3·-2.
func (p *parser) signed() *Node {
	if p.negative() {
		return New(Neg, p.factors())
	}
	return p.factors()
}

// negative skips signs and reports whether they make a number negative.
func (p *parser) negative() bool {
	minus := false
	for {
		switch {
		case p.accept("-"):
			minus = !minus
		case !p.accept("+"):
			return minus
		}
	}
}

// divisor reads the operand of a slash: one factor, so 1/2x is half of x.
func (p *parser) divisor() *Node {
	if p.negative() {
		return New(Neg, p.power())
	}
	return p.power()
}

// factors reads adjacent factors.
func (p *parser) factors() *Node {
	first := p.power()
	var more []*Node // the factors, once there are several
	for p.err == nil {
		last := first
		if more != nil {
			last = more[len(more)-1]
		}
		if mixed := p.mixed(last); mixed != nil {
			last = p.postfix(mixed)
		} else if large := p.magnitude(last); large != nil {
			last = large
		} else if p.unit() || !p.factorStarts(last) {
			break
		} else if next := p.power(); last.Op == Symbol && next.Op == Tuple && next.Name == "()" {
			last = applied(last.Name, next.Args)
		} else {
			if more == nil {
				more = []*Node{first}
			}
			more = append(more, next)
			continue
		}
		if more != nil {
			more[len(more)-1] = last
		} else {
			first = last
		}
	}
	if more == nil {
		return first
	}
	return New(Mul, more...)
}

// applied returns a function of several arguments; C(n, k) is a binomial coefficient.
func applied(name string, args []*Node) *Node {
	if len(args) == 2 && (name == "C" || name == "P" && args[0].Op == Number && args[1].Op == Number) {
		return selection(name, args[0], args[1])
	}
	return Call(name, args...)
}

// factorStarts reports whether another factor follows last.
func (p *parser) factorStarts(last *Node) bool {
	switch t := p.peek(); t.kind {
	case kNumber:
		return last.Op != Number && last.Op != Based
	case kSymbol, kFunc, kCmd, kWord:
		return t.text != "emptyset" && !strings.HasPrefix(t.text, "set ")
	case kBegin:
		return true
	case kOp:
		return t.text == "(" && !p.peekAt(1).is("mod") || t.text == "{" || t.text == "|(" || t.text == "lfloor" || t.text == "lceil" || t.text == "langle" || t.text == "|" && p.bars == 0
	default:
		return false
	}
}

// starts reports whether the token can begin an expression.
func (t token) starts() bool {
	if t.kind == kOp {
		return listed(" ( [ { set{ |( lfloor lceil langle | + - pm mp ... ", t.text)
	}
	return t.kind != kEnd && t.kind != kFinish
}
