package programs

import (
	"errors"
	"fmt"
	"strconv"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// The bounds of a call. The programs are ours, so go.starlark.net runs them as they are:
// only the arguments are hostile.
const (
	maxSteps  = 100_000  // instructions of go.starlark.net
	maxSize   = 1 << 10  // values and characters of all arguments
	maxInt    = 1e12 - 1 // magnitude of an integer
	maxMade   = 1 << 16  // items or characters that repeating makes
	maxOutput = 1 << 16  // bytes
)

// compile reads a program and returns its main. Any number of goroutines may call it.
func compile(source string) (*starlark.Function, error) {
	globals, err := starlark.ExecFileOptions(new(syntax.FileOptions), newThread(), "", source, nil) // which freezes them
	if err != nil {
		return nil, err
	}
	main, ok := globals["main"].(*starlark.Function)
	if !ok {
		return nil, errors.New("the program has no function main")
	}
	return main, nil
}

// newThread returns what counts the steps of a call.
func newThread() *starlark.Thread {
	t := &starlark.Thread{Print: func(*starlark.Thread, string) {}}
	t.SetMaxExecutionSteps(maxSteps)
	return t
}

// call runs main with a value for each parameter, and returns the output as JSON. It refuses
// arguments unlike those drawn, on which Starlark and Python may disagree.
func (p *program) call(args []pyvalue.Value) (output string, err error) {
	main, err := p.compiled()
	if err != nil {
		return "", err
	}
	var r reading
	own := make(starlark.Tuple, len(args))
	for i, q := range p.params {
		d := drawers[q.kind]
		if own[i] = d.read(&r, args[i]); own[i] == nil {
			return "", fmt.Errorf("want %s to be %s, in ASCII and with integers of at most 12 digits", q.name, d.name)
		}
	}
	switch {
	case r.size > maxSize:
		return "", fmt.Errorf("the input has %d values and characters, want at most %d", r.size, maxSize)
	case r.times*int64(r.size) > maxMade:
		return "", fmt.Errorf("%d is too large for this program and this input", r.times)
	}
	v, err := starlark.Call(newThread(), main, own, nil)
	if err != nil {
		return "", err
	}
	text, err := appendJSON(nil, v)
	return string(text), err
}

// A reading copies arguments for Starlark.
type reading struct {
	size  int   // values and characters so far
	times int64 // the largest integer that repeats a text or a list
}

// integer returns an integer, or nil. The other methods, too, return nil for another kind.
func (r *reading) integer(v pyvalue.Value) starlark.Value {
	n, ok := v.(int64)
	if !ok || n > maxInt || n < -maxInt {
		return nil
	}
	r.size++
	return starlark.MakeInt64(n)
}

// repeat is integer for one that the program multiplies texts or lists by.
func (r *reading) repeat(v pyvalue.Value) starlark.Value {
	if n, ok := v.(int64); ok {
		r.times = max(r.times, n)
	}
	return r.integer(v)
}

func (r *reading) text(v pyvalue.Value) starlark.Value {
	s, ok := v.(string)
	if !ok {
		return nil
	}
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return nil
		}
	}
	r.size += 1 + len(s)
	return starlark.String(s)
}

// pair returns a list of a text and an integer.
func (r *reading) pair(v pyvalue.Value) starlark.Value {
	l, ok := v.(*pyvalue.List)
	if !ok || len(l.Items) != 2 {
		return nil
	}
	name, n := r.text(l.Items[0]), r.integer(l.Items[1])
	if name == nil || n == nil {
		return nil
	}
	r.size++
	return starlark.NewList([]starlark.Value{name, n})
}

// counts returns a dict of integers by texts.
func (r *reading) counts(v pyvalue.Value) starlark.Value {
	d, ok := v.(*pyvalue.Dict)
	if !ok {
		return nil
	}
	r.size++
	own := new(starlark.Dict)
	for key, item := range d.All() {
		name, n := r.text(key), r.integer(item)
		if name == nil || n == nil || own.SetKey(name, n) != nil {
			return nil
		}
	}
	return own
}

// listOf returns a method for lists of what another is for.
func listOf(item func(*reading, pyvalue.Value) starlark.Value) func(*reading, pyvalue.Value) starlark.Value {
	return func(r *reading, v pyvalue.Value) starlark.Value {
		l, ok := v.(*pyvalue.List)
		if !ok {
			return nil
		}
		r.size++
		own := make([]starlark.Value, len(l.Items))
		for i, v := range l.Items {
			if own[i] = item(r, v); own[i] == nil {
				return nil
			}
		}
		return starlark.NewList(own)
	}
}

// appendJSON appends v as Python's json.dumps writes it.
func appendJSON(b []byte, v starlark.Value) (out []byte, err error) {
	if len(b) > maxOutput {
		return nil, errors.New("the output is too large")
	}
	switch v := v.(type) {
	case starlark.NoneType:
		return append(b, "null"...), nil
	case starlark.Bool:
		return strconv.AppendBool(b, bool(v)), nil
	case starlark.Int:
		return append(b, v.String()...), nil
	case starlark.String:
		return strconv.AppendQuote(b, string(v)), nil // the same in JSON, since all texts are printable ASCII
	case starlark.Indexable: // a list or a tuple
		b = append(b, '[')
		for i := range v.Len() {
			if b, err = appendJSON(separated(b, i), v.Index(i)); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case *starlark.Dict:
		return appendObject(b, v)
	}
	return nil, fmt.Errorf("main returns a %s", v.Type())
}

func appendObject(b []byte, d *starlark.Dict) (out []byte, err error) {
	b = append(b, '{')
	for i, item := range d.Items() {
		key, ok := item[0].(starlark.String)
		if !ok {
			return nil, fmt.Errorf("main returns a dict with a %s as a key", item[0].Type())
		}
		b = append(strconv.AppendQuote(separated(b, i), string(key)), ": "...)
		if b, err = appendJSON(b, item[1]); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

// separated appends the comma before item i.
func separated(b []byte, i int) []byte {
	if i == 0 {
		return b
	}
	return append(b, ", "...)
}
