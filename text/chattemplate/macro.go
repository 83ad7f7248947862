package chattemplate

import (
	"fmt"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A macro is a macro, or the body of a call block.
type macro struct {
	name     string
	params   []param
	body     stmt
	scope    *scope // that defined it
	caller   bool   // the body uses the variable caller,
	varargs  bool   // varargs,
	kwargs   bool   // kwargs
	explicit bool   // caller is a parameter
}

// A param is a parameter of a macro.
type param struct {
	name  string
	other expr // default of a missing argument; nil: undefined
}

// TypeName returns Python's name.
func (m *macro) TypeName() string { return "Macro" }

// Repr appends the name.
func (m *macro) Repr(dst []byte, inner pyvalue.Append) ([]byte, error) {
	dst, err := inner(append(dst, "<Macro "...), m.name)
	return append(dst, '>'), err
}

// Attribute returns an attribute of a macro.
func (m *macro) Attribute(name string) (v value, has bool, err error) {
	switch name {
	case "name":
		return m.name, true, nil
	case "arguments":
		names := make([]value, len(m.params))
		for i, p := range m.params {
			names[i] = p.name
		}
		return pyvalue.NewTuple(names...), true, nil
	case "catch_kwargs":
		return m.kwargs, true, nil
	case "catch_varargs":
		return m.varargs, true, nil
	case "caller":
		return m.caller, true, nil
	}
	return nil, false, nil
}

// call returns the text of the body.
func (m *macro) call(r *rendering, a pyvalue.Args) (value, error) {
	if err := r.enter(); err != nil {
		return nil, err
	}
	defer func() { r.calls-- }()
	s := m.scope.inner()
	if err := m.bind(s, a); err != nil {
		return nil, err
	}
	text, _, err := r.capture(s, m.body)
	return text, err
}

// fallback returns the default of a parameter. It may read the parameters before it.
func (p *param) fallback(s *scope) (value, error) {
	if p.other == nil {
		return &pyvalue.Undefined{Message: fmt.Sprintf("parameter '%s' was not provided", p.name)}, nil
	}
	return p.other(s)
}

// bind sets the parameters in s.
func (m *macro) bind(s *scope, a pyvalue.Args) error {
	given := min(len(a.Pos), len(m.params))
	for i, p := range m.params {
		if i < given {
			s.set(p.name, a.Pos[i])
			continue
		}
		v, has := a.Keyword(p.name)
		if !has {
			var err error
			if v, err = p.fallback(s); err != nil {
				return err
			}
		}
		s.set(p.name, v)
	}
	if m.caller && !m.explicit {
		caller, has := a.Keyword("caller")
		if !has {
			caller = &pyvalue.Undefined{Message: "No caller defined"}
		}
		s.set("caller", caller)
	}
	if m.kwargs {
		d := pyvalue.NewDict(len(a.Names))
		for i, name := range a.Names {
			d.Set(name, a.Named[i])
		}
		s.set("kwargs", d)
	} else if len(a.Names) > 0 {
		return fmt.Errorf("macro '%s' takes no keyword argument '%s'", m.name, a.Names[0])
	}
	if m.varargs {
		s.set("varargs", pyvalue.NewTuple(a.Pos[given:]...))
	} else if len(a.Pos) > given {
		return fmt.Errorf("macro '%s' takes not more than %d argument(s)", m.name, len(m.params))
	}
	return nil
}
