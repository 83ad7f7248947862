// Package exact brings expressions into a normal form: quotients of polynomials over the
// rational numbers in variables, roots, and functions of such forms. Expressions with the
// same form are equal; expressions of variables alone with different forms differ.
// Variables are real, and positive under a logarithm or a root.
package exact

import (
	"math/big"
	"strings"
)

// An atom is an indeterminate of polynomials: a variable, a constant, the root of a prime
// or of a sum, or a function.
type atom struct {
	name  string
	prime *big.Int // of roots of numbers; -1: its root is i
	sum   poly     // of roots of sums
	base  *Form    // of powers with an exponent other than a number
	exp   *Form
}

// A Space holds the atoms of comparable forms. It is not safe for concurrent use.
type Space struct {
	Budget *Budget
	atoms  []atom
	ids    map[string]int
	vars   map[string]*Form // the forms of variables
	depth  int
}

// NewSpace returns a space without atoms.
func NewSpace(budget *Budget) *Space {
	return &Space{Budget: budget}
}

// A Form is an expression in normal form: over/under. It belongs to its Space.
type Form struct{ over, under poly }

// intern returns the atom with the name of a; it adds a new one.
func (s *Space) intern(a atom) int {
	id, ok := s.ids[a.name]
	if !ok {
		id = len(s.atoms)
		if s.ids == nil {
			s.ids = map[string]int{}
		}
		s.atoms = append(s.atoms, a)
		s.ids[a.name] = id
	}
	return id
}

// form returns an atom as a form.
func (s *Space) form(a atom) *Form {
	powers := []power{{s.intern(a), fraction{1, 1}}}
	return productForm(powers)
}

// productForm returns a product of powers as a form.
func productForm(powers []power) *Form { return &Form{term{powers, big.NewRat(1, 1)}.poly(), unity} }

// variable returns a variable as a form.
func (s *Space) variable(name string) *Form {
	f, ok := s.vars[name]
	if !ok {
		if s.vars == nil {
			s.vars = map[string]*Form{}
		}
		f = s.form(atom{name: "var " + name})
		s.vars[name] = f
	}
	return f
}

func numberForm(value *big.Rat) *Form { return &Form{constant(value), unity} }

func wholeForm(n int64) *Form { return numberForm(big.NewRat(n, 1)) }

// Number returns the value of a form if it is a rational number.
func (f *Form) Number() (*big.Rat, bool) {
	over, ok := f.over.number()
	under, is2 := f.under.number()
	if !ok || !is2 {
		return nil, false
	}
	if one(f.under) {
		return over, true
	}
	return new(big.Rat).Quo(over, under), true
}

// IsZero reports whether the form is zero.
func (f *Form) IsZero() bool { return len(f.over) == 0 }

// one reports whether p is 1.
func one(p poly) bool {
	if len(p) != 1 {
		return false
	}
	t, ok := p[""]
	return ok && isOne(t.coef)
}

// isOne reports whether r is 1.
func isOne(r *big.Rat) bool { return r.IsInt() && r.Num().IsInt64() && r.Num().Int64() == 1 }

// text names the form; forms with the same name are equal.
func (f *Form) text() string {
	if one(f.under) {
		return f.over.text()
	}
	c := new(big.Rat).Inv(f.under.content())
	return f.over.scale(c).text() + "/" + f.under.scale(c).text()
}

// Plus returns f + g.
func (s *Space) Plus(f, g *Form) (*Form, error) {
	if one(f.under) && one(g.under) {
		over, err := s.plus(f.over, g.over)
		return &Form{over, f.under}, err
	}
	if f.under.text() == g.under.text() {
		over, err := s.plus(f.over, g.over)
		return &Form{over, f.under}, err
	}
	a, err := s.times(f.over, g.under)
	if err != nil {
		return nil, err
	}
	b, err := s.times(g.over, f.under)
	if err != nil {
		return nil, err
	}
	under, err := s.times(f.under, g.under)
	if err != nil {
		return nil, err
	}
	over, err := s.plus(a, b)
	return s.reduced(over, under), err
}

// Minus returns f - g.
func (s *Space) Minus(f, g *Form) (*Form, error) {
	return s.Plus(f, &Form{g.over.negative(), g.under})
}

// Times returns f·g.
func (s *Space) Times(f, g *Form) (*Form, error) {
	over, err := s.times(f.over, g.over)
	if err != nil {
		return nil, err
	}
	under, err := s.times(f.under, g.under)
	return s.reduced(over, under), err
}

// reduced makes the denominator 1 if it is a number or a product. It moves roots of sums
// into the numerator: 1/√(x+1) is √(x+1)/(x+1).
func (s *Space) reduced(over, under poly) *Form {
	t, ok := under.single()
	if !ok || one(under) || len(over) == 0 {
		return &Form{over, under}
	}
	powers, sums := make([]power, len(t.powers)), unity
	for i, p := range t.powers {
		exp := fraction{-p.exp.over, p.exp.under}
		if sum := s.atoms[p.atom].sum; sum != nil && exp.under != 1 && p.exp.over > 0 {
			n, rest := exp.split()
			whole, err := s.power(sum, fraction{-n, 1})
			if err != nil || !one(whole.under) {
				return &Form{over, under}
			}
			if sums, err = s.times(sums, whole.over); err != nil {
				return &Form{over, under}
			}
			exp = rest
		}
		powers[i] = power{p.atom, exp}
	}
	inverse := term{powers, new(big.Rat).Inv(t.coef)}.poly()
	r, err := s.times(inverse, over)
	if err != nil {
		return &Form{over, under}
	}
	return &Form{r, sums}
}

// Quo returns f/g; ErrUndefined if g is zero.
func (s *Space) Quo(f, g *Form) (*Form, error) {
	if g.IsZero() {
		return nil, ErrUndefined
	}
	over, err := s.times(f.over, g.under)
	if err != nil {
		return nil, err
	}
	under, err := s.times(f.under, g.over)
	if err != nil {
		return nil, err
	}
	return s.reduced(over, under), nil
}

// A Verdict is the outcome of a comparison.
type Verdict int

// The outcomes of a comparison.
const (
	Unknown Verdict = iota
	Equal
	Different
)

// Compare compares two forms. It calls forms different only if they consist of numbers
// and variables.
func (s *Space) Compare(f, g *Form) (Verdict, error) {
	d, err := s.Minus(f, g)
	if err != nil {
		return Unknown, err
	}
	switch {
	case d.IsZero():
		return Equal, nil
	case s.free(d.over):
		return Different, nil
	}
	return Unknown, nil
}

// free reports whether a nonzero poly has no zero for any values of its variables. Roots
// of different products of primes are linearly independent over the rational numbers
// (Besicovitch 1940), and so are the powers of π, and 1 and i.
func (s *Space) free(p poly) bool {
	for _, t := range p {
		for _, q := range t.powers {
			a := s.atoms[q.atom]
			inside := q.exp.over > 0 && q.exp.over < q.exp.under
			root := a.prime != nil && (a.prime.Sign() > 0 && (inside || len(p) == 1) || q.exp == fraction{1, 2})
			if !root && !a.variable() && a.name != "pi" {
				return false
			}
		}
	}
	return true
}

func (a atom) variable() bool { return strings.HasPrefix(a.name, "var ") }

// Ratio returns the number c with f = c·g, and whether there is one.
func (s *Space) Ratio(f, g *Form) (*big.Rat, bool) {
	if len(f.over) != len(g.over) || len(f.over) == 0 {
		return nil, false
	}
	k := ""
	for k = range f.over {
		break
	}
	other, ok := g.over[k]
	if !ok {
		return nil, false
	}
	c := new(big.Rat).Quo(f.over[k].coef, other.coef)
	for k, t := range f.over {
		other, ok := g.over[k]
		if !ok || new(big.Rat).Mul(other.coef, c).Cmp(t.coef) != 0 {
			return nil, false
		}
	}
	return c, true
}

// Numerator returns the numerator of a form; it has the same zeros.
func (f *Form) Numerator() *Form { return &Form{f.over, unity} }

// Known reports whether a form has only numbers and variables.
func (s *Space) Known(f *Form) bool { return s.free(f.over) && s.free(f.under) }

// Root returns the zero of a form that is linear in its only variable x, and the sign of
// its slope.
func (s *Space) Root(f *Form, x string) (root *big.Rat, slope int, ok bool) {
	a, b := new(big.Rat), new(big.Rat)
	if !one(f.under) {
		return nil, 0, false
	}
	id := s.intern(atom{name: "var " + x})
	for _, t := range f.over {
		switch {
		case len(t.powers) == 0:
			b = t.coef
		case len(t.powers) == 1 && t.powers[0] == power{id, fraction{1, 1}}:
			a = t.coef
		default:
			return nil, 0, false
		}
	}
	if a.Sign() == 0 {
		return nil, 0, false
	}
	root = new(big.Rat).Quo(b, a)
	return root.Neg(root), a.Sign(), true
}
