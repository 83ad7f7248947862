package arithmetic

import "strconv"

// A term is over/under · variable^power · factor.
type term struct {
	over, under int64  // under is not 0
	power       int    // of the variable
	factor      string // as SymPy writes it; empty: 1
}

// reduced returns the term in lowest terms, with under above 0.
func (t term) reduced() term {
	a, b := max(t.over, -t.over), max(t.under, -t.under)
	for b != 0 {
		a, b = b, a%b
	}
	if t.under < 0 {
		a = -a
	}
	if a != 0 {
		t.over, t.under = t.over/a, t.under/a
	}
	return t
}

// A sumOf is a sum of terms of one variable.
type sumOf []term

// plusTerm adds a term. It merges terms that differ only in their number.
func (s sumOf) plus(t term) sumOf {
	for i, old := range s {
		if old.power == t.power && old.factor == t.factor {
			t.over, t.under = old.over*t.under+t.over*old.under, old.under*t.under
			s[i] = t.reduced()
			return s
		}
	}
	return append(s, t.reduced())
}

// text writes the sum as SymPy does, without terms equal to 0.
func (s sumOf) text(variable string) string {
	var b []byte
	for _, t := range s {
		if t.over == 0 {
			continue
		}
		switch {
		case b != nil && t.over < 0:
			b = append(b, " - "...)
		case b != nil:
			b = append(b, " + "...)
		case t.over < 0:
			b = append(b, '-')
		}
		b = t.append(b, variable)
	}
	if b == nil {
		return "0"
	}
	return string(b)
}

// append writes the term without its sign.
func (t term) append(b []byte, variable string) []byte {
	start := len(b)
	times := func() {
		if len(b) > start {
			b = append(b, '*')
		}
	}
	if n := max(t.over, -t.over); n != 1 || t.power <= 0 && t.factor == "" {
		b = strconv.AppendInt(b, n, 10)
	}
	if t.power > 0 {
		times()
		b = appendPower(b, variable, t.power)
	}
	if t.factor != "" {
		times()
		b = append(b, t.factor...)
	}
	switch {
	case t.power < 0 && t.under != 1:
		b = append(strconv.AppendInt(append(b, "/("...), t.under, 10), '*')
		b = append(appendPower(b, variable, -t.power), ')')
	case t.power < 0:
		b = appendPower(append(b, '/'), variable, -t.power)
	case t.under != 1:
		b = strconv.AppendInt(append(b, '/'), t.under, 10)
	}
	return b
}

// appendPower writes variable**n for n ≥ 1.
func appendPower(b []byte, variable string, n int) []byte {
	b = append(b, variable...)
	if n > 1 {
		b = strconv.AppendInt(append(b, "**"...), int64(n), 10)
	}
	return b
}
