package expr

import (
	"math/big"
	"strconv"
	"strings"
)

// power reads a factor with its exponents, factorials, and percent and degree signs.
func (p *parser) power() *Node {
	return p.postfix(p.primary())
}

// postfix reads the suffixes of a factor.
func (p *parser) postfix(n *Node) *Node {
	if base := (latex{p}).inBase(n); base != nil {
		return base
	}
	for p.err == nil {
		switch {
		case p.accept("!"):
			n = p.factorial(n)
		case p.accept("^"):
			n = p.raise(n)
		case p.accept("%"):
			n = percent(n)
		case p.accept("‰"):
			n = percent(percent(New(Mul, n, Int(10))))
		case p.accept("deg"):
			n = p.degree(n)
		case p.peek().is("_"):
			n = p.below(n)
		case p.peek().is("'") && n.Op == Symbol:
			p.at++
			n = Var(n.Name + "'")
		default:
			return n
		}
	}
	return n
}

// factorial reads the second sign of a double factorial.
func (p *parser) factorial(n *Node) *Node {
	if p.peek().is("!") && !p.peek().spaced {
		p.at++
		return Call("factorial2", n)
	}
	return Call("factorial", n)
}

// percent returns a hundredth of a node.
func percent(n *Node) *Node {
	if n.Op != Number {
		return New(Div, n, Int(100))
	}
	hundredth := *n
	hundredth.Value = new(big.Rat).Quo(n.Value, big.NewRat(100, 1))
	return &hundredth
}

// scales lists the scales of temperatures.
const scales = " C F Celsius Fahrenheit celsius fahrenheit "

// degree returns an angle inside a function, and else the number as written.
func (p *parser) degree(n *Node) *Node {
	if p.angle == 0 {
		if t := p.peek(); (t.kind == kSymbol || t.kind == kText) && listed(scales, t.text) {
			p.at++
		}
		return n
	}
	return New(Mul, n, New(Div, &Node{Op: Constant, Name: "pi"}, Int(180)))
}

// raise reads an exponent.
func (p *parser) raise(n *Node) *Node {
	switch braced := p.peek().is("{"); {
	case braced && p.peekAt(1).kind == kText && listed(" th st nd rd ", p.peekAt(1).text) && p.peekAt(2).is("}"):
		p.at += 3
		return n
	case p.side != "" && (latex{p}).oneSided(braced):
		return n
	case p.accept("deg"):
		return p.degree(n)
	case braced && p.peekAt(1).is("deg") && p.peekAt(2).is("}"):
		p.at += 3
		return p.degree(n)
	case p.peek().is("'") && n.Op == Symbol, braced && p.peekAt(1).is("'") && p.peekAt(2).is("}") && n.Op == Symbol:
		p.at++
		if braced {
			p.at += 2
		}
		return Var(n.Name + "'")
	}
	exponent := p.exponent()
	if p.peek().is("_") && n.Op == Symbol {
		n = p.below(n)
	}
	if chosen := combination(n, exponent); chosen != nil {
		return chosen
	}
	return New(Pow, n, exponent)
}

// oneSided reads the sign of a limit from one side, as in 0^+.
func (p latex) oneSided(braced bool) bool {
	n := 0
	if braced {
		n = 1
	}
	sign := p.peekAt(n)
	if !sign.is("+") && !sign.is("-") || !p.peekAt(n+1).is("}") {
		return false
	}
	p.side = "lim" + sign.text
	p.at += 2*n + 1
	return true
}

// exponent reads the operand of ^.
func (p *parser) exponent() *Node {
	if !p.enter() {
		return Int(0)
	}
	defer p.leave()
	if p.accept("-") {
		return New(Neg, p.exponent())
	}
	p.accept("+")
	n := p.firstLetter()
	if n == nil {
		n = p.primary()
	}
	if p.accept("^") {
		return New(Pow, n, p.exponent())
	}
	return n
}

// firstLetter reads only the first letter of a word, as an exponent, or nothing.
func (p *cursor) firstLetter() *Node {
	t := p.peek()
	if t.kind != kWord {
		return nil
	}
	p.tokens[p.at].text = t.text[1:]
	if len(t.text) == 2 {
		p.tokens[p.at].kind = kSymbol
	}
	return letter(t.text[:1])
}

// below reads the subscript of a variable, or the base of a number.
func (p *parser) below(n *Node) *Node {
	digits := p.tokens[p.at-1]
	if p.at > 2 && n.Paren && digits.is(")") && p.tokens[p.at-3].is("(") {
		digits = p.tokens[p.at-2]
	}
	p.at++
	switch {
	case n.Op == Number && digits.kind == kNumber && n.Value.IsInt():
		return based(digits.text, p.primary())
	case n.Op == Symbol || n.Op == Constant:
		return p.prime(Var(n.Name + "_" + p.subscript()))
	case n.Op == Pow && n.Args[0].Op == Symbol:
		return New(Pow, Var(n.Args[0].Name+"_"+p.subscript()), n.Args[1])
	}
	return p.fail("is a subscript, but not of a variable")
}

// bases lists the words for bases.
var bases = map[string]int64{"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12, "sixteen": 16}

// based returns a number in a base, which may be a word.
func based(digits string, base *Node) *Node {
	if base.Op == Symbol && bases[base.Name] != 0 {
		base = Int(bases[base.Name])
	}
	return &Node{Op: Based, Name: digits, Args: []*Node{base}}
}

// inBase reads "base 2" after a number; nil if it does not stand there.
func (p latex) inBase(n *Node) *Node {
	if p.peek().kind != kText {
		return nil
	}
	words := strings.Fields(strings.ToLower(strings.Trim(p.peek().text, " ()")))
	digits := p.tokens[p.at-1]
	if len(words) < 2 || words[len(words)-2] != "base" || n.Op != Number || digits.kind != kNumber || !n.Value.IsInt() {
		return nil
	}
	base := Var(words[len(words)-1])
	if value, err := strconv.ParseInt(base.Name, 10, 8); err == nil {
		base = Int(value)
	}
	p.at++
	return based(digits.text, base)
}

// prime appends the primes after a variable to its name.
func (p *parser) prime(n *Node) *Node {
	for p.accept("'") {
		n = Var(n.Name + "'")
	}
	return n
}

// subscript reads a subscript as text.
func (p *parser) subscript() string {
	if !p.accept("{") {
		return p.take().text
	}
	var b strings.Builder
	for depth := 1; p.err == nil; {
		t := p.take()
		switch {
		case t.kind == kEnd:
			p.fail("comes before a brace is closed")
		case t.is("{"):
			depth++
		case t.is("}"):
			if depth--; depth == 0 {
				return b.String()
			}
		default:
			b.WriteString(t.text)
		}
	}
	return ""
}

// mixed reads the fraction of a mixed number after its whole part; nil if there is none.
func (p *parser) mixed(whole *Node) *Node {
	if whole.Op != Number || whole.Digits > 0 || whole.Paren || !whole.Value.IsInt() {
		return nil
	}
	start := p.at
	saved := [...]token{p.peek(), p.peekAt(1), p.peekAt(2), p.peekAt(3)} // digits of a fraction split their token
	var part *Node
	switch t := p.peek(); {
	case t.kind == kCmd && t.text == "frac" && p.plainFraction():
		part = latex{p}.command()
	case t.kind == kNumber && p.peekAt(1).is("/") && p.peekAt(2).kind == kNumber:
		over := p.number()
		p.at++
		part = New(Div, over, p.number())
	default:
		return nil
	}
	if p.err == nil && part.Op == Div && proper(part.Args[0], part.Args[1]) {
		return New(Add, whole, part)
	}
	if p.err == nil {
		p.at = start
		copy(p.tokens[start:], saved[:])
	}
	return nil
}

// plainFraction reports whether a fraction is one of numbers, so that reading it twice costs
// little.
func (p *cursor) plainFraction() bool {
	n := 1
	for range 2 {
		switch {
		case p.peekAt(n).kind == kNumber:
			if text := p.peekAt(n).text; n == 1 && len(text) > 1 { // \frac12
				return true
			}
			n++
		case p.peekAt(n).is("{") && p.peekAt(n+1).kind == kNumber && p.peekAt(n+2).is("}"):
			n += 3
		default:
			return false
		}
	}
	return true
}

// proper reports whether over/under is a fraction of whole numbers between 0 and 1.
func proper(over, under *Node) bool {
	return over.Op == Number && under.Op == Number && over.Value.IsInt() && under.Value.IsInt() &&
		over.Value.Sign() > 0 && over.Value.Cmp(under.Value) < 0
}

// units lists short words that may follow a number and do not change it.
const units = " mm cm dm km m2 ft in yd mi kg mg lb lbs oz ml cl dl kl hr hrs min mins sec secs ms kmh mph rad sq cu pm am cents cent days day" +
	" years year euros euro yuan dollars usd eur gbp feet foot inch inches units unit square cubic people ways points meters hours minutes seconds pcs men boys girls old per each th st nd rd "

// magnitudes maps the words that multiply the number before them.
var magnitudes = map[string]int64{"hundred": 2, "thousand": 3, "million": 6, "billion": 9, "trillion": 12}

// magnitude reads a word such as "million" after a number; nil if there is none. What follows
// it in the same words is a unit.
func (p *parser) magnitude(n *Node) *Node {
	t := p.peek()
	if n.Op != Number || n.Paren || t.kind != kWord && t.kind != kText {
		return nil
	}
	word, rest, _ := strings.Cut(strings.ToLower(t.text), " ")
	power, ok := magnitudes[word]
	if !ok {
		return nil
	}
	if rest != "" {
		p.tokens[p.at].text = rest
	} else {
		p.at++
	}
	return &Node{Op: Number, Value: new(big.Rat).Mul(n.Value, PowerOfTen(power)), Digits: n.Digits}
}

// conditions lists words that change the meaning of the text before them.
const conditions = " not if when where for except than least most more less to with only from until unless but either neither too wrong incorrect false isn't "

// unit skips the unit after a number, with its exponent.
func (p *parser) unit() bool {
	start := p.at
	for p.err == nil {
		t := p.peek()
		low := strings.ToLower(t.text)
		isUnit := t.kind == kText || t.kind == kWord && (listed(units, low) || len(low) >= 4)
		if !isUnit {
			break
		}
		for _, word := range strings.Fields(low) {
			if listed(conditions, word) || word == "or" || word == "and" {
				p.fail("changes the meaning of the text before it")
				return true
			}
		}
		p.at++
		if p.peek().is("^") {
			p.at++
			p.exponent()
		}
		if p.peek().is("/") && (p.peekAt(1).kind == kText || p.peekAt(1).kind == kWord || p.peekAt(1).kind == kSymbol && p.peekAt(2).kind == kEnd) {
			p.at += 2
		}
	}
	return p.at > start
}
