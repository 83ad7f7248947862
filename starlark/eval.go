package starlark

import (
	"errors"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// An expr evaluates an expression.
type expr func(f *frame) (value, error)

func nameExpr(r *ref) expr {
	return func(f *frame) (value, error) {
		if r.builtin != nil {
			return r.builtin, nil
		}
		v := f.owner(r).slots[r.slot]
		if _, is := v.(unset); is {
			return nil, locate(fmt.Errorf("%.100s has no value yet", r.text), r.at)
		}
		return v, nil
	}
}

func choiceExpr(test, then, other expr) expr {
	return func(f *frame) (value, error) {
		v, err := test(f)
		switch {
		case err != nil:
			return nil, err
		case pyvalue.Truth(v):
			return then(f)
		}
		return other(f)
	}
}

// shortExpr is left or right if decided is true, left and right otherwise.
func shortExpr(left, right expr, decided bool) expr {
	return func(f *frame) (value, error) {
		v, err := left(f)
		if err != nil || pyvalue.Truth(v) == decided {
			return v, err
		}
		return right(f)
	}
}

func notExpr(e expr) expr {
	return func(f *frame) (value, error) {
		v, err := e(f)
		return !pyvalue.Truth(v), err
	}
}

// two evaluates two expressions.
func two(f *frame, left, right expr) (a, b value, err error) {
	if a, err = left(f); err != nil {
		return nil, nil, err
	}
	b, err = right(f)
	return a, b, err
}

func compareExpr(op token, left, right expr) expr {
	return func(f *frame) (value, error) {
		a, b, err := two(f, left, right)
		if err != nil {
			return nil, err
		}
		is, err := f.run.compare(op.text, a, b)
		return is, locate(err, op.at)
	}
}

func (r *run) compare(op string, a, b value) (bool, error) {
	if err := r.Spend(1); err != nil {
		return false, err
	}
	x, whole := a.(int64)
	if y, both := b.(int64); whole && both {
		switch op {
		case "==":
			return x == y, nil
		case "!=":
			return x != y, nil
		case "<":
			return x < y, nil
		case "<=":
			return x <= y, nil
		case ">":
			return x > y, nil
		case ">=":
			return x >= y, nil
		}
	}
	if isBool(a) != isBool(b) && pyvalue.IsNumber(a) && pyvalue.IsNumber(b) {
		return false, errors.New("a bool and a number are compared, which Starlark and Python do in different ways")
	}
	return r.Compare(op, a, b)
}

func isBool(v value) bool {
	_, is := v.(bool)
	return is
}

func arithmeticExpr(op token, left, right expr) expr {
	return func(f *frame) (value, error) {
		a, b, err := two(f, left, right)
		if err != nil {
			return nil, err
		}
		v, err := f.run.arithmetic(op.text, a, b)
		return v, locate(err, op.at)
	}
}

// arithmetic applies +, -, *, // or %.
func (r *run) arithmetic(op string, a, b value) (value, error) {
	if err := r.Spend(1); err != nil {
		return nil, err
	}
	if _, is := a.(string); is && op == "%" || isBool(a) || isBool(b) {
		return nil, fmt.Errorf("%s is not for a %s and a %s", op, pyvalue.TypeName(a), pyvalue.TypeName(b))
	}
	v, err := r.Operate(op, a, b)
	if err != nil {
		return nil, err
	}
	return v, tooLarge(v)
}

func signExpr(op token, e expr) expr {
	return func(f *frame) (value, error) {
		v, err := e(f)
		if err != nil {
			return nil, err
		}
		if isBool(v) {
			return nil, locate(fmt.Errorf("%s is not for a bool", op.text), op.at)
		}
		v, err = pyvalue.Unary(op.text, v)
		return v, locate(err, op.at)
	}
}

func listExpr(items []expr, tuple bool) expr {
	return func(f *frame) (value, error) {
		l := &pyvalue.List{Items: make([]value, len(items)), Tuple: tuple}
		for i, item := range items {
			v, err := item(f)
			if err != nil {
				return nil, err
			}
			l.Items[i] = v
		}
		return l, f.run.Spend(1 + len(items))
	}
}

func dictExpr(pairs [][2]expr, at place) expr {
	return func(f *frame) (value, error) {
		d := pyvalue.NewDict(len(pairs))
		for _, pair := range pairs {
			if err := f.setPair(d, pair); err != nil {
				return nil, locate(err, at)
			}
		}
		return d, locate(f.run.Spend(1), at)
	}
}

// setPair adds a key with its value to d.
func (f *frame) setPair(d *pyvalue.Dict, pair [2]expr) error {
	key, v, err := two(f, pair[0], pair[1])
	if err != nil {
		return err
	}
	if err := f.run.Spend(1); err != nil {
		return err
	}
	return f.run.SetItem(d, key, v)
}

// A clause calls do for each round of a for or an if of a comprehension.
type clause func(f *frame, do func() error) error

func forClause(over expr, to assign, at place) clause {
	return func(f *frame, do func() error) error {
		return f.each(over, at, func(item value) (bool, error) {
			if err := to(f, item); err != nil {
				return false, err
			}
			return true, do()
		})
	}
}

func ifClause(test expr) clause {
	return func(f *frame, do func() error) error {
		v, err := test(f)
		if err != nil || !pyvalue.Truth(v) {
			return err
		}
		return do()
	}
}

// nest puts each clause into the one before it.
func nest(list []clause) clause {
	if len(list) == 0 {
		return func(_ *frame, do func() error) error { return do() }
	}
	outer, inner := list[0], nest(list[1:])
	return func(f *frame, do func() error) error {
		return outer(f, func() error { return inner(f, do) })
	}
}

func listComprehension(item expr, each clause) expr {
	return func(f *frame) (value, error) {
		l := &pyvalue.List{}
		err := each(f, func() error {
			v, err := item(f)
			l.Items = append(l.Items, v)
			return err
		})
		return l, err
	}
}

func dictComprehension(pair [2]expr, each clause, at place) expr {
	return func(f *frame) (value, error) {
		d := pyvalue.NewDict(0)
		err := each(f, func() error { return f.setPair(d, pair) })
		return d, locate(err, at)
	}
}

func itemExpr(of, key expr, at place) expr {
	return func(f *frame) (value, error) {
		v, k, err := two(f, of, key)
		if err != nil {
			return nil, err
		}
		item, err := f.run.item(v, k)
		return item, locate(err, at)
	}
}

// item is v[key].
func (r *run) item(v, key value) (value, error) {
	if err := r.Spend(1); err != nil {
		return nil, err
	}
	if l, is := v.(*pyvalue.List); is {
		i, err := position(key, len(l.Items))
		if err != nil {
			return nil, err
		}
		return l.Items[i], nil
	}
	if _, is := v.(*pyvalue.Dict); !is && isBool(key) {
		return nil, errors.New("an index is a bool, want an int")
	}
	item, has, err := r.Item(v, key)
	switch _, dict := v.(*pyvalue.Dict); {
	case err != nil:
		return nil, err
	case has:
		return item, nil
	case dict:
		return nil, errors.New("the dict does not have the key")
	}
	return nil, fmt.Errorf("the %s does not have the index", pyvalue.TypeName(v))
}

func sliceExpr(of expr, bounds [3]expr, at place) expr {
	return func(f *frame) (value, error) {
		v, err := of(f)
		if err != nil {
			return nil, err
		}
		var at3 [3]value
		for i, bound := range bounds {
			if bound == nil {
				continue
			}
			if at3[i], err = bound(f); err != nil {
				return nil, err
			}
			if isBool(at3[i]) {
				return nil, locate(errors.New("a bound is a bool, want an int"), at)
			}
		}
		part, err := f.run.Slice(v, at3[0], at3[1], at3[2])
		if err != nil {
			return nil, locate(err, at)
		}
		return part, locate(f.run.Charge(part), at)
	}
}

// arguments are those of a call; the last ones have names.
type arguments struct {
	values []expr
	names  []string
}

func (a arguments) eval(f *frame) (args pyvalue.Args, err error) {
	values := make([]value, len(a.values))
	for i, e := range a.values {
		if values[i], err = e(f); err != nil {
			return args, err
		}
	}
	n := len(values) - len(a.names)
	return pyvalue.Args{Pos: values[:n:n], Names: a.names, Named: values[n:]}, nil
}

func callExpr(of expr, a arguments, at place) expr {
	return func(f *frame) (value, error) {
		called, err := of(f)
		if err != nil {
			return nil, err
		}
		args, err := a.eval(f)
		if err != nil {
			return nil, err
		}
		v, err := f.run.call(called, args)
		return v, locate(err, at)
	}
}

// call calls a function.
func (r *run) call(v value, a pyvalue.Args) (value, error) {
	if err := r.Spend(1); err != nil {
		return nil, err
	}
	switch called := v.(type) {
	case *builtin:
		return called.call(r, a)
	case *function:
		return r.enter(called, a)
	}
	return nil, fmt.Errorf("a %s cannot be called", pyvalue.TypeName(v))
}

// enter calls a function of the program.
func (r *run) enter(called *function, a pyvalue.Args) (value, error) {
	c := called.code
	switch {
	case len(a.Names) > 0:
		return nil, fmt.Errorf("%.100s takes no arguments by name", c.name)
	case len(a.Pos) != c.params:
		return nil, fmt.Errorf("%.100s takes %d arguments, has %d", c.name, c.params, len(a.Pos))
	case slices.Contains(r.active, c):
		return nil, fmt.Errorf("%.100s calls itself: Starlark has no recursion", c.name)
	case len(r.active) >= maxNested:
		return nil, fmt.Errorf("calls stand within each other more than %d deep", maxNested)
	}
	if err := r.Spend(c.slots); err != nil {
		return nil, err
	}
	f := newFrame(r, called.up, c)
	copy(f.slots, a.Pos)
	r.active = append(r.active, c)
	_, err := c.body(f)
	r.active = r.active[:len(r.active)-1]
	return f.result, err
}

func methodExpr(of expr, name token, a arguments) expr {
	return func(f *frame) (value, error) {
		v, err := of(f)
		if err != nil {
			return nil, err
		}
		args, err := a.eval(f)
		if err != nil {
			return nil, err
		}
		result, err := f.run.method(v, name.text, args)
		return result, locate(err, name.at)
	}
}
