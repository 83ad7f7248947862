// Package guard runs small Starlark programs on hostile arguments: every call is bounded in
// work and memory, and a result is the one that Python gives, or an error.
//
// go.starlark.net runs the programs. It counts instructions, but a single one may join or
// compare values of any size, and its strings are bytes. So [Compile] replaces operators,
// indexes, slices and method calls by calls of functions that check sizes first, and that
// leave strings and comparisons to package pyvalue.
//
// A program has functions and constants at the top level, which no call may change. Besides
// the statements of Starlark, but for while and load, there are:
//
//   - None, bools, integers of at most 1,024 bits, strings, lists, tuples and dicts;
//   - + - * // % on integers, + and * on strings and lists, comparisons, in, indexes, slices,
//     comprehensions, lambda;
//   - abs, all, any, bool, dict, enumerate, int, len, list, max, min, range, reversed, sorted,
//     str, tuple and zip, and the methods of strings, lists and dicts that Python has too.
//
// An error takes the place of a result that Starlark and Python disagree on, such as that of
// True == 1.
package guard

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// The bounds of programs.
const (
	maxSource = 1 << 14 // bytes of a program, which also bound its nesting
	maxDepth  = 100     // lists and dicts within each other
	maxBits   = 1024    // of an integer
	maxBytes  = 1 << 14 // of a string
	maxItems  = 1 << 10 // of a list, but for one that a comprehension or a function makes
	maxRange  = 100_000 // numbers of a range
	maxSteps  = 20_000  // of a call
	perStep   = 4       // instructions of go.starlark.net in a step
)

var (
	errSteps = errors.New("it takes too many steps")
	errItems = fmt.Errorf("a list has more than %d items", maxItems)
)

// A Program is a compiled program. Any number of goroutines may call it.
type Program struct {
	plain starlark.StringDict                 // for plain arguments: it calls fewer functions of ours
	exact func() (starlark.StringDict, error) // for all others, compiled when needed
}

// Compile reads a program of at most 16 KiB and runs its top level.
func Compile(source string) (*Program, error) {
	if len(source) > maxSource {
		return nil, fmt.Errorf("the program has %d bytes, want at most %d", len(source), maxSource)
	}
	plain, err := globals(source, true)
	if err != nil {
		return nil, located(err)
	}
	return &Program{plain, sync.OnceValues(func() (starlark.StringDict, error) { return globals(source, false) })}, nil
}

// globals compiles a program and returns its functions and constants.
func globals(source string, plain bool) (starlark.StringDict, error) {
	file, err := new(syntax.FileOptions).Parse("", source, 0)
	if err != nil {
		return nil, err
	}
	w := rewriter{plain: plain, uses: map[string]bool{}}
	if w.file(file); w.fault != nil {
		return nil, *w.fault
	}
	if plain && w.odd {
		return globals(source, false)
	}
	compiled, err := starlark.FileProgram(file, predeclared().Has)
	if err != nil {
		return nil, err
	}
	all, err := compiled.Init(newThread(), predeclared())
	all.Freeze()
	return all, err
}

// Params returns the names of the parameters of a function at the top level; has is false
// if there is no such function.
func (p *Program) Params(function string) (names []string, has bool) {
	f, has := p.plain[function].(*starlark.Function)
	if !has {
		return nil, false
	}
	for i := range f.NumParams() {
		name, _ := f.Param(i)
		names = append(names, name)
	}
	return names, true
}

// Call runs a function on a copy of args, which have no floats. A call has 20,000 steps of
// about 100 ns. The error is of the program or of args.
func (p *Program) Call(function string, args []pyvalue.Value) (pyvalue.Value, error) {
	if _, has := p.plain[function].(*starlark.Function); !has {
		return nil, fmt.Errorf("there is no function %.100s", function)
	}
	t := newThread()
	own := make(starlark.Tuple, len(args))
	for i, arg := range args {
		v, err := fromPython(t, arg, 0)
		if err != nil {
			return nil, err
		}
		own[i] = v
	}
	program := p.plain
	if slices.ContainsFunc(args, odd) {
		var err error
		if program, err = p.exact(); err != nil {
			return nil, located(err)
		}
	}
	v, err := starlark.Call(t, program[function], own, nil)
	if err != nil {
		return nil, located(err)
	}
	return toPython(t, v, 0)
}

// newThread returns what counts the steps of a call.
func newThread() *starlark.Thread {
	t := &starlark.Thread{OnMaxSteps: func(t *starlark.Thread) { t.Cancel(errSteps.Error()) }}
	t.SetMaxExecutionSteps(maxSteps * perStep)
	return t
}

// spend takes steps from those left.
func spend(t *starlark.Thread, steps int) error { return instruct(t, steps*perStep) }

// instruct takes instructions from those left.
func instruct(t *starlark.Thread, n int) error {
	if t.Steps += uint64(n); t.Steps > maxSteps*perStep {
		return errSteps
	}
	return nil
}

// room refuses a string of too many bytes, and takes the steps of making it.
func room(t *starlark.Thread, bytes int) error {
	if bytes > maxBytes {
		return fmt.Errorf("a text has more than %d bytes", maxBytes)
	}
	return spend(t, bytes/16)
}

// items refuses a list of too many items, and takes the steps of making it.
func items(t *starlark.Thread, n int) error {
	if n > maxItems {
		return errItems
	}
	return spend(t, n)
}

// python runs f with the steps left.
func python[T any](t *starlark.Thread, f func(r *pyvalue.Runtime) (T, error)) (T, error) {
	left := int(maxSteps*perStep-min(t.Steps, maxSteps*perStep)) / perStep
	r := pyvalue.Runtime{Steps: left, Bytes: maxBytes}
	v, err := f(&r)
	if err != nil {
		return v, err
	}
	return v, spend(t, left-r.Steps)
}

// located puts the place in the program before the message of err.
func located(err error) error {
	if list, is := errors.AsType[resolve.ErrorList](err); is && len(list) > 0 {
		err = list[0]
	}
	at, message := syntax.Position{}, err.Error()
	if e, is := errors.AsType[syntax.Error](err); is {
		at, message = e.Pos, e.Msg
	}
	if e, is := errors.AsType[resolve.Error](err); is {
		at, message = e.Pos, e.Msg
	}
	if e, is := errors.AsType[*starlark.EvalError](err); is {
		for _, frame := range e.CallStack { // outermost first; the functions of Go have no place
			if frame.Pos.Filename() == "" {
				at = frame.Pos
			}
		}
	}
	if !at.IsValid() {
		return errors.New(message)
	}
	return fmt.Errorf("line %d, column %d: %s", at.Line, at.Col, message)
}
