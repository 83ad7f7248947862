package pyvalue

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/quintain-rl/quintain/internal/unicode15"
)

// dictMethods holds the read-only methods of dicts.
var dictMethods = map[string]*method{
	"keys":   {call: func(_ *Runtime, v Value, _ []Value) (Value, error) { return &view{v.(*Dict), "keys"}, nil }},
	"values": {call: func(_ *Runtime, v Value, _ []Value) (Value, error) { return &view{v.(*Dict), "values"}, nil }},
	"items":  {call: func(_ *Runtime, v Value, _ []Value) (Value, error) { return &view{v.(*Dict), "items"}, nil }},
	"copy":   {call: func(_ *Runtime, v Value, _ []Value) (Value, error) { return v, nil }}, // neither ever changes
	"get": {params: []string{"", ""}, need: 1, call: func(r *Runtime, v Value, a []Value) (Value, error) {
		item, has, err := v.(*Dict).lookup(r, a[0])
		if err != nil || has {
			return item, err
		}
		return Or(a[1], nil), nil
	}},
}

// listMethods holds the read-only methods of lists and tuples.
var listMethods = map[string]*method{
	"copy": {call: func(_ *Runtime, v Value, _ []Value) (Value, error) { return v, nil }},
	"count": {params: []string{""}, need: 1, call: func(r *Runtime, v Value, a []Value) (Value, error) {
		n := int64(0)
		for _, item := range v.(*List).Items {
			same, err := r.equal(item, a[0])
			if err != nil {
				return nil, err
			}
			if same {
				n++
			}
		}
		return n, nil
	}},
	"index": {params: []string{""}, need: 1, call: func(r *Runtime, v Value, a []Value) (Value, error) {
		i, err := r.index(v.(*List).Items, a[0])
		if err != nil {
			return nil, err
		}
		if i < 0 {
			return nil, errors.New("the value is not in the list")
		}
		return int64(i), nil
	}},
}

// textMethods holds the methods of str.
var textMethods = map[string]*method{
	"upper":      same(upper),
	"lower":      same(lower),
	"capitalize": same(capitalize),
	"title":      same(title),
	"swapcase":   same(swapCase),
	"casefold":   same(caseFold),

	"strip":  strip(true, true),
	"lstrip": strip(true, false),
	"rstrip": strip(false, true),

	"isdigit":   class(func(c rune) bool { return unicode15.Digit(c) >= 0 || unicode15.Is(unicode.No, c) && isSuperscript(c) }),
	"isdecimal": class(unicode15.IsDigit),
	"isnumeric": class(unicode15.IsNumber),
	"isalpha":   class(unicode15.IsLetter),
	"isalnum":   class(func(c rune) bool { return unicode15.IsLetter(c) || unicode15.IsNumber(c) }),
	"isspace":   class(IsSpace),
	"isascii":   {call: func(_ *Runtime, v Value, _ []Value) (Value, error) { return isASCII(v.(string)), nil }},
	"isupper":   {call: func(_ *Runtime, v Value, _ []Value) (Value, error) { return isUpper(v.(string)), nil }},
	"islower":   {call: func(_ *Runtime, v Value, _ []Value) (Value, error) { return isLower(v.(string)), nil }},

	"startswith": affix(strings.HasPrefix),
	"endswith":   affix(strings.HasSuffix),
	"removeprefix": {params: []string{""}, need: 1, call: func(_ *Runtime, v Value, a []Value) (Value, error) {
		part, err := wantText("removeprefix", a[0])
		return strings.TrimPrefix(v.(string), part), err
	}},
	"removesuffix": {params: []string{""}, need: 1, call: func(_ *Runtime, v Value, a []Value) (Value, error) {
		part, err := wantText("removesuffix", a[0])
		return strings.TrimSuffix(v.(string), part), err
	}},

	"find":   seek("find", strings.Index, false),
	"rfind":  seek("rfind", strings.LastIndex, false),
	"index":  seek("index", strings.Index, true),
	"rindex": seek("rindex", strings.LastIndex, true),
	"count": {params: []string{"", "", ""}, need: 1, call: func(_ *Runtime, v Value, a []Value) (Value, error) {
		part, err := wantText("count", a[0])
		if err != nil {
			return nil, err
		}
		s, _, inside, err := window(v.(string), a[1:])
		if !inside {
			return int64(0), err
		}
		return int64(strings.Count(s, part)), err
	}},

	"split":      {params: []string{"sep", "maxsplit"}, call: split},
	"rsplit":     {params: []string{"sep", "maxsplit"}, call: splitRight},
	"splitlines": {params: []string{"keepends"}, call: splitLines},
	"partition":  {params: []string{""}, need: 1, call: partition(strings.Index)},
	"rpartition": {params: []string{""}, need: 1, call: partition(strings.LastIndex)},
	"join":       {params: []string{""}, need: 1, call: joinMethod},
	"replace":    {params: []string{"", "", ""}, need: 2, call: replaceMethod},

	"center": pad(func(space int64, width int64) int64 { return space/2 + space&width&1 }),
	"ljust":  pad(func(int64, int64) int64 { return 0 }),
	"rjust":  pad(func(space, _ int64) int64 { return space }),
	"zfill":  {params: []string{""}, need: 1, call: zeroFill},
}

// same returns a method that maps one text to another.
func same(f func(string) string) *method {
	return &method{call: func(_ *Runtime, v Value, _ []Value) (Value, error) { return f(v.(string)), nil }}
}

// class returns a method that reports whether all characters are of a class.
func class(is func(rune) bool) *method {
	return &method{call: func(_ *Runtime, v Value, _ []Value) (Value, error) {
		s := v.(string)
		return s != "" && !strings.ContainsFunc(s, func(c rune) bool { return !is(c) }), nil
	}}
}

// isSuperscript reports whether c is a superscript, subscript or circled digit.
func isSuperscript(c rune) bool {
	return c == 0xb2 || c == 0xb3 || c == 0xb9 || 0x2070 <= c && c <= 0x2089 || 0x2460 <= c && c <= 0x2468 || c == 0x24ea
}

func strip(left, right bool) *method {
	return &method{params: []string{""}, call: func(_ *Runtime, v Value, a []Value) (Value, error) {
		return stripText(v.(string), Or(a[0], nil), left, right)
	}}
}

// stripText removes white space, or the characters of chars if it is not None.
func stripText(s string, chars Value, left, right bool) (Value, error) {
	cut := IsSpace
	if chars != nil {
		set, err := wantText("strip", chars)
		if err != nil {
			return nil, err
		}
		cut = func(c rune) bool { return strings.ContainsRune(set, c) }
	}
	if left {
		s = strings.TrimLeftFunc(s, cut)
	}
	if right {
		s = strings.TrimRightFunc(s, cut)
	}
	return s, nil
}

// wantText returns the text argument of a method.
func wantText(name string, v Value) (string, error) {
	if u, ok := v.(*Undefined); ok {
		return "", fmt.Errorf("%s: want a str, have %w", name, u.Fault())
	}
	s, ok := Text(v)
	if !ok {
		return "", fmt.Errorf("%s: want a str, have '%s'", name, TypeName(v))
	}
	return s, nil
}

// affix returns startswith or endswith.
func affix(has func(s, part string) bool) *method {
	return &method{params: []string{"", "", ""}, need: 1, call: func(_ *Runtime, v Value, a []Value) (Value, error) {
		s, _, inside, err := window(v.(string), a[1:])
		if err != nil {
			return nil, err
		}
		parts := []Value{a[0]}
		if t, ok := a[0].(*List); ok && t.Tuple {
			parts = t.Items
		}
		for _, item := range parts {
			part, err := wantText("startswith or endswith", item)
			if err != nil {
				return nil, err
			}
			if inside && has(s, part) {
				return true, nil
			}
		}
		return false, nil
	}}
}

// window returns the part of s between two bounds, and the number of characters before it.
// inside is false if it begins after the end.
func window(s string, bounds []Value) (part string, before int64, inside bool, err error) {
	start, stop := Or(bounds[0], nil), Or(bounds[1], nil)
	if start == nil && stop == nil {
		return s, 0, true, nil
	}
	n := int64(runeCount(s))
	c, err := newCut(start, stop, nil, n)
	if err != nil {
		return "", 0, false, err
	}
	if first, _ := toInt64(start); first > n || c.start > c.stop {
		return "", 0, false, nil
	}
	return sliceText(s, c.indexes()), c.start, true, nil
}

// seek returns find, index or their counterpart from the right.
func seek(name string, index func(s, part string) int, must bool) *method {
	return &method{params: []string{"", "", ""}, need: 1, call: func(_ *Runtime, v Value, a []Value) (Value, error) {
		part, err := wantText(name, a[0])
		if err != nil {
			return nil, err
		}
		s, before, inside, err := window(v.(string), a[1:])
		if err != nil {
			return nil, err
		}
		if i := index(s, part); inside && i >= 0 {
			return before + int64(runeCount(s[:i])), nil
		}
		if must {
			return nil, errors.New("substring not found")
		}
		return int64(-1), nil
	}}
}

// texts returns a list of texts.
func texts(parts []string) *List {
	items := make([]Value, len(parts))
	for i, part := range parts {
		items[i] = part
	}
	return &List{Items: items}
}

var errSeparator = errors.New("empty separator")

// splitArguments returns the separator, empty for white space, and the maximum number of
// splits; -1: unlimited.
func splitArguments(a []Value) (sep string, most int, err error) {
	n, err := count(Or(a[1], int64(-1)))
	if err != nil {
		return "", 0, err
	}
	most = int(min(max(n, -1), 1<<30))
	if Or(a[0], nil) == nil {
		return "", most, nil
	}
	if sep, err = wantText("split", a[0]); err != nil {
		return "", 0, err
	}
	if sep == "" {
		return "", 0, errSeparator
	}
	return sep, most, nil
}

func split(_ *Runtime, v Value, a []Value) (Value, error) {
	sep, most, err := splitArguments(a)
	if err != nil {
		return nil, err
	}
	s := v.(string)
	if sep != "" {
		if most >= 0 {
			most++
		}
		return texts(strings.SplitN(s, sep, most)), nil
	}
	var parts []string
	for s = strings.TrimLeftFunc(s, IsSpace); s != ""; s = strings.TrimLeftFunc(s, IsSpace) {
		end := strings.IndexFunc(s, IsSpace)
		if end < 0 || len(parts) == most {
			end = len(s)
		}
		parts = append(parts, s[:end])
		s = s[end:]
	}
	return texts(parts), nil
}

func splitRight(_ *Runtime, v Value, a []Value) (Value, error) {
	sep, most, err := splitArguments(a)
	if err != nil {
		return nil, err
	}
	s := v.(string)
	var parts []string // in reverse
	if sep == "" {
		for s = strings.TrimRightFunc(s, IsSpace); s != ""; s = strings.TrimRightFunc(s, IsSpace) {
			begin := strings.LastIndexFunc(s, IsSpace)
			if begin >= 0 {
				_, width := utf8.DecodeRuneInString(s[begin:])
				begin += width
			}
			if begin < 0 || len(parts) == most {
				begin = 0
			}
			parts = append(parts, s[begin:])
			s = s[:begin]
		}
	} else {
		for len(parts) != most {
			i := strings.LastIndex(s, sep)
			if i < 0 {
				break
			}
			parts = append(parts, s[i+len(sep):])
			s = s[:i]
		}
		parts = append(parts, s)
	}
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return texts(parts), nil
}

func splitLines(_ *Runtime, v Value, a []Value) (Value, error) {
	return texts(lines(v.(string), Truth(Or(a[0], false)))), nil
}

// lines returns the lines of s, with or without their ends.
func lines(s string, ends bool) []string {
	var parts []string
	for s != "" {
		i := strings.IndexFunc(s, isLineEnd)
		if i < 0 {
			return append(parts, s)
		}
		_, width := utf8.DecodeRuneInString(s[i:])
		if strings.HasPrefix(s[i:], "\r\n") {
			width = 2
		}
		if ends {
			parts = append(parts, s[:i+width])
		} else {
			parts = append(parts, s[:i])
		}
		s = s[i+width:]
	}
	return parts
}

func partition(index func(s, part string) int) func(*Runtime, Value, []Value) (Value, error) {
	return func(_ *Runtime, v Value, a []Value) (Value, error) {
		s := v.(string)
		sep, err := wantText("partition", a[0])
		if err != nil {
			return nil, err
		}
		if sep == "" {
			return nil, errSeparator
		}
		i := index(s, sep)
		if i >= 0 {
			return NewTuple(s[:i], sep, s[i+len(sep):]), nil
		}
		if index("ab", "") == 0 { // from the left
			return NewTuple(s, "", ""), nil
		}
		return NewTuple("", "", s), nil
	}
}

func joinMethod(r *Runtime, v Value, a []Value) (Value, error) {
	items, err := r.Items(a[0])
	if err != nil {
		return nil, err
	}
	parts := make([]string, len(items))
	for i, item := range items {
		if parts[i], err = wantText("join", item); err != nil {
			return nil, err
		}
	}
	return joined(r, parts, v.(string))
}

// joined joins texts, within the bounds of the runtime.
func joined(r *Runtime, parts []string, sep string) (Value, error) {
	total := 0
	for _, part := range parts {
		if total += len(part) + len(sep); total > r.Bytes+len(sep) {
			return nil, r.Room(total)
		}
	}
	return strings.Join(parts, sep), nil
}

func replaceMethod(r *Runtime, v Value, a []Value) (Value, error) {
	from, err := wantText("replace", a[0])
	if err != nil {
		return nil, err
	}
	to, err := wantText("replace", a[1])
	if err != nil {
		return nil, err
	}
	most, err := count(Or(a[2], int64(-1)))
	if err != nil {
		return nil, err
	}
	s := v.(string)
	found := int64(strings.Count(s, from))
	if most >= 0 {
		found = min(found, most)
	}
	if grown := found * int64(len(to)-len(from)); grown > int64(r.Bytes) {
		return nil, r.Room(r.Bytes + 1)
	}
	return strings.Replace(s, from, to, int(found)), r.Spend(len(s) / 16)
}

// pad returns a method that pads a text to a width; left is how much of the space comes
// before it.
func pad(left func(space, width int64) int64) *method {
	return &method{params: []string{"", ""}, need: 1, call: func(r *Runtime, v Value, a []Value) (Value, error) {
		width, err := count(a[0])
		if err != nil {
			return nil, err
		}
		fill, err := wantText("fill", Or(a[1], " "))
		if err != nil {
			return nil, err
		}
		if runeCount(fill) != 1 {
			return nil, errors.New("the fill character must be exactly one character long")
		}
		return r.padded(v.(string), fill, width, left)
	}}
}

func (r *Runtime) padded(s, fill string, width int64, left func(space, width int64) int64) (Value, error) {
	space := width - int64(runeCount(s))
	if space <= 0 {
		return s, nil
	}
	if space > int64(r.Bytes) {
		return nil, r.Room(r.Bytes + 1)
	}
	n := left(space, width)
	return strings.Repeat(fill, int(n)) + s + strings.Repeat(fill, int(space-n)), nil
}

func zeroFill(r *Runtime, v Value, a []Value) (Value, error) {
	width, err := count(a[0])
	if err != nil {
		return nil, err
	}
	s, sign := v.(string), ""
	if strings.HasPrefix(s, "-") || strings.HasPrefix(s, "+") {
		sign, s = s[:1], s[1:]
	}
	filled, err := r.padded(s, "0", width-int64(len(sign)), func(space, _ int64) int64 { return space })
	if err != nil {
		return nil, err
	}
	return sign + filled.(string), nil
}
