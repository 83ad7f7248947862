package task

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Commuted writes an expression without what changes nothing in its question, for a [Canonicalizer]: the
// terms of every sum are signed numbers in order, up to a common sign, and the factors of every product
// are in order, up to their signs; a power of ten of the whole is left out. So who knows 3 - 5 knows
// 5 - 3, 3 + -5, -3 + 5 and 30 - 50. Names replaces names in it, with a minus sign before the new
// one for its negative; the other names, and hexadecimal numbers, stay as they are. If there are names, the
// numbers of a product are one. It returns an expression that it cannot read without spaces.
//
// It reads numbers and names, brackets, + - * /, the powers ** and ^, the shifts << and >>, and
// functions with one argument.
func Commuted(expression string, names map[string]string) string {
	c := commuter{text: strings.ReplaceAll(expression, " ", ""), names: names}
	if whole := c.shift(); !c.failed && c.at == len(c.text) {
		return whole.text
	}
	return c.text
}

// Mirrored is the lesser [Commuted] form of an expression in x and in -x, with x for its variable.
func Mirrored(expression, variable string) string {
	return min(Commuted(expression, map[string]string{variable: "x"}), Commuted(expression, map[string]string{variable: "-x"}))
}

// A commuter reads an expression by recursive descent.
type commuter struct {
	text   string
	names  map[string]string
	at     int
	depth  int
	failed bool
}

// A part is a part of an expression: text, in brackets unless it holds together, times a power of ten, with
// its sign.
type part struct {
	text     string
	negative bool
	tens     int
}

// mostNested limits the depth of brackets and signs, and mostPower the powers that are taken of signs and tens.
const mostNested, mostPower = 200, 1000

// size writes the part without its sign.
func (p part) size() string {
	if p.tens == 0 {
		return p.text
	}
	return p.text + "e" + strconv.Itoa(p.tens)
}

// full writes the part.
func (p part) full() string {
	if p.negative {
		return "-" + p.size()
	}
	return p.size()
}

// takes moves on over a sign if it comes next.
func (c *commuter) takes(sign string) bool {
	if !strings.HasPrefix(c.text[c.at:], sign) {
		return false
	}
	c.at += len(sign)
	return true
}

// shift reads sums that are shifted, in their order. A shift to the right rounds down.
func (c *commuter) shift() part {
	p := c.terms()
	for !c.failed {
		switch {
		case c.takes("<<"):
			p.text = "(" + p.text + "<<" + c.terms().full() + ")"
		case c.takes(">>"):
			p = part{text: "(" + p.full() + ">>" + c.terms().full() + ")"}
		default:
			return p
		}
	}
	return p
}

// list reads parts between two signs, the first of which needs no sign, and reports those after the second sign.
func (c *commuter) list(signs string, read func() part) (parts []part, second []bool) {
	parts, second = append(make([]part, 0, 8), read()), append(make([]bool, 0, 8), false)
	for !c.failed && c.at < len(c.text) && strings.IndexByte(signs, c.text[c.at]) >= 0 {
		second = append(second, c.text[c.at] == signs[1])
		c.at++
		parts = append(parts, read())
	}
	return parts, second
}

// terms reads a sum.
func (c *commuter) terms() part {
	terms, minus := c.list("+-", c.factors)
	if len(terms) == 1 {
		return terms[0]
	}
	all, first := part{}, true
	for _, t := range terms {
		if t.text != "0" && (first || t.tens < all.tens) {
			all.tens, first = t.tens, false
		}
	}
	texts, turned := make([]string, len(terms)), make([]string, len(terms))
	for i, t := range terms {
		if t.text == "0" {
			texts[i], turned[i] = "+0", "+0"
			continue
		}
		t.tens -= all.tens
		texts[i], turned[i] = "+"+t.size(), "-"+t.size()
		if t.negative != minus[i] {
			texts[i], turned[i] = turned[i], texts[i]
		}
	}
	slices.Sort(texts)
	slices.Sort(turned)
	one, other := strings.Join(texts, ""), strings.Join(turned, "")
	all.text, all.negative = "("+min(one, other)+")", other < one
	return all
}

// factors reads a product.
func (c *commuter) factors() part {
	factors, under := c.list("*/", c.signed)
	if len(factors) == 1 {
		return factors[0]
	}
	all, number, texts := part{}, big.NewRat(1, 1), make([]string, 0, len(factors))
	for i, f := range factors {
		if f.text == "0" && !under[i] {
			return f
		}
		sign, n := "*", new(big.Rat)
		if under[i] {
			sign, f.tens = "/", -f.tens
		}
		all.negative = all.negative != f.negative
		all.tens += f.tens
		if c.names == nil || strings.Trim(f.text, "0123456789") != "" || f.text == "0" {
			texts = append(texts, sign+f.text)
			continue
		}
		if n.SetString(f.text); under[i] {
			n.Inv(n)
		}
		number.Mul(number, n)
	}
	text, tens := mantissa(number)
	if all.tens += tens; text != "" || len(texts) == 0 {
		texts = append(texts, cmp.Or(text, "*1"))
	}
	slices.Sort(texts)
	if all.text = "(" + strings.Join(texts, "") + ")"; len(texts) == 1 && texts[0][0] == '*' {
		all.text = texts[0][1:]
	}
	return all
}

// mantissa writes a number as a factor, without the power of ten that leaves a whole number, or a fraction whose
// lower part shares nothing with ten: 6/5 is 12 with -1 tens, and 10 is nothing with 1.
func mantissa(number *big.Rat) (text string, tens int) {
	places, _ := number.FloatPrec()
	shift := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	number.Mul(number, new(big.Rat).SetInt(shift))
	over := number.Num().String()
	text = strings.TrimRight(over, "0")
	tens = len(over) - len(text) - places
	switch {
	case !number.IsInt():
		return "*" + text + "/" + number.Denom().String(), tens
	case text == "1":
		return "", tens
	}
	return "*" + text, tens
}

// signed reads a factor with or without minus signs and a power.
func (c *commuter) signed() part {
	if c.depth++; c.depth > mostNested {
		c.failed = true
		return part{}
	}
	defer func() { c.depth-- }()
	if c.takes("-") {
		p := c.signed()
		p.negative = !p.negative
		return p
	}
	base := c.atom()
	if !c.takes("**") && !c.takes("^") {
		return base
	}
	exponent := c.signed()
	n, err := strconv.Atoi(exponent.text)
	for range min(max(exponent.tens, 0), 4) {
		n *= 10
	}
	if err != nil || exponent.tens < 0 || n > mostPower {
		return part{text: "(" + base.full() + ")^(" + exponent.full() + ")"}
	}
	if exponent.negative {
		n = -n
	}
	return part{text: base.text + "^" + strconv.Itoa(n), negative: base.negative && n%2 != 0, tens: n * base.tens}
}

// atom reads a number, a name, a function of something, or something in brackets.
func (c *commuter) atom() part {
	start := c.at
	for c.at < len(c.text) && isWordByte(c.text[c.at]) {
		c.at++
	}
	name := c.text[start:c.at]
	if other, known := c.names[name]; known {
		name = other
	}
	if c.failed || !c.takes("(") {
		c.failed = c.failed || name == ""
		return number(name)
	}
	inner := c.shift()
	c.failed = c.failed || !c.takes(")")
	return inside(name, inner)
}

// number reads a number or a name: 0.250 is 25 with -2 tens.
func number(name string) (p part) {
	p.text, p.negative = strings.CutPrefix(name, "-")
	if strings.Trim(name, "0123456789.") != "" || name == "" {
		return p
	}
	whole, fraction, _ := strings.Cut(name, ".")
	digits := strings.TrimRight(whole+fraction, "0")
	p.tens = len(whole) - len(digits)
	if p.text = strings.TrimLeft(digits, "0"); p.text == "" {
		p.text, p.tens = "0", 0
	}
	return p
}

// inside returns a function of a part, or for no function the part.
func inside(function string, p part) part {
	switch function {
	case "":
		return p
	case "sin", "tan", "asin", "atan", "sinh", "tanh":
		return part{text: function + "(" + p.size() + ")", negative: p.negative}
	case "cos", "cosh":
		p.negative = false
	}
	return part{text: function + "(" + p.full() + ")"}
}

// isWordByte reports whether a byte belongs to a number or a name.
func isWordByte(b byte) bool {
	return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b == '.' || b == '_'
}
