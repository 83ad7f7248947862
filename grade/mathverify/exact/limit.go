package exact

import (
	"errors"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// maxLimit bounds the nodes of an expression whose limit we take.
const maxLimit = 200

// A limiter takes limits.
type limiter struct{ reader }

// limit takes a limit by the series of its body at the point, from both sides unless it says
// one; else it substitutes the value.
func (s limiter) limit(n *expr.Node) (*Form, error) {
	t, err := s.bothSides(n)
	if err == nil {
		if f, infinite := s.valueOf(t); infinite == 0 && f != nil {
			return f, nil
		}
		return s.unsolved(n)
	}
	if Ended(err) {
		return nil, err
	}
	body, target := n.Args[2], n.Args[1]
	if n.Name != "lim" || infinity(target) != 0 || jumps(body) {
		return s.unsolved(n)
	}
	f, err := s.Read(body.Replace(n.Args[0].Name, target))
	if err != nil {
		return s.unsolved(n)
	}
	return f, nil
}

// Infinite returns the sign of a limit that is infinite, or 0.
func (s *Space) Infinite(n *expr.Node) int {
	r := limiter{reader{s}}
	t, err := r.bothSides(n)
	if err != nil {
		return 0
	}
	_, infinite := r.valueOf(t)
	return infinite
}

// jumps reports whether a function in n has jumps.
func jumps(n *expr.Node) bool {
	return !n.Walk(func(m *expr.Node) bool {
		return m.Op != expr.Apply || m.Name != "floor" && m.Name != "ceil" && m.Name != "sign" && m.Name != "mod"
	})
}

// infinity returns the sign of an infinite target, or 0.
func infinity(n *expr.Node) int {
	switch {
	case n.Op == expr.Constant && n.Name == "inf":
		return 1
	case n.Op == expr.Neg:
		return -infinity(n.Args[0])
	}
	return 0
}

// bothSides returns the series of the body of a limit. A limit from both sides needs the same
// first term on each, unless the body has no real values on the left.
func (s limiter) bothSides(n *expr.Node) (taylor, error) {
	size := 0
	n.Walk(func(*expr.Node) bool { size++; return size <= maxLimit })
	if size > maxLimit {
		return taylor{}, ErrForm
	}
	if sign := infinity(n.Args[1]); sign != 0 {
		return s.side(n, int64(sign))
	}
	if n.Name == "lim-" {
		return s.side(n, -1)
	}
	right, err := s.side(n, 1)
	if n.Name == "lim+" || err != nil {
		return right, err
	}
	left, err := s.side(n, -1)
	if errors.Is(err, errDomain) {
		return right, nil
	}
	if err != nil {
		return taylor{}, err
	}
	f, infinite := s.valueOf(right)
	g, infinite2 := s.valueOf(left)
	if infinite != infinite2 || (f == nil) != (g == nil) {
		return taylor{}, ErrForm
	}
	if f != nil {
		if verdict, err := s.Compare(f, g); verdict != Equal {
			return taylor{}, errors.Join(ErrForm, err)
		}
	}
	return right, nil
}

// side returns the series of the body on one side of the point. With a root of h in it, it is a
// series in the root.
func (s limiter) side(n *expr.Node, sign int64) (t taylor, err error) {
	target, body := n.Args[1], n.Args[2]
	for root := 1; root <= 2; root++ {
		at := taylor{low: root, c: constantTaylor(wholeForm(sign)).c}
		if infinity(target) != 0 {
			at.low = -root
		} else {
			f, err := s.Read(target)
			if err != nil {
				return taylor{}, err
			}
			if !f.IsZero() {
				at = constantTaylor(f)
				at.c[root] = wholeForm(sign)
			}
		}
		e := expander{s.reader, n.Args[0].Name, at}
		if t, err = e.expand(body); err == nil {
			return e.normalOrZero(t)
		}
		if !errors.Is(err, ErrForm) {
			return taylor{}, err
		}
	}
	return taylor{}, err
}

// normalOrZero drops leading zeros.
func (e expander) normalOrZero(t taylor) (taylor, error) {
	if len(t.c) > 0 && t.zero() && t.low+len(t.c) > 0 {
		return taylor{1, []*Form{wholeForm(1)}}, nil // it vanishes
	}
	return e.normal(t)
}

// valueOf returns the value at h = 0 of a series, or the sign of infinity; nil and 0 if it
// cannot tell.
func (s limiter) valueOf(t taylor) (f *Form, infinite int) {
	e := expander{reader: s.reader}
	first := t.c[0]
	switch {
	case t.low > 0:
		return wholeForm(0), 0
	case e.mentions(first, lnH):
		return nil, 0
	case t.low == 0:
		return first, 0
	}
	if c, ok := first.Number(); ok {
		return nil, c.Sign()
	}
	if single, ok := first.over.single(); ok && one(first.under) {
		if _, positive := s.positive(single); positive {
			return nil, single.coef.Sign()
		}
	}
	return nil, 0
}
