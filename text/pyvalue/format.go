package pyvalue

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// A directive is one directive of a format, such as %-5.2f.
type directive struct {
	flags     string
	width     int
	precision int // -1: none
	verb      byte
}

// A formatter processes the format of Python's operator %.
type formatter struct {
	run   *Runtime
	text  string // the rest of it
	value Value  // the right operand
	items []Value
	used  int
	named bool // some directive named a key
}

// subscripted reports whether v has keys or indexes and is neither text nor a tuple:
// Python lets such an operand go unused.
func subscripted(v Value) bool {
	switch v := v.(type) {
	case *Dict, *interval, *Undefined:
		return true
	case *List:
		return !v.Tuple
	}
	return false
}

// format returns text % v; original is the text, or the markup of it.
func (r *Runtime) format(original Value, text string, v Value) (Value, error) {
	f := formatter{run: r, text: text, value: v, items: []Value{v}}
	if t, ok := v.(*List); ok && t.Tuple {
		f.items = t.Items
	}
	_, safe := original.(Markup)
	var b strings.Builder
	for {
		before, after, found := strings.Cut(f.text, "%")
		b.WriteString(before)
		if f.text = after; !found {
			break
		}
		part, err := f.directive()
		if err != nil {
			return nil, err
		}
		if safe {
			part = escapeHTML(part)
		}
		b.WriteString(part)
		if err := r.Room(b.Len()); err != nil {
			return nil, err
		}
	}
	if f.used < len(f.items) && !f.named && !subscripted(v) {
		return nil, errors.New("not all arguments converted during string formatting")
	}
	return Like(original, b.String()), nil
}

// next returns the next argument.
func (f *formatter) next() (Value, error) {
	if f.used >= len(f.items) {
		return nil, errors.New("not enough arguments for format string")
	}
	f.used++
	return f.items[f.used-1], nil
}

// directive formats the directive after a %.
func (f *formatter) directive() (string, error) {
	arg, given, err := f.key()
	if err != nil {
		return "", err
	}
	d := directive{precision: -1}
	d.flags = f.text[:len(f.text)-len(strings.TrimLeft(f.text, "-+ #0"))]
	f.text = f.text[len(d.flags):]
	if d.width, err = f.size(); err != nil {
		return "", err
	}
	if d.width < 0 {
		d.flags, d.width = d.flags+"-", -d.width
	}
	if rest, found := strings.CutPrefix(f.text, "."); found {
		f.text = rest
		if d.precision, err = f.size(); err != nil {
			return "", err
		}
		d.precision = max(d.precision, 0)
	}
	f.text = strings.TrimLeft(f.text, "hlL")
	if f.text == "" {
		return "", errors.New("incomplete format")
	}
	d.verb, f.text = f.text[0], f.text[1:]
	if d.verb == '%' && d.flags == "" && d.width == 0 && d.precision < 0 {
		return "%", nil
	}
	if !given {
		if arg, err = f.next(); err != nil {
			return "", err
		}
	}
	return f.formatted(d, arg)
}

// key returns the argument that a directive names in parentheses, and whether it names
// one.
func (f *formatter) key() (arg Value, given bool, err error) {
	rest, found := strings.CutPrefix(f.text, "(")
	if !found {
		return nil, false, nil
	}
	d, ok := f.value.(*Dict)
	if !ok {
		return nil, false, errors.New("format requires a mapping")
	}
	depth := 1
	for i := range len(rest) {
		switch rest[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			f.text, f.named = rest[i+1:], true
			arg, has := d.Get(rest[:i])
			if !has {
				return nil, false, fmt.Errorf("the format names %.100q, but the dict lacks it", rest[:i])
			}
			return arg, true, nil
		}
	}
	return nil, false, errors.New("incomplete format key")
}

// size reads a width or a precision; an asterisk takes it from the arguments.
func (f *formatter) size() (int, error) {
	if rest, found := strings.CutPrefix(f.text, "*"); found {
		f.text = rest
		v, err := f.next()
		if err != nil {
			return 0, err
		}
		n, ok := toInt64(v)
		if !ok {
			return 0, errors.New("* wants int")
		}
		return f.sized(n)
	}
	digits := f.text[:len(f.text)-len(strings.TrimLeft(f.text, "0123456789"))]
	f.text = f.text[len(digits):]
	if digits == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, err
	}
	return f.sized(n)
}

// sized rejects a width that is too large.
func (f *formatter) sized(n int64) (int, error) {
	if n > maxRange || n < -maxRange {
		return 0, fmt.Errorf("a width or precision is %d, want at most %d", n, maxRange)
	}
	return int(n), nil
}

// formatted formats v by a directive.
func (f *formatter) formatted(d directive, v Value) (string, error) {
	var body string
	switch d.verb {
	case 's', 'r', 'a':
		var err error
		if body, err = f.formattedText(d, v); err != nil {
			return "", err
		}
		d.flags = strings.ReplaceAll(d.flags, "0", "")
	case 'c':
		c, err := formattedCharacter(v)
		if err != nil {
			return "", err
		}
		body = c
		d.flags = strings.ReplaceAll(d.flags, "0", "")
	case 'd', 'i', 'u', 'x', 'X', 'o':
		n, err := wholeNumber(d.verb, v)
		if err != nil {
			return "", err
		}
		body = formattedInteger(d, n)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		if !IsNumber(v) {
			return "", fmt.Errorf("must be real number, not %s", TypeName(v))
		}
		x, err := toFloat(v)
		if err != nil {
			return "", err
		}
		body = formattedFloat(d, x)
	default:
		return "", fmt.Errorf("unsupported format character %q", d.verb)
	}
	return d.pad(body), nil
}

func (f *formatter) formattedText(d directive, v Value) (text string, err error) {
	if d.verb == 's' {
		text, err = f.run.Str(v)
	} else {
		var b []byte
		b, err = (&printer{f.run}).append(nil, v, 0)
		text = string(b)
		if d.verb == 'a' && !isASCII(text) {
			err = errors.New("the format %a is not supported")
		}
	}
	if err != nil {
		return "", err
	}
	if d.precision >= 0 && d.precision < runeCount(text) {
		text = string([]rune(text)[:d.precision])
	}
	return text, nil
}

func formattedCharacter(v Value) (string, error) {
	if s, ok := Text(v); ok && runeCount(s) == 1 {
		return s, nil
	}
	n, ok := toInt64(v)
	if !ok || n < 0 || n > 0x10ffff || n>>11 == 0xd800>>11 {
		return "", errors.New("%c requires int or char")
	}
	return string(rune(n)), nil
}

// wholeNumber returns v as an integer. %d truncates floats.
func wholeNumber(verb byte, v Value) (*big.Int, error) {
	if n, ok := toBig(v); ok {
		return n, nil
	}
	f, ok := v.(float64)
	if !ok || strings.IndexByte("diu", verb) < 0 || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, fmt.Errorf("%%%c format: a number is required, not %s", verb, TypeName(v))
	}
	n, _ := big.NewFloat(f).Int(nil)
	return n, nil
}

func formattedInteger(d directive, n *big.Int) string {
	base := map[byte]int{'x': 16, 'X': 16, 'o': 8}[d.verb]
	if base == 0 {
		base = 10
	}
	digits := new(big.Int).Abs(n).Text(base)
	if len(digits) < d.precision {
		digits = strings.Repeat("0", d.precision-len(digits)) + digits
	}
	if strings.Contains(d.flags, "#") && base != 10 {
		digits = map[int]string{16: "0x", 8: "0o"}[base] + digits
	}
	if d.verb == 'X' {
		digits = strings.ToUpper(digits)
	}
	return d.sign(n.Sign() < 0) + digits
}

func formattedFloat(d directive, f float64) string {
	sign := d.sign(math.Signbit(f) && !math.IsNaN(f))
	f = math.Abs(f)
	if math.IsInf(f, 0) || math.IsNaN(f) {
		text := strings.ToLower(strings.TrimPrefix(strconv.FormatFloat(f, 'f', -1, 64), "+"))
		if d.verb < 'a' {
			text = strings.ToUpper(text)
		}
		return sign + text
	}
	if d.precision < 0 {
		d.precision = 6
	}
	verb := d.verb
	if verb == 'F' {
		verb = 'f'
	}
	form := "%." + strconv.Itoa(min(d.precision, 1100)) + string(verb)
	if strings.Contains(d.flags, "#") {
		form = "%#" + form[1:]
	}
	return sign + fmt.Sprintf(form, f)
}

// sign returns the sign of a number.
func (d directive) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case strings.Contains(d.flags, "+"):
		return "+"
	case strings.Contains(d.flags, " "):
		return " "
	}
	return ""
}

// pad fills body up to the width.
func (d directive) pad(body string) string {
	space := d.width - runeCount(body)
	switch {
	case space <= 0:
		return body
	case strings.Contains(d.flags, "-"):
		return body + strings.Repeat(" ", space)
	case strings.Contains(d.flags, "0"):
		signs := len(body) - len(strings.TrimLeft(body, "+- "))
		if rest := body[signs:]; strings.HasPrefix(rest, "0x") || strings.HasPrefix(rest, "0X") || strings.HasPrefix(rest, "0o") {
			signs += 2
		}
		return body[:signs] + strings.Repeat("0", space) + body[signs:]
	}
	return strings.Repeat(" ", space) + body
}
