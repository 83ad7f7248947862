package expr

import (
	"math/big"
	"strconv"
	"strings"
)

// primary reads a number, a variable, a function, or a bracketed expression.
func (p *parser) primary() *Node {
	if !p.enter() {
		return Int(0)
	}
	defer p.leave()
	switch t := p.peek(); t.kind {
	case kNumber:
		return p.number()
	case kSymbol:
		return p.symbol()
	case kWord:
		return p.word()
	case kText:
		p.at++
		if listed(units, strings.ToLower(t.text)) && p.peek().kind == kNumber { // USD 5
			return p.number()
		}
		return Var(t.text)
	case kFunc:
		return latex{p}.function()
	case kCmd:
		return latex{p}.command()
	case kBegin:
		return latex{p}.environment()
	case kOp:
		return p.bracketed(t.text)
	default:
		return p.fail("stands where a number or a variable is expected")
	}
}

// The limits of a number.
const (
	maxDigits   = 10_000
	maxExponent = 4000 // of a power of ten that we write out
)

// number reads a number as an exact fraction.
func (p *parser) number() *Node {
	t := p.take()
	if value, err := strconv.ParseInt(t.text, 10, 64); err == nil {
		return Int(value)
	}
	text, cycle, repeats := strings.Cut(t.text, "r")
	text, exponent, scientific := strings.Cut(text, "e")
	text = strings.TrimLeft(text, "0")
	if strings.Contains(text, ".") && strings.Trim(text, "0.") == "" {
		text = ""
	}
	if text == "" || text[0] == '.' {
		text = "0" + text
	}
	if len(text) > maxDigits {
		p.at--
		return p.fail("has more than %d digits", maxDigits)
	}
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		return p.fail("follows an invalid number")
	}
	n := Rational(value)
	whole, part, point := strings.Cut(text, ".")
	if point {
		n.Digits = len(strings.TrimLeft(strings.TrimLeft(whole, "0")+part, "0"))
	}
	switch {
	case cycle == truncated: // its value is the middle of what the digits leave open
		n.Value = value.Add(value, new(big.Rat).Quo(PowerOfTen(-int64(len(part))), big.NewRat(2, 1)))
	case repeats:
		n = repeating(value, len(part), cycle)
	}
	if !scientific {
		return n
	}
	return p.scaled(n, exponent)
}

// repeating adds the repeating digits after places decimal places to value.
func repeating(value *big.Rat, places int, cycle string) *Node {
	over, _ := new(big.Int).SetString(cycle, 10)
	under := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(len(cycle))), nil)
	under.Sub(under, big.NewInt(1))
	under.Mul(under, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil))
	n := Rational(new(big.Rat).Add(value, new(big.Rat).SetFrac(over, under)))
	n.Digits = -1
	return n
}

// scaled multiplies a number by a power of ten.
func (p *parser) scaled(n *Node, exponent string) *Node {
	if len(exponent) > 12 {
		return p.fail("follows a number with too large an exponent")
	}
	value, _ := new(big.Rat).SetString(exponent)
	power := value.Num().Int64()
	if power > maxExponent || power < -maxExponent {
		return New(Mul, Rational(n.Value), New(Pow, Int(10), Rational(value)))
	}
	scale := PowerOfTen(power)
	return &Node{Op: Number, Value: scale.Mul(scale, n.Value), Digits: n.Digits}
}

// PowerOfTen returns 10 to the power of n, as a new number. It has |n| digits, so the
// caller bounds n.
func PowerOfTen(n int64) *big.Rat {
	power := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(max(n, -n)), nil))
	if n < 0 {
		power.Inv(power)
	}
	return power
}

// symbol reads a variable or a constant.
func (p *parser) symbol() *Node {
	name := p.take().text
	if set, ok := strings.CutPrefix(name, "set "); ok {
		return brackets{p}.numberSet(set)
	}
	switch name {
	case "emptyset":
		return New(Set)
	case "angle", "triangle":
		return p.figure(name)
	case "pi", "inf", "e", "i", "I", boldI:
		if p.peek().is("_") {
			return Var(name)
		}
		return &Node{Op: Constant, Name: name}
	}
	if name == "P" && p.peek().is("(") {
		if event := (latex{p}).event(); event != nil {
			return event
		}
	}
	n := p.prime(Var(name))
	if p.peek().is("_") {
		n = p.below(n)
	}
	if p.isFunction(name) {
		return p.call(n.Name)
	}
	return n
}

// maxEvent bounds the tokens of an event.
const maxEvent = 40

// event reads the probability of an event as one name: P(A | B), P(X > 2), P(\text{both}). It
// returns nil if the bracket has no such sign.
func (p latex) event() *Node {
	name, depth, ok := "P", 0, false
	for end := p.at; end < len(p.tokens) && end-p.at < maxEvent; end++ {
		t := p.tokens[end]
		depth += t.nesting()
		name += t.text
		ok = ok || t.is("|") || t.is("mid") || t.is("union") || t.is("inter") || t.kind == kText || t.kind == kOp && relations[t.text] != ""
		if depth == 0 {
			if !ok {
				return nil
			}
			p.at = end + 1
			return Var(name)
		}
	}
	return nil
}

// figure reads the letters of an angle or a triangle.
func (p *parser) figure(name string) *Node {
	name += " "
	for p.peek().kind == kSymbol || p.peek().kind == kWord {
		name += p.take().text
	}
	return Var(name)
}

// isFunction reports whether we read a variable's name as a function: f before a bracket,
// and g or h before a bracket with one letter or number.
func (p *parser) isFunction(name string) bool {
	if !p.peek().is("(") {
		return false
	}
	single := p.peekAt(2).is(")") && (p.peekAt(1).kind == kSymbol || p.peekAt(1).kind == kNumber)
	return name == "f" || (name == "g" || name == "h") && single
}

// call reads the bracketed arguments of a function.
func (p *parser) call(name string) *Node {
	arg := p.bracketed("(")
	if arg.Op == Tuple && arg.Name == "()" {
		return Call(name, arg.Args...)
	}
	return Call(name, arg)
}

// word reads several letters: up to three form a product of variables, more form one
// variable.
func (p *parser) word() *Node {
	t := p.take()
	if len(t.text) > 3 {
		return p.prime(Var(t.text))
	}
	letters := make([]*Node, len(t.text))
	for i, r := range t.text {
		letters[i] = letter(string(r))
	}
	last := len(letters) - 1
	if p.peek().is("_") {
		letters[last] = p.below(Var(t.text[last:]))
	}
	if p.peek().is("^") || p.peek().is("!") { // it applies to the last letter only
		p.at-- // split the word
		p.tokens[p.at] = token{kind: kSymbol, text: t.text[last:]}
		if letters[last].Op == Symbol && strings.Contains(letters[last].Name, "_") {
			p.at++
			return New(Mul, append(letters[:last:last], p.raised(letters[last]))...)
		}
		return New(Mul, append(letters[:last:last], p.power())...)
	}
	return New(Mul, letters...)
}

// raised reads the exponent of a variable.
func (p *parser) raised(n *Node) *Node {
	if p.accept("!") {
		return p.factorial(n)
	}
	p.expect("^")
	return p.raise(n)
}

// letter returns a letter of a word: a variable, e or i.
func letter(name string) *Node {
	if name == "e" || name == "i" {
		return &Node{Op: Constant, Name: name}
	}
	return Var(name)
}

// closers maps each opening bracket to its possible closing ones.
var closers = map[string]string{"(": ")][", "[": "])[", "]": "[])", "{": "}"}

// outward maps a square bracket that is turned outwards to the round one it stands for.
var outward = strings.NewReplacer("](", "((", "][", "()", "]]", "(]", "[[", "[)", "([", "()", "])", "()")

// bracketed reads a bracketed expression.
func (p *parser) bracketed(open string) *Node {
	bars := p.bars
	defer func() { p.bars = bars }()
	switch open {
	case "|":
		p.at++
		p.bars = bars + 1
		n := absolute(p.sum())
		p.expect("|")
		return n
	case "|(":
		return p.enclosed("abs", ")|")
	case "lfloor":
		return p.enclosed("floor", "rfloor")
	case "lceil":
		return p.enclosed("ceil", "rceil")
	case "set{":
		return brackets{p}.set()
	case "langle":
		return brackets{p}.angled("rangle")
	case "<":
		return brackets{p}.angled(">")
	case "_", "^":
		if n := (latex{p}).prefixed(); n != nil {
			return n
		}
	case "(", "[", "]", "{":
		if p.peekAt(1).is("}") {
			if n := (latex{p}).prefixed(); n != nil {
				return n
			}
		}
		if row := (brackets{p}).spacedRow(); row != nil {
			return row
		}
		return p.group(open)
	case "...":
		return p.fail("leaves something out")
	case "!", "'":
		return p.fail("has nothing before it")
	}
	return p.fail("stands where a number or a variable is expected")
}

// absolute returns the absolute value of a number, or the determinant of a matrix.
func absolute(n *Node) *Node {
	if n.Op == Matrix {
		return Call("det", n)
	}
	return Call("abs", n)
}

// enclosed reads a function written as brackets.
func (p *parser) enclosed(name, end string) *Node {
	p.at++
	p.bars = 0
	n := Call(name, p.sum())
	if name == "abs" {
		n = absolute(n.Args[0])
	}
	if end == ")|" && p.accept("|") {
		return n
	}
	p.expect(end)
	return n
}

// group reads the content of round, square or plain brackets.
func (p *parser) group(open string) *Node {
	p.at++
	p.bars = 0
	start := p.at
	members, many := p.members()
	t := p.take()
	if t.kind != kOp || !strings.Contains(closers[open], t.text) {
		p.at--
		return p.fail("stands where %q should be closed", open)
	}
	switch {
	case open == "{" && many:
		return &Node{Op: List, Name: "{}", Args: members}
	case open == "{":
		return members[0]
	case open == "[" && t.text == "]" && (brackets{p}).nested(start, members):
		return matrixOf(members)
	case many:
		return &Node{Op: Tuple, Name: outward.Replace(open + t.text), Args: members}
	case open == "(" && t.text != ")" || open == "[" && t.text != "]" || open == "]":
		return p.fail("follows brackets that do not match")
	}
	single := *members[0]
	single.Paren = true
	return &single
}

// members reads the content of brackets; many reports separators.
func (p *parser) members() (members []*Node, many bool) {
	members = []*Node{p.relation()}
	for p.err == nil {
		if !p.accept(",") && !p.accept(";") && !p.accept("and") && !p.accept("or") {
			return members, many
		}
		many = true
		for p.accept(",") || p.accept("and") || p.accept("or") {
			continue
		}
		if !p.peek().starts() {
			return members, many
		}
		members = append(members, p.relation())
	}
	return members, many
}
