package pyvalue

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
)

// CPython 3.11 made the wanted values in these tables.

// newRuntime returns a runtime with ample steps and bytes.
func newRuntime() *Runtime { return &Runtime{Steps: 1_000_000, Bytes: 1 << 20} }

// parse parses a value of a table.
func parse(t testing.TB, text string) Value {
	t.Helper()
	v, err := ParseJSON([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

// repr returns Python's repr.
func repr(t testing.TB, v Value) string {
	t.Helper()
	s, err := newRuntime().Str(&List{Items: []Value{v}})
	if err != nil {
		t.Fatal(err)
	}
	return s[1 : len(s)-1]
}

func TestOperate(t *testing.T) {
	for _, test := range []struct{ why, a, op, b, want string }{
		{"division of integers is exact", `7`, "/", `2`, `3.5`},
		{"floor division goes down", `-7`, "//", `2`, `-4`},
		{"the rest has the sign of the divisor", `-7`, "%", `3`, `2`},
		{"floats too", `-7.5`, "%", `2`, `0.5`},
		{"and the other way", `7.5`, "//", `-2`, `-4.0`},
		{"integers grow", `4611686018427387904`, "*", `4`, `18446744073709551616`},
		{"a power", `3`, "**", `40`, `12157665459056928801`},
		{"a negative power is a float", `2`, "**", `-1`, `0.5`},
		{"a bool is a number", `true`, "+", `true`, `2`},
		{"a float of an integer", `1e+16`, "+", `1`, `1e+16`},
		{"a small float", `1.0`, "/", `100000`, `1e-05`},
		{"negative zero", `0`, "*", `-1.0`, `-0.0`},
		{"negative zero of integers", `0`, "/", `-7`, `-0.0`},
		{"zero of integers", `false`, "/", `7`, `0.0`},
		{"texts", `"a"`, "+", `"b"`, `'ab'`},
		{"a text several times", `"ab"`, "*", `3`, `'ababab'`},
		{"the other way round", `2`, "*", `[1]`, `[1, 1]`},
		{"lists", `[1]`, "+", `[2]`, `[1, 2]`},
		{"less than none of it", `"ab"`, "*", `-1`, `''`},
		{"a text", `"%s!"`, "%", `"x"`, `'x!'`},
		{"the repr", `"%r"`, "%", `"it's"`, `'"it\'s"'`},
		{"a width and a precision", `"%7.2f"`, "%", `3.14159`, `'   3.14'`},
		{"on the left", `"%-5d|"`, "%", `42`, `'42   |'`},
		{"zeros", `"%05d"`, "%", `-42`, `'-0042'`},
		{"a sign", `"%+d"`, "%", `7`, `'+7'`},
		{"hexadecimal", `"%#x"`, "%", `255`, `'0xff'`},
		{"an exponent", `"%.3e"`, "%", `12345.678`, `'1.235e+04'`},
		{"the shorter of both", `"%g"`, "%", `1e-10`, `'1e-10'`},
		{"by name", `"%(a)s-%(b)03d"`, "%", `{"a": 1, "b": 2}`, `'1-002'`},
		{"a percent sign", `"%d%%"`, "%", `5`, `'5%'`},
		{"a character", `"%c"`, "%", `233`, `'é'`},
	} {
		got, err := newRuntime().Operate(test.op, parse(t, test.a), parse(t, test.b))
		if err != nil || repr(t, got) != test.want {
			t.Errorf("%s: %s %s %s gives %v, error %v, want %s", test.why, test.a, test.op, test.b, got, err, test.want)
		}
	}
}

func TestCompare(t *testing.T) {
	for _, test := range []struct {
		why, a, op, b string
		want          bool
	}{
		{"an integer and a float", `1`, "==", `1.0`, true},
		{"a bool is a number", `true`, "==", `1`, true},
		{"exact, not as floats", `9007199254740993`, "==", `9007199254740992.0`, false},
		{"a number and its text", `1`, "==", `"1"`, false},
		{"dicts without order", `{"a": 1, "b": 2}`, "==", `{"b": 2, "a": 1}`, true},
		{"lists in order", `[1, 2]`, "!=", `[2, 1]`, true},
		{"texts by code points", "\"￿\"", "<", `"😀"`, true},
		{"lists item by item", `[1, 2, 3]`, "<", `[1, 3]`, true},
		{"a part of a list", `[1]`, "<=", `[1, 0]`, true},
		{"a part of a text", `"ell"`, "in", `"hello"`, true},
		{"an item", `2.0`, "in", `[1, 2]`, true},
		{"a key", `"a"`, "in", `{"a": 1}`, true},
		{"no value", `1`, "in", `{"a": 1}`, false},
		{"the empty text", `""`, "not in", `"abc"`, false},
	} {
		got, err := newRuntime().Compare(test.op, parse(t, test.a), parse(t, test.b))
		if err != nil || got != test.want {
			t.Errorf("%s: %s %s %s is %v, error %v", test.why, test.a, test.op, test.b, got, err)
		}
	}
}

// call calls a method of an object.
func call(r *Runtime, object Value, method string, args ...Value) (Value, error) {
	f, _, err := r.Attribute(object, method)
	if err != nil {
		return nil, err
	}
	return f.(*Function).Call(Args{Pos: args})
}

func TestMethods(t *testing.T) {
	for _, test := range []struct{ why, object, method, args, want string }{
		{"ß has two letters", `"stra\u00dfe"`, "upper", `[]`, `'STRASSE'`},
		{"a final sigma", `"\u039f\u0394\u039f\u03a3 \u03a3\u0391\u03a3"`, "lower", `[]`, `'οδος σας'`},
		{"words", `"it's a \"day\""`, "title", `[]`, `'It\'S A "Day"'`},
		{"runs of white space", `" a  b\u2003c "`, "split", `[]`, `['a', 'b', 'c']`},
		{"an empty piece", `"a,,b"`, "split", `[","]`, `['a', '', 'b']`},
		{"at most once", `"a b c"`, "split", `[null, 1]`, `['a', 'b c']`},
		{"from the right", `"a b c"`, "rsplit", `[null, 1]`, `['a b', 'c']`},
		{"ends of lines of all kinds", `"a\r\nb\u000bc\u2028d"`, "splitlines", `[]`, `['a', 'b', 'c', 'd']`},
		{"characters of a set", `"xxaxx"`, "strip", `["x"]`, `'a'`},
		{"not found", `"abc"`, "find", `["x"]`, `-1`},
		{"by code points", `"\u00e9\ud83d\ude00x"`, "find", `["x"]`, `2`},
		{"from a place on", `"abab"`, "find", `["a", 1]`, `2`},
		{"once", `"aaa"`, "replace", `["a", "b", 1]`, `'baa'`},
		{"between all", `"ab"`, "replace", `["", "-"]`, `'-a-b-'`},
		{"three parts", `"a=b=c"`, "partition", `["="]`, `('a', '=', 'b=c')`},
		{"an odd space", `"ab"`, "center", `[5, "*"]`, `'**ab*'`},
		{"after the sign", `"-5"`, "zfill", `[4]`, `'-005'`},
		{"a superscript is a digit", `"\u00b2"`, "isdigit", `[]`, `True`},
		{"but not decimal", `"\u00b2"`, "isdecimal", `[]`, `False`},
		{"joined", `","`, "join", `[["a", "b"]]`, `'a,b'`},
		{"one of several", `"abc"`, "startswith", `["b", 1]`, `True`},
		{"counted without overlap", `"aaaa"`, "count", `["aa"]`, `2`},
		{"missing keys", `{"a": 1}`, "get", `["b", 2]`, `2`},
		{"an equal item", `[1, true, 1.0]`, "count", `[1]`, `3`},
		{"the first one", `[3, 4, 3]`, "index", `[3]`, `0`},
	} {
		got, err := call(newRuntime(), parse(t, test.object), test.method, parse(t, test.args).(*List).Items...)
		if err != nil || repr(t, got) != test.want {
			t.Errorf("%s: %s.%s(%s) gives %v, error %v, want %s", test.why, test.object, test.method, test.args, got, err, test.want)
		}
	}
}

func TestRepr(t *testing.T) {
	for _, test := range []struct{ why, value, want string }{
		{"constants", `[null, true, false]`, `[None, True, False]`},
		{"quotes", `["it's", "\"", "'\""]`, `["it's", '"', '\'"']`},
		{"escapes", `"\n\t\\\u0000\u007f\u00a0\u00e9\u200b\ud83d\ude00"`, `'\n\t\\\x00\x7f\xa0é\u200b😀'`},
		{"a whole float", `1.0`, `1.0`},
		{"large floats", `[1000000000000000.0, 1e+16, 1e+22, 1.5e+300]`, `[1000000000000000.0, 1e+16, 1e+22, 1.5e+300]`},
		{"small floats", `[0.0001, 1e-05]`, `[0.0001, 1e-05]`},
		{"negative zero", `-0.0`, `-0.0`},
		{"a long integer", `1180591620717411303424`, `1180591620717411303424`},
		{"a dict", `{"b": [], "a": {}}`, `{'b': [], 'a': {}}`},
	} {
		if got := repr(t, parse(t, test.value)); got != test.want {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}

func TestJSON(t *testing.T) {
	for _, test := range []struct{ why, value, options, want string }{
		{"separators of Python", `{"b": [1, 2.0], "a": null}`, `{}`, `{"b": [1, 2.0], "a": null}`},
		{"letters as they are", `"\u00e9\ud83d\ude00\"\n"`, `{}`, `"é😀\"\n"`},
		{"in ASCII", `"\u00e9\ud83d\ude00"`, `{"ensure_ascii": true}`, `"\u00e9\ud83d\ude00"`},
		{"indented", `{"a": [1, {}], "b": []}`, `{"indent": 2}`, "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": []\n}"},
		{"indented by a text", `[1]`, `{"indent": "\t"}`, "[\n\t1\n]"},
		{"sorted", `{"b": 1, "a": 2}`, `{"sort_keys": true}`, `{"a": 2, "b": 1}`},
		{"without spaces", `{"a": [1, 2]}`, `{"separators": [",", ":"]}`, `{"a":[1,2]}`},
		{"no indentation, but lines", `[1, 2]`, `{"indent": 0}`, "[\n1,\n2\n]"},
	} {
		var a Args
		for name, v := range parse(t, test.options).(*Dict).All() {
			a.Names, a.Named = append(a.Names, name.(string)), append(a.Named, v)
		}
		got, err := newRuntime().JSON(parse(t, test.value), a)
		if err != nil || got != test.want {
			t.Errorf("%s: %s, error %v, want %s", test.why, got, err, test.want)
		}
	}
}

func TestRound(t *testing.T) {
	for _, test := range []struct {
		number string
		places int64
		want   string
	}{
		{`2.5`, 0, `2.0`},
		{`0.125`, 2, `0.12`},
		{`2.675`, 2, `2.67`},
		{`15`, -1, `20`},
		{`25`, -1, `20`},
		{`1e+300`, -299, `1e+300`},
		{`-0.4`, 0, `-0.0`},
	} {
		got, err := Round(parse(t, test.number), test.places)
		if err != nil || repr(t, got) != test.want {
			t.Errorf("round(%s, %d) gives %v, error %v, want %s", test.number, test.places, got, err, test.want)
		}
	}
}

func TestNumbersOfText(t *testing.T) {
	for _, test := range []struct{ text, whole, float string }{ // empty: not a number
		{"12", "12", "12.0"},
		{" 1_000 ", "1000", "1000.0"},
		{"+7", "7", "7.0"},
		{"٣", "3", "3.0"},
		{"0x10", "", ""},
		{"1.5", "", "1.5"},
		{"", "", ""},
		{"1__0", "", ""},
		{"1e3", "", "1000.0"},
		{"nan", "", "nan"},
		{"Infinity", "", "inf"},
		{"-inf", "", "-inf"},
		{"1_0.5", "", "10.5"},
		{"९.५", "", "9.5"},
	} {
		if n, is, err := Int(test.text, 10); err != nil || is != (test.whole != "") || is && repr(t, n) != test.whole {
			t.Errorf("int(%q) is %v (%v), error %v, want %s", test.text, n, is, err, test.whole)
		}
		if f, is, err := Float(test.text); err != nil || is != (test.float != "") || is && repr(t, f) != test.float {
			t.Errorf("float(%q) is %v (%v), error %v, want %s", test.text, f, is, err, test.float)
		}
	}
}

func TestStrftime(t *testing.T) {
	at := time.Date(2025, 7, 6, 9, 5, 7, 1_234_000, time.UTC)
	got, err := newRuntime().Strftime(at, "%a %A %b %B %d %-d %e %H %-H %I %-I %j %-j %m %-m %M %-M %S %-S %f %p %y %Y %F %T %D %R %u %w %c|%x|%X|%Z|%%")
	want := "Sun Sunday Jul July 06 6  6 09 9 09 9 187 187 07 7 05 5 07 7 001234 AM 25 2025 2025-07-06 09:05:07 07/06/25 09:05 7 0 Sun Jul  6 09:05:07 2025|07/06/25|09:05:07||%"
	if err != nil || got != want {
		t.Errorf("%q, error %v, want %q", got, err, want)
	}
	if _, err := newRuntime().Strftime(at, "%Q"); err == nil {
		t.Error("%Q is accepted")
	}
}

func TestBounds(t *testing.T) {
	long := strings.Repeat("a", 1<<19)
	huge := int64(1 << 40)
	list := &List{}
	for range 1000 {
		list = &List{Items: []Value{list}}
	}
	for _, test := range []struct {
		why  string
		do   func(r *Runtime) (Value, error)
		want string
	}{
		{"a long text", func(r *Runtime) (Value, error) { return r.Operate("*", "ab", huge) }, "more than 1048576 bytes"},
		{"a long list", func(r *Runtime) (Value, error) { return r.Operate("*", NewTuple(nil), huge) }, "more than 65536 items"},
		{"a large power", func(r *Runtime) (Value, error) { return r.Operate("**", int64(10), huge) }, "more than 65536 bits"},
		{"a complex power", func(r *Runtime) (Value, error) { return r.Operate("**", -8.0, 0.5) }, "complex"},
		{"a deep list printed", func(r *Runtime) (Value, error) { return r.Str(list) }, "more than 500 deep"},
		{"a deep list as JSON", func(r *Runtime) (Value, error) { return r.JSON(list, Args{}) }, "more than 500 deep"},
		{"deep tuples compared", func(r *Runtime) (Value, error) { return r.Compare("==", tuples(1000), tuples(1000)) }, "more than 500 deep"},
		{"a deep key", func(r *Runtime) (Value, error) { return nil, r.SetItem(NewDict(0), tuples(1000), nil) }, "more than 500 deep"},
		{"a list as a key", func(r *Runtime) (Value, error) { return nil, r.SetItem(NewDict(0), list, nil) }, "unhashable type: 'list'"},
		{"a range", func(r *Runtime) (Value, error) { return r.Range(Args{Pos: []Value{int64(1 << 30)}}) }, "want at most 100000"},
		{"a replacement", func(r *Runtime) (Value, error) { return call(r, long, "replace", "a", long) }, "more than 1048576 bytes"},
		{"a join", func(r *Runtime) (Value, error) { return call(r, long, "join", NewTuple("", "", "", "")) }, "more than 1048576 bytes"},
		{"a width", func(r *Runtime) (Value, error) { return call(r, "", "zfill", huge) }, "more than 1048576 bytes"},
		{"steps", func(r *Runtime) (Value, error) { return nil, r.Spend(2_000_000) }, "too many steps"},
		{"places", func(*Runtime) (Value, error) { return Round(int64(1), -huge) }, "want -400 to 400"},
	} {
		if _, err := test.do(newRuntime()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %s", test.why, err, test.want)
		}
	}
}

// tuples returns nested tuples.
func tuples(n int) Value {
	v := NewTuple()
	for range n {
		v = NewTuple(v)
	}
	return v
}

// A box is an object that cannot print.
type box struct{ content Value }

// TypeName names the type.
func (b *box) TypeName() string { return "Box" }

// Attribute returns the content, under two names.
func (b *box) Attribute(name string) (Value, bool, error) {
	return b.content, name == "content" || name == "_content", nil
}

func TestObjects(t *testing.T) {
	r, b := newRuntime(), &box{"x"}
	if v, has, err := r.Attribute(b, "content"); v != "x" || !has || err != nil {
		t.Errorf("content is %v (%v), error %v", v, has, err)
	}
	if v, has, err := r.Attribute(b, "_content"); TypeName(v) != "Undefined" || !has || err != nil {
		t.Errorf("an attribute with a leading underscore is %v (%v), error %v", v, has, err)
	}
	if same, err := r.Compare("==", b, &box{"x"}); same || err != nil {
		t.Errorf("two boxes are equal: %v, error %v", same, err)
	}
	if _, err := r.Str(b); err == nil || !strings.Contains(err.Error(), "a Box cannot be printed") {
		t.Errorf("error %v", err)
	}
}

func TestGeneratorsAreReadOnce(t *testing.T) {
	made, fault := 0, errors.New("no more")
	g := NewGenerator(func() ([]Value, error) { made++; return []Value{int64(1), int64(2), int64(3)}, nil })
	r := newRuntime()
	if within, err := r.Compare("in", int64(2), g); !within || err != nil {
		t.Errorf("2 is in it: %v, error %v", within, err)
	}
	if v, has, err := g.Next(); v != int64(3) || !has || err != nil {
		t.Errorf("then comes %v (%v), error %v", v, has, err)
	}
	if items, err := r.Items(g); len(items) > 0 || err != nil || made != 1 {
		t.Errorf("at the end %v, made %d times, error %v", items, made, err)
	}
	if _, _, err := NewGenerator(func() ([]Value, error) { return nil, fault }).Next(); !errors.Is(err, fault) {
		t.Errorf("error %v", err)
	}
}

// FuzzParseJSON parses any text. A parsed value survives writing and parsing again.
func FuzzParseJSON(f *testing.F) {
	for _, text := range []string{`{"a": [1, 2.5, "x\u00e9\ud83d\ude00"], "a": null}`, `12345678901234567890`, `-1e400`, `"\ud800"`, `[[], {}, true]`, `{`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := ParseJSON(text)
		if err != nil {
			return
		}
		if !json.Valid(text) {
			t.Fatalf("%q parses, but is not JSON", text)
		}
		written, err := newRuntime().JSON(v, Args{})
		if err != nil || !json.Valid([]byte(written)) {
			return // too long, or infinite
		}
		if was, ok := repr(t, v), repr(t, parse(t, written)); was != ok {
			t.Errorf("%q gives %s, then %s", text, was, ok)
		}
	})
}
