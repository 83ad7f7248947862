package chattemplate

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A path is an attribute of items, such as "function.name"; nil: the item itself.
type path []value

// newPath reads an attribute: a name, an index, or several with dots between them.
func newPath(v value) path {
	text, is := plain(v)
	if !is {
		if v == nil {
			return nil
		}
		return path{v}
	}
	var p path
	for part := range strings.SplitSeq(text, ".") {
		if n, err := strconv.ParseInt(part, 10, 64); err == nil && strings.Trim(part, "0123456789") == "" {
			p = append(p, n)
		} else {
			p = append(p, part)
		}
	}
	return p
}

// of returns the attribute of v. If other is not nil, it stands for what is undefined.
func (p path) of(r *run, v, other value) (value, error) {
	for _, part := range p {
		var err error
		if v, err = r.item(v, part); err != nil {
			return nil, err
		}
		if _, is := v.(*undefined); is && other != nil {
			v = other
		}
	}
	return v, nil
}

// folded returns the attribute of v, in lower case if it is text and case does not matter.
func (p path) folded(r *run, v value, caseMatters bool) (value, error) {
	v, err := p.of(r, v, nil)
	if s, is := plain(v); is && !caseMatters {
		return lower(s), err
	}
	return v, err
}

func length(_ *run, v value, _ []value) (value, error) {
	if l, is := v.(*loop); is {
		n, err := l.length()
		return int64(n), err
	}
	n, has := size(v)
	if !has {
		return nil, fmt.Errorf("object of type '%s' has no len()", typeName(v))
	}
	return n, nil
}

func listOf(r *run, v value, _ []value) (value, error) {
	items, err := r.items(v)
	return &list{items: items}, err
}

// lazily is a filter whose items are made when they are read.
func lazily(f func(r *run, v value, a []value) ([]value, error)) func(*run, value, []value) (value, error) {
	return func(r *run, v value, a []value) (value, error) {
		return &generator{pending: func() ([]value, error) { return f(r, v, a) }}, nil
	}
}

// lazilyRaw is lazily for filters that take any arguments.
func lazilyRaw(f func(r *run, v value, a args) ([]value, error)) func(*run, value, args) (value, error) {
	return func(r *run, v value, a args) (value, error) {
		return &generator{pending: func() ([]value, error) { return f(r, v, a) }}, nil
	}
}

func pairsOf(_ *run, v value, _ []value) ([]value, error) {
	switch v := v.(type) {
	case *undefined:
		return nil, nil
	case *dict:
		return v.pairs(), nil
	}
	return nil, fmt.Errorf("Can only get item pairs from a mapping, not from '%s'", typeName(v)) //nolint:staticcheck // as jinja2 says it
}

func first(r *run, v value, _ []value) (value, error) {
	if g, is := v.(*generator); is {
		if err := g.start(); err != nil {
			return nil, err
		}
		if len(g.items) > 0 {
			item := g.items[0]
			g.items = g.items[1:]
			return item, nil
		}
	}
	items, err := r.items(v)
	if err != nil || len(items) == 0 {
		return &undefined{message: "No first item, sequence was empty."}, err
	}
	return items[0], nil
}

func last(r *run, v value, _ []value) (value, error) {
	if _, is := v.(*generator); is {
		return nil, errors.New("'generator' object is not reversible")
	}
	items, err := r.items(v)
	if err != nil || len(items) == 0 {
		return &undefined{message: "No last item, sequence was empty."}, err
	}
	return items[len(items)-1], nil
}

func reverse(r *run, v value, _ []value) (value, error) {
	if s, is := plain(v); is {
		return r.slice(like(v, s), nil, nil, int64(-1))
	}
	items, err := r.items(v)
	if err != nil {
		return nil, err
	}
	items = slices.Clone(items)
	slices.Reverse(items)
	if _, is := v.(*generator); is {
		return &list{items: items}, nil
	}
	return &generator{items: items}, nil
}

func joinFilter(r *run, v value, a []value) (value, error) {
	items, err := r.items(v)
	if err != nil {
		return nil, err
	}
	sep, err := r.str(or(a[0], ""))
	if err != nil {
		return nil, err
	}
	p := newPath(or(a[1], nil))
	parts := make([]string, len(items))
	for i, item := range items {
		if item, err = p.of(r, item, nil); err != nil {
			return nil, err
		}
		if parts[i], err = r.str(item); err != nil {
			return nil, err
		}
	}
	return r.joined(parts, sep)
}

// sortBy sorts items, without changing them, by the keys that key makes.
func (r *run) sortBy(items []value, backwards bool, key func(value) (value, error)) ([]value, error) {
	type keyed struct{ key, item value }
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
		if fault = r.spend(1); fault != nil {
			return 0
		}
		sign, err := r.order(a.key, b.key, 0)
		if errors.Is(err, errOrder) {
			err = fmt.Errorf("'<' not supported between instances of '%s' and '%s'", typeName(a.key), typeName(b.key))
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
	out := make([]value, len(pairs))
	for i, p := range pairs {
		out[i] = p.item
	}
	return out, fault
}

func sorted(r *run, v value, a []value) (value, error) {
	items, err := r.items(v)
	if err != nil {
		return nil, err
	}
	caseMatters := truth(or(a[1], false))
	var paths []path
	if text, is := plain(or(a[2], nil)); is {
		for part := range strings.SplitSeq(text, ",") {
			paths = append(paths, newPath(part))
		}
	} else {
		paths = []path{newPath(or(a[2], nil))}
	}
	items, err = r.sortBy(items, truth(or(a[0], false)), func(item value) (value, error) {
		keys := make([]value, len(paths))
		for i, p := range paths {
			if keys[i], err = p.folded(r, item, caseMatters); err != nil {
				return nil, err
			}
		}
		return &list{items: keys}, nil
	})
	return &list{items: items}, err
}

func dictSort(r *run, v value, a []value) (value, error) {
	d, is := v.(*dict)
	if !is {
		return nil, fmt.Errorf("dictsort wants a dict, has '%s'", typeName(v))
	}
	by, _ := plain(or(a[1], "key"))
	at := slices.Index([]string{"key", "value"}, by)
	if at < 0 {
		return nil, errors.New(`You can only sort by either "key" or "value"`) //nolint:staticcheck // as jinja2 says it
	}
	items, err := r.sortBy(d.pairs(), truth(or(a[2], false)), func(item value) (value, error) {
		return path{int64(at)}.folded(r, item, truth(or(a[0], false)))
	})
	return &list{items: items}, err
}

// groupBy groups items by an attribute, in the order of its values.
func groupBy(r *run, v value, a []value) (value, error) {
	items, err := r.items(v)
	if err != nil {
		return nil, err
	}
	p, caseMatters := newPath(a[0]), truth(or(a[2], false))
	key := func(item value) (value, error) {
		k, err := p.of(r, item, or(a[1], nil))
		if s, is := plain(k); is && !caseMatters {
			return lower(s), err
		}
		return k, err
	}
	if items, err = r.sortBy(items, false, key); err != nil {
		return nil, err
	}
	var groups []value
	var group *list
	var before value
	for _, item := range items {
		k, err := key(item)
		if err != nil {
			return nil, err
		}
		same, err := r.equal(k, before)
		if err != nil {
			return nil, err
		}
		if group == nil || !same {
			name, err := p.of(r, item, or(a[1], nil))
			if err != nil {
				return nil, err
			}
			group = &list{}
			groups = append(groups, &list{items: []value{name, group}, tuple: true, group: true})
		}
		group.items, before = append(group.items, item), k
	}
	return &list{items: groups}, nil
}

func unique(r *run, v value, a []value) ([]value, error) {
	items, err := r.items(v)
	if err != nil {
		return nil, err
	}
	p, caseMatters := newPath(or(a[1], nil)), truth(or(a[0], false))
	seen := map[any]bool{}
	var out []value
	for _, item := range items {
		key, err := p.folded(r, item, caseMatters)
		if err != nil {
			return nil, err
		}
		h, err := r.hash(key, 0)
		if err != nil {
			return nil, err
		}
		if !seen[h] {
			seen[h] = true
			out = append(out, item)
		}
	}
	return out, nil
}

// extreme is max or min.
func extreme(op string) func(*run, value, []value) (value, error) {
	return func(r *run, v value, a []value) (value, error) {
		items, err := r.items(v)
		if err != nil {
			return nil, err
		}
		if len(items) == 0 {
			return &undefined{message: "No aggregated item, sequence was empty."}, nil
		}
		p, caseMatters := newPath(or(a[1], nil)), truth(or(a[0], false))
		best := items[0]
		most, err := p.folded(r, best, caseMatters)
		if err != nil {
			return nil, err
		}
		for _, item := range items[1:] {
			key, err := p.folded(r, item, caseMatters)
			if err != nil {
				return nil, err
			}
			better, err := r.compare(op, key, most)
			if err != nil {
				return nil, err
			}
			if better {
				best, most = item, key
			}
		}
		return best, nil
	}
}

func sum(r *run, v value, a []value) (value, error) {
	items, err := r.items(v)
	if err != nil {
		return nil, err
	}
	total := or(a[1], int64(0))
	if _, is := plain(total); is {
		return nil, errors.New("sum() can't sum strings [use ''.join(seq) instead]")
	}
	p := newPath(or(a[0], nil))
	for _, item := range items {
		if item, err = p.of(r, item, nil); err != nil {
			return nil, err
		}
		if total, err = r.operate("+", total, item); err != nil {
			return nil, err
		}
	}
	return total, nil
}

// batch cuts items into lists of a length.
func batch(r *run, v value, a []value) ([]value, error) {
	items, err := r.items(v)
	if err != nil {
		return nil, err
	}
	n, err := toIndex(a[0])
	if err != nil {
		return nil, err
	}
	if n < 1 || n > maxRange {
		return nil, fmt.Errorf("linecount is %d, want 1 to %d", n, maxRange)
	}
	var out []value
	for part := range slices.Chunk(items, int(n)) {
		part = slices.Clone(part)
		if fill := or(a[1], nil); fill != nil {
			for len(part) < int(n) {
				part = append(part, fill)
			}
		}
		out = append(out, &list{items: part})
	}
	return out, r.spend(len(items) + int(n))
}

// columns cuts items into so many lists.
func columns(r *run, v value, a []value) ([]value, error) {
	items, err := r.items(v)
	if err != nil {
		return nil, err
	}
	n, err := toIndex(a[0])
	if err != nil {
		return nil, err
	}
	if n < 1 || n > maxRange {
		return nil, fmt.Errorf("slices is %d, want 1 to %d", n, maxRange)
	}
	most, longer := len(items)/int(n), len(items)%int(n)
	fill := or(a[1], nil)
	out := make([]value, n)
	for i := range out {
		size := most
		if i < longer {
			size++
		}
		part := slices.Clone(items[:size])
		items = items[size:]
		if fill != nil && i >= longer {
			part = append(part, fill)
		}
		out[i] = &list{items: part}
	}
	return out, nil
}
