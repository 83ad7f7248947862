package problems

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// The pickles are those of pickle.dumps(text, protocol) of CPython 3.11; a test of conformance
// would need Python, and they do not change.
func TestPicklesOfOneText(t *testing.T) {
	long := strings.Repeat("ab", 70_000)
	const size = "\xe0\x22\x02\x00" // 140,000
	for _, test := range []struct{ why, pickle, want string }{
		{"protocol 0", "Va\\u005cb\\u000ac\xe9\\u20ac\\U0001f600\np0\n.", "a\\b\ncé€😀"},
		{"protocol 0, empty", "V\np0\n.", ""},
		{"protocol 0, a backslash that is none", "V\\\\u0041\\x\\\np0\n.", "\\\\u0041\\x\\"},
		{"protocol 1", "X\x03\x00\x00\x00\xe2\x82\xacq\x00.", "€"},
		{"protocol 2", "\x80\x02X\x03\x00\x00\x00a\nbq\x00.", "a\nb"},
		{"protocol 3", "\x80\x03X\x00\x00\x00\x00q\x00.", ""},
		{"protocol 4", "\x80\x04\x95\x06\x00\x00\x00\x00\x00\x00\x00\x8c\x02[]\x94.", "[]"},
		{"protocol 4, more than 255 bytes", "\x80\x04\x95\x33\x01\x00\x00\x00\x00\x00\x00X\x2c\x01\x00\x00" + long[:300] + "\x94.", long[:300]},
		{"protocol 4, more than a frame", "\x80\x04X" + size + long + "\x94.", long},
		{"protocol 5", "\x80\x05\x95\x06\x00\x00\x00\x00\x00\x00\x00\x8c\x02[]\x94.", "[]"},
		{"a length in eight bytes", "\x80\x05\x8d\x02\x00\x00\x00\x00\x00\x00\x00[]\x94.", "[]"},
	} {
		if got, err := unpickled([]byte(test.pickle)); got != test.want || err != nil {
			t.Errorf("%s: %.40q, error %v", test.why, got, err)
		}
	}
}

func TestOtherPicklesAreRefused(t *testing.T) {
	for _, test := range []struct{ why, pickle, says string }{
		{"nothing", "", "ends early"},
		{"a call of os.system", "cos\nsystem\n(S'id'\ntR.", "opcode 'c': want the pickle of one text; other pickles are not read, since they can run code"},
		{"the same, protocol 4", "\x80\x04\x95\x1d\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94\x8c\x02id\x94\x85\x94R\x94.", "follows the text"},
		{"a list", "\x80\x04]\x94.", "want the pickle of one text"},
		{"bytes", "\x80\x04\x95\x06\x00\x00\x00\x00\x00\x00\x00C\x02[]\x94.", "opcode 'C'"},
		{"a text of Python 2", "S'a'\np0\n.", "opcode 'S'"},
		{"protocol 6", "\x80\x06\x8c\x02[]\x94.", "protocol 6: want 0 to 5"},
		{"protocol 1 by its mark", "\x80\x01X\x00\x00\x00\x00q\x00.", "protocol 1: want 0 to 5"},
		{"an opcode of a later protocol", "\x80\x02\x8c\x02[]q\x00.", "want the pickle of one text"},
		{"a frame that is too long", "\x80\x04\x95\x07\x00\x00\x00\x00\x00\x00\x00\x8c\x02[]\x94.", "a frame of 7 bytes, where 6 are left"},
		{"a frame of 2^64-1 bytes", "\x80\x04\x95\xff\xff\xff\xff\xff\xff\xff\xff\x8c\x02[]\x94.", "a frame of 18446744073709551615 bytes"},
		{"a text that is too short", "\x80\x04\x8c\x07[]\x94.", "ends early"},
		{"a text of 2^64-1 bytes", "\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff[]\x94.", "ends early"},
		{"no memo", "\x80\x04\x8c\x02[].", "follows the text"},
		{"more than one text", "\x80\x04\x8c\x02[]\x94.\x8c", "follows the text"},
		{"no end", "Vabc", "ends early"},
		{"half UTF-8", "X\x02\x00\x00\x00\xe2\x82q\x00.", "not UTF-8"},
		{"half a surrogate pair", "X\x03\x00\x00\x00\xed\xa0\xbdq\x00.", "not UTF-8"},
		{"the same, protocol 0", "V\\ud83d\np0\n.", "d83d is no character"},
		{"an escape that is cut", "V\\u12\np0\n.", "has no 4 hexadecimal digits"},
		{"an escape beyond Unicode", "V\\U00110000\np0\n.", "110000 is no character"},
		{"a protocol that is cut", "\x80", "ends early"},
		{"nothing after the protocol", "\x80\x04", "ends early"},
		{"a length that is cut", "\x80\x03X\x01\x00", "ends early"},
	} {
		if got, err := unpickled([]byte(test.pickle)); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %q, error %v, want %q", test.why, got, err, test.says)
		}
	}
}

func TestLiterals(t *testing.T) {
	number := func(text string) any { return json.Number(text) }
	digits := strings.Repeat("7", 5000)
	for _, test := range []struct {
		text string
		want any
	}{
		{"{'a': [1, -2.5, True, None], \"b's\": ('x', ), 'c': ()}", map[string]any{"a": []any{number("1"), number("-2.5"), true, nil}, "b's": []any{"x"}, "c": []any{}}},
		{` [ ] `, []any{}},
		{`[1,]`, []any{number("1")}},
		{`('x')`, "x"},
		{`{}`, map[string]any{}},
		{`'\x41\u20ac\U0001f600\\\'\n\t'`, "A€😀\\'\n\t"},
		{digits, number(digits)},
		{`1e-05`, number("1e-05")},
		{`False`, false},
		{`'\q'`, `\q`},
	} {
		if got, err := pythonLiteral(test.text); !reflect.DeepEqual(got, test.want) || err != nil {
			t.Errorf("%.80s: %v, error %v", test.text, got, err)
		}
	}
	for _, test := range []struct{ text, says string }{
		{"", "ends early"},
		{"[1", "want a comma or ]"},
		{"[1 2]", "want a comma or ]"},
		{"{1: 2}", "want a text as a key"},
		{"{'a' 2}", "want a comma or }"},
		{"{'a'}", "a set is no plain value"},
		{"{'a': 2 'b': 3}", "want a comma or }"},
		{"{'a': 2", "want a comma or }"},
		{"'a", "ends early"},
		{"'a\nb'", "a line end within a text"},
		{`'\`, "ends early"},
		{`'\xg0'`, "no escape of Python"},
		{`'\ud83d'`, "no escape of Python"},
		{"'\xff'", "not UTF-8"},
		{"os.system('id')", "is no plain value"},
		{"nan", "is no plain value"},
		{"01", "is no plain value"},
		{"1 2", "more than one value"},
		{strings.Repeat("[", 1000), "nested deeper than 100"},
	} {
		if got, err := pythonLiteral(test.text); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%.80q: %v, error %v, want %q", test.text, got, err, test.says)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, seed := range []string{"Va\\u005cb\np0\n.", "X\x01\x00\x00\x00aq\x00.", "\x80\x02X\x01\x00\x00\x00aq\x00.", "\x80\x04\x95\x06\x00\x00\x00\x00\x00\x00\x00\x8c\x02[]\x94.", "\x80\x05\x8d\x02\x00\x00\x00\x00\x00\x00\x00[]\x94.", "cos\nsystem\n."} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, pickle []byte) {
		text, err := unpickled(pickle)
		if err == nil && len(text) > 2*len(pickle) {
			t.Errorf("%d bytes of pickle are a text of %d", len(pickle), len(text))
		}
	})
}

func FuzzLiteral(f *testing.F) {
	f.Add(`{'a': [1, -2.5, True, None], "b's": ('x', ), 'c': ()}`)
	f.Add(`'\x41\u20ac\U0001f600\\\'\n'`)
	f.Fuzz(func(t *testing.T, text string) {
		v, err := pythonLiteral(text)
		if err != nil {
			return
		}
		if _, err := json.Marshal(v); err != nil {
			t.Errorf("%q is no JSON: %v", text, err)
		}
	})
}
