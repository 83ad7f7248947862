package pyvalue

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// Str returns str(v); "" for Undefined.
func (r *Runtime) Str(v Value) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case Markup:
		return string(v), nil
	case *Undefined:
		return "", nil
	}
	b, err := (&printer{r}).append(nil, v, 0)
	return string(b), err
}

// A printer writes values like Python's repr.
type printer struct{ run *Runtime }

// append appends Python's repr of v.
func (p *printer) append(dst []byte, v Value, depth int) ([]byte, error) {
	if depth > maxDepth {
		return dst, errDepth
	}
	if len(dst) > p.run.Bytes {
		return dst, p.run.Room(len(dst))
	}
	if err := p.run.Spend(1); err != nil {
		return dst, err
	}
	switch v := v.(type) {
	case nil:
		return append(dst, "None"...), nil
	case bool:
		if v {
			return append(dst, "True"...), nil
		}
		return append(dst, "False"...), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case *big.Int:
		return appendBig(dst, v)
	case float64:
		return formatFloat(dst, v), nil
	case string:
		return appendQuoted(dst, v), p.run.Room(len(v))
	case Markup:
		return append(appendQuoted(append(dst, "Markup("...), string(v)), ')'), p.run.Room(len(v))
	case *Undefined:
		return append(dst, "Undefined"...), nil
	case *interval:
		dst = fmt.Appendf(dst, "range(%d, %d", v.start, v.stop)
		if v.step != 1 {
			dst = fmt.Appendf(dst, ", %d", v.step)
		}
		return append(dst, ')'), nil
	}
	return p.holder(dst, v, depth)
}

func appendBig(dst []byte, v *big.Int) ([]byte, error) {
	text := v.String()
	if len(strings.TrimPrefix(text, "-")) > maxDigits {
		return dst, fmt.Errorf("an integer has more than %d digits", maxDigits)
	}
	return append(dst, text...), nil
}

// holder is append for containers.
func (p *printer) holder(dst []byte, v Value, depth int) ([]byte, error) {
	switch v := v.(type) {
	case *List:
		switch {
		case !v.Tuple:
			return p.items(dst, brackets{"[", "]"}, v.Items, depth)
		case len(v.Items) == 1:
			return p.items(dst, brackets{"(", ",)"}, v.Items, depth)
		}
		return p.items(dst, brackets{"(", ")"}, v.Items, depth)
	case *view:
		return p.items(dst, brackets{"dict_" + v.kind + "([", "])"}, v.items(), depth)
	case *Dict:
		return p.dict(dst, v, depth)
	case *Function:
		if v.Class != "" {
			return fmt.Appendf(dst, "<class '%s'>", v.Class), nil
		}
	case Printer:
		return v.Repr(dst, func(dst []byte, v Value) ([]byte, error) { return p.append(dst, v, depth+1) })
	}
	return dst, fmt.Errorf("a %s cannot be printed: Python prints its address in memory", TypeName(v))
}

// brackets enclose items.
type brackets struct{ open, end string }

func (p *printer) items(dst []byte, around brackets, items []Value, depth int) (out []byte, err error) {
	dst = append(dst, around.open...)
	for i, item := range items {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if dst, err = p.append(dst, item, depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, around.end...), nil
}

func (p *printer) dict(dst []byte, d *Dict, depth int) (out []byte, err error) {
	dst = append(dst, '{')
	for i, key := range d.keys {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		if dst, err = p.append(dst, key, depth+1); err != nil {
			return dst, err
		}
		if dst, err = p.append(append(dst, ": "...), d.values[i], depth+1); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// appendQuoted appends the repr of a string.
func appendQuoted(dst []byte, s string) []byte {
	quote := byte('\'')
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	dst = append(dst, quote)
	for _, c := range s {
		switch {
		case c == rune(quote) || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case unicode15.IsPrint(c):
			dst = utf8.AppendRune(dst, c)
		case c < 0x100:
			dst = fmt.Appendf(dst, `\x%02x`, c)
		case c < 0x10000:
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = fmt.Appendf(dst, `\U%08x`, c)
		}
	}
	return append(dst, quote)
}
