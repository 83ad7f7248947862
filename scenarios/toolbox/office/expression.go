package office

import (
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"
)

// maxExpression is the longest expression, in characters. It bounds the depth and the size of numbers too.
const maxExpression = 40

// evaluate returns the exact value of an expression of whole numbers, + - * /, mod and brackets,
// and the numbers in it. why says what is wrong with it; empty: nothing.
func evaluate(text string) (value *big.Rat, numbers []string, why string) {
	if n := utf8.RuneCountInString(text); n > maxExpression {
		return nil, nil, fmt.Sprintf("has %d characters, at most %d are allowed", n, maxExpression)
	}
	p := &parser{text: signs.Replace(text)}
	p.skip()
	value = p.sum()
	if p.why == "" && p.at < len(p.text) {
		p.fail()
	}
	if p.why != "" {
		return nil, nil, p.why
	}
	return value, p.numbers, ""
}

// signs are other ways to write the operators.
var signs = strings.NewReplacer("−", "-", "×", "*", "÷", "/", "%", " mod ")

// A parser reads an expression.
type parser struct {
	text    string
	at      int
	numbers []string
	why     string // the first fault; empty: none
}

// fail notes that the text cannot go on as it does.
func (p *parser) fail() *big.Rat {
	switch {
	case p.why != "":
	case p.at == len(p.text):
		p.why = "it ends too early"
	default:
		p.why = fmt.Sprintf("%.20q is not understood; it takes whole numbers, + - * /, mod and brackets", p.text[p.at:])
	}
	return new(big.Rat)
}

// skip skips spaces.
func (p *parser) skip() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

// take reports whether a word is next, and goes beyond it.
func (p *parser) take(word string) bool {
	if p.why != "" || !strings.HasPrefix(p.text[p.at:], word) {
		return false
	}
	p.at += len(word)
	p.skip()
	return true
}

// sum reads products that are added or subtracted.
func (p *parser) sum() *big.Rat {
	value := p.product()
	for {
		switch {
		case p.take("+"):
			value = new(big.Rat).Add(value, p.product())
		case p.take("-"):
			value = new(big.Rat).Sub(value, p.product())
		default:
			return value
		}
	}
}

// product reads factors that are multiplied, divided or reduced by a modulus, from left to right.
func (p *parser) product() *big.Rat {
	value := p.factor()
	for {
		switch {
		case p.take("*"):
			value = new(big.Rat).Mul(value, p.factor())
		case p.take("/"):
			by := p.factor()
			if p.why == "" && by.Sign() == 0 {
				p.why = "it divides by 0"
			}
			if p.why != "" {
				return value
			}
			value = new(big.Rat).Quo(value, by)
		case p.take("mod"):
			value = p.mod(value, p.factor())
		default:
			return value
		}
	}
}

// mod returns the remainder of a division by a positive number, from 0 on.
func (p *parser) mod(of, by *big.Rat) *big.Rat {
	switch {
	case p.why != "":
	case !of.IsInt() || !by.IsInt():
		p.why = "mod takes whole numbers"
	case by.Sign() <= 0:
		p.why = "mod takes a modulus above 0"
	default:
		return new(big.Rat).SetInt(new(big.Int).Mod(of.Num(), by.Num()))
	}
	return of
}

// factor reads a number or an expression in brackets, perhaps with a sign.
func (p *parser) factor() *big.Rat {
	switch {
	case p.take("-"):
		return new(big.Rat).Neg(p.factor())
	case p.take("("):
		value := p.sum()
		if !p.take(")") {
			return p.fail()
		}
		return value
	}
	from := p.at
	for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
		p.at++
	}
	value, is := new(big.Rat).SetString(p.text[from:p.at])
	if !is || p.why != "" {
		p.at = from
		return p.fail()
	}
	p.numbers = append(p.numbers, value.RatString())
	p.skip()
	return value
}
