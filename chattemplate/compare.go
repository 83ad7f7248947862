package chattemplate

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
)

var errDepth = fmt.Errorf("lists or dicts stand within each other more than %d deep", maxDepth)

// equal reports whether a == b.
func (r *run) equal(a, b value) (bool, error) { return r.equalAt(a, b, 0) }

func (r *run) equalAt(a, b value, depth int) (bool, error) {
	if depth > maxDepth {
		return false, errDepth
	}
	if isNumber(a) || isNumber(b) {
		return isNumber(a) && isNumber(b) && compareNumbers(a, b) == 0, nil
	}
	if x, is := plain(a); is {
		y, is := plain(b)
		return is && x == y, r.spend(min(len(x), len(y)) / 64)
	}
	switch x := a.(type) {
	case nil:
		return b == nil, nil
	case *list:
		y, is := b.(*list)
		if !is || x.tuple != y.tuple || len(x.items) != len(y.items) {
			return false, nil
		}
		return r.equalItems(x.items, y.items, depth)
	case *dict:
		y, is := b.(*dict)
		if !is || len(x.keys) != len(y.keys) {
			return false, nil
		}
		return r.equalDicts(x, y, depth)
	case *interval:
		y, is := b.(*interval)
		return is && x.length() == y.length() && (x.length() == 0 || x.start == y.start && (x.length() == 1 || x.step == y.step)), nil
	case *undefined:
		_, is := b.(*undefined)
		return is, nil
	case *view:
		return r.equalViews(x, b)
	}
	if _, is := b.(*list); is {
		return false, nil
	}
	return a == b, nil // by identity; both are pointers or strings
}

func (r *run) equalItems(a, b []value, depth int) (bool, error) {
	for i := range a {
		if err := r.spend(1); err != nil {
			return false, err
		}
		if same, err := r.equalAt(a[i], b[i], depth+1); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

func (r *run) equalDicts(a, b *dict, depth int) (bool, error) {
	if a == b {
		return true, nil
	}
	for h, i := range a.at {
		j, has := b.at[h]
		if !has {
			return false, r.spend(i)
		}
		if err := r.spend(1); err != nil {
			return false, err
		}
		if same, err := r.equalAt(a.values[i], b.values[j], depth+1); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// equalViews compares keys or items as sets. Views of values are equal only by identity.
func (r *run) equalViews(a *view, b value) (bool, error) {
	y, is := b.(*view)
	if !is || a.kind != y.kind || a.kind == "values" {
		return is && a == y, nil
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
	return true, r.spend(len(a.dict.keys))
}

// compareNumbers returns the sign of a - b, or 2 if one of them is not a number.
func compareNumbers(a, b value) int {
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
	if x, is := toInt64(a); is {
		if y, is := toInt64(b); is {
			return compareInts(x, y)
		}
	}
	x, _ := toInt(a)
	y, _ := toInt(b)
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

// exact returns an integer as a float with as many bits as it needs.
func exact(v value) *big.Float {
	n, _ := toInt(v)
	return new(big.Float).SetInt(n)
}

// compare applies <, <=, > or >=.
func (r *run) compare(op string, a, b value) (bool, error) {
	sign, err := r.order(a, b, 0)
	if errors.Is(err, errOrder) {
		return false, fmt.Errorf("'%s' not supported between instances of '%s' and '%s'", op, typeName(a), typeName(b))
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

// order returns the sign of a - b; 2: neither is greater, and they are not equal.
func (r *run) order(a, b value, depth int) (int, error) {
	if u, is := a.(*undefined); is {
		return 0, u.fault()
	}
	if u, is := b.(*undefined); is {
		return 0, u.fault()
	}
	if isNumber(a) && isNumber(b) {
		return compareNumbers(a, b), nil
	}
	if x, is := plain(a); is {
		if y, is := plain(b); is {
			return strings.Compare(x, y), r.spend(min(len(x), len(y)) / 64)
		}
	}
	x, isList := a.(*list)
	y, both := b.(*list)
	if !isList || !both || x.tuple != y.tuple {
		return 0, errOrder
	}
	if depth > maxDepth {
		return 0, errDepth
	}
	for i := range min(len(x.items), len(y.items)) {
		if err := r.spend(1); err != nil {
			return 0, err
		}
		same, err := r.equalAt(x.items[i], y.items[i], depth+1)
		if err != nil {
			return 0, err
		}
		if !same {
			return r.order(x.items[i], y.items[i], depth+1)
		}
	}
	return compareInts(int64(len(x.items)), int64(len(y.items))), nil
}

// contains reports whether item is in container.
func (r *run) contains(container, item value) (bool, error) {
	if text, is := plain(container); is {
		part, is := plain(item)
		if !is {
			return false, fmt.Errorf("'in <string>' requires string as left operand, not %s", typeName(item))
		}
		return strings.Contains(text, part), r.spend(len(text) / 16)
	}
	switch c := container.(type) {
	case *dict:
		_, has, err := c.get(r, item)
		return has, err
	case *view:
		if c.kind == "keys" {
			_, has, err := c.dict.get(r, item)
			return has, err
		}
	case *generator:
		return r.drainTo(c, item)
	case *list, *interval, *undefined:
	default:
		return false, fmt.Errorf("argument of type '%s' is not iterable", typeName(container))
	}
	items, err := r.items(container)
	if err != nil {
		return false, err
	}
	i, err := r.index(items, item)
	return i >= 0, err
}

// index returns the index of item in items, or -1.
func (r *run) index(items []value, item value) (int, error) {
	for i, other := range items {
		same, err := r.equal(other, item)
		if same || err != nil {
			return i, err
		}
	}
	return -1, nil
}

// drainTo reads a generator up to an item.
func (r *run) drainTo(g *generator, item value) (bool, error) {
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
