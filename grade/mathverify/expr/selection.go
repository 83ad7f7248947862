package expr

import (
	"math/big"
	"strings"
)

// selection returns the number of selections of k out of n: without order for the letter C, with
// it for P.
func selection(letter string, n, k *Node) *Node {
	if letter == "C" {
		return Call("binom", n, k)
	}
	return New(Div, Call("factorial", n), Call("factorial", New(Add, n, New(Neg, k))))
}

// combination returns C_n^k and C^k_n as a binomial coefficient of whole numbers, of which the
// greater is n; nil for anything else.
func combination(n, exponent *Node) *Node {
	if n.Op != Symbol || exponent.Op != Number || !exponent.Value.IsInt() {
		return nil
	}
	digits, is := strings.CutPrefix(n.Name, "C_")
	below, ok := new(big.Rat).SetString(digits)
	if !is || !ok || !below.IsInt() || below.Cmp(big.NewRat(2, 1)) <= 0 && exponent.Value.Cmp(big.NewRat(2, 1)) <= 0 {
		return nil
	}
	if below.Cmp(exponent.Value) >= 0 {
		return Call("binom", Rational(below), exponent)
	}
	return Call("binom", exponent, Rational(below))
}

// prefixed reads the numbers about C or P in {}_{5}C_{2}; nil if they do not stand there.
func (p latex) prefixed() *Node {
	start := p.at
	if p.peek().is("{") && p.peekAt(1).is("}") {
		p.at += 2
	}
	if !p.accept("_") && !p.accept("^") || p.peek().kind != kNumber && !(p.peek().is("{") && p.peekAt(2).is("}")) {
		p.at = start
		return nil
	}
	n := p.primary()
	letter := p.take()
	if letter.kind != kSymbol || letter.text != "C" && letter.text != "P" || !p.accept("_") {
		return p.fail("does not belong here")
	}
	return selection(letter.text, n, p.short())
}
