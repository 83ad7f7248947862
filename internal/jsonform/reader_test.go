package jsonform

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// kinds has a field of each kind.
type kinds struct {
	Text   string          `json:"text"`
	Truth  bool            `json:"truth,omitempty"`
	Small  int8            `json:"small"`
	Count  uint16          `json:"count"`
	Seed   uint64          `json:"seed,string"`
	Short  float32         `json:"short"`
	Long   float64         `json:"long"`
	Rows   []row           `json:"rows"`
	Row    *row            `json:"row"`
	Raw    json.RawMessage `json:"raw"`
	Own    strictRow       `json:"own"`
	Owns   []*strictRow    `json:"owns"`
	By     map[string]int  `json:"by"`
	Any    any             `json:"any"`
	B64    []byte          `json:"b64"`
	At     time.Time       `json:"at"`
	Took   time.Duration   `json:"took"`
	Number json.Number     `json:"number"`
	Lists  [][]int32       `json:"lists"`
	Pair   [2]int          `json:"pair"`
	Next   *kinds          `json:"next"`
	Hidden int             `json:"-"`
	Plain  string
}

// usual are texts that a Reader reads itself.
var usual = []string{
	`{}`, `null`, ` { "text" : "a\nb\u00e9\ud83d\ude00é" , "truth":true } `, `{"small":-128,"count":65535,"seed":"1234567890"}`,
	`{"short":1.5e-3,"long":-0.25,"Plain":"x"}`, `{"long":1e300,"text":"late"}`, `{"rows":[{"a":1},{},null,{"a":3}],"row":{"a":7}}`, `{"rows":[],"row":null,"lists":null,"text":null,"small":null,"seed":null}`,
	`{"raw": {"x": [1, 2]},"own":{"a":2},"owns":[{"a":1},null]}`, `{"raw":null}`, `{"by":{"x":1},"any":[1,"2",null],"b64":"aGk=","pair":[1,2]}`,
	`{"at":"2026-11-27T01:02:03.5Z","took":1000000000,"number":1.50}`, `{"lists":[[1,2],[],null]}`, `{"next":{"text":"in","next":{"rows":[{"a":1}]}}}`,
}

// unusual are texts that it leaves to Unmarshal, invalid ones among them.
var unusual = []string{
	``, `[]`, `{"Text":"another case"}`, `{"text":"a","text":"b"}`, `{"rows":[{"a":1}],"rows":[{}]}`, `{"other":1}`, `{"t\u0065xt":"a"}`, "{\"text\":\"\xff\"}", `{"text":"\ud800"}`, `{"text":1}`,
	`{"truth":"true"}`, `{"truth":1}`, `{"small":128}`, `{"small":1.0}`, `{"small":"1"}`, `{"count":-1}`, `{"count":65536}`, `{"seed":"18446744073709551615"}`, `{"seed":"123456789012345678"}`, `{"seed":1}`, `{"seed":"007"}`, `{"seed":""}`, `{"seed":"-0"}`,
	`{"short":1e300}`, `{"long":1e999}`, `{"long":"1"}`, `{"rows":{}}`, `{"rows":[1]}`, `{"rows":[{"a":1},]}`, `{"row":[]}`, `{"own":[]}`, `{"b64":"!"}`, `{"at":"yesterday"}`, `{"number":"x"}`, `{"Hidden":1}`, `{"hidden":1}`,
	`{"text":"a"} x`, `{"text":"a"`, `{"text"}`, `{"text":nul}`, `{"text":"a",}`, `{text:1}`, "{}\x00", strings.Repeat(`{"next":`, 300) + "null" + strings.Repeat("}", 300), `{"any":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + "}",
}

func TestAReaderIsUnmarshal(t *testing.T) {
	r := NewReader[kinds]()
	for i, text := range append(usual, unusual...) {
		sameReading(t, r, text)
		s := scanner{text: []byte(text)}
		var v kinds
		if own := r.fill(&s, reflect.ValueOf(&v).Elem()); i < len(usual) && !own {
			t.Errorf("%s: left to Unmarshal", text)
		}
	}
}

// sameReading compares a reading with that of Unmarshal.
func sameReading[T any](t *testing.T, r *Reader[T], text string) {
	t.Helper()
	var want T
	fault := Unmarshal([]byte(text), &want)
	got, err := r.Read([]byte(text))
	if fmt.Sprint(err) != fmt.Sprint(fault) || !reflect.DeepEqual(got, want) {
		t.Errorf("%s: %+v, error %v; want %+v, error %v", text, got, err, want, fault)
	}
}

// What a Reader cannot read itself, it leaves to Unmarshal.
func TestAReaderOfUnusualTypes(t *testing.T) {
	type quoted struct {
		Name string `json:"name,string"`
	}
	type alike struct {
		A int `json:"name"`
		B int `json:"NAME"`
	}
	sameReading(t, NewReader[quoted](), `{"name":"\"x\""}`)
	sameReading(t, NewReader[alike](), `{"name":1,"NAME":2}`)
	sameReading(t, NewReader[sheet](), `{"level":3,"seed":"7","next":{"level":4}}`)
	sameReading(t, NewReader[map[string][]int](), `{"x":[1]}`)
	sameReading(t, NewReader[chain](), `{"N":1,"Next":{"N":2,"Next":null}}`)
}

func FuzzReader(f *testing.F) {
	for _, text := range append(usual, unusual...) {
		f.Add(text)
	}
	r := NewReader[kinds]()
	f.Fuzz(func(t *testing.T, text string) { sameReading(t, r, text) })
}

func BenchmarkReader(b *testing.B) {
	text := []byte(`[` + strings.Repeat(`{"text":"some text of a few words","truth":true,"rows":[{"a":1},{"a":2}],"took":123456},`, 50) + `{}]`)
	r := NewReader[[]kinds]()
	b.SetBytes(int64(len(text)))
	b.Run("reader", func(b *testing.B) {
		for b.Loop() {
			if _, err := r.Read(text); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("unmarshal", func(b *testing.B) {
		for b.Loop() {
			var all []kinds
			if err := Unmarshal(text, &all); err != nil {
				b.Fatal(err)
			}
		}
	})
}
