package pyvalue

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A jsonForm holds the options of Python's json.dumps.
type jsonForm struct {
	run       *Runtime
	ascii     bool
	sorted    bool
	indented  bool
	indent    string
	item, key string // separators
}

// JSON returns json.dumps(v) with the parameters ensure_ascii, indent, separators and
// sort_keys, in this order, like the filter tojson of transformers: ensure_ascii defaults to
// false.
func (r *Runtime) JSON(v Value, a Args) (string, error) {
	bound, err := Bind("tojson", []string{"ensure_ascii", "indent", "separators", "sort_keys"}, 0, a)
	if err != nil {
		return "", err
	}
	w := jsonForm{run: r, ascii: Truth(Or(bound[0], false)), sorted: Truth(Or(bound[3], false)), item: ", ", key: ": "}
	if err := w.setIndent(Or(bound[1], nil)); err != nil {
		return "", err
	}
	if err := w.setSeparators(Or(bound[2], nil)); err != nil {
		return "", err
	}
	b, err := w.append(nil, v, 0)
	return string(b), err
}

// setIndent sets the indentation: None, a text or a number of spaces.
func (w *jsonForm) setIndent(v Value) error {
	if v == nil {
		return nil
	}
	indent, ok := v.(string)
	if !ok {
		n, ok := toInt64(v)
		if !ok {
			return fmt.Errorf("indent is '%s', want an int or a str", TypeName(v))
		}
		n = max(n, 0)
		if err := w.run.Room(int(min(n, math.MaxInt32))); err != nil {
			return err
		}
		indent = strings.Repeat(" ", int(n))
	}
	w.indented, w.indent, w.item = true, indent, ","
	return nil
}

// setSeparators sets the separators between items, and between a key and its value.
func (w *jsonForm) setSeparators(v Value) error {
	if v == nil {
		return nil
	}
	pair, err := w.run.Items(v)
	if err != nil {
		return err
	}
	if len(pair) != 2 {
		return fmt.Errorf("separators has %d items, want 2", len(pair))
	}
	if w.item, err = wantText("separators", pair[0]); err != nil {
		return err
	}
	w.key, err = wantText("separators", pair[1])
	return err
}

func (w *jsonForm) append(dst []byte, v Value, depth int) ([]byte, error) {
	if depth > maxDepth {
		return dst, errDepth
	}
	if len(dst) > w.run.Bytes {
		return dst, w.run.Room(len(dst))
	}
	if err := w.run.Spend(1); err != nil {
		return dst, err
	}
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case *big.Int:
		return appendBig(dst, v)
	case float64:
		return appendJSONFloat(dst, v), nil
	case string:
		return w.text(dst, v), w.run.Spend(len(v) / 16)
	case Markup:
		return w.text(dst, string(v)), w.run.Spend(len(v) / 16)
	case *List:
		return w.list(dst, v, depth)
	case *Dict:
		return w.dict(dst, v, depth)
	case *Undefined:
		return dst, fmt.Errorf("Object of type Undefined is not JSON serializable: %w", v.Fault())
	}
	return dst, fmt.Errorf("Object of type %s is not JSON serializable", TypeName(v))
}

func appendJSONFloat(dst []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	return formatFloat(dst, f)
}

// line begins a line of an indented list or dict.
func (w *jsonForm) line(dst []byte, depth int) ([]byte, error) {
	if !w.indented {
		return dst, nil
	}
	if err := w.run.Room(len(dst) + depth*len(w.indent)); err != nil {
		return dst, err
	}
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, w.indent...)
	}
	return dst, nil
}

func (w *jsonForm) list(dst []byte, v *List, depth int) (out []byte, err error) {
	if len(v.Items) == 0 {
		return append(dst, "[]"...), nil
	}
	dst = append(dst, '[')
	for i, item := range v.Items {
		if i > 0 {
			dst = append(dst, w.item...)
		}
		if dst, err = w.line(dst, depth+1); err != nil {
			return dst, err
		}
		if dst, err = w.append(dst, item, depth+1); err != nil {
			return dst, err
		}
	}
	dst, err = w.line(dst, depth)
	return append(dst, ']'), err
}

func (w *jsonForm) dict(dst []byte, d *Dict, depth int) (out []byte, err error) {
	if len(d.keys) == 0 {
		return append(dst, "{}"...), nil
	}
	order, err := w.order(d)
	if err != nil {
		return dst, err
	}
	dst = append(dst, '{')
	for n, i := range order {
		if n > 0 {
			dst = append(dst, w.item...)
		}
		if dst, err = w.line(dst, depth+1); err != nil {
			return dst, err
		}
		if dst, err = w.member(dst, d.keys[i]); err != nil {
			return dst, err
		}
		if dst, err = w.append(dst, d.values[i], depth+1); err != nil {
			return dst, err
		}
	}
	dst, err = w.line(dst, depth)
	return append(dst, '}'), err
}

// order returns the order of the members of d in the output.
func (w *jsonForm) order(d *Dict) ([]int, error) {
	order := make([]int, len(d.keys))
	for i := range order {
		order[i] = i
	}
	if !w.sorted {
		return order, nil
	}
	var fault error
	slices.SortStableFunc(order, func(i, j int) int {
		sign, err := w.run.order(d.keys[i], d.keys[j], 0)
		if err != nil && fault == nil {
			fault = err
		}
		return sign
	})
	return order, fault
}

// member appends a key; it may also be a number, a bool or None.
func (w *jsonForm) member(dst []byte, key Value) (out []byte, err error) {
	if text, ok := Text(key); ok {
		return append(w.text(dst, text), w.key...), nil
	}
	if _, ok := key.(*List); ok {
		return dst, fmt.Errorf("keys must be str, int, float, bool or None, not tuple")
	}
	if dst, err = w.append(append(dst, '"'), key, 0); err != nil {
		return dst, err
	}
	return append(append(dst, '"'), w.key...), nil
}

// text appends a string.
func (w *jsonForm) text(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0
	for i, c := range s {
		if c >= ' ' && c != '"' && c != '\\' && (!w.ascii || c < 0x7f) {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + utf8.RuneLen(c)
		if short := strings.IndexRune("\"\\\n\r\t\b\f", c); short >= 0 {
			dst = append(dst, '\\', `"\nrtbf`[short])
			continue
		}
		if high, low := utf16.EncodeRune(c); high != utf8.RuneError {
			dst = fmt.Appendf(dst, `\u%04x`, high)
			c = low
		}
		dst = fmt.Appendf(dst, `\u%04x`, c)
	}
	return append(append(dst, s[from:]...), '"')
}
