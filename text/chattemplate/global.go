package chattemplate

import (
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A global is a function that templates call by name.
type global struct {
	class string // Python's class of its objects, for a constructor
	call  func(r *rendering, a pyvalue.Args) (value, error)
}

// globals holds the functions of jinja2 and transformers.
var globals = map[string]global{
	"cycler":          {"jinja2.utils.Cycler", makeCycler},
	"dict":            {"dict", func(r *rendering, a pyvalue.Args) (value, error) { return r.Dict(a) }},
	"joiner":          {"jinja2.utils.Joiner", makeJoiner},
	"namespace":       {"jinja2.utils.Namespace", makeNamespace},
	"raise_exception": {"", raise},
	"range":           {"", func(r *rendering, a pyvalue.Args) (value, error) { return r.Range(a) }},
	"strftime_now":    {"", timeNow},
}

// global returns the named function, the same each time.
func (r *rendering) global(name string) (f *pyvalue.Function, has bool) {
	if f, has = r.functions[name]; has {
		return f, true
	}
	g, has := r.lib.globals[name]
	if !has {
		return nil, false
	}
	f = &pyvalue.Function{Name: name, Class: g.class, Call: func(a pyvalue.Args) (value, error) { return g.call(r, a) }}
	if r.functions == nil {
		r.functions = map[string]*pyvalue.Function{}
	}
	r.functions[name] = f
	return f, true
}

// raise rejects the conversation.
func raise(r *rendering, a pyvalue.Args) (value, error) {
	bound, err := pyvalue.Bind("raise_exception", []string{"message"}, 1, a)
	if err != nil {
		return nil, err
	}
	message, err := r.Str(bound[0])
	if err != nil {
		return nil, err
	}
	return nil, raisedError(message)
}

// timeNow is strftime_now of transformers, at the time of the render.
func timeNow(r *rendering, a pyvalue.Args) (value, error) {
	bound, err := pyvalue.Bind("strftime_now", []string{"format"}, 1, a)
	if err != nil {
		return nil, err
	}
	format, ok := pyvalue.Text(bound[0])
	if !ok {
		return nil, fmt.Errorf("strftime_now wants a str, has '%s'", pyvalue.TypeName(bound[0]))
	}
	if r.now.IsZero() {
		return nil, errors.New("the template asks for the time, but none is given")
	}
	return r.Strftime(r.now, format)
}

// A namespace holds variables that inner scopes may set.
type namespace struct{ members *pyvalue.Dict }

func makeNamespace(r *rendering, a pyvalue.Args) (value, error) {
	d, err := r.Dict(a)
	if err != nil {
		return nil, err
	}
	return &namespace{d}, nil
}

// TypeName returns Python's name.
func (n *namespace) TypeName() string { return "Namespace" }

// Attribute returns a member.
func (n *namespace) Attribute(name string) (v value, has bool, err error) {
	v, has = n.members.Get(name)
	return v, has, nil
}

// Repr appends the members.
func (n *namespace) Repr(dst []byte, inner pyvalue.Append) ([]byte, error) {
	dst, err := inner(append(dst, "<Namespace "...), n.members)
	return append(dst, '>'), err
}

// A cycler cycles through its items.
type cycler struct {
	items []value
	at    int
}

func makeCycler(_ *rendering, a pyvalue.Args) (value, error) {
	if len(a.Pos) == 0 {
		return nil, errors.New("at least one item has to be provided")
	}
	return &cycler{items: a.Pos}, nil
}

// TypeName returns Python's name.
func (c *cycler) TypeName() string { return "Cycler" }

// Attribute returns an attribute or a method.
func (c *cycler) Attribute(name string) (v value, has bool, err error) {
	switch name {
	case "current":
		return c.items[c.at], true, nil
	case "next":
		return &pyvalue.Function{Name: name, Call: func(a pyvalue.Args) (value, error) {
			now := c.items[c.at]
			c.at = (c.at + 1) % len(c.items)
			_, err := pyvalue.Bind(name, nil, 0, a)
			return now, err
		}}, true, nil
	case "reset":
		return &pyvalue.Function{Name: name, Call: func(a pyvalue.Args) (value, error) {
			c.at = 0
			_, err := pyvalue.Bind(name, nil, 0, a)
			return nil, err
		}}, true, nil
	}
	return nil, false, nil
}

// A joiner is a separator that is empty at its first use.
type joiner struct {
	sep  value
	used bool
}

func makeJoiner(_ *rendering, a pyvalue.Args) (value, error) {
	bound, err := pyvalue.Bind("joiner", []string{"sep"}, 0, a)
	if err != nil {
		return nil, err
	}
	return &joiner{sep: pyvalue.Or(bound[0], ", ")}, nil
}

// TypeName returns Python's name.
func (j *joiner) TypeName() string { return "Joiner" }

// Attribute finds none.
func (j *joiner) Attribute(string) (v value, has bool, err error) { return nil, false, nil }

// next returns "" the first time, then the separator.
func (j *joiner) next(a pyvalue.Args) (value, error) {
	if _, err := pyvalue.Bind("joiner", nil, 0, a); err != nil {
		return nil, err
	}
	if !j.used {
		j.used = true
		return "", nil
	}
	return j.sep, nil
}
