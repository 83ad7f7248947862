package chattemplate

import "github.com/quintain-rl/quintain/text/pyvalue"

// A scope holds the variables of a template, a macro, an iteration or a block.
type scope struct {
	run    *rendering
	parent *scope
	names  []string
	values []value
}

// inner returns a new scope inside s.
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

func (s *scope) clear() { s.names, s.values = s.names[:0], s.values[:0] }

// get returns a variable of s or an enclosing scope, of the render, or of jinja2.
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
