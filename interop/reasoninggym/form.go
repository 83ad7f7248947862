package reasoninggym

import (
	"maps"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
)

// A form is an expression as SymPy evaluates it by itself: a sum of terms, by the text of
// their factors. Like terms are one, powers of one base are one, and a number times a sum is
// distributed; products of sums are not.
type form map[string]term

// A term is a number times powers of bases. A base is a variable, a number without an exact
// root, or the text of a sum or of a function's call.
type term struct {
	times  num
	powers map[string]num
}

// An evaluator makes forms. Its steps bound the work.
type evaluator struct {
	left   int
	values map[string]float64 // of bases that are numbers
	sums   map[string]form    // that are bases
	fault  bool
}

func newEvaluator() *evaluator {
	const steps = 400_000
	return &evaluator{left: steps, values: map[string]float64{"pi": math.Pi, "E": math.E}, sums: map[string]form{}}
}

// constant returns a number as a form.
func constant(a num) form {
	if a.zero() && a.exact != nil {
		return form{}
	}
	return form{"": {times: a}}
}

// number returns the value of a form without bases.
func (f form) number() (num, bool) {
	switch len(f) {
	case 0:
		return count(0), true
	case 1:
		t, ok := f[""]
		return t.times, ok
	}
	return num{}, false
}

// text writes a form.
func (f form) text() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(f)) {
		b.WriteString(f[key].times.text() + "*" + key + "+")
	}
	return b.String()
}

// key writes the powers of a term.
func (t term) key() string {
	var b strings.Builder
	for _, base := range slices.Sorted(maps.Keys(t.powers)) {
		b.WriteString(base + "^" + t.powers[base].text() + ";")
	}
	return b.String()
}

// spend takes steps, and reports whether there are any left.
func (e *evaluator) spend(steps int) bool {
	if e.left -= steps; e.left < 0 {
		e.fault = true
	}
	return !e.fault
}

// fail says that SymPy raises an exception, or that we cannot follow it.
func (e *evaluator) fail() form {
	e.fault = true
	return form{}
}

// form evaluates an expression.
func (e *evaluator) form(n *expr.Node) form {
	if !e.spend(1) {
		return form{}
	}
	switch n.Op {
	case expr.Number:
		if n.Digits > 0 {
			x, _ := n.Value.Float64()
			return constant(num{float: x})
		}
		return constant(exact(n.Value))
	case expr.Symbol:
		return e.symbol(n.Name)
	case expr.Add:
		return e.add(e.form(n.Args[0]), e.form(n.Args[1]))
	case expr.Neg:
		return e.multiply(constant(count(-1)), e.form(n.Args[0]))
	case expr.Mul:
		return e.multiply(e.form(n.Args[0]), e.form(n.Args[1]))
	case expr.Div:
		return e.multiply(e.form(n.Args[0]), e.raise(e.form(n.Args[1]), constant(count(-1))))
	case expr.Pow:
		return e.raise(e.form(n.Args[0]), e.form(n.Args[1]))
	case expr.Apply:
		return e.call(n)
	}
	return e.fail()
}

// symbol returns a variable, or a number of SymPy or Python.
func (e *evaluator) symbol(name string) form {
	switch name {
	case "True":
		return constant(count(1))
	case "False":
		return form{}
	case "nan", "oo", "zoo", "None", "I":
		return e.fail()
	}
	return form{name + "^1;": {count(1), map[string]num{name: count(1)}}}
}

// add adds b to a.
func (e *evaluator) add(a, b form) form {
	for key, t := range b {
		if !e.spend(1 + len(key)/8) {
			return form{}
		}
		old, has := a[key]
		if has {
			t.times = t.times.plus(old.times)
		}
		if a[key] = t; t.times.zero() && t.times.exact != nil {
			delete(a, key)
		}
		if !t.times.small() {
			return e.fail()
		}
	}
	return a
}

// multiply multiplies two forms. A sum becomes a base, unless the other is a number.
func (e *evaluator) multiply(a, b form) form {
	if n, ok := a.number(); ok {
		return e.scale(b, n)
	}
	if n, ok := b.number(); ok {
		return e.scale(a, n)
	}
	x, y := e.asTerm(a), e.asTerm(b)
	return e.product(x.times.times(y.times), x.powers, y.powers)
}

// scale multiplies each term by a number.
func (e *evaluator) scale(a form, n num) form {
	scaled := make(form, len(a))
	for key, t := range a {
		t.times = t.times.times(n)
		if !e.spend(1) || !t.times.small() {
			return e.fail()
		}
		if !t.times.zero() || t.times.exact == nil {
			scaled[key] = t
		}
	}
	return scaled
}

// asTerm returns a form as one term.
func (e *evaluator) asTerm(f form) term {
	if len(f) == 1 {
		for _, t := range f {
			return t
		}
	}
	return term{count(1), map[string]num{e.base(f): count(1)}}
}

// base keeps a sum, and returns its text in brackets.
func (e *evaluator) base(f form) string {
	text := "(" + f.text() + ")"
	e.spend(len(text) / 4)
	e.sums[text] = f
	if x, ok := e.value(f); ok {
		e.values[text] = x
	}
	return text
}

// product returns a number times powers, joined by bases.
func (e *evaluator) product(times num, all ...map[string]num) form {
	powers := map[string]num{}
	for _, some := range all {
		for base, p := range some {
			if !e.spend(1 + len(base)/8) {
				return form{}
			}
			if old, has := powers[base]; has {
				p = p.plus(old)
			}
			if powers[base] = p; p.zero() {
				delete(powers, base)
			}
		}
	}
	for base, p := range powers { // roots that have become whole
		n, isNumber := strings.CutPrefix(base, "#")
		exponent, isWhole := p.whole()
		if !isNumber || !isWhole {
			continue
		}
		value, _ := new(big.Rat).SetString(n)
		power, ok := exact(value).power(exponent)
		if !ok {
			return e.fail()
		}
		times = times.times(power)
		delete(powers, base)
	}
	if len(powers) == 1 {
		for base, p := range powers {
			if f, ok := e.sums[base]; ok && p.text() == "1" {
				return e.scale(f, times)
			}
		}
	}
	if len(powers) == 0 || times.zero() {
		return constant(times)
	}
	t := term{times, powers}
	return form{t.key(): t}
}

// raise raises a form to a power.
func (e *evaluator) raise(a, b form) form {
	exponent, ok := b.number()
	base, isNumber := a.number()
	if !ok {
		if isNumber && base.text() == "1" {
			return a
		}
		name := "(" + a.text() + ")**(" + b.text() + ")"
		e.spend(len(name) / 4)
		return form{name + "^1;": {count(1), map[string]num{name: count(1)}}}
	}
	whole, isWhole := exponent.whole()
	switch {
	case isWhole && whole.Sign() == 0:
		return constant(count(1))
	case isNumber:
		return e.raiseNumber(base, exponent)
	case len(a) > 1:
		return e.product(count(1), map[string]num{e.base(a): exponent})
	case !isWhole:
		return e.product(count(1), map[string]num{e.opaque(a): exponent})
	}
	t := e.asTerm(a)
	times, ok := t.times.power(whole)
	if !ok {
		return e.fail()
	}
	powers := map[string]num{}
	for base, p := range t.powers {
		powers[base] = p.times(exponent)
	}
	return e.product(times, powers)
}

// opaque returns a form of one term as a base: its variable, or its text.
func (e *evaluator) opaque(f form) string {
	if t := e.asTerm(f); t.times.text() == "1" && len(t.powers) == 1 {
		for base, p := range t.powers {
			if p.text() == "1" {
				return base
			}
		}
	}
	return "[" + f.text() + "]"
}

// raiseNumber raises a number to a power.
func (e *evaluator) raiseNumber(base, exponent num) form {
	if whole, ok := exponent.whole(); ok {
		if p, ok := base.power(whole); ok {
			return constant(p)
		}
		return e.fail()
	}
	if base.exact == nil || exponent.exact == nil {
		p := num{float: math.Pow(base.value(), exponent.value())}
		if !p.small() {
			return e.fail()
		}
		return constant(p)
	}
	if n := exponent.exact.Denom(); n.IsInt64() {
		if root, ok := base.root(n.Int64()); ok {
			return e.raiseNumber(root, exact(new(big.Rat).SetInt(exponent.exact.Num())))
		}
	}
	if base.exact.Sign() < 0 {
		return e.fail()
	}
	name := "#" + base.exact.RatString()
	e.values[name] = base.value()
	return e.product(count(1), map[string]num{name: exponent})
}

// value returns the value of a form whose bases are numbers.
func (e *evaluator) value(f form) (float64, bool) {
	if n, ok := f.number(); ok {
		return n.value(), true
	}
	sum := 0.0
	for _, key := range slices.Sorted(maps.Keys(f)) {
		t := f[key]
		v := t.times.value()
		for _, base := range slices.Sorted(maps.Keys(t.powers)) {
			x, ok := e.values[base]
			if !ok {
				return 0, false
			}
			v *= math.Pow(x, t.powers[base].value())
		}
		sum += v
	}
	return sum, true
}
