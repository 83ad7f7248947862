package atropos

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
)

// The types of errors. They are those that clients of the original know.
const (
	TypeUnreadable  = "unreadable"      // the text cannot be JSON at all: bad UTF-8, nesting or a number without end
	TypeInvalid     = "json_invalid"    // the text is no JSON
	TypeMissing     = "missing"         // a required field is not there
	TypeObject      = "dict_type"       // want an object
	TypeList        = "list_type"       // want an array
	TypeString      = "string_type"     // want a string
	TypeUnicode     = "string_unicode"  // a lone surrogate
	TypeInt         = "int_type"        // want an integer
	TypeIntText     = "int_parsing"     // a string that holds no integer
	TypeIntFraction = "int_from_float"  // a number with a fraction where an integer is wanted
	TypeFloat       = "float_type"      // want a number
	TypeFloatText   = "float_parsing"   // a string that holds no number
	TypeFinite      = "finite_number"   // NaN, an infinity, or a number beyond the range of a float
	TypeRange       = "less_than_equal" // an integer beyond the range of the field
	TypeValue       = "value_error"     // anything else that makes no sense, lengths that do not match among it
)

// An Error is a fault in a request, in the form in which a client is told of it.
type Error struct {
	Type  string // one of the Type constants
	Loc   []any  // way to the fault from outside in: names of fields and indices; the offset for TypeInvalid
	Msg   string // what is wrong, for people
	Input string // the bad value as JSON where it is short; empty: not shown
}

// Error says where the fault is, and what.
func (e *Error) Error() string {
	if len(e.Loc) == 0 {
		return e.Msg
	}
	if e.Type == TypeInvalid {
		return fmt.Sprintf("%s at byte %v", e.Msg, e.Loc[len(e.Loc)-1])
	}
	return e.Path() + ": " + e.Msg
}

// Path is the way to the fault, "messages[0][2].role".
func (e *Error) Path() string {
	var b strings.Builder
	for _, step := range e.Loc {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(step)
		}
	}
	return b.String()
}

// AppendBody appends the JSON that tells a client of the fault.
func (e *Error) AppendBody(dst []byte) []byte {
	if e.Type == TypeUnreadable {
		return append(dst, `{"detail":"There was an error parsing the body"}`...)
	}
	dst = append(dst, `{"detail":[{"type":`...)
	dst = AppendString(dst, e.Type)
	dst = append(dst, `,"loc":["body"`...)
	for _, step := range e.Loc {
		dst = append(dst, ',')
		switch step := step.(type) {
		case int:
			dst = strconv.AppendInt(dst, int64(step), 10)
		case string:
			dst = AppendString(dst, step)
		}
	}
	dst = append(dst, `],"msg":`...)
	if e.Type == TypeInvalid {
		dst = append(dst, `"JSON decode error","input":{},"ctx":{"error":`...)
		return append(AppendString(dst, e.Msg), `}}]}`...)
	}
	dst = append(AppendString(dst, e.Msg), `,"input":`...)
	if e.Input == "" {
		return append(dst, `null}]}`...)
	}
	return append(append(dst, e.Input...), `}]}`...)
}

// in puts step before the way to the fault.
func (e *Error) in(step any) *Error {
	if e.Type != TypeInvalid && e.Type != TypeUnreadable {
		e.Loc = append([]any{step}, e.Loc...)
	}
	return e
}

// checked tells err, the fault that a group's own check found, as an *Error.
func checked(err error) *Error {
	var f *quintain.FieldError
	if !errors.As(err, &f) {
		return &Error{Type: TypeValue, Msg: err.Error()}
	}
	name, rest, _ := strings.Cut(f.Field, "[")
	loc := []any{name}
	for index := range strings.FieldsFuncSeq(rest, func(r rune) bool { return r == '[' || r == ']' }) {
		i, err := strconv.Atoi(index)
		if err != nil {
			return &Error{Type: TypeValue, Loc: []any{f.Field}, Msg: f.Why}
		}
		loc = append(loc, i)
	}
	return &Error{Type: TypeValue, Loc: loc, Msg: f.Why}
}
