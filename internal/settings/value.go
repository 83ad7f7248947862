package settings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Value is the value of a setting.
type Value interface {
	// Set reads the text of a flag or variable.
	Set(text string) error

	// Take reads a value of the file: nil, a bool, a string, an int64, a uint64 (if too
	// large for an int64), a float64, a []any, or a map[string]any of such. An error within
	// a list or an object is a [*Fault].
	Take(v any) error

	// Give returns the value in the form of Take.
	Give() any

	// String returns the value in the form of Set. Type names the type.
	String() string
	Type() string
}

// A Repeated is a Value whose flag may be given several times: Set gets each text on a line of its own.
type Repeated interface {
	Value
	Repeats()
}

// A Fault is an error at a place within a value.
type Fault struct {
	Place []any // names of fields and indices of lists, from outside in
	Err   error
}

// Error names the place and the error.
func (f *Fault) Error() string { return f.path() + ": " + f.Err.Error() }

// Unwrap returns the error.
func (f *Fault) Unwrap() error { return f.Err }

// Within prepends steps to the place of an error within a value.
func Within(err error, steps ...any) error {
	if f, ok := errors.AsType[*Fault](err); ok {
		return &Fault{append(steps, f.Place...), f.Err}
	}
	return &Fault{steps, err}
}

// path returns the path of the place; the whole value is "the file".
func (f *Fault) path() (path string) {
	for _, step := range f.Place {
		if i, ok := step.(int); ok {
			path += fmt.Sprintf("[%d]", i)
		} else {
			path = dotted(path) + fmt.Sprint(step)
		}
	}
	return cmp.Or(path, "the file")
}

// A measured value has a size: a number, or a time in seconds.
type measured interface{ measure() float64 }

// wanted returns the error for a value of the wrong kind.
func wanted(v any, want string) error {
	switch v := v.(type) {
	case string:
		return fmt.Errorf("is %q, want %s", v, want)
	case []any:
		return fmt.Errorf("is a list, want %s", want)
	case map[string]any:
		return fmt.Errorf("is a group of settings, want %s", want)
	}
	return fmt.Errorf("is %v, want %s", v, want)
}

// wholeOf reads a whole number of the file.
func wholeOf(v any, low, high int64) (int64, error) {
	want := "a whole number"
	n, ok := v.(int64)
	if f, isFloat := v.(float64); isFloat && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		n, ok = int64(f), true
	}
	if u, isLarge := v.(uint64); isLarge {
		return 0, fmt.Errorf("is %d, want %s up to %d", u, want, high)
	}
	switch {
	case !ok:
		return 0, wanted(v, want)
	case n < low || n > high:
		return 0, fmt.Errorf("is %d, want %s from %d to %d", n, want, low, high)
	}
	return n, nil
}

// wholeIn reads a whole number of a flag.
func wholeIn(text string, low, high int64) (int64, error) {
	n, err := strconv.ParseInt(text, 0, 64)
	if errors.Is(err, strconv.ErrSyntax) {
		return 0, wanted(text, "a whole number")
	}
	if err != nil || n < low || n > high {
		return 0, fmt.Errorf("is %s, want a whole number from %d to %d", text, low, high)
	}
	return n, nil
}

type whole int

func (w *whole) Set(text string) error {
	n, err := wholeIn(text, math.MinInt, math.MaxInt)
	if err != nil {
		return err
	}
	*w = whole(n)
	return nil
}

func (w *whole) Take(v any) error {
	n, err := wholeOf(v, math.MinInt, math.MaxInt)
	if err != nil {
		return err
	}
	*w = whole(n)
	return nil
}

func (w *whole) Give() any        { return int64(*w) }
func (w *whole) String() string   { return strconv.Itoa(int(*w)) }
func (w *whole) Type() string     { return "int" }
func (w *whole) measure() float64 { return float64(*w) }

type whole64 int64

func (w *whole64) Set(text string) error {
	n, err := wholeIn(text, math.MinInt64, math.MaxInt64)
	if err != nil {
		return err
	}
	*w = whole64(n)
	return nil
}

func (w *whole64) Take(v any) error {
	n, err := wholeOf(v, math.MinInt64, math.MaxInt64)
	if err != nil {
		return err
	}
	*w = whole64(n)
	return nil
}

func (w *whole64) Give() any        { return int64(*w) }
func (w *whole64) String() string   { return strconv.FormatInt(int64(*w), 10) }
func (w *whole64) Type() string     { return "int" }
func (w *whole64) measure() float64 { return float64(*w) }

type unsigned uint64

func (u *unsigned) Set(text string) error {
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return wanted(text, "a whole number from 0 to 18446744073709551615")
	}
	*u = unsigned(n)
	return nil
}

func (u *unsigned) Take(v any) error {
	if n, ok := v.(uint64); ok {
		*u = unsigned(n)
		return nil
	}
	n, err := wholeOf(v, 0, math.MaxInt64)
	if err != nil {
		return err
	}
	*u = unsigned(n)
	return nil
}

func (u *unsigned) Give() any        { return uint64(*u) }
func (u *unsigned) String() string   { return strconv.FormatUint(uint64(*u), 10) }
func (u *unsigned) Type() string     { return "int" }
func (u *unsigned) measure() float64 { return float64(*u) }

type number float64

func (n *number) Set(text string) error {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return wanted(text, "a number")
	}
	*n = number(v)
	return nil
}

func (n *number) Take(v any) error {
	switch v := v.(type) {
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return wanted(v, "a number")
		}
		*n = number(v)
	case int64:
		*n = number(v)
	case uint64:
		*n = number(v)
	case string: // to YAML, 1e-4 is a text
		return n.Set(v)
	default:
		return wanted(v, "a number")
	}
	return nil
}

func (n *number) Give() any        { return float64(*n) }
func (n *number) String() string   { return strconv.FormatFloat(float64(*n), 'g', -1, 64) }
func (n *number) Type() string     { return "float" }
func (n *number) measure() float64 { return float64(*n) }

type truth bool

func (t *truth) Set(text string) error {
	v, err := strconv.ParseBool(text)
	if err != nil {
		return wanted(text, "true or false")
	}
	*t = truth(v)
	return nil
}

func (t *truth) Take(v any) error {
	is, ok := v.(bool)
	if !ok {
		return wanted(v, "true or false")
	}
	*t = truth(is)
	return nil
}

func (t *truth) Give() any      { return bool(*t) }
func (t *truth) String() string { return strconv.FormatBool(bool(*t)) }
func (t *truth) Type() string   { return "bool" }

// textOf reads a text of the file.
func textOf(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", wanted(v, "a text (in quotes if necessary)")
	}
	return s, nil
}

type text string

func (t *text) Set(s string) error {
	*t = text(s)
	return nil
}

func (t *text) Take(v any) error {
	s, err := textOf(v)
	if err != nil {
		return err
	}
	*t = text(s)
	return nil
}

func (t *text) Give() any      { return string(*t) }
func (t *text) String() string { return string(*t) }
func (t *text) Type() string   { return "text" }

type choice[T ~string] struct{ p *T }

func (c choice[T]) Set(s string) error {
	*c.p = T(s)
	return nil
}

func (c choice[T]) Take(v any) error {
	s, err := textOf(v)
	if err != nil {
		return err
	}
	*c.p = T(s)
	return nil
}

func (c choice[T]) Give() any      { return string(*c.p) }
func (c choice[T]) String() string { return string(*c.p) }
func (c choice[T]) Type() string   { return "word" }

type span time.Duration

// spanWanted describes the form of a time.
const spanWanted = "a time with its unit, such as 500ms, 30s or 5m"

func (s *span) Set(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return wanted(text, spanWanted)
	}
	*s = span(d)
	return nil
}

func (s *span) Take(v any) error {
	switch v := v.(type) {
	case string:
		return s.Set(v)
	case int64:
		if v == 0 {
			*s = 0
			return nil
		}
	}
	return wanted(v, spanWanted)
}

func (s *span) Give() any        { return s.String() }
func (s *span) String() string   { return time.Duration(*s).String() }
func (s *span) Type() string     { return "duration" }
func (s *span) measure() float64 { return time.Duration(*s).Seconds() }

type texts []string

func (t *texts) Set(list string) error {
	*t = strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	return nil
}

func (t *texts) Take(v any) error {
	if s, ok := v.(string); ok {
		return t.Set(s)
	}
	list, ok := v.([]any)
	if !ok {
		return wanted(v, "a list of texts")
	}
	*t = make(texts, len(list))
	for i, one := range list {
		s, err := textOf(one)
		if err != nil {
			return &Fault{[]any{i}, err}
		}
		(*t)[i] = s
	}
	return nil
}

func (t *texts) Give() any {
	list := make([]any, len(*t))
	for i, s := range *t {
		list[i] = s
	}
	return list
}

func (t *texts) String() string { return strings.Join(*t, ",") }
func (t *texts) Type() string   { return "list" }

type object map[string]any

func (o *object) Set(s string) error {
	if s == "" {
		*o = nil
		return nil
	}
	var v map[string]any
	if err := strictjson.Unmarshal([]byte(s), &v); err != nil {
		return wanted(s, "a JSON object")
	}
	*o = v
	return nil
}

func (o *object) Take(v any) error {
	m, ok := v.(map[string]any)
	if !ok {
		return wanted(v, "an object")
	}
	*o = m
	return nil
}

func (o *object) Give() any { return map[string]any(*o) }

func (o *object) String() string {
	if len(*o) == 0 {
		return ""
	}
	b, err := json.Marshal(map[string]any(*o))
	if err != nil {
		return fmt.Sprint(map[string]any(*o)) // not for values of YAML and JSON
	}
	return string(b)
}

func (o *object) Type() string { return "JSON" }
