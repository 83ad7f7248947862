package codegrade

import (
	"errors"
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
)

func TestSpeed(t *testing.T) {
	lost := errors.New("no room")
	for _, c := range []struct {
		why  string
		got  sandbox.Result
		err  error
		want float64 // 0: an error
	}{
		{"half as fast", printed("12500000.0\n", 0), nil, 0.5},
		{"it prints nothing", printed("", 0), nil, 0},
		{"it is endless", printed("inf\n", 0), nil, 0},
		{"it is no number", printed("nan\n", 0), nil, 0},
		{"no time passes", sandbox.Result{End: sandbox.Exited, Code: 1, Stderr: []byte("ZeroDivisionError")}, nil, 0},
		{"the machine fails", sandbox.Result{}, lost, 0},
	} {
		g := &Grader{Sandbox: &fake{do: func(int, sandbox.Job) (sandbox.Result, error) { return c.got, c.err }}}
		got, err := g.Speed(t.Context())
		if got != c.want || (err == nil) != (c.want > 0) || c.err != nil && !errors.Is(err, c.err) {
			t.Errorf("%s: %v, error %v, want %v", c.why, got, err, c.want)
		}
	}
	if g := grader(t); g != nil {
		if got, err := g.Speed(t.Context()); err != nil || !(got > 0) {
			t.Errorf("this machine: %v, error %v", got, err)
		} else {
			t.Logf("this machine has the speed %.2f", got)
		}
	}
}
