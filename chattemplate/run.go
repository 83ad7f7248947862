package chattemplate

import (
	"errors"
	"fmt"
	"time"
)

// A run is one render.
type run struct {
	vars     *dict
	lib      *library
	now      time.Time
	out      []byte // text so far; what is captured stands at its end
	captures int    // that are under way
	spans    []Span
	calls    int // of macros and loops that are under way
	steps    int // that are left
	maxBytes int
}

// A scope holds the variables of a template, a macro, an iteration or a block.
type scope struct {
	run    *run
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
	if v, has := s.run.vars.text(name); has {
		return v
	}
	if f, has := s.run.lib.globals[name]; has {
		return f
	}
	return &undefined{name: name}
}

var errSteps = errors.New("the template takes too many steps")

// spend takes steps from those that are left.
func (r *run) spend(steps int) error {
	if r.steps -= steps; r.steps < 0 {
		return errSteps
	}
	return nil
}

// room refuses a text that would have too many bytes, and takes the steps that it costs.
func (r *run) room(bytes int) error {
	if bytes < 0 || bytes > r.maxBytes {
		return fmt.Errorf("a text has more than %d bytes", r.maxBytes)
	}
	return r.spend(bytes / 16)
}

// write adds text to the output.
func (r *run) write(text string) error {
	if len(text) > r.maxBytes-len(r.out) {
		return fmt.Errorf("the text has more than %d bytes", r.maxBytes)
	}
	if err := r.spend(len(text) / 16); err != nil {
		return err
	}
	r.out = append(r.out, text...)
	return nil
}

// enter counts a call.
func (r *run) enter() error {
	if r.calls++; r.calls > maxCalls {
		return fmt.Errorf("macros or loops call each other more than %d deep", maxCalls)
	}
	return nil
}

// capture returns what body writes, which does not become output.
func (r *run) capture(s *scope, body stmt) (text string, sig signal, err error) {
	from := len(r.out)
	r.captures++
	sig, err = body(s)
	r.captures--
	if err != nil {
		return "", sig, err
	}
	text = string(r.out[from:])
	r.out = r.out[:from]
	return text, sig, r.room(len(text))
}
