package pyvalue

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
)

// Unary applies +, - or abs to a number.
func Unary(op string, v Value) (Value, error) {
	if u, ok := v.(*Undefined); ok {
		return nil, u.Fault()
	}
	if !IsNumber(v) {
		return nil, fmt.Errorf("bad operand type for unary %s: '%s'", op, TypeName(v))
	}
	f, isFloat := v.(float64)
	n, _ := toBig(v)
	switch {
	case op == "-" && isFloat:
		return -f, nil
	case op == "-":
		return calculate("-", int64(0), v)
	case op == "abs" && isFloat:
		return math.Abs(f), nil
	case op == "abs":
		return fromBig(new(big.Int).Abs(n)), nil
	}
	return plus(v), nil
}

// Int returns int(v), or int(v, base) for text. It is invalid if v is neither a number nor the
// text of one, or has more than 4300 digits. An undefined or infinite v is an error.
func Int(v Value, base int64) (n Value, valid bool, err error) {
	if s, isText := Text(v); isText {
		n, err := parseInt(s, base)
		return n, err == nil, nil
	}
	if u, ok := v.(*Undefined); ok {
		return nil, false, u.Fault()
	}
	f, isFloat := v.(float64)
	switch {
	case !isFloat:
		return plus(v), IsNumber(v), nil
	case math.IsNaN(f):
		return nil, false, nil
	case math.IsInf(f, 0):
		return nil, false, errors.New("cannot convert float infinity to integer")
	}
	z, _ := big.NewFloat(f).Int(nil)
	return fromBig(z), true, nil
}

// Float returns float(v). It is invalid if v is neither a number nor the text of one. An
// undefined or too large v is an error.
func Float(v Value) (f float64, valid bool, err error) {
	if s, isText := Text(v); isText {
		f, valid = parseFloat(s)
		return f, valid, nil
	}
	if u, ok := v.(*Undefined); ok {
		return 0, false, u.Fault()
	}
	if !IsNumber(v) {
		return 0, false, nil
	}
	f, err = toFloat(v)
	return f, true, err
}

// Round returns round(v, places), for -400 to 400 places: the nearest number with that many; ties
// go to the even one.
func Round(v Value, places int64) (Value, error) {
	if u, ok := v.(*Undefined); ok {
		return nil, u.Fault()
	}
	if !IsNumber(v) {
		return nil, fmt.Errorf("round wants a number, has '%s'", TypeName(v))
	}
	if places < -400 || places > 400 {
		return nil, fmt.Errorf("precision is %d, want -400 to 400", places)
	}
	f, ok := v.(float64)
	if ok && places >= 0 {
		f, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', int(places), 64), 64)
		return f, err
	}
	if !ok && places >= 0 {
		return plus(v), nil
	}
	if ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
		return f, nil
	}
	exactly := new(big.Rat)
	if n, isInt := toBig(v); isInt {
		exactly.SetInt(n)
	} else {
		exactly.SetFloat64(f)
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(-places), nil)
	exactly.Quo(exactly, new(big.Rat).SetInt(unit))
	whole, _ := new(big.Int).SetString(exactly.FloatString(0), 10) // ties go away from zero
	twice := new(big.Rat).Mul(exactly, big.NewRat(2, 1))
	if twice.IsInt() && !exactly.IsInt() && whole.Bit(0) == 1 {
		whole.Sub(whole, big.NewInt(int64(whole.Sign())))
	}
	whole.Mul(whole, unit)
	if ok {
		g, _ := new(big.Float).SetInt(whole).Float64()
		return math.Copysign(g, f), nil
	}
	return bounded(whole)
}

// Range returns range(…), of at most 100,000 numbers.
func (r *Runtime) Range(a Args) (Value, error) {
	bound, err := Bind("range", []string{"", "", ""}, 1, a)
	if err != nil {
		return nil, err
	}
	var n [3]int64
	for i, v := range bound {
		n[i] = min(int64(i), 1) // the start is 0, the step 1
		if _, ok := v.(missing); ok {
			continue
		}
		if u, ok := v.(*Undefined); ok {
			return nil, u.Fault()
		}
		small, ok := toInt64(v)
		if !ok || small < -1<<40 || small > 1<<40 {
			return nil, fmt.Errorf("range wants integers of at most 40 bits, has '%s'", TypeName(v))
		}
		n[i] = small
	}
	v := &interval{n[0], n[1], n[2]}
	if len(a.Pos) == 1 {
		v.start, v.stop = 0, n[0]
	}
	if v.step == 0 {
		return nil, errors.New("range() arg 3 must not be zero")
	}
	if v.length() > maxRange {
		return nil, fmt.Errorf("range has %d numbers, want at most %d", v.length(), maxRange)
	}
	return v, r.Spend(1)
}

// Dict returns dict(…): of a dict or of pairs, and of keyword arguments.
func (r *Runtime) Dict(a Args) (*Dict, error) {
	if len(a.Pos) > 1 {
		return nil, fmt.Errorf("dict expected at most 1 argument, got %d", len(a.Pos))
	}
	d := NewDict(len(a.Names))
	var pairs []Value
	if len(a.Pos) == 1 {
		if other, ok := a.Pos[0].(*Dict); ok {
			pairs = other.pairs()
		} else {
			var err error
			if pairs, err = r.Items(a.Pos[0]); err != nil {
				return nil, err
			}
		}
	}
	for _, pair := range pairs {
		kv, err := r.Items(pair)
		if err != nil {
			return nil, err
		}
		if len(kv) != 2 {
			return nil, fmt.Errorf("a pair for dict has %d items, want 2", len(kv))
		}
		if err := r.SetItem(d, kv[0], kv[1]); err != nil {
			return nil, err
		}
	}
	for i, name := range a.Names {
		d.Set(name, a.Named[i])
	}
	return d, r.Spend(len(pairs))
}

// Sorted returns sorted(items, key=key, reverse=backwards). It does not change items.
func (r *Runtime) Sorted(items []Value, backwards bool, key func(Value) (Value, error)) ([]Value, error) {
	type keyed struct{ key, item Value }
	pairs := make([]keyed, len(items))
	for i, item := range items {
		k, err := key(item)
		if err != nil {
			return nil, err
		}
		pairs[i] = keyed{k, item}
	}
	var fault error
	slices.SortStableFunc(pairs, func(a, b keyed) int {
		if fault != nil {
			return 0
		}
		if fault = r.Spend(1); fault != nil {
			return 0
		}
		sign, err := r.order(a.key, b.key, 0)
		if errors.Is(err, errOrder) {
			err = fmt.Errorf("'<' not supported between instances of '%s' and '%s'", TypeName(a.key), TypeName(b.key))
		}
		fault = err
		if sign == 2 {
			return 0
		}
		if backwards {
			return -sign
		}
		return sign
	})
	out := make([]Value, len(pairs))
	for i, p := range pairs {
		out[i] = p.item
	}
	return out, fault
}
