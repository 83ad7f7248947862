package atropos

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// The types of errors, known to clients of the original.
const (
	TypeUnreadable  = "unreadable"      // the text cannot be JSON at all: bad UTF-8, too deep nesting or too long a number
	TypeInvalid     = "json_invalid"    // the text is not JSON
	TypeMissing     = "missing"         // a required field is missing
	TypeObject      = "dict_type"       // want an object
	TypeList        = "list_type"       // want an array
	TypeString      = "string_type"     // want a string
	TypeUnicode     = "string_unicode"  // a lone surrogate
	TypeInt         = "int_type"        // want an integer
	TypeIntText     = "int_parsing"     // a string that does not hold an integer
	TypeIntFraction = "int_from_float"  // a number with a fraction instead of an integer
	TypeFloat       = "float_type"      // want a number
	TypeFloatText   = "float_parsing"   // a string that does not hold a number
	TypeFinite      = "finite_number"   // NaN, an infinity, or a number beyond the range of a float
	TypeRange       = "less_than_equal" // an integer beyond the range of the field
	TypeLong        = "too_long"        // an array with too many elements
	TypeValue       = "value_error"     // any other invalid value, such as mismatched lengths
)

// An Error is a fault in a request, in the form that clients expect.
type Error struct {
	Type  string // one of the Type constants
	Loc   []any  // path to the fault from outside in: names of fields and indices; for TypeInvalid the offset
	Msg   string // what is wrong, for people
	Input string // the bad value as JSON if it is short; empty: not shown
}

// Error names the fault and its place.
func (e *Error) Error() string {
	if len(e.Loc) == 0 {
		return e.Msg
	}
	if e.Type == TypeInvalid {
		return fmt.Sprintf("%s at byte %v", e.Msg, e.Loc[len(e.Loc)-1])
	}
	return e.Path() + ": " + e.Msg
}

// Path returns the path to the fault, such as "messages[0][2].role".
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

// AppendBody appends the JSON body that reports the fault to a client.
func (e *Error) AppendBody(dst []byte) []byte {
	if e.Type == TypeUnreadable {
		return append(dst, `{"detail":"There was an error parsing the body"}`...)
	}
	dst = append(dst, `{"detail":[{"type":`...)
	dst = strictjson.AppendLegible(dst, e.Type)
	dst = append(dst, `,"loc":["body"`...)
	for _, step := range e.Loc {
		dst = append(dst, ',')
		switch step := step.(type) {
		case int:
			dst = strconv.AppendInt(dst, int64(step), 10)
		case string:
			dst = strictjson.AppendLegible(dst, step)
		}
	}
	dst = append(dst, `],"msg":`...)
	if e.Type == TypeInvalid {
		dst = append(dst, `"JSON decode error","input":{},"ctx":{"error":`...)
		return append(strictjson.AppendLegible(dst, e.Msg), `}}]}`...)
	}
	dst = append(strictjson.AppendLegible(dst, e.Msg), `,"input":`...)
	if e.Input == "" {
		return append(dst, `null}]}`...)
	}
	return append(append(dst, e.Input...), `}]}`...)
}

// in prepends step to the path to the fault.
func (e *Error) in(step any) *Error {
	if e.Type != TypeInvalid && e.Type != TypeUnreadable {
		e.Loc = append([]any{step}, e.Loc...)
	}
	return e
}

// checked turns err, from a group's own check, into an *Error.
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
