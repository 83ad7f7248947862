package strictjson

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMembers(t *testing.T) {
	for _, test := range []struct {
		text, want string // want has the members; empty: Members rejects the text
	}{
		{`{}`, " "},
		{" {\n} ", " "},
		{`{"a":1,"b":[1,2.5,-3e+7,true,false,null],"a":{"c":"d"}}`, `a=1 b=[1,2.5,-3e+7,true,false,null] a={"c":"d"} `},
		{"{ \"a\" :\t\"x\" ,\r\n\"b\":[ ] }", `a="x" b=[ ] `},
		{`{"":"\"\\\/\b\f\n\r\t\u00D7\uD83D\uDE00","é":0}`, `="\"\\\/\b\f\n\r\t\u00D7\uD83D\uDE00" é=0 `},
		{`{"long enough to be read by words":"long enough, too, and quoted \" here"}`, `long enough to be read by words="long enough, too, and quoted \" here" `},
		{``, ""}, {`[]`, ""}, {`1`, ""}, {`{`, ""}, {`{"a"`, ""}, {`{"a":`, ""}, {`{"a":1`, ""}, {`{"a":1,`, ""}, {`{"a":1,}`, ""}, {`{,}`, ""},
		{`{"a" 1}`, ""}, {`{a:1}`, ""}, {`{"a":1 "b":2}`, ""}, {`{"a":1}x`, ""}, {`{"a":1} {}`, ""}, {`{"a":x}`, ""},
		{`{"a":[1}`, ""}, {`{"a":[1,]}`, ""}, {`{"a":[1 2]}`, ""}, {`{"a":01}`, ""}, {`{"a":1.}`, ""}, {`{"a":.5}`, ""}, {`{"a":+1}`, ""}, {`{"a":-}`, ""}, {`{"a":1e}`, ""}, {`{"a":1e+}`, ""},
		{`{"a":tru}`, ""}, {`{"a":nul`, ""}, {`{"a":"\x"}`, ""}, {`{"a":"\u12"}`, ""}, {`{"a":"\u12g4"}`, ""}, {"{\"a\":\"\\u\x101234\"}", ""}, {`{"a":"\`, ""}, {"{\"a\":\"\n\"}", ""}, {`{"a":"`, ""},
		{`{"\u0061":1}`, ""}, // a name with an escape
		{"{\"\xff\":1}", ""}, // a name that is not UTF-8
		{`{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}`, ""}, // very deep
	} {
		var got strings.Builder
		ok := Members([]byte(test.text), func(name, value []byte) bool {
			got.WriteString(string(name) + "=" + string(value) + " ")
			return true
		})
		if want := strings.TrimSpace(test.want); ok != (test.want != "") || ok && strings.TrimSpace(got.String()) != want {
			t.Errorf("%.60q: read %v as %q, want %q", test.text, ok, got.String(), want)
		}
	}
	if Members([]byte(`{"a":1,"b":2}`), func(name, _ []byte) bool { return string(name) != "a" }) {
		t.Error("true, though the caller returned false")
	}
}

func TestText(t *testing.T) {
	for _, test := range []struct {
		value, want string
		plain       bool
	}{
		{`"a"`, "a", true},
		{`""`, "", true},
		{`"\"\\\/\b\f\n\r\t\u00D7\u00d7\uD83D\uDE00 ×"`, "\"\\/\b\f\n\r\t××😀 ×", true},
		{`"\ud83d"`, "", false},       // half a pair
		{`"\ud83d\u0041"`, "", false}, // half a pair, and another character
		{`"\udE00\ud83d"`, "", false}, // the wrong way round
		{"\"\xff\"", "", false},       // not UTF-8
		{`1`, "", false},
		{`null`, "", false},
		{``, "", false},
	} {
		if got, plain := Text([]byte(test.value)); got != test.want || plain != test.plain {
			t.Errorf("%s: read %v as %q, want %v and %q", test.value, plain, got, test.plain, test.want)
		}
	}
}

func TestInt(t *testing.T) {
	for value, want := range map[string]int{"0": 0, "7": 7, "-1": -1, "2147483647": math.MaxInt32, "-2147483648": math.MinInt32} {
		if got, plain := Int([]byte(value)); !plain || got != want {
			t.Errorf("%s: read %v as %d", value, plain, got)
		}
	}
	for _, value := range []string{"", "1.0", "1e3", "1234567890123456789", `"1"`, "null", "true", "{}"} {
		if got, plain := Int([]byte(value)); plain {
			t.Errorf("%s is read as %d", value, got)
		}
	}
}

// Members agrees with encoding/json. It reads every valid object without escapes and deep
// nesting.
func FuzzMembers(f *testing.F) {
	f.Add([]byte(`{"problem":{"task":"a","seed":"1","params":{},"instance":{"x":[1,-2.5e3,null]}},"answer":"\u00d7\n"}`))
	f.Add([]byte(" { \"a\" : [ true , false ] ,\n\"b\":\"\xff\" } "))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := map[string]json.RawMessage{}
		ok := Members(text, func(name, value []byte) bool {
			got[string(name)] = value
			return true
		})
		var want map[string]json.RawMessage
		err := json.Unmarshal(text, &want)
		if ok && (err != nil || want == nil || len(got) != len(want)) {
			t.Fatalf("%q: read as %d members, and by encoding/json as %d, error %v", text, len(got), len(want), err)
		}
		if !ok && err == nil && want != nil && !bytes.Contains(text, []byte(`\`)) && utf8.Valid(text) && bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) < deepest {
			t.Fatalf("%q is refused", text)
		}
		for name, value := range got {
			if ok && !bytes.Equal(value, want[name]) {
				t.Fatalf("%q: %s is read as %s, want %s", text, name, value, want[name])
			}
			if ok {
				sameScalar(t, value)
			}
		}
	})
}

// sameScalar reads a valid value as text and number.
func sameScalar(t *testing.T, value []byte) {
	t.Helper()
	var text string
	if got, plain := Text(value); plain && (json.Unmarshal(value, &text) != nil || got != text) {
		t.Fatalf("%s is read as %q, want %q", value, got, text)
	}
	var n int
	if got, plain := Int(value); plain && (json.Unmarshal(value, &n) != nil || got != n) {
		t.Fatalf("%s is read as %d, want %d", value, got, n)
	}
}

func BenchmarkMembers(b *testing.B) {
	line := []byte(`{"problem":{"task":"chain_sum","version":1,"seed":"1","level":1,"index":7,"params":{"min_terms":2,"max_terms":3},"prompt":"Work out the value of this: 26 - 11. Give the number alone.","instance":{"num_terms":2,"num_digits":2,"expression":"26 - 11"}},"answer":"15"}`)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if !Members(line, func(_, value []byte) bool { return value != nil }) {
			b.Fatal("refused")
		}
	}
}

func TestPicker(t *testing.T) {
	p := NewPicker("task", "level")
	for _, test := range []struct {
		text, task, level string
		plain             bool
	}{
		{`{"level":1,"other":{"task":2},"task":"a"}`, `"a"`, "1", true},
		{`{"task":null}`, "null", "", true},
		{`{}`, "", "", true},
		{`{"task":1,"task":2}`, "", "", false}, // the last one counts
		{`{"task":1,"Task":2}`, "", "", false}, // encoding/json ignores case
		{`{"taſk":1}`, "", "", false},          // here too
		{`{"task":1`, "", "", false},
	} {
		if plain := p.Pick([]byte(test.text)); plain != test.plain || plain && (string(p.Value(0)) != test.task || string(p.Value(1)) != test.level) {
			t.Errorf("%s: picked %v, %s and %s", test.text, plain, p.Value(0), p.Value(1))
		}
	}
}

func TestPickerReads(t *testing.T) {
	p := NewPicker("task", "level")
	for _, test := range []struct {
		why, text, task, level string
		fails                  bool
	}{
		{"the usual form", `{"level":1,"task":"a"}`, `"a"`, "1", false},
		{"a name that comes twice", `{"task":1,"level":3,"task":2}`, "2", "3", false},
		{"a name in another case", `{"Task":1,"level":3}`, "", "3", false},
		{"a name with an escape", `{"\u0074ask":1}`, "1", "", false},
		{"null, after another object", `null`, "", "", false},
		{"half an object", `{"task":1`, "", "", true},
		{"a list", `[]`, "", "", true},
	} {
		err := p.Read([]byte(test.text))
		if (err != nil) != test.fails || err == nil && (string(p.Value(0)) != test.task || string(p.Value(1)) != test.level) {
			t.Errorf("%s: read %s and %s, error %v", test.why, p.Value(0), p.Value(1), err)
		}
	}
}

func TestElements(t *testing.T) {
	for _, test := range []struct {
		text, want string
		ok         bool
	}{
		{`[]`, "", true},
		{" [\n] ", "", true},
		{`[1, {"a":[2]} ,"b"]`, `1|{"a":[2]}|"b"|`, true},
		{`[1,]`, "1|", false},
		{`[1`, "1|", false},
		{`[1]x`, "1|", false},
		{`[1 2]`, "1|", false},
		{`{}`, "", false},
		{``, "", false},
		{strings.Repeat("[", 300) + strings.Repeat("]", 300), "", false},
	} {
		var got strings.Builder
		ok := Elements([]byte(test.text), func(value []byte) bool {
			got.WriteString(string(value) + "|")
			return true
		})
		if ok != test.ok || got.String() != test.want {
			t.Errorf("%.60q: read %v as %q, want %v and %q", test.text, ok, got.String(), test.ok, test.want)
		}
	}
	if Elements([]byte(`[1,2]`), func([]byte) bool { return false }) {
		t.Error("true, though the caller returned false")
	}
}
