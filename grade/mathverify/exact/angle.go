package exact

import "math/big"

// angles maps multiples of π/12 up to π/2 to the roots whose sum, over 4, is the sine.
var angles = [7][]int64{{}, {6, -2}, {4}, {8}, {12}, {6, 2}, {16}}

// function returns the sine or the cosine of a form: a number for a multiple of π/12.
func (s reader) function(name string, f *Form) (*Form, error) {
	q, ok := s.turns(f)
	if !ok {
		return s.form(atom{name: argText(name, []*Form{f})}), nil
	}
	if name == "cos" {
		q += 6
	}
	q = (q%24 + 24) % 24
	sign := int64(1)
	if q > 12 {
		q, sign = q-12, -1
	}
	if q > 6 {
		q = 12 - q
	}
	sum := wholeForm(0)
	for _, root := range angles[q] {
		part := sign
		if root < 0 {
			root, part = -root, -sign
		}
		f, err := s.rootOfNumber(big.NewRat(root, 1), fraction{1, 2})
		if err != nil {
			return nil, err
		}
		f = &Form{f.over.scale(big.NewRat(part, 4)), f.under}
		if sum, err = s.Plus(sum, f); err != nil {
			return nil, err
		}
	}
	return sum, nil
}

// turns returns q for an angle of q·π/12.
func (s reader) turns(f *Form) (q int64, ok bool) {
	if f.IsZero() {
		return 0, true
	}
	t, single := f.over.single()
	if !single || !one(f.under) || len(t.powers) != 1 || t.powers[0].exp != (fraction{1, 1}) || s.atoms[t.powers[0].atom].name != "pi" {
		return 0, false
	}
	turns := new(big.Rat).Mul(t.coef, big.NewRat(12, 1))
	if !turns.IsInt() || !turns.Num().IsInt64() {
		return 0, false
	}
	return turns.Num().Int64(), true
}

// tangent returns the tangent of a multiple of π/12, or an atom.
func (s reader) tangent(args []*Form) (*Form, error) {
	if _, ok := s.turns(args[0]); !ok {
		return s.form(atom{name: argText("tan", args)}), nil
	}
	sin, err := s.function("sin", args[0])
	if err != nil {
		return nil, err
	}
	cos, err := s.function("cos", args[0])
	if err != nil {
		return nil, err
	}
	return s.Quo(sin, cos)
}
