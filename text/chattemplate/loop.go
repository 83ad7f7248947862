package chattemplate

import (
	"errors"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A loop is the variable loop.
type loop struct {
	run     *rendering
	source  []value                   // the items not yet tested
	test    func(value) (bool, error) // selects items; nil: all
	taken   []value
	at      int // index of the current item
	depth   int // nesting of recursive loops; 0: the outermost
	again   func(l *loop, source value) (value, error)
	last    []value // arguments of changed
	hasLast bool
}

// has reports whether the loop has an item at an index.
func (l *loop) has(i int) (bool, error) {
	for len(l.taken) <= i && len(l.source) > 0 {
		item := l.source[0]
		l.source = l.source[1:]
		if l.test != nil {
			if take, err := l.test(item); err != nil {
				return false, err
			} else if !take {
				continue
			}
		}
		l.taken = append(l.taken, item)
	}
	return i < len(l.taken), nil
}

// length returns the number of items.
func (l *loop) length() (int, error) {
	_, err := l.has(len(l.taken) + len(l.source))
	return len(l.taken), err
}

// TypeName returns Python's name.
func (l *loop) TypeName() string { return "LoopContext" }

// Repr appends the position.
func (l *loop) Repr(dst []byte, _ pyvalue.Append) ([]byte, error) {
	n, err := l.length()
	return fmt.Appendf(dst, "<LoopContext %d/%d>", l.at+1, n), err
}

// Attribute returns an attribute or a method of the variable loop.
func (l *loop) Attribute(name string) (v value, has bool, err error) {
	switch name {
	case "index":
		return int64(l.at + 1), true, nil
	case "index0":
		return int64(l.at), true, nil
	case "first":
		return l.at == 0, true, nil
	case "last":
		more, err := l.has(l.at + 1)
		return !more, true, err
	case "length", "revindex", "revindex0":
		n, err := l.length()
		return int64(n - map[string]int{"revindex": l.at, "revindex0": l.at + 1}[name]), true, err
	case "depth":
		return int64(l.depth + 1), true, nil
	case "depth0":
		return int64(l.depth), true, nil
	case "previtem":
		if l.at == 0 {
			return &pyvalue.Undefined{Message: "there is no previous item"}, true, nil
		}
		return l.taken[l.at-1], true, nil
	case "nextitem":
		if more, err := l.has(l.at + 1); !more {
			return &pyvalue.Undefined{Message: "there is no next item"}, true, err
		}
		return l.taken[l.at+1], true, nil
	case "cycle":
		return &pyvalue.Function{Name: name, Call: l.cycle}, true, nil
	case "changed":
		return &pyvalue.Function{Name: name, Call: l.changed}, true, nil
	}
	return nil, false, nil
}

func (l *loop) cycle(a pyvalue.Args) (value, error) {
	if len(a.Pos) == 0 {
		return nil, errors.New("no items for cycling given")
	}
	return a.Pos[l.at%len(a.Pos)], nil
}

// changed reports whether its arguments differ from those of the last call.
func (l *loop) changed(a pyvalue.Args) (value, error) {
	before, had := l.last, l.hasLast
	l.last, l.hasLast = slices.Clone(a.Pos), true
	if !had || len(before) != len(a.Pos) {
		return true, nil
	}
	same, err := l.run.Compare("==", pyvalue.NewTuple(before...), pyvalue.NewTuple(a.Pos...))
	return !same, err
}

// recurse renders the body of a recursive loop for other items.
func (l *loop) recurse(a pyvalue.Args) (value, error) {
	if l.again == nil {
		return nil, errors.New("the loop must have the 'recursive' marker to be called recursively")
	}
	bound, err := pyvalue.Bind("loop", []string{""}, 1, a)
	if err != nil {
		return nil, err
	}
	return l.again(l, bound[0])
}
