package chattemplate

import (
	"fmt"
	"time"

	"github.com/quintain-rl/quintain/pyvalue"
)

// A rendering is one render.
type rendering struct {
	*pyvalue.Runtime
	vars      *pyvalue.Dict
	lib       *library
	now       time.Time
	functions map[string]*pyvalue.Function // globals that were used
	out       []byte                       // text so far; what is captured stands at its end
	captures  int                          // that are under way
	spans     []Span
	calls     int // of macros and loops that are under way
}

// A scope holds the variables of a template, a macro, an iteration or a block.
type scope struct {
	run    *rendering
	parent *scope
	names  []string
	values []value
}

// inner returns a new scope in s.
func (s *scope) inner() *scope { return &scope{run: s.run, parent: s} }

// set sets a variable of this scope.
func (s *scope) set(name string, v value) {
	for i, n := range s.names {
		if n == name {
			s.values[i] = v
			return
		}
	}
	s.names = append(s.names, name)
	s.values = append(s.values, v)
}

// clear removes all variables.
func (s *scope) clear() { s.names, s.values = s.names[:0], s.values[:0] }

// get returns a variable of s or of a scope around it, of the render, or of jinja2.
func (s *scope) get(name string) value {
	for at := s; at != nil; at = at.parent {
		for i, n := range at.names {
			if n == name {
				return at.values[i]
			}
		}
	}
	if v, has := s.run.vars.Get(name); has {
		return v
	}
	if f, has := s.run.global(name); has {
		return f
	}
	return &pyvalue.Undefined{Name: name}
}

// write adds text to the output.
func (r *rendering) write(text string) error {
	if len(text) > r.Bytes-len(r.out) {
		return fmt.Errorf("the text has more than %d bytes", r.Bytes)
	}
	if err := r.Spend(len(text) / 16); err != nil {
		return err
	}
	r.out = append(r.out, text...)
	return nil
}

// enter counts a call.
func (r *rendering) enter() error {
	if r.calls++; r.calls > maxCalls {
		return fmt.Errorf("macros or loops call each other more than %d deep", maxCalls)
	}
	return nil
}

// capture returns what body writes, which does not become output.
func (r *rendering) capture(s *scope, body stmt) (text string, sig signal, err error) {
	from := len(r.out)
	r.captures++
	sig, err = body(s)
	r.captures--
	if err != nil {
		return "", sig, err
	}
	text = string(r.out[from:])
	r.out = r.out[:from]
	return text, sig, r.Room(len(text))
}

// call calls a value.
func (r *rendering) call(f value, a pyvalue.Args) (value, error) {
	switch f := f.(type) {
	case *pyvalue.Function:
		v, err := f.Call(a)
		if err != nil {
			return nil, err
		}
		return v, r.Charge(v)
	case *macro:
		return f.call(r, a)
	case *loop:
		return f.recurse(a)
	case *joiner:
		return f.next(a)
	case *pyvalue.Undefined:
		return nil, f.Fault()
	}
	return nil, fmt.Errorf("'%s' object is not callable", pyvalue.TypeName(f))
}

// method calls a method of v.
func (r *rendering) method(v value, name string, a ...value) (value, error) {
	f, err := r.attribute(v, name)
	if err != nil {
		return nil, err
	}
	return r.call(f, pyvalue.Args{Pos: a})
}

// attribute returns the attribute or method of v with a name. It never takes an item.
func (r *rendering) attribute(v value, name string) (value, error) {
	own, has, err := r.Attribute(v, name)
	if has || err != nil {
		return own, err
	}
	return absent(v, name), nil
}

// member returns v.name: the attribute or method of that name, or else the item.
func (r *rendering) member(v value, name string) (value, error) {
	own, has, err := r.Attribute(v, name)
	if has || err != nil {
		return own, err
	}
	if d, is := v.(*pyvalue.Dict); is {
		if item, has := d.Get(name); has {
			return item, nil
		}
	}
	return absent(v, name), nil
}

// item returns v[key]: the item, or else the attribute or method of that name.
func (r *rendering) item(v, key value) (value, error) {
	item, has, err := r.Item(v, key)
	if has || err != nil {
		return item, err
	}
	name, is := pyvalue.Text(key)
	if is {
		return r.attribute(v, name)
	}
	if name, err = r.Str(key); err != nil {
		name = pyvalue.TypeName(key)
	}
	return absent(v, name), nil
}

// absent is the attribute or item that v does not have.
func absent(v value, name string) *pyvalue.Undefined {
	return &pyvalue.Undefined{Name: name, Of: "'" + pyvalue.TypeName(v) + " object'"}
}
