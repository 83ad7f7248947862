package jsonform

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

// A badText is written as text, in bytes that are not UTF-8.
type badText string

func (b badText) MarshalText() ([]byte, error) {
	if b == "fail" {
		return nil, errors.New("broken")
	}
	return []byte(b), nil
}

// hostile are values with texts that toolchains write differently, and the bytes of Go 1.26 with the
// escapes for HTML and without.
var hostile = []struct {
	value         any
	html, legible string
}{
	{"<\xff\u2028", `"\u003c\ufffd\u2028"`, `"<\ufffd\u2028"`},
	{"<\ufffd>", `"\u003c` + "\ufffd" + `\u003e"`, "\"<\ufffd>\""},
	{[]string{"<\xff"}, `["\u003c\ufffd"]`, `["<\ufffd"]`},
	{[][]string{{"&"}, nil, {"\xe2\x80"}}, `[["\u0026"],null,["\ufffd\ufffd"]]`, `[["&"],null,["\ufffd\ufffd"]]`},
	{[]any{"\xff", map[string]any{"<\xfe": "&"}}, `["\ufffd",{"\u003c\ufffd":"\u0026"}]`, `["\ufffd",{"<\ufffd":"&"}]`},
	{map[string]int{"\xff": 1, "\xfe": 2}, `{"\ufffd":2,"\ufffd":1}`, `{"\ufffd":2,"\ufffd":1}`},
	{map[int]string{1: "\xff", 10: "<", 2: ""}, `{"1":"\ufffd","10":"\u003c","2":""}`, `{"1":"\ufffd","10":"<","2":""}`},
	{map[uint8]string{200: "\xff"}, `{"200":"\ufffd"}`, `{"200":"\ufffd"}`},
	{badText("\xff<\u2028"), `"\ufffd\u003c\u2028"`, `"\ufffd<\u2028"`},
	{[]*badText{nil, new(badText("\xff"))}, `[null,"\ufffd"]`, `[null,"\ufffd"]`},
	{byValue(" \"\xff\u2028<\\ud800\\/\""), "\"\xff\\u2028\\u003c\\ud800\\/\"", "\"\xff\u2028<\\ud800\\/\""},
	{json.RawMessage("{ \"\xff\u2029\" : \"<\" }"), "{\"\xff\\u2029\":\"\\u003c\"}", "{\"\xff\u2029\":\"<\"}"},
	{&item{1, "<\xff"}, `{"a":1,"b":"\u003c\ufffd"}`, `{"a":1,"b":"<\ufffd"}`},
	{boxed{item{1, "<"}}, `{"a":1,"b":"\u003c"}`, `{"a":1,"b":"\u003c"}`},
	{[]any{"\xff", boxed{item{1, "<\xff"}}}, `["\ufffd",{"a":1,"b":"\u003c\ufffd"}]`, `["\ufffd",{"a":1,"b":"\u003c\ufffd"}]`},
	{chain{1, &chain{2, nil}}, `{"N":1,"Next":{"N":2,"Next":null}}`, `{"N":1,"Next":{"N":2,"Next":null}}`},
	{tree{By: map[string]tree{"<\xff": {}}}, `{"kids":null,"by":{"\u003c\ufffd":{"kids":null}}}`, `{"kids":null,"by":{"<\ufffd":{"kids":null}}}`},
	{struct {
		Name string    `json:"<name>"`
		Time time.Time `json:"time,omitzero"`
		Less *asked    `json:"less,omitzero"`
		More *asked    `json:"more,omitzero"`
	}{"\xff", time.Time{}, new(asked(7)), new(asked(1))}, `{"\u003cname\u003e":"\ufffd","more":1}`, `{"<name>":"\ufffd","more":1}`},
	{struct {
		O string `json:"bad\"name"` //nolint:staticcheck // not a name, and ignored
	}{"\xff"}, `{"O":"\ufffd"}`, `{"O":"\ufffd"}`},
}

func TestMarshalDoesNotDependOnTheToolchain(t *testing.T) {
	for _, test := range hostile {
		if got, err := Marshal(test.value); err != nil || string(got) != test.html {
			t.Errorf("%T %+v: written as %s, error %v; want %s", test.value, test.value, got, err, test.html)
		}
		if got, err := MarshalLegible(test.value); err != nil || string(got) != test.legible {
			t.Errorf("%T %+v: legibly written as %s, error %v; want %s", test.value, test.value, got, err, test.legible)
		}
	}
}

func TestMarshalLegibleIsAnEncoderWithoutEscapes(t *testing.T) {
	whole := func(text []byte) string { return strings.ReplaceAll(string(text), `\u2028`, "\u2028") } // Go 1.27 escapes it everywhere
	e := Encoder{legible: true}
	for _, v := range values() {
		want, wantErr := marshal(v, true)
		if text, is := v.(string); is {
			want = quoted(text, false)
		}
		got, err := MarshalLegible(v)
		if faultOf(err) != faultOf(wantErr) || err == nil && whole(got) != whole(want) {
			t.Errorf("%T %+v: written as %s, error %v; want %s, error %v", v, v, got, err, want, wantErr)
		}
		if own, err := e.Append(nil, v); faultOf(err) != faultOf(wantErr) || whole(own) != whole(want) {
			t.Errorf("%T %+v: appended as %s, error %v; want %s, error %v", v, v, own, err, want, wantErr)
		}
	}
}

func TestWriteIsAnEncoder(t *testing.T) {
	v := struct {
		Text  string         `json:"<text>"`
		Empty map[string]any `json:"empty"`
		List  []any          `json:"list"`
	}{"<a>", map[string]any{}, []any{1, []int{}, map[int]string{1: "&"}}}
	for _, test := range []struct {
		write func(b *bytes.Buffer) error
		set   func(e *json.Encoder)
	}{
		{func(b *bytes.Buffer) error { return WriteLine(b, v) }, func(*json.Encoder) {}},
		{func(b *bytes.Buffer) error { return WriteLegible(b, v) }, func(e *json.Encoder) { e.SetEscapeHTML(false) }},
		{func(b *bytes.Buffer) error { return WriteIndented(b, v) }, func(e *json.Encoder) { e.SetIndent("", "  ") }},
	} {
		var got, want bytes.Buffer
		e := json.NewEncoder(&want)
		test.set(e)
		if err := errors.Join(e.Encode(v), test.write(&got)); err != nil || got.String() != want.String() {
			t.Errorf("written as %s, error %v; want %s", got.String(), err, want.String())
		}
	}
	for _, write := range []func(b *bytes.Buffer, v any) error{
		func(b *bytes.Buffer, v any) error { return WriteLine(b, v) },
		func(b *bytes.Buffer, v any) error { return WriteLegible(b, v) },
		func(b *bytes.Buffer, v any) error { return WriteIndented(b, v) },
	} {
		var b bytes.Buffer
		if err := write(&b, math.NaN()); err == nil || b.Len() > 0 {
			t.Errorf("NaN is written as %q, error %v", b.String(), err)
		}
	}
}

// A loop can contain itself in several ways.
type loop struct {
	Next *loop
	Any  any
	List []any
	Map  map[string]any
}

func TestACycleIsAnError(t *testing.T) {
	var pointer, within, list, table loop
	pointer.Next = &pointer
	within.Any = &within
	list.List = []any{1, nil}
	list.List[1] = list.List
	table.Map = map[string]any{}
	table.Map["<"] = table.Map
	for _, v := range []any{&pointer, &within, &list, list, table.Map, []any{&pointer}, boxed{}} {
		_, want := json.Marshal(v)
		for _, write := range []func(any) ([]byte, error){Marshal, MarshalLegible, func(v any) ([]byte, error) { return new(Encoder).Append(nil, v) }} {
			if _, err := write(v); (err == nil) != (want == nil) || want != nil && !strings.Contains(err.Error(), "encountered a cycle via ") {
				t.Errorf("%T: error %v, want %v", v, err, want)
			}
		}
	}
	deep := &chain{}
	for i := range 3000 {
		deep = &chain{i, deep}
	}
	want, err := json.Marshal(deep)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := new(Encoder).Append(nil, deep); err != nil || string(got) != string(want) {
		t.Errorf("a deep value is not written: %v", err)
	}
}
