package chattemplate

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A path is an attribute of items, such as "function.name"; nil: the item itself.
type path []value

// newPath parses an attribute: a name, an index, or several separated by dots.
func newPath(v value) path {
	text, ok := pyvalue.Text(v)
	if !ok {
		if v == nil {
			return nil
		}
		return path{v}
	}
	var p path
	for part := range strings.SplitSeq(text, ".") {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || strings.Trim(part, "0123456789") != "" {
			p = append(p, part)
			continue
		}
		p = append(p, n)
	}
	return p
}

// of returns the attribute of v, or other, unless that is nil, for an undefined one.
func (p path) of(r *rendering, v, other value) (value, error) {
	for _, part := range p {
		var err error
		if v, err = r.subscript(v, part); err != nil {
			return nil, err
		}
		if _, ok := v.(*pyvalue.Undefined); ok && other != nil {
			v = other
		}
	}
	return v, nil
}

// folded returns the attribute of v, with text in lower case unless case matters.
func (p path) folded(r *rendering, v value, caseMatters bool) (value, error) {
	v, err := p.of(r, v, nil)
	if err != nil || caseMatters {
		return v, err
	}
	return r.folded(v)
}

// folded returns text in lower case, and other values unchanged.
func (r *rendering) folded(v value) (value, error) {
	if s, ok := pyvalue.Text(v); ok {
		return r.method(s, "lower")
	}
	return v, nil
}

func length(_ *rendering, v value, _ []value) (value, error) {
	if l, ok := v.(*loop); ok {
		n, err := l.length()
		return int64(n), err
	}
	n, has := pyvalue.Len(v)
	if !has {
		return nil, fmt.Errorf("object of type '%s' has no len()", pyvalue.TypeName(v))
	}
	return n, nil
}

func listOf(r *rendering, v value, _ []value) (value, error) {
	items, err := r.Items(v)
	return &pyvalue.List{Items: items}, err
}

// lazily returns a filter that makes its items when they are read.
func lazily(f func(r *rendering, v value, a []value) ([]value, error)) func(*rendering, value, []value) (value, error) {
	return func(r *rendering, v value, a []value) (value, error) {
		return pyvalue.NewGenerator(func() ([]value, error) { return f(r, v, a) }), nil
	}
}

// lazilyRaw is lazily for filters that take any arguments.
func lazilyRaw(f func(r *rendering, v value, a pyvalue.Args) ([]value, error)) func(*rendering, value, pyvalue.Args) (value, error) {
	return func(r *rendering, v value, a pyvalue.Args) (value, error) {
		return pyvalue.NewGenerator(func() ([]value, error) { return f(r, v, a) }), nil
	}
}

func pairs(r *rendering, v value, _ []value) ([]value, error) {
	switch v.(type) {
	case *pyvalue.Undefined:
		return nil, nil
	case *pyvalue.Dict:
		view, err := r.method(v, "items")
		if err != nil {
			return nil, err
		}
		return r.Items(view)
	}
	return nil, fmt.Errorf("Can only get item pairs from a mapping, not from '%s'", pyvalue.TypeName(v)) //nolint:staticcheck // as jinja2 says it
}

func first(r *rendering, v value, _ []value) (value, error) {
	if g, ok := v.(*pyvalue.Generator); ok {
		if item, has, err := g.Next(); has || err != nil {
			return item, err
		}
	}
	items, err := r.Items(v)
	if err != nil || len(items) == 0 {
		return &pyvalue.Undefined{Message: "No first item, sequence was empty."}, err
	}
	return items[0], nil
}

func last(r *rendering, v value, _ []value) (value, error) {
	if _, ok := v.(*pyvalue.Generator); ok {
		return nil, errors.New("'generator' object is not reversible")
	}
	items, err := r.Items(v)
	if err != nil || len(items) == 0 {
		return &pyvalue.Undefined{Message: "No last item, sequence was empty."}, err
	}
	item := items[len(items)-1]
	if _, ok := v.(pyvalue.Markup); ok {
		return pyvalue.Markup(item.(string)), nil // though the first character is not markup
	}
	return item, nil
}

func reverse(r *rendering, v value, _ []value) (value, error) {
	if _, ok := pyvalue.Text(v); ok {
		return r.Slice(v, nil, nil, int64(-1))
	}
	items, err := r.Items(v)
	if err != nil {
		return nil, err
	}
	items = slices.Clone(items)
	slices.Reverse(items)
	if _, ok := v.(*pyvalue.Generator); ok {
		return &pyvalue.List{Items: items}, nil
	}
	return pyvalue.NewGenerator(func() ([]value, error) { return items, nil }), nil
}

func joinFilter(r *rendering, v value, a []value) (value, error) {
	items, err := r.Items(v)
	if err != nil {
		return nil, err
	}
	sep, err := r.Str(pyvalue.Or(a[0], ""))
	if err != nil {
		return nil, err
	}
	p := newPath(pyvalue.Or(a[1], nil))
	texts := make([]value, len(items))
	for i, item := range items {
		if item, err = p.of(r, item, nil); err != nil {
			return nil, err
		}
		if texts[i], err = r.Str(item); err != nil {
			return nil, err
		}
	}
	return r.method(sep, "join", &pyvalue.List{Items: texts})
}

func sorted(r *rendering, v value, a []value) (value, error) {
	items, err := r.Items(v)
	if err != nil {
		return nil, err
	}
	caseMatters := pyvalue.Truth(pyvalue.Or(a[1], false))
	var paths []path
	if text, ok := pyvalue.Text(pyvalue.Or(a[2], nil)); ok {
		for part := range strings.SplitSeq(text, ",") {
			paths = append(paths, newPath(part))
		}
	} else {
		paths = []path{newPath(pyvalue.Or(a[2], nil))}
	}
	items, err = r.Sorted(items, pyvalue.Truth(pyvalue.Or(a[0], false)), func(item value) (value, error) {
		keys := make([]value, len(paths))
		for i, p := range paths {
			if keys[i], err = p.folded(r, item, caseMatters); err != nil {
				return nil, err
			}
		}
		return &pyvalue.List{Items: keys}, nil
	})
	return &pyvalue.List{Items: items}, err
}

func dictSort(r *rendering, v value, a []value) (value, error) {
	d, ok := v.(*pyvalue.Dict)
	if !ok {
		return nil, fmt.Errorf("dictsort wants a dict, has '%s'", pyvalue.TypeName(v))
	}
	by, _ := pyvalue.Text(pyvalue.Or(a[1], "key"))
	at := slices.Index([]string{"key", "value"}, by)
	if at < 0 {
		return nil, errors.New(`You can only sort by either "key" or "value"`) //nolint:staticcheck // as jinja2 says it
	}
	items, err := pairs(r, d, nil)
	if err != nil {
		return nil, err
	}
	items, err = r.Sorted(items, pyvalue.Truth(pyvalue.Or(a[2], false)), func(item value) (value, error) {
		return path{int64(at)}.folded(r, item, pyvalue.Truth(pyvalue.Or(a[0], false)))
	})
	return &pyvalue.List{Items: items}, err
}

// groupBy groups items by an attribute, in the order of its values.
func groupBy(r *rendering, v value, a []value) (value, error) {
	items, err := r.Items(v)
	if err != nil {
		return nil, err
	}
	p, caseMatters := newPath(a[0]), pyvalue.Truth(pyvalue.Or(a[2], false))
	key := func(item value) (value, error) {
		k, err := p.of(r, item, pyvalue.Or(a[1], nil))
		if err != nil || caseMatters {
			return k, err
		}
		return r.folded(k)
	}
	if items, err = r.Sorted(items, false, key); err != nil {
		return nil, err
	}
	var groups []value
	var group *pyvalue.List
	var before value
	for _, item := range items {
		k, err := key(item)
		if err != nil {
			return nil, err
		}
		same, err := r.Compare("==", k, before)
		if err != nil {
			return nil, err
		}
		if group == nil || !same {
			name, err := p.of(r, item, pyvalue.Or(a[1], nil))
			if err != nil {
				return nil, err
			}
			group = &pyvalue.List{}
			groups = append(groups, &pyvalue.List{Items: []value{name, group}, Tuple: true, Fields: []string{"grouper", "list"}})
		}
		group.Items, before = append(group.Items, item), k
	}
	return &pyvalue.List{Items: groups}, nil
}

func unique(r *rendering, v value, a []value) ([]value, error) {
	items, err := r.Items(v)
	if err != nil {
		return nil, err
	}
	p, caseMatters := newPath(pyvalue.Or(a[1], nil)), pyvalue.Truth(pyvalue.Or(a[0], false))
	seen := pyvalue.NewDict(len(items))
	var out []value
	for _, item := range items {
		key, err := p.folded(r, item, caseMatters)
		if err != nil {
			return nil, err
		}
		known, err := r.Compare("in", key, seen)
		if err != nil {
			return nil, err
		}
		if known {
			continue
		}
		if err := r.SetItem(seen, key, nil); err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	return out, nil
}

// extreme returns max or min.
func extreme(op string) func(*rendering, value, []value) (value, error) {
	return func(r *rendering, v value, a []value) (value, error) {
		items, err := r.Items(v)
		if err != nil {
			return nil, err
		}
		if len(items) == 0 {
			return &pyvalue.Undefined{Message: "No aggregated item, sequence was empty."}, nil
		}
		p, caseMatters := newPath(pyvalue.Or(a[1], nil)), pyvalue.Truth(pyvalue.Or(a[0], false))
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
			better, err := r.Compare(op, key, most)
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

func sum(r *rendering, v value, a []value) (value, error) {
	items, err := r.Items(v)
	if err != nil {
		return nil, err
	}
	total := pyvalue.Or(a[1], int64(0))
	if _, ok := pyvalue.Text(total); ok {
		return nil, errors.New("sum() can't sum strings [use ''.join(seq) instead]")
	}
	p := newPath(pyvalue.Or(a[0], nil))
	for _, item := range items {
		if item, err = p.of(r, item, nil); err != nil {
			return nil, err
		}
		if total, err = r.Operate("+", total, item); err != nil {
			return nil, err
		}
	}
	return total, nil
}

// maxParts bounds the number of lists of the filter slice, and the length of those of batch.
const maxParts = 100_000

// parted returns the operands of batch and columns: items, the number called name, and a gap
// filler.
func parted(r *rendering, v value, a []value, name string) (items []value, n int, fill value, err error) {
	if items, err = r.Items(v); err != nil {
		return nil, 0, nil, err
	}
	long, err := pyvalue.Index(a[0])
	if err != nil {
		return nil, 0, nil, err
	}
	if long < 1 || long > maxParts {
		return nil, 0, nil, fmt.Errorf("%s is %d, want 1 to %d", name, long, maxParts)
	}
	return items, int(long), pyvalue.Or(a[1], nil), nil
}

// batch cuts items into lists of a length.
func batch(r *rendering, v value, a []value) ([]value, error) {
	items, n, fill, err := parted(r, v, a, "linecount")
	if err != nil {
		return nil, err
	}
	var out []value
	for part := range slices.Chunk(items, n) {
		part = slices.Clone(part)
		for fill != nil && len(part) < n {
			part = append(part, fill)
		}
		out = append(out, &pyvalue.List{Items: part})
	}
	return out, r.Spend(len(items) + n)
}

// columns cuts items into a number of lists.
func columns(r *rendering, v value, a []value) ([]value, error) {
	items, n, fill, err := parted(r, v, a, "slices")
	if err != nil {
		return nil, err
	}
	most, longer := len(items)/n, len(items)%n
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
		out[i] = &pyvalue.List{Items: part}
	}
	return out, nil
}
