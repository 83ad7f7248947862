package starlark

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A builtin is a function that every program has.
type builtin struct {
	params []string // names of its arguments; an empty one cannot be given by name
	need   int      // of which so many must be given
	do     func(r *run, a []value) (value, error)
	raw    func(r *run, a pyvalue.Args) (value, error) // in place of the others: it reads its arguments itself
}

// TypeName implements [pyvalue.Object].
func (*builtin) TypeName() string { return "builtin_function_or_method" }

// Attribute implements [pyvalue.Object].
func (*builtin) Attribute(string) (v value, has bool, err error) { return nil, false, nil }

func (b *builtin) call(r *run, a pyvalue.Args) (value, error) {
	if b.raw != nil {
		return b.raw(r, a)
	}
	bound, err := pyvalue.Bind("the function", b.params, b.need, a)
	if err != nil {
		return nil, err
	}
	v, err := b.do(r, bound)
	if err != nil {
		return nil, err
	}
	return v, r.Charge(v)
}

// builtins are the functions that are built in, by name.
var builtins = map[string]*builtin{
	"abs":       {params: []string{""}, need: 1, do: absolute},
	"all":       {params: []string{""}, need: 1, do: func(r *run, a []value) (value, error) { return r.truth(a[0], true) }},
	"any":       {params: []string{""}, need: 1, do: func(r *run, a []value) (value, error) { return r.truth(a[0], false) }},
	"bool":      {params: []string{""}, need: 1, do: func(_ *run, a []value) (value, error) { return pyvalue.Truth(a[0]), nil }},
	"dict":      {raw: func(r *run, a pyvalue.Args) (value, error) { return r.Dict(a) }},
	"enumerate": {params: []string{"", ""}, need: 1, do: enumerate},
	"int":       {params: []string{"", "base"}, need: 1, do: integer},
	"len":       {params: []string{""}, need: 1, do: length},
	"list":      {params: []string{""}, do: func(r *run, a []value) (value, error) { return r.list(a[0], false) }},
	"max":       {raw: func(r *run, a pyvalue.Args) (value, error) { return r.extreme(">", a) }},
	"min":       {raw: func(r *run, a pyvalue.Args) (value, error) { return r.extreme("<", a) }},
	"range":     {raw: func(r *run, a pyvalue.Args) (value, error) { return r.Range(a) }},
	"reversed":  {params: []string{""}, need: 1, do: reversed},
	"sorted":    {params: []string{"", "key", "reverse"}, need: 1, do: sorted},
	"str":       {params: []string{""}, need: 1, do: text},
	"tuple":     {params: []string{""}, do: func(r *run, a []value) (value, error) { return r.list(a[0], true) }},
	"zip":       {raw: zip},
}

func absolute(_ *run, a []value) (value, error) {
	if isBool(a[0]) {
		return nil, errors.New("want a number, have a bool")
	}
	return pyvalue.Unary("abs", a[0])
}

// truth is all if every is true, any otherwise.
func (r *run) truth(v value, every bool) (value, error) {
	items, err := r.walk(v)
	for err == nil {
		item, has, fault := items.Next()
		if !has || fault != nil {
			return every, fault
		}
		if pyvalue.Truth(item) != every {
			return !every, nil
		}
		err = r.Spend(1)
	}
	return nil, err
}

// lazily returns what goes once, as in Python, through items that are made of sources when the
// first is read. In Starlark it is a list.
func (r *run) lazily(sources []value, items func(columns [][]value) ([]value, error)) (value, error) {
	read := func() (columns [][]value, err error) {
		for _, v := range sources {
			if _, is := v.(*pyvalue.Generator); is {
				return nil, errors.New("want a list, a tuple, a dict or a range: make a list of what is read once")
			}
			column, err := r.items(v)
			if err != nil {
				return nil, err
			}
			columns = append(columns, column)
		}
		return columns, r.Spend(len(sources))
	}
	g := pyvalue.NewGenerator(func() ([]value, error) {
		columns, err := read()
		if err != nil {
			return nil, err
		}
		return items(columns)
	})
	for _, v := range sources {
		r.sources[g] = append(append(r.sources[g], v), r.sources[v]...)
	}
	_, err := read()
	return g, err
}

func enumerate(r *run, a []value) (value, error) {
	start, is := pyvalue.Or(a[1], int64(0)).(int64)
	if !is || start > 1<<40 || start < -1<<40 {
		return nil, errors.New("want an int of at most 40 bits to count from")
	}
	return r.lazily(a[:1], func(columns [][]value) ([]value, error) {
		pairs := make([]value, len(columns[0]))
		for i, item := range columns[0] {
			pairs[i] = pyvalue.NewTuple(start+int64(i), item)
		}
		return pairs, r.Spend(2 * len(pairs))
	})
}

func integer(_ *run, a []value) (value, error) {
	base, is := pyvalue.Or(a[1], int64(10)).(int64)
	if !is {
		return nil, errors.New("want an int as the base")
	}
	n, valid, err := pyvalue.Int(a[0], base)
	if err == nil && !valid {
		err = fmt.Errorf("the %s is no whole number", pyvalue.TypeName(a[0]))
	}
	if err != nil {
		return nil, err
	}
	return n, tooLarge(n)
}

func length(_ *run, a []value) (value, error) {
	n, has := pyvalue.Len(a[0])
	if !has {
		return nil, fmt.Errorf("a %s has no length", pyvalue.TypeName(a[0]))
	}
	return n, nil
}

// list makes a list or a tuple of what v goes through; of nothing, if v was not given.
func (r *run) list(v value, tuple bool) (value, error) {
	items, err := r.items(pyvalue.Or(v, pyvalue.NewTuple()))
	return &pyvalue.List{Items: slices.Clone(items), Tuple: tuple}, err
}

func reversed(r *run, a []value) (value, error) {
	return r.lazily(a[:1], func(columns [][]value) ([]value, error) {
		items := slices.Clone(columns[0])
		slices.Reverse(items)
		return items, r.Spend(len(items))
	})
}

// keyOf returns what calls the function key, or returns its argument if there is none.
func (r *run) keyOf(key value) func(value) (value, error) {
	if key == nil {
		return func(v value) (value, error) { return v, nil }
	}
	return func(v value) (value, error) { return r.call(key, pyvalue.Args{Pos: []value{v}}) }
}

func sorted(r *run, a []value) (value, error) {
	items, err := r.items(a[0])
	if err != nil {
		return nil, err
	}
	backwards, is := pyvalue.Or(a[2], false).(bool)
	if !is {
		return nil, errors.New("want a bool for reverse")
	}
	items, err = r.Sorted(items, backwards, r.keyOf(pyvalue.Or(a[1], nil)))
	return &pyvalue.List{Items: items}, err
}

// text is str, for what Starlark and Python print alike.
func text(r *run, a []value) (value, error) {
	switch a[0].(type) {
	case nil, bool, int64, *big.Int, string:
		return r.Str(a[0])
	}
	return nil, fmt.Errorf("str is for texts, ints, bools and None, have a %s", pyvalue.TypeName(a[0]))
}

// extreme is max or min: of the arguments, or of what the only one goes through.
func (r *run) extreme(op string, a pyvalue.Args) (value, error) {
	key, _ := a.Keyword("key")
	items := a.Pos
	if len(items) == 1 {
		var err error
		if items, err = r.items(items[0]); err != nil {
			return nil, err
		}
	}
	switch {
	case len(a.Names) > 0:
		return nil, fmt.Errorf("there is no argument %.100s", a.Names[0])
	case len(items) == 0:
		return nil, errors.New("there is nothing to choose from")
	}
	of := r.keyOf(key)
	best := items[0]
	bestKey, err := of(best)
	for _, item := range items[1:] {
		var k value
		if err == nil {
			k, err = of(item)
		}
		if err != nil {
			return nil, err
		}
		better, fault := r.compare(op, k, bestKey)
		if better {
			best, bestKey = item, k
		}
		err = fault
	}
	return best, err
}

func zip(r *run, a pyvalue.Args) (value, error) {
	if len(a.Names) > 0 {
		return nil, fmt.Errorf("there is no argument %.100s", a.Names[0])
	}
	return r.lazily(a.Pos, func(columns [][]value) ([]value, error) {
		var rows []value
		for i := 0; ; i++ {
			row := make([]value, 0, len(columns))
			for _, column := range columns {
				if i < len(column) {
					row = append(row, column[i])
				}
			}
			if len(row) < len(columns) || len(columns) == 0 {
				return rows, nil
			}
			if err := r.Spend(1 + len(row)); err != nil {
				return nil, err
			}
			rows = append(rows, pyvalue.NewTuple(row...))
		}
	})
}
