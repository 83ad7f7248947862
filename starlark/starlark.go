// Package starlark runs small programs in a subset of Starlark, the dialect of Python that
// Bazel has (https://github.com/bazelbuild/starlark). The subset is chosen so that a
// program is one of Python 3 too, and means the same there.
//
// A program is functions and values at the top level. There are:
//
//   - the statements def, return, if, elif, else, for, break, continue, pass, expressions,
//     assignments to names, items and lists of these, and +=, -=, *=, //= and %=;
//   - None, bools, whole numbers, texts on one line, lists, tuples, dicts;
//   - + - * // % on numbers, + and * on texts and lists, comparisons of two values, in, and,
//     or, not, if … else, indexes, slices, comprehensions, lambda;
//   - abs, all, any, bool, dict, enumerate, int, len, list, max, min, range, reversed, sorted,
//     str, tuple and zip, and the methods of Starlark that texts, lists and dicts have in Python
//     too. These alone take arguments by name.
//
// Left out is what Starlark does not have, such as while, recursion, classes, exceptions,
// loops over a text and changes of a list that is being looped over; what means something
// else in Python, such as the text of a list, an item of zip(…), or True == 1; and what the
// programs here do not need, such as floats, bits, formats, load and default values of
// parameters.
//
// A call is bounded in work and memory. The values are those of package pyvalue.
package starlark

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// The bounds of programs.
const (
	maxSource = 1 << 16 // bytes of a program
	maxNested = 100     // expressions, statements, calls or values within each other
	maxBits   = 1024    // of a whole number
)

// value is a value of pyvalue, a *function or a *builtin.
type value = pyvalue.Value

// An Error says what is wrong with a program, and where.
type Error struct {
	Line, Column int // from 1; the column is in bytes
	Message      string
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Limits bound a call.
type Limits struct {
	Steps int // of about 100 ns each; a step leads to at most some 300 bytes of memory
	Bytes int // of a text; a list has at most a sixteenth as many items
}

// A Program is a program that can be called. Any number of goroutines may call it.
type Program struct {
	main   *code
	params map[string][]string // of the functions at the top level
	slots  map[string]int      // of the names at the top level
}

// Compile reads a program of at most 64 KiB. The error is an [*Error].
func Compile(source string) (*Program, error) {
	if len(source) > maxSource {
		return nil, &Error{1, 1, fmt.Sprintf("the program has %d bytes, want at most %d", len(source), maxSource)}
	}
	tokens, fault := lex(source)
	if fault != nil {
		return nil, fault
	}
	p := newParser(tokens)
	program := p.program()
	if p.fault != nil {
		return nil, p.fault
	}
	return program, nil
}

// Params returns the names of the parameters of a function at the top level; has is false
// if there is no such function.
func (p *Program) Params(function string) (names []string, has bool) {
	names, has = p.params[function]
	return slices.Clone(names), has
}

// Call runs the program anew, and then one of its functions. It works on a copy of args, in
// which there may be no floats. What the program does wrong, and what takes more than the
// limits, is an [*Error].
func (p *Program) Call(function string, args []pyvalue.Value, limits Limits) (pyvalue.Value, error) {
	if _, has := p.params[function]; !has {
		return nil, &Error{1, 1, fmt.Sprintf("there is no function %.100s", function)}
	}
	r := &run{Runtime: pyvalue.Runtime{Steps: limits.Steps, Bytes: limits.Bytes}, sources: map[value][]value{}}
	top := newFrame(r, nil, p.main)
	own, err := r.copies(args, 0)
	if err == nil {
		_, err = p.main.body(top)
	}
	if err != nil {
		return nil, locate(err, place{1, 1})
	}
	v, err := r.call(top.slots[p.slots[function]], pyvalue.Args{Pos: own})
	return v, locate(err, place{1, 1})
}

// A run is one call of a program.
type run struct {
	pyvalue.Runtime
	active []*code // functions that have not returned
	looped []value // lists and dicts that are being looped over

	// sources has the lists and dicts that the views and generators go through which were made
	// of them.
	sources map[value][]value
}

// copies returns values that the program may change.
func (r *run) copies(values []value, depth int) ([]value, error) {
	if depth > maxNested {
		return nil, fmt.Errorf("values stand within each other more than %d deep", maxNested)
	}
	if err := r.Spend(len(values)); err != nil {
		return nil, err
	}
	own := make([]value, len(values))
	for i, v := range values {
		copied, err := r.copied(v, depth)
		if err != nil {
			return nil, err
		}
		own[i] = copied
	}
	return own, nil
}

// copied returns a value that the program may change.
func (r *run) copied(v value, depth int) (value, error) {
	switch v := v.(type) {
	case nil, bool, int64:
		return v, nil
	case *big.Int:
		return v, tooLarge(v)
	case string:
		return v, r.Room(len(v))
	case *pyvalue.List:
		items, err := r.copies(v.Items, depth+1)
		return &pyvalue.List{Items: items, Tuple: v.Tuple}, err
	case *pyvalue.Dict:
		own := pyvalue.NewDict(0)
		for key, item := range v.All() {
			pair, err := r.copies([]value{key, item}, depth+1)
			if err != nil {
				return nil, err
			}
			if err := r.SetItem(own, pair[0], pair[1]); err != nil {
				return nil, err
			}
		}
		return own, nil
	}
	return nil, fmt.Errorf("an argument is a '%s', want None, a bool, a whole number, a text, a list or a dict", pyvalue.TypeName(v))
}

// tooLarge refuses whole numbers that are too large.
func tooLarge(v value) error {
	if n, is := v.(*big.Int); is && n.BitLen() > maxBits {
		return fmt.Errorf("a whole number has more than %d bits", maxBits)
	}
	return nil
}

// A place is where something stands in the source.
type place struct{ line, column int }

// locate makes an error one of the program, unless it is one already.
func locate(err error, at place) error {
	if err == nil {
		return nil
	}
	if _, is := errors.AsType[*Error](err); is {
		return err
	}
	return &Error{at.line, at.column, err.Error()}
}
