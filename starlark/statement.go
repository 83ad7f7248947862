package starlark

import (
	"errors"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A flow says how to go on after a statement.
type flow uint8

const (
	going flow = iota // with the next one
	breaking
	continuing
	returning // the frame has the result
)

// A stmt executes a statement.
type stmt func(f *frame) (flow, error)

// An assign gives a value to a name, an item, or a list of these.
type assign func(f *frame, v value) error

// A code is a function as it stands in the source.
type code struct {
	name   string
	params int // names in the first slots
	slots  int
	body   stmt
}

// A function is a code with the frame in which it was made.
type function struct {
	code *code
	up   *frame
}

// TypeName implements [pyvalue.Object].
func (*function) TypeName() string { return "function" }

// Attribute implements [pyvalue.Object].
func (*function) Attribute(string) (v value, has bool, err error) { return nil, false, nil }

func passStmt(*frame) (flow, error) { return going, nil }

func flowStmt(to flow) stmt { return func(*frame) (flow, error) { return to, nil } }

func sequence(body []stmt) stmt {
	if len(body) == 1 {
		return body[0]
	}
	return func(f *frame) (flow, error) {
		for _, s := range body {
			if to, err := s(f); to != going || err != nil {
				return to, err
			}
		}
		return going, nil
	}
}

func defStmt(name *ref, c *code, at place) stmt {
	return func(f *frame) (flow, error) {
		f.slots[name.slot] = &function{c, f}
		return going, locate(f.run.Spend(1), at)
	}
}

func exprStmt(e expr) stmt {
	return func(f *frame) (flow, error) {
		_, err := e(f)
		return going, err
	}
}

func returnStmt(e expr) stmt {
	return func(f *frame) (flow, error) {
		v, err := e(f)
		f.result = v
		return returning, err
	}
}

func ifStmt(test expr, then, other stmt) stmt {
	return func(f *frame) (flow, error) {
		v, err := test(f)
		switch {
		case err != nil:
			return going, err
		case pyvalue.Truth(v):
			return then(f)
		}
		return other(f)
	}
}

func forStmt(over expr, to assign, body stmt, at place) stmt {
	return func(f *frame) (end flow, err error) {
		err = f.each(over, at, func(item value) (bool, error) {
			if err := to(f, item); err != nil {
				return false, err
			}
			next, err := body(f)
			if next == returning {
				end = returning
			}
			return next == going || next == continuing, err
		})
		return end, err
	}
}

// each calls do with what over goes through, until it says that it does not go on.
func (f *frame) each(over expr, at place, do func(item value) (on bool, err error)) error {
	v, err := over(f)
	if err != nil {
		return err
	}
	items, err := f.run.walk(v)
	if err != nil {
		return locate(err, at)
	}
	before := len(f.run.looped)
	f.run.looped = append(append(f.run.looped, v), f.run.sources[v]...)
	defer func() { f.run.looped = f.run.looped[:before] }()
	for {
		item, has, err := items.Next()
		if err == nil {
			err = f.run.Spend(1)
		}
		if !has || err != nil {
			return locate(err, at)
		}
		if on, err := do(item); !on || err != nil {
			return err
		}
	}
}

// walk returns what goes through v.
func (r *run) walk(v value) (*pyvalue.Generator, error) {
	if g, is := v.(*pyvalue.Generator); is {
		return g, nil
	}
	items, err := r.items(v)
	return pyvalue.NewGenerator(func() ([]value, error) { return items, nil }), err
}

// items returns what a loop over v goes through. The caller must not change it.
func (r *run) items(v value) ([]value, error) {
	switch v.(type) {
	case string:
		return nil, errors.New("a text cannot be looped over; loop over range(len(…)) and take its items")
	case *function, *builtin:
		return nil, errors.New("a function cannot be looped over")
	}
	return r.Items(v)
}

// changes refuses to change what is being looped over.
func (r *run) changes(v value) error {
	if slices.Contains(r.looped, v) {
		return fmt.Errorf("the %s is being looped over, and cannot change", pyvalue.TypeName(v))
	}
	return r.Spend(1)
}

func assignStmt(to assign, e expr) stmt {
	return func(f *frame) (flow, error) {
		v, err := e(f)
		if err != nil {
			return going, err
		}
		return going, to(f, v)
	}
}

func assignName(name *ref) assign {
	return func(f *frame, v value) error {
		f.slots[name.slot] = v
		return locate(f.run.Spend(1), name.at)
	}
}

func assignItem(n node) assign {
	return func(f *frame, v value) error {
		of, err := n.of(f)
		if err != nil {
			return err
		}
		key, err := n.key(f)
		if err != nil {
			return err
		}
		return locate(f.run.setItem(of, key, v), n.at)
	}
}

// setItem is of[key] = v.
func (r *run) setItem(of, key, v value) error {
	if l, is := of.(*pyvalue.List); is && !l.Tuple {
		i, err := position(key, len(l.Items))
		if err != nil {
			return err
		}
		if err := r.changes(of); err != nil {
			return err
		}
		l.Items[i] = v
		return nil
	}
	d, is := of.(*pyvalue.Dict)
	if !is {
		return fmt.Errorf("the items of a %s cannot be set", pyvalue.TypeName(of))
	}
	if err := r.changes(of); err != nil {
		return err
	}
	return r.SetItem(d, key, v)
}

// position is an index of a list of n items, counted from the end if it is negative.
func position(key value, n int) (int, error) {
	i, is := key.(int64)
	if !is {
		return 0, fmt.Errorf("an index is a %s, want an int", pyvalue.TypeName(key))
	}
	if i < 0 {
		i += int64(n)
	}
	if i < 0 || i >= int64(n) {
		return 0, fmt.Errorf("index %d is out of range", key)
	}
	return int(i), nil
}

func assignItems(parts []assign, at place) assign {
	return func(f *frame, v value) error {
		items, err := f.run.items(v)
		if err == nil && len(items) != len(parts) {
			err = fmt.Errorf("there are %d values for %d names", len(items), len(parts))
		}
		if err != nil {
			return locate(err, at)
		}
		for i, item := range slices.Clone(items) {
			if err := parts[i](f, item); err != nil {
				return err
			}
		}
		return nil
	}
}

// A change is what an augmented assignment does.
type change struct {
	op    string
	right expr
	at    place
}

func augmentStmt(left expr, to assign, c change) stmt {
	return func(f *frame) (flow, error) {
		v, err := left(f)
		if err != nil {
			return going, err
		}
		if v, err = c.apply(f, v); err != nil {
			return going, err
		}
		return going, to(f, v)
	}
}

func augmentItemStmt(left node, c change) stmt {
	return func(f *frame) (flow, error) {
		of, err := left.of(f)
		if err != nil {
			return going, err
		}
		key, err := left.key(f)
		if err != nil {
			return going, err
		}
		v, err := f.run.item(of, key)
		if err != nil {
			return going, locate(err, left.at)
		}
		if v, err = c.apply(f, v); err != nil {
			return going, err
		}
		return going, locate(f.run.setItem(of, key, v), left.at)
	}
}

// apply returns the new value. A list that is added to stays the same list.
func (c change) apply(f *frame, v value) (value, error) {
	right, err := c.right(f)
	if err != nil {
		return nil, err
	}
	if l, is := v.(*pyvalue.List); is && !l.Tuple && c.op == "+" {
		err := f.run.extend(l, right)
		return v, locate(err, c.at)
	}
	v, err = f.run.arithmetic(c.op, v, right)
	return v, locate(err, c.at)
}
