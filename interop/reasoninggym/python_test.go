package reasoninggym

import (
	"math"
	"strings"
	"testing"
)

func TestReadNumbers(t *testing.T) {
	for text, want := range map[string]float64{
		"1": 1, " -1.5e3\n": -1500, //nolint:gocritic // Python strips white space
		"１２": 12, "1_000": 1000, "inf": math.Inf(1), "-Infinity": math.Inf(-1), ".5": 0.5, "5.": 5,
	} {
		if x, ok := pyReadFloat(text); !ok || x != want {
			t.Errorf("%q is %v (%v), want %v", text, x, ok, want)
		}
	}
	if x, ok := pyReadFloat(" NaN "); !ok || !math.IsNaN(x) {
		t.Errorf("NaN is %v (%v)", x, ok)
	}
	for text, want := range map[string]string{
		" +07 ": "7", //nolint:gocritic // Python strips white space
		"-1_2":  "-12", "１２": "12", "0": "0", "1.0": "", "1__2": "", "_1": "", "1_": "", "--1": "", "0x1": "", "": "", strings.Repeat("9", 5000): ""} {
		got := ""
		if n, ok := pyReadInt(text); ok {
			got = n.String()
		}
		if got != want {
			t.Errorf("%.20q is %q, want %q", text, got, want)
		}
	}
}

func TestReadLiteral(t *testing.T) {
	for text, want := range map[string]string{
		`[1, 2]`: "1 2", `(1,)`: "1", `1, 2`: "1 2", `['a', "b" 'c']`: "a bc", ` "ab" # c`: "a b", "[1,\n2,]": "1 2", `{1}`: "1", `[True, None, -1, 1.50, 0x10]`: "True None -1 1.5 16",
		`'''a'''`: "a", `[1e20]`: "1e+20", `['it\'s']`: "it's", `["\x41"]`: "A", `[]`: "",
		`1`: "no", `[1 2]`: "no", `[1`: "no", `a`: "no", `[f(1)]`: "no", `'a`: "no", `'a' b`: "no", `[01]`: "no", `[1][0]`: "no", `["\x4"]`: "no", "[1]\n, 2": "no", `{"a": 1}`: "no", ``: "no", strings.Repeat("[", 1000): "no",
	} {
		v, ok := pyReadLiteral(text)
		got, printed := pyJoined(v, " ")
		if !ok || !printed {
			got = "no"
		}
		if got != want {
			t.Errorf("%.40q is %q, want %q", text, got, want)
		}
	}
}

func TestReadJSON(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{
		{`[1, true, {"a": 2}]`, `[1.0, 1, {"a": 2e0}]`, true}, {`"1"`, `1`, false}, {`null`, `false`, false}, {`[]`, `{}`, false}, {`[Infinity]`, `[1e999]`, true},
		{`NaN`, `NaN`, false}, {`12345678901234567890`, `12345678901234567891`, false}, {`{"a":1,"a":2}`, `{"a":2}`, true}, {`"Infinity \" NaN"`, `"Infinity \" NaN"`, true},
	} {
		a, isA := pyReadJSON(test.a)
		b, isB := pyReadJSON(test.b)
		if !isA || !isB || pySame(a, b) != test.same {
			t.Errorf("%s and %s: read %v and %v, the same %v, want %v", test.a, test.b, isA, isB, pySame(a, b), test.same)
		}
	}
	for text, want := range map[string]int{`[1, 2.50, "é\n", null, true]`: len(`[1, 2.5, "\u00e9\n", null, true]`), `{"a":{},"b":[]}`: len(`{"a": {}, "b": []}`), `[Infinity,-1e999]`: len(`[Infinity, -Infinity]`), `"😀"`: 14} {
		if v, ok := pyReadJSON(text); !ok || pyDumped(v) != want {
			t.Errorf("%s takes %d characters (%v), want %d", text, pyDumped(v), ok, want)
		}
	}
}
