package chattemplate

import (
	"errors"
	"fmt"
)

// globals are the functions of jinja2 and of transformers.
var globals = map[string]*function{
	"cycler": {name: "cycler", class: "jinja2.utils.Cycler", call: func(_ *run, a args) (value, error) {
		if len(a.pos) == 0 {
			return nil, errors.New("at least one item has to be provided")
		}
		return &cycler{items: a.pos}, nil
	}},
	"dict":      {name: "dict", class: "dict", call: makeDict},
	"joiner":    {name: "joiner", class: "jinja2.utils.Joiner", call: makeJoiner},
	"namespace": {name: "namespace", class: "jinja2.utils.Namespace", call: makeNamespace},
	"raise_exception": {name: "raise_exception", call: func(r *run, a args) (value, error) {
		bound, err := bind("raise_exception", []string{"message"}, 1, a)
		if err != nil {
			return nil, err
		}
		message, err := r.str(bound[0])
		if err != nil {
			return nil, err
		}
		return nil, raisedError(message)
	}},
	"range":        {name: "range", call: makeInterval},
	"strftime_now": {name: "strftime_now", call: timeNow},
}

func makeInterval(r *run, a args) (value, error) {
	bound, err := bind("range", []string{"", "", ""}, 1, a)
	if err != nil {
		return nil, err
	}
	var n [3]int64
	for i, v := range bound {
		n[i] = min(int64(i), 1) // the start is 0, the step 1
		if _, is := v.(missing); is {
			continue
		}
		if u, is := v.(*undefined); is {
			return nil, u.fault()
		}
		small, is := toInt64(v)
		if !is || small < -1<<40 || small > 1<<40 {
			return nil, fmt.Errorf("range wants integers of at most 40 bits, has '%s'", typeName(v))
		}
		n[i] = small
	}
	v := &interval{n[0], n[1], n[2]}
	if len(a.pos) == 1 {
		v.start, v.stop = 0, n[0]
	}
	if v.step == 0 {
		return nil, errors.New("range() arg 3 must not be zero")
	}
	if v.length() > maxRange {
		return nil, fmt.Errorf("range has %d numbers, want at most %d", v.length(), maxRange)
	}
	return v, r.spend(1)
}

// makeDict makes a dict of a dict or of pairs, and of keyword arguments.
func makeDict(r *run, a args) (value, error) {
	if len(a.pos) > 1 {
		return nil, fmt.Errorf("dict expected at most 1 argument, got %d", len(a.pos))
	}
	d := newDict(len(a.names))
	var pairs []value
	if len(a.pos) == 1 {
		if other, is := a.pos[0].(*dict); is {
			pairs = other.pairs()
		} else {
			var err error
			if pairs, err = r.items(a.pos[0]); err != nil {
				return nil, err
			}
		}
	}
	for _, pair := range pairs {
		kv, err := r.items(pair)
		if err != nil {
			return nil, err
		}
		if len(kv) != 2 {
			return nil, fmt.Errorf("a pair for dict has %d items, want 2", len(kv))
		}
		if err := d.set(r, kv[0], kv[1]); err != nil {
			return nil, err
		}
	}
	for i, name := range a.names {
		d.setText(name, a.named[i])
	}
	return d, r.spend(len(pairs))
}

func makeNamespace(r *run, a args) (value, error) {
	d, err := makeDict(r, a)
	if err != nil {
		return nil, err
	}
	return &namespace{d.(*dict)}, nil
}

// A cycler goes round its items.
type cycler struct {
	items []value
	at    int
}

// attribute returns an attribute or a method.
func (c *cycler) attribute(name string) (value, bool) {
	switch name {
	case "current":
		return c.items[c.at], true
	case "next":
		return &function{name: name, call: func(_ *run, a args) (value, error) {
			now := c.items[c.at]
			c.at = (c.at + 1) % len(c.items)
			_, err := bind(name, nil, 0, a)
			return now, err
		}}, true
	case "reset":
		return &function{name: name, call: func(_ *run, a args) (value, error) {
			c.at = 0
			_, err := bind(name, nil, 0, a)
			return nil, err
		}}, true
	}
	return nil, false
}

// A joiner is a separator, but for its first use.
type joiner struct {
	sep  value
	used bool
}

func makeJoiner(_ *run, a args) (value, error) {
	bound, err := bind("joiner", []string{"sep"}, 0, a)
	if err != nil {
		return nil, err
	}
	return &joiner{sep: or(bound[0], ", ")}, nil
}

// next returns the separator, the first time nothing.
func (j *joiner) next(a args) (value, error) {
	if _, err := bind("joiner", nil, 0, a); err != nil {
		return nil, err
	}
	if !j.used {
		j.used = true
		return "", nil
	}
	return j.sep, nil
}
