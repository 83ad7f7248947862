package pyvalue

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

var errDepth = fmt.Errorf("lists or dicts nest more than %d deep", maxDepth)

// Compare applies a comparison: ==, !=, <, <=, >, >=, in, not in or is. Values nested more than
// 500 deep are an error.
func (r *Runtime) Compare(op string, a, b Value) (bool, error) {
	switch op {
	case "==":
		return r.equal(a, b)
	case "!=":
		same, err := r.equal(a, b)
		return !same, err
	case "is":
		return identical(a, b), nil
	case "in":
		return r.contains(b, a)
	case "not in":
		within, err := r.contains(b, a)
		return !within, err
	}
	return r.ordered(op, a, b)
}

// identical reports whether a and b are one object. Equal texts count as one, and so do equal
// numbers of a type; Python does not promise that.
func identical(a, b Value) bool {
	if x, ok := a.(*big.Int); ok {
		y, ok := b.(*big.Int)
		return ok && x.Cmp(y) == 0
	}
	return a == b
}

// equal reports whether a == b.
func (r *Runtime) equal(a, b Value) (bool, error) { return r.equalAt(a, b, 0) }

func (r *Runtime) equalAt(a, b Value, depth int) (bool, error) {
	if depth > maxDepth {
		return false, errDepth
	}
	if IsNumber(a) || IsNumber(b) {
		return IsNumber(a) && IsNumber(b) && compareNumbers(a, b) == 0, nil
	}
	if x, ok := Text(a); ok {
		y, ok := Text(b)
		return ok && x == y, r.Spend(min(len(x), len(y)) / 64)
	}
	switch x := a.(type) {
	case nil:
		return b == nil, nil
	case *List:
		y, ok := b.(*List)
		if !ok || x.Tuple != y.Tuple || len(x.Items) != len(y.Items) {
			return false, nil
		}
		return r.equalItems(x.Items, y.Items, depth)
	case *Dict:
		y, ok := b.(*Dict)
		if !ok || len(x.keys) != len(y.keys) {
			return false, nil
		}
		return r.equalDicts(x, y, depth)
	case *interval:
		y, ok := b.(*interval)
		return ok && x.length() == y.length() && (x.length() == 0 || x.start == y.start && (x.length() == 1 || x.step == y.step)), nil
	case *Undefined:
		_, ok := b.(*Undefined)
		return ok, nil
	case *view:
		return r.equalViews(x, b)
	}
	if _, ok := b.(*List); ok {
		return false, nil
	}
	return a == b, nil // by identity; both are pointers or strings
}

func (r *Runtime) equalItems(a, b []Value, depth int) (bool, error) {
	for i := range a {
		if err := r.Spend(1); err != nil {
			return false, err
		}
		if same, err := r.equalAt(a[i], b[i], depth+1); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (r *Runtime) equalDicts(a, b *Dict, depth int) (bool, error) {
	if a == b {
		return true, nil
	}
	for h, i := range a.at {
		j, has := b.at[h]
		if !has {
			return false, r.Spend(i)
		}
		if err := r.Spend(1); err != nil {
			return false, err
		}
		if same, err := r.equalAt(a.values[i], b.values[j], depth+1); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// equalViews compares keys or items as sets. Views of values are equal only by identity.
func (r *Runtime) equalViews(a *view, b Value) (bool, error) {
	y, ok := b.(*view)
	if !ok || a.kind != y.kind || a.kind == "values" {
		return ok && a == y, nil
	}
	if len(a.dict.keys) != len(y.dict.keys) {
		return false, nil
	}
	if a.kind == "items" {
		return r.equalDicts(a.dict, y.dict, 0)
	}
	for h := range a.dict.at {
		if _, has := y.dict.at[h]; !has {
			return false, nil
		}
	}
	return true, r.Spend(len(a.dict.keys))
}

// compareNumbers returns the sign of a - b, or 2 if one of them is not a number.
func compareNumbers(a, b Value) int {
	f, af := a.(float64)
	g, bf := b.(float64)
	switch {
	case f != f || g != g:
		return 2
	case af && bf:
		switch {
		case f < g:
			return -1
		case f > g:
			return 1
		}
		return 0
	case af:
		return new(big.Float).SetFloat64(f).Cmp(exact(b))
	case bf:
		return exact(a).Cmp(new(big.Float).SetFloat64(g))
	}
	if x, ok := toInt64(a); ok {
		if y, ok := toInt64(b); ok {
			return compareInts(x, y)
		}
	}
	x, _ := toBig(a)
	y, _ := toBig(b)
	return x.Cmp(y)
}

func compareInts(x, y int64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// exact returns an integer as a float, with enough bits to be exact.
func exact(v Value) *big.Float {
	n, _ := toBig(v)
	return new(big.Float).SetInt(n)
}

// ordered applies <, <=, > or >=.
func (r *Runtime) ordered(op string, a, b Value) (bool, error) {
	sign, err := r.order(a, b, 0)
	if errors.Is(err, errOrder) {
		return false, fmt.Errorf("'%s' not supported between instances of '%s' and '%s'", op, TypeName(a), TypeName(b))
	}
	if err != nil || sign == 2 {
		return false, err
	}
	switch op {
	case "<":
		return sign < 0, nil
	case "<=":
		return sign <= 0, nil
	case ">":
		return sign > 0, nil
	}
	return sign >= 0, nil
}

var errOrder = errors.New("the values have no order")

// order returns the sign of a - b; 2: unordered.
func (r *Runtime) order(a, b Value, depth int) (int, error) {
	if u, ok := a.(*Undefined); ok {
		return 0, u.Fault()
	}
	if u, ok := b.(*Undefined); ok {
		return 0, u.Fault()
	}
	if IsNumber(a) && IsNumber(b) {
		return compareNumbers(a, b), nil
	}
	if x, ok := Text(a); ok {
		if y, ok := Text(b); ok {
			return strings.Compare(x, y), r.Spend(min(len(x), len(y)) / 64)
		}
	}
	x, isList := a.(*List)
	y, both := b.(*List)
	if !isList || !both || x.Tuple != y.Tuple {
		return 0, errOrder
	}
	if depth > maxDepth {
		return 0, errDepth
	}
	for i := range min(len(x.Items), len(y.Items)) {
		if err := r.Spend(1); err != nil {
			return 0, err
		}
		same, err := r.equalAt(x.Items[i], y.Items[i], depth+1)
		if err != nil {
			return 0, err
		}
		if !same {
			return r.order(x.Items[i], y.Items[i], depth+1)
		}
	}
	return compareInts(int64(len(x.Items)), int64(len(y.Items))), nil
}

// contains reports whether item is in container.
func (r *Runtime) contains(container, item Value) (bool, error) {
	if text, ok := Text(container); ok {
		part, ok := Text(item)
		if !ok {
			return false, fmt.Errorf("'in <string>' requires string as left operand, not %s", TypeName(item))
		}
		return strings.Contains(text, part), r.Spend(len(text) / 16)
	}
	switch c := container.(type) {
	case *Dict:
		_, has, err := c.lookup(r, item)
		return has, err
	case *view:
		if c.kind == "keys" {
			_, has, err := c.dict.lookup(r, item)
			return has, err
		}
		return r.holds(c, item)
	case *Generator:
		return r.drainTo(c, item)
	case *List, *interval, *Undefined:
		return r.holds(c, item)
	}
	return false, fmt.Errorf("argument of type '%s' is not iterable", TypeName(container))
}

// holds reports whether item is among the items of container.
func (r *Runtime) holds(container, item Value) (bool, error) {
	items, err := r.Items(container)
	if err != nil {
		return false, err
	}
	i, err := r.index(items, item)
	return i >= 0, err
}

// index returns the index of item in items, or -1.
func (r *Runtime) index(items []Value, item Value) (int, error) {
	for i, other := range items {
		same, err := r.equal(other, item)
		if same || err != nil {
			return i, err
		}
	}
	return -1, nil
}

// drainTo reads a generator up to an item.
func (r *Runtime) drainTo(g *Generator, item Value) (bool, error) {
	if err := g.start(); err != nil {
		return false, err
	}
	i, err := r.index(g.items, item)
	if i < 0 || err != nil {
		g.items = nil
		return false, err
	}
	g.items = g.items[i+1:]
	return true, nil
}
