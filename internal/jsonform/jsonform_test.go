package jsonform

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

type item struct {
	A int    `json:"a"`
	B string `json:"b,omitempty"`
}

// A byValue has a MarshalJSON that returns the value unchanged.
type byValue string

func (v byValue) MarshalJSON() ([]byte, error) {
	if v == "fail" {
		return nil, errors.New("broken")
	}
	return []byte(v), nil
}

// A byPointer uses its method only if it is addressable.
type byPointer string

func (v *byPointer) MarshalJSON() ([]byte, error) { return []byte(`"by pointer"`), nil }

// A word marshals as text.
type word int

func (w word) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "<%d>", int(w)), nil }

// A boxed value marshals as its content.
type boxed struct{ held any }

func (b boxed) Value() any { return b.held }
func (b boxed) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(b.held)
	if err != nil {
		return nil, fmt.Errorf("box: %w", err)
	}
	return text, nil
}

// An asked type knows when it is zero.
type asked int

func (a asked) IsZero() bool { return a == 7 }

type (
	grid    [][]int
	names   []string
	letter  byte
	letters []letter
	inner   struct{ Q int }
	Shared  struct{ X int }
	chain   struct {
		N    int
		Next *chain
	}
	tree struct {
		Kids []tree          `json:"kids"`
		By   map[string]tree `json:"by,omitempty"`
	}
	options struct {
		A int            `json:",omitempty"`
		B *int           `json:"b,omitempty"`
		C []int          `json:"c,omitempty"`
		D map[string]int `json:"d,omitempty"`
		E time.Time      `json:"e,omitzero"`
		F [0]int         `json:"f,omitempty"`
		G item           `json:"g,omitzero"`
		H any            `json:"h,omitempty"`
		I float64        `json:"i,omitzero"`
		J item           `json:"j,omitempty"` //nolint:modernize // it has no effect, and must have none
		K bool           `json:"-"`
		L bool           `json:"-,"` //nolint:staticcheck // the name is a dash, and allowed
		M bool           `json:"<m>"`
		N bool           `json:"é"`
		p int
	}
	quotedNumbers struct {
		A int           `json:"a,string"`
		B uint64        `json:"b,string,omitempty"`
		C int8          `json:"c,omitempty,string"`
		D time.Duration `json:"d,string"`
	}
	quotedOthers struct {
		A string  `json:"a,string"`
		B bool    `json:"b,string"`
		C float64 `json:"c,string"`
		D *int    `json:"d,string"`
		E word    `json:"e,string"`
	}
)

// values returns values of all types that a record may have, and of some others.
func values() []any {
	three, text := 3, "x"
	when := time.Unix(1, 5).UTC()
	pointer := byPointer("p")
	return []any{
		nil, true, false, 0, 9, 10, -1, math.MinInt, uint8(3), int8(-3), uint64(math.MaxUint64), uintptr(5), byte(1), 'x',
		"", "plain", `quoted "and" back\slash`, "a\nb\tc\rd\be\ff\x00\x1f\x7f", "<b>&amp;</b>", "2 × 3 = 6°", "😀",
		"\u2027\u2028\u2029\u202a", "\xe2\x80", "ab\xffc", "\ufffd", strings.Repeat("long and plain, ", 20) + "\x01",
		0.0, math.Copysign(0, -1), 1.0, 0.1, 1.0 / 3, 1e20, 1e21, -1e21, 1e-6, 9.99e-7, 1e-7, 1e-10, 5e-324, math.MaxFloat64, 123456789.125,
		16777215.0, 16777216.0, 16777217.0, -16777217.0, 9007199254740993.0, 33554433.0, float32(16777215), float32(33554432), float32(1e10), float32(-7), float32(math.Copysign(0, -1)), float32(0), float32(0.1), float32(1e-6), float32(1e-7), float32(1e21), float32(math.MaxFloat32),
		[]int(nil), []int{}, []int{1, 22, -3}, [][]int{nil, {}, {1, 2}}, grid{{1}, nil}, []int64{1}, []uint16{2}, []float64{0.5, 1e-9}, []bool{true},
		[]string(nil), []string{"a", "<"}, names{"b"}, [][]string{{"a"}, nil, {}}, []byte(nil), []byte{}, []byte("hello"), letters("ab"),
		[3]byte{1, 2, 3}, [2][]string{{"a"}, nil}, [0]int{}, [][2]int{{1, 2}, {3, 4}}, []item{{}, {1, "x"}},
		map[string]int(nil), map[string]int{}, map[string]int{"b": 1, "a": 2, "": 3, "<": 4}, map[string][]item{"z": {{1, ""}}, "y": nil},
		map[string]map[string]int{"b": {"d": 1, "c": 2}, "a": nil}, map[int]string{20: "b", 3: "a", -1: "c"}, map[word]int{1: 2},
		&three, &text, (*int)(nil), new(*int), struct{ P, Q *string }{&text, nil}, &struct{ P *item }{&item{5, "y"}},
		item{}, &item{3, "x"}, (*item)(nil), struct{}{}, options{}, &options{A: 1, B: &three, C: []int{1}, D: map[string]int{"x": 1}, E: when, G: item{1, "x"}, H: 3, I: -1, p: 1},
		quotedNumbers{}, quotedNumbers{1, 2, 3, 4}, quotedOthers{}, quotedOthers{`a"<`, true, 1.5, &three, 3},
		struct {
			Shared
			Z int
		}{Shared{1}, 2},
		struct {
			*Shared
			inner
		}{},
		struct {
			A int `json:"B"`
			B int
		}{1, 2},
		struct {
			A asked  `json:"a,omitzero"`
			B *asked `json:"b,omitzero"`
		}{7, nil},
		struct{ A, B any }{1, map[string]any{"z": []any{nil, 1.5, "x"}}}, []any{nil, 1, item{}},
		chain{1, &chain{2, nil}}, tree{Kids: []tree{{}, {Kids: []tree{}}}, By: map[string]tree{"a": {}}},
		byValue(` { "a" : "<\u2028>" , "b":[ ] } `), byValue(`{"a":1}`), byValue(`nonsense`), byValue(`1 2`), byValue(`"<"`), byValue("fail"), byValue(""), (*byValue)(nil),
		[]byValue{"1", "2"}, struct{ A byValue }{"fail"}, struct{ A *byValue }{}, map[string]byValue{"a": "{}"},
		byPointer("v"), &pointer, []byPointer{"v"}, struct{ A byPointer }{"v"}, &struct{ A byPointer }{"v"}, map[string]byPointer{"a": "v"},
		word(4), []word{1, 2}, struct{ W *word }{}, time.Second, when, &when,
		json.RawMessage(nil), json.RawMessage(`{ "x" : 1 }`), json.RawMessage(`{"x":"<"}`), json.RawMessage(`bad`), json.RawMessage(``), []json.RawMessage{[]byte("1"), []byte("1"), nil, []byte("[2]")}, []json.RawMessage{nil, {}},
		json.Number("12"), json.Number("0"), json.Number("00"), json.Number("01"), json.Number("-3"), json.Number("1.5e3"), json.Number(""), json.Number("x"), []json.Number{"1"},
		boxed{}, boxed{item{1, "x"}}, boxed{boxed{[]int{1}}}, boxed{math.NaN()}, struct{ B boxed }{boxed{struct{ B boxed }{boxed{"in a box"}}}}, []boxed{{1}, {"x"}, {nil}},
		math.NaN(), math.Inf(1), math.Inf(-1), []float64{math.NaN()}, float32(math.Inf(1)), make(chan int), struct{ F func() }{}, 1i,
	}
}

// quoted is text as Go 1.26 writes it: encoding/json writes what is UTF-8, and each other byte is
// the escape \ufffd.
func quoted(text string, escapeHTML bool) []byte {
	out := []byte{'"'}
	for text != "" {
		valid := len(text)
		for at, r := range text {
			if _, size := utf8.DecodeRuneInString(text[at:]); r == utf8.RuneError && size == 1 {
				valid = at
				break
			}
		}
		var plain bytes.Buffer
		e := json.NewEncoder(&plain)
		e.SetEscapeHTML(escapeHTML)
		if err := e.Encode(text[:valid]); err != nil {
			panic(err)
		}
		out = append(out, plain.Bytes()[1:plain.Len()-2]...)
		if text = text[valid:]; text != "" {
			out, text = append(out, `\ufffd`...), text[1:]
		}
	}
	return append(out, '"')
}

// faultOf is the text of err. Go 1.27 names the pointer to a type where 1.26 names the type.
func faultOf(err error) string { return strings.ReplaceAll(fmt.Sprint(err), "for type *", "for type ") }

func TestAppendIsMarshal(t *testing.T) {
	var e Encoder
	for range 2 { // the second time the encoder knows the type
		for _, v := range values() {
			want, wantErr := json.Marshal(v)
			if text, is := v.(string); is {
				want = quoted(text, true)
			}
			got, err := e.Append([]byte("before"), v)
			if faultOf(err) != faultOf(wantErr) {
				t.Errorf("%T %+v: error %v, want %v", v, v, err, wantErr)
			} else if string(got) != "before"+string(want) {
				t.Errorf("%T %+v: written as %s, want %s", v, v, got, want)
			}
		}
	}
}

// The encoder writes the present value of a pointer.
func TestAppendTakesPointers(t *testing.T) {
	var e Encoder
	for i := range 3 {
		v := struct {
			N    int
			List []item
		}{i, make([]item, i)}
		want, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		for _, way := range []any{v, &v} {
			if got, err := e.Append(nil, way); err != nil || !bytes.Equal(got, want) {
				t.Errorf("written as %s, error %v; want %s", got, err, want)
			}
		}
	}
}

func TestAppendAllocatesNothing(t *testing.T) {
	type record struct {
		Name   string          `json:"name"`
		Grid   grid            `json:"grid"`
		Items  []item          `json:"items"`
		By     map[string]int  `json:"by"`
		Score  float64         `json:"score,omitempty"`
		Params json.RawMessage `json:"params"`
		Best   *item           `json:"best"`
		Pairs  [][2]int        `json:"pairs"`
		Held   boxed           `json:"held"`
	}
	r := &record{"a\nb", grid{{1, 20}, {3}}, []item{{1, "x"}, {2, ""}}, map[string]int{"b": 1, "a": 2}, 0.25, []byte(`{"x":1}`), &item{3, "y"}, [][2]int{{1, 2}}, boxed{&item{4, "z"}}}
	var e Encoder
	line, err := e.Append(nil, r)
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { line, _ = e.Append(line[:0], r) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// fill sets v to a value described by data.
func fill(v reflect.Value, data *[]byte) {
	take := func() byte {
		if len(*data) == 0 {
			return 0
		}
		b := (*data)[0]
		*data = (*data)[1:]
		return b
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(take()&1 > 0)
	case reflect.Int, reflect.Int8, reflect.Int64:
		v.SetInt(int64(int8(take())) * int64(v.Type().Size()))
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(uint64(take()))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(uint64(take())<<56 | uint64(take())<<48 | uint64(take())<<20 | uint64(take())))
	case reflect.String:
		n := min(int(take())%24, len(*data))
		v.SetString(strings.ToValidUTF8(string((*data)[:n]), "?"))
		*data = (*data)[n:]
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(field, data)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), data)
		}
	case reflect.Pointer:
		if take()&1 > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), data)
		}
	case reflect.Slice:
		n := int(take()) % 5
		if n == 4 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			fill(v.Index(i), data)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		for range take() % 4 {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			fill(key, data)
			fill(value, data)
			v.SetMapIndex(key, value)
		}
	}
}

// A specimen has a field of every kind that records have.
type specimen struct {
	Texts   []string                      `json:"texts"`
	Text    string                        `json:"text,omitempty"`
	Number  int                           `json:"number"`
	Small   int8                          `json:"small,omitempty"`
	Large   uint64                        `json:"large,string"`
	Share   float64                       `json:"share"`
	Truth   bool                          `json:"truth,omitempty"`
	Grid    grid                          `json:"grid"`
	Pair    [2]string                     `json:"pair"`
	Items   []item                        `json:"items,omitempty"`
	One     *item                         `json:"one"`
	By      map[string][]int64            `json:"by"`
	Deep    map[string]map[string]*string `json:"deep,omitempty"`
	Bytes   []byte                        `json:"bytes"`
	Raw     json.RawMessage               `json:"raw"`
	Method  byValue                       `json:"method"`
	Numbers []float64                     `json:"numbers,omitzero"`
}

func FuzzAppend(f *testing.F) {
	f.Add([]byte("\x03\x05a\nb<c\x02\xff\xff\x10" + strings.Repeat("\x03xyz", 30)))
	f.Add(bytes.Repeat([]byte{1, 2, 3, '"', 0xe2, 0x80, 0xa8}, 20))
	f.Fuzz(func(t *testing.T, data []byte) {
		var e Encoder
		for range 2 {
			var v specimen
			fill(reflect.ValueOf(&v).Elem(), &data)
			want, wantErr := json.Marshal(v)
			got, err := e.Append(nil, &v)
			if faultOf(err) != faultOf(wantErr) || !bytes.Equal(got, want) {
				t.Fatalf("%+v is written as\n%s, error %v; want\n%s, error %v", v, got, err, want, wantErr)
			}
		}
	})
}

func FuzzAppendText(f *testing.F) {
	for _, v := range values() {
		if text, is := v.(string); is {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := AppendText(nil, text), quoted(text, true); !bytes.Equal(got, want) {
			t.Errorf("%q is written as %s, want %s", text, got, want)
		}
		if got, want := AppendLegible(nil, text), quoted(text, false); !bytes.Equal(got, want) {
			t.Errorf("%q is legibly written as %s, want %s", text, got, want)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	v := &specimen{
		Texts: []string{"one", "two"}, Text: strings.Repeat("Work this out, step by step. ", 10), Number: 12, Share: 0.5,
		Grid: grid{{1, 2, 3}, {4, 5, 6}}, Items: []item{{1, "x"}}, By: map[string][]int64{"a": {1}}, Raw: []byte(`{"min":1,"max":9}`), Method: `"<"`,
	}
	b.Run("ours", func(b *testing.B) {
		b.ReportAllocs()
		var e Encoder
		var line []byte
		for b.Loop() {
			line, _ = e.Append(line[:0], v)
		}
	})
	b.Run("encoding_json", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := json.Marshal(v); err != nil {
				b.Fatal(err)
			}
		}
	})
}
