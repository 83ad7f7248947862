package chattemplate

import (
	"fmt"
	"time"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// A rendering is one render.
type rendering struct {
	*pyvalue.Runtime
	vars      *pyvalue.Dict
	lib       *library
	now       time.Time
	functions map[string]*pyvalue.Function // globals in use
	out       []byte                       // text so far; captured text is at its end
	captures  int                          // captures in progress
	spans     []Span
	calls     int // macros and loops in progress
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

func (r *rendering) enter() error {
	if r.calls++; r.calls > maxCalls {
		return fmt.Errorf("macros or loops call each other more than %d deep", maxCalls)
	}
	return nil
}

// capture returns the output of body instead of writing it.
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

func (r *rendering) method(v value, name string, a ...value) (value, error) {
	f, err := r.own(v, name)
	if err != nil {
		return nil, err
	}
	return r.call(f, pyvalue.Args{Pos: a})
}
