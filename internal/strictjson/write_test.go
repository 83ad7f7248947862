package strictjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"testing"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// The bytes are literal: they are those of every Go.
func TestCanonicalDoesNotDependOnTheToolchain(t *testing.T) {
	for _, test := range []struct {
		why  string
		v    any
		want string
	}{
		{"bytes outside UTF-8", []string{"<\xff", "\xe2\x80"}, "[\"\\u003c\ufffd\",\"\ufffd\ufffd\"]"},
		{"names too", map[string]int{"a\xff": 1}, "{\"a\ufffd\":1}"},
		{"the character and its escape", json.RawMessage(`["` + "\ufffd" + `", "\ufffd"]`), "[\"\ufffd\",\"\ufffd\"]"},
		{"what only looks like the escape", `\ufffd \\` + "\n", `"\\ufffd \\\\\n"`},
		{"line ends of JavaScript", json.RawMessage("\"\u2028\""), `"\u2028"`},
		{"numbers", []float64{1e21, 0.1, 1e-7, 100}, `[1e+21,0.1,1e-7,100]`},
	} {
		if got, err := strictjson.Canonical(test.v); err != nil || string(got) != test.want {
			t.Errorf("%s: %s, error %v; want %s", test.why, got, err, test.want)
		}
	}
	if got, err := strictjson.Canonical(math.NaN()); err == nil {
		t.Errorf("NaN: %s", got)
	}
}

func TestWritten(t *testing.T) {
	v := struct {
		Text string `json:"text"`
		List []int  `json:"list"`
	}{"<b>&\u2028é", []int{1}}
	for _, test := range []struct{ why, got, want string }{
		{"legible", written(t, func(w io.Writer) error { return strictjson.WriteLegible(w, v) }), "{\"text\":\"<b>&\\u2028é\",\"list\":[1]}\n"},
		{"indented", written(t, func(w io.Writer) error { return strictjson.WriteIndented(w, v) }), "{\n  \"text\": \"\\u003cb\\u003e\\u0026\\u2028é\",\n  \"list\": [\n    1\n  ]\n}\n"},
		{"a list", string(strictjson.AppendList([]byte("x"), []string{"a", "<"}, strictjson.AppendLegible)), `x["a","<"]`},
		{"no list", string(strictjson.AppendList(nil, nil, strictjson.AppendText)), `[]`},
	} {
		if test.got != test.want {
			t.Errorf("%s: %q, want %q", test.why, test.got, test.want)
		}
	}
	if text, err := strictjson.Legible(v); err != nil || string(text) != "{\"text\":\"<b>&\\u2028é\",\"list\":[1]}" {
		t.Errorf("%s, error %v", text, err)
	}
	if got, err := strictjson.Append([]byte("x"), math.NaN()); err == nil || string(got) != "x" {
		t.Errorf("NaN: %s, error %v", got, err)
	}
}

func written(t *testing.T, write func(w io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Error(err)
	}
	return b.String()
}

// Texts are written as encoding/json writes them, but for bytes outside UTF-8.
func FuzzAppendText(f *testing.F) {
	f.Add("a\nb\tc\rd\be\ff\x00\x1f\x7f\"\\/<b>&amp;</b> 2 × 3 😀\u2027\u2028\u2029\u202a\ufffd")
	f.Add("\xe2\x80 \xff")
	f.Fuzz(func(t *testing.T, text string) {
		html, err := json.Marshal(text)
		legible, also := strictjson.Legible(text)
		if err := errors.Join(err, also); err != nil {
			t.Fatal(err)
		}
		same := func(got, want []byte) bool {
			canonical, err := strictjson.Canonical(json.RawMessage(got))
			wanted, also := strictjson.Canonical(json.RawMessage(want))
			return err == nil && also == nil && bytes.Equal(canonical, wanted)
		}
		if got := strictjson.AppendText(nil, text); !same(got, html) || bytes.ContainsAny(got, "<>&") {
			t.Errorf("%q is written as %s, want %s", text, got, html)
		}
		if got := strictjson.AppendLegible(nil, text); !same(got, legible) {
			t.Errorf("%q is legibly written as %s, want %s", text, got, legible)
		}
	})
}

func BenchmarkAppendText(b *testing.B) {
	const text = "How much is 12 + 7?\nGive the answer in tags, as <answer>15</answer>.\n"
	var dst []byte
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		dst = strictjson.AppendText(dst[:0], text)
	}
}
