package expr

import "math/big"

// whole returns the value of a whole number, or of a small power of one.
func whole(n *Node) (int64, bool) {
	switch {
	case n.Op == Number && n.Value.IsInt() && n.Value.Num().BitLen() < 40:
		return n.Value.Num().Int64(), true
	case n.Op == Neg:
		value, ok := whole(n.Args[0])
		return -value, ok
	case n.Op == Pow:
		base, ok := whole(n.Args[0])
		exponent, is2 := whole(n.Args[1])
		if !ok || !is2 || exponent < 0 || exponent > 40 {
			return 0, false
		}
		value := new(big.Int).Exp(big.NewInt(base), big.NewInt(exponent), nil)
		return value.Int64(), value.BitLen() < 40
	}
	return 0, false
}

// A progression is the first terms of a sum or a product, before an ellipsis.
type progression []int64

// progressionOf reads terms; nil if one is no whole number, or there are fewer than two.
func progressionOf(terms []*Node) progression {
	values := make(progression, len(terms))
	for i, term := range terms {
		var is bool
		if values[i], is = whole(term); !is {
			return nil
		}
	}
	if len(values) < 2 {
		return nil
	}
	return values
}

// step returns the difference of an arithmetic progression, or 0.
func (g progression) step() int64 {
	d := g[1] - g[0]
	for i := 2; i < len(g); i++ {
		if g[i]-g[i-1] != d {
			return 0
		}
	}
	return d
}

// ratio returns the quotient of a geometric progression of at least three terms, or 0.
func (g progression) ratio() int64 {
	if len(g) < 3 || g[0] == 0 || g[1]%g[0] != 0 {
		return 0
	}
	r := g[1] / g[0]
	for i := 2; i < len(g); i++ {
		if g[i-1]*r != g[i] {
			return 0
		}
	}
	if r == 1 || r == -1 {
		return 0
	}
	return r
}

// reaches reports whether a term after those given is last.
func (g progression) reaches(last int64) bool {
	end := g[len(g)-1]
	if d := g.step(); d != 0 {
		return (last-end)%d == 0 && (last-end)/d > 0
	}
	r := g.ratio()
	for range 40 {
		if r == 0 || end == 0 || end > last && last > 0 {
			return false
		}
		if end *= r; end == last {
			return true
		}
	}
	return false
}

// progression returns the sum of terms up to a last one, with an ellipsis before it.
func (p latex) progression(terms []*Node, last *Node) *Node {
	g := progressionOf(terms)
	value, ok := whole(last)
	if g == nil || ok && !g.reaches(value) || !ok && (last.Has(Number) && !last.Has(Symbol) || len(g) < 3 && last.Has(Pow)) {
		return p.fail("follows an ellipsis that leaves something out")
	}
	first := Rational(big.NewRat(g[0], 1))
	if d := g.step(); d != 0 {
		count := New(Add, New(Div, less(last, first), Rational(big.NewRat(d, 1))), Int(1))
		return New(Div, New(Mul, New(Add, first, last), count), Int(2))
	}
	if r := g.ratio(); r != 0 {
		return New(Div, less(New(Mul, last, Rational(big.NewRat(r, 1))), first), Rational(big.NewRat(r-1, 1)))
	}
	return p.fail("follows an ellipsis that leaves something out")
}

// productGoesOn reports whether an ellipsis stands for factors.
func (p *cursor) productGoesOn() bool {
	if p.peek().is("*") {
		return p.peekAt(1).is("...") && p.peekAt(2).is("*")
	}
	return p.peek().is("...") && (p.peekAt(1).kind == kNumber || p.peekAt(1).kind == kSymbol)
}

// maxFactors bounds the factors that an ellipsis stands for.
const maxFactors = 500

// wholeProduct returns the product of factors up to a last one, with an ellipsis before it.
func (p latex) wholeProduct(left *Node) *Node {
	p.accept("*")
	p.accept("...")
	p.accept("*")
	last := p.factors()
	var terms []*Node
	for ; left.Op == Mul && len(left.Args) == 2 && len(terms) < maxFactors; left = left.Args[0] {
		terms = append([]*Node{left.Args[1]}, terms...)
	}
	g := progressionOf(append([]*Node{left}, terms...))
	if g == nil || g.step() == 0 {
		return p.fail("follows an ellipsis that leaves something out")
	}
	d := g.step()
	value, ok := whole(last)
	switch {
	case g[0] == 1 && d == 1 && (!ok || g.reaches(value)):
		return Call("factorial", last)
	case !ok || !g.reaches(value) || (value-g[0])/d > maxFactors:
		return p.fail("follows an ellipsis that leaves something out")
	}
	product := big.NewInt(1)
	for n := g[0]; ; n += d {
		product.Mul(product, big.NewInt(n))
		if n == value {
			return Rational(new(big.Rat).SetInt(product))
		}
	}
}
