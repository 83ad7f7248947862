package chattemplate

import "fmt"

// A macro is a macro, or the body of a call block.
type macro struct {
	name     string
	params   []param
	body     stmt
	scope    *scope // in which it was made
	caller   bool   // the body uses the variable caller,
	varargs  bool   // varargs,
	kwargs   bool   // kwargs
	explicit bool   // caller is a parameter
}

// A param is a parameter of a macro.
type param struct {
	name  string
	other expr // in place of an argument that is not given; nil: undefined
}

// attribute returns an attribute of a macro.
func (m *macro) attribute(name string) (value, bool) {
	switch name {
	case "name":
		return m.name, true
	case "arguments":
		names := make([]value, len(m.params))
		for i, p := range m.params {
			names[i] = p.name
		}
		return newTuple(names...), true
	case "catch_kwargs":
		return m.kwargs, true
	case "catch_varargs":
		return m.varargs, true
	case "caller":
		return m.caller, true
	}
	return nil, false
}

// call returns the text of the body.
func (m *macro) call(r *run, a args) (value, error) {
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

// fallback is the value of a parameter that is not given. It may read those before it.
func (p *param) fallback(s *scope) (value, error) {
	if p.other == nil {
		return &undefined{message: fmt.Sprintf("parameter '%s' was not provided", p.name)}, nil
	}
	return p.other(s)
}

// bind sets the parameters in s.
func (m *macro) bind(s *scope, a args) error {
	given := min(len(a.pos), len(m.params))
	for i, p := range m.params {
		if i < given {
			s.set(p.name, a.pos[i])
			continue
		}
		v, has := a.keyword(p.name)
		if !has {
			var err error
			if v, err = p.fallback(s); err != nil {
				return err
			}
		}
		s.set(p.name, v)
	}
	if m.caller && !m.explicit {
		caller, has := a.keyword("caller")
		if !has {
			caller = &undefined{message: "No caller defined"}
		}
		s.set("caller", caller)
	}
	if m.kwargs {
		d := newDict(len(a.names))
		for i, name := range a.names {
			d.setText(name, a.named[i])
		}
		s.set("kwargs", d)
	} else if len(a.names) > 0 {
		return fmt.Errorf("macro '%s' takes no keyword argument '%s'", m.name, a.names[0])
	}
	if m.varargs {
		s.set("varargs", newTuple(a.pos[given:]...))
	} else if len(a.pos) > given {
		return fmt.Errorf("macro '%s' takes not more than %d argument(s)", m.name, len(m.params))
	}
	return nil
}
