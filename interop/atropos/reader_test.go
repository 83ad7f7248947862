package atropos

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// A reader that reuses its memory reads the same as a fresh one.
func TestReaderReusesItsMemory(t *testing.T) {
	var r Reader
	texts := [][]byte{
		sample(4, 300), []byte(with("")), sample(1, 3), sample(9, 1000),
		[]byte(with(`"advantages":[[1],[2,3]],"distill_token_ids":[[[1]],[[2]]],"distill_logprobs":[[[-1.5]],[[2]]]`)),
		sample(4, 300),
	}
	for i, text := range texts {
		want, err := DecodeGroup(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := r.Group(text)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(AppendGroup(nil, got), AppendGroup(nil, want)) {
			t.Errorf("group %d is read differently", i)
		}
		if _, err := r.Group(text[:len(text)-1]); err == nil {
			t.Errorf("group %d is accepted though it is truncated", i)
		}
	}
	list := []byte("[" + string(texts[0]) + "," + string(texts[3]) + "," + string(texts[2]) + "]")
	groups, err := r.Groups(list)
	if err != nil || len(groups) != 3 {
		t.Fatalf("%d groups, error %v", len(groups), err)
	}
	for i, text := range [][]byte{texts[0], texts[3], texts[2]} {
		want, err := DecodeGroup(text)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(AppendGroup(nil, groups[i]), AppendGroup(nil, want)) {
			t.Errorf("group %d of a list is read differently", i)
		}
	}
}

// Masks that repeat the text of the tokens are read from the tokens, with the same result.
func TestMasksThatRepeatTheTokens(t *testing.T) {
	for _, test := range []struct {
		why, tokens, masks, want string // want: empty if refused
	}{
		{"prompt, then the tokens", "[1, 22, 333]", "[-100, 22, 333]", "[-100,22,333]"},
		{"without spaces", "[1,22,333]", "[-100,-100,333]", "[-100,-100,333]"},
		{"all of the tokens", "[1, 22, 333]", "[1, 22, 333]", "[1,22,333]"},
		{"none of the tokens", "[1, 22, 333]", "[-100, -100, -100]", "[-100,-100,-100]"},
		{"a different token", "[1, 22, 333]", "[-100, 23, 333]", "[-100,23,333]"},
		{"the last digit of a token", "[1, 22, 333]", "[-100, 2, 333]", "[-100,2,333]"},
		{"the last digit of the first token", "[22, 333]", "[2, 333]", "[2,333]"},
		{"untrained at the end", "[1, 22, 333]", "[-100, 22, -100]", "[-100,22,-100]"},
		{"a token of -100", "[-100, -100, 5]", "[-100, -100, 5]", "[-100,-100,5]"},
		{"a string", `["1", " 5 ", 6]`, `[-100, " 5 ", 6]`, "[-100,5,6]"},
		{"part of a string", `[1, " 5 ", 6]`, `[-100, 5 ", 6]`, ""},
		{"one too few", "[1, 22, 333]", "[22, 333]", ""},
		{"one too many", "[1, 22, 333]", "[-100, -100, 22, 333]", ""},
		{"other spaces", "[1,\n22, 333]", "[-100,\t22, 333 ]", "[-100,22,333]"},
		{"no end", "[1, 22, 333]", "[-100, 22, 333", ""},
	} {
		text := `{"tokens":[` + test.tokens + `],"masks":[` + test.masks + `],"scores":[1]}`
		g, err := DecodeGroup([]byte(text))
		if err != nil {
			if test.want != "" {
				t.Errorf("%s: %v", test.why, err)
			}
			continue
		}
		if got := string(appendInts(nil, g.Masks[0])); got != test.want {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
		if out := string(AppendGroup(nil, g)); !strings.Contains(out, `"masks":[`+test.want+`]`) {
			t.Errorf("%s: wrote %s", test.why, out)
		}
	}
}

// Indented text reads the same.
func TestIndentedTextReadsTheSame(t *testing.T) {
	data := sample(3, 40)
	var wide bytes.Buffer
	if err := json.Indent(&wide, data, "", "\t"); err != nil {
		t.Fatal(err)
	}
	want, err := DecodeGroup(data)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeGroup(wide.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	want.Messages, got.Messages = nil, nil
	if !bytes.Equal(AppendGroup(nil, got), AppendGroup(nil, want)) {
		t.Error("the indented group is read differently")
	}
}

// TestFloatsAreWrittenLikeInPython compares the fast way of writing floats with the slow
// one.
func TestFloatsAreWrittenLikeInPython(t *testing.T) {
	slow := func(v float64) string {
		if a := math.Abs(v); a != 0 && a < 1e-4 || a >= 1e16 {
			return strconv.FormatFloat(v, 'e', -1, 64)
		}
		s := strconv.FormatFloat(v, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	all := []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e-4, 1e16, 9999999999999998, 1e15, 5e-324, math.MaxFloat64,
		0.3, 2.0 / 3, 1e22, 9007199254740993, 123456789012345680, 0.00012345678901234567}
	for e := -14; e <= 54; e++ {
		v := math.Ldexp(1, e)
		all = append(all, v, math.Nextafter(v, 0), math.Nextafter(v, math.Inf(1)))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300_000 {
		all = append(all, -r.ExpFloat64()/2.5, float64(float32(r.ExpFloat64()/400)), math.Exp(r.Float64()*46-9.2),
			float64(r.IntN(100_000))/math.Pow10(r.IntN(6)), math.Float64frombits(r.Uint64()&^(1<<62)))
	}
	for _, v := range all {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		if got := string(AppendFloat(nil, v)); got != slow(v) {
			t.Fatalf("%s, want %s", got, slow(v))
		}
	}
}

func TestAppendNumbers(t *testing.T) {
	var all []int32
	want := ""
	for _, v := range []int32{0, 7, 10, 99, 100, 12345678, 99999999, 100000000, math.MaxInt32, -1, -100, math.MinInt32} {
		for d := range int32(3) {
			if v > math.MinInt32+3 && v < math.MaxInt32-3 {
				v += d - 1
			}
			all = append(all, v)
			want += "," + strconv.Itoa(int(v))
		}
	}
	if got := string(appendInts(nil, all)); got != "["+want[1:]+"]" {
		t.Errorf("%s, want [%s]", got, want[1:])
	}
	if got := string(appendInts(nil, []int32{})); got != "[]" {
		t.Errorf("%s for an empty row", got)
	}
}
