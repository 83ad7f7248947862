package answer

import (
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
)

func TestReadArithmetic(t *testing.T) {
	for _, test := range []struct {
		text, value string
		numbers     []int64
		why         string
	}{
		{"7", "7", []int64{7}, ""},
		{" \u00a031 + 39\t-\f42 + 91\n", "119", []int64{31, 39, 42, 91}, "any space around it, and blanks within"},
		{"(31 +\n39)-42\r+91", "", nil, "a line break outside brackets"},
		{"(31 +\r\n39) - 42 + 91", "119", []int64{31, 39, 42, 91}, "a line break within brackets"},
		{"2+3*4-5", "9", []int64{2, 3, 4, 5}, "products first"},
		{"20-3-4", "13", []int64{20, 3, 4}, "from left to right"},
		{"20/4/5*3", "3", []int64{20, 4, 5, 3}, ""},
		{"20/(4/5)", "25", []int64{20, 4, 5}, ""},
		{"7/3 - 1/3", "2", []int64{7, 3, 1, 3}, "fractions are exact"},
		{"1/(1-5/6)", "6", []int64{1, 1, 5, 6}, ""},
		{"1/(5/6-1)", "-6", []int64{1, 5, 6, 1}, "a negative divisor"},
		{"-7/-(2+3)", "7/5", []int64{7, 2, 3}, ""},
		{"2*-3+ +-+4", "-10", []int64{2, 3, 4}, "signs before any number"},
		{"-2-2", "-4", []int64{2, 2}, ""},
		{"31+39.", "70", []int64{31, 39}, "a point that ends the sentence"},
		{"31.+39", "70", []int64{31, 39}, ""},
		{"0-0", "0", []int64{0, 0}, ""},
		{"9223372036854775807*9223372036854775807", "85070591730234615847396907784232501249", []int64{1<<63 - 1, 1<<63 - 1}, "beyond machine integers"},
		{"9223372036854775807-9223372036854775807+5", "5", []int64{1<<63 - 1, 1<<63 - 1, 5}, ""},
		{"9223372036854775808", "", nil, "a number beyond machine integers"},
		{"1/(2-2)", "none", []int64{1, 2, 2}, "no value"},
		{"9000000000000/(9000000000000-9000000000000)", "none", []int64{9000000000000, 9000000000000, 9000000000000}, ""},
		{strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200), "1", []int64{1}, "the greatest depth of Python"},
		{strings.Repeat("(", 201) + "1" + strings.Repeat(")", 201), "", nil, "one bracket deeper"},
		{strings.Repeat("-", 99_999) + "1", "-1", []int64{1}, "very many signs"},
		{"", "", nil, "nothing"},
		{" \n", "", nil, ""},
		{"+", "", nil, ""},
		{"()", "", nil, ""},
		{"1+", "", nil, "no second number"},
		{"(1", "", nil, "an unclosed bracket"},
		{"1)", "", nil, "an unopened bracket"},
		{"(1)(2)", "", nil, "a product without its sign"},
		{"1 2", "", nil, ""},
		{"1,2", "", nil, ""},
		{"1=1", "", nil, ""},
		{"2**3", "", nil, "a power"},
		{"2//3", "", nil, ""},
		{"2%3", "", nil, ""},
		{"4!", "", nil, ""},
		{"0x10", "", nil, "other notations"},
		{"1e3", "", nil, ""},
		{"1_000", "", nil, ""},
		{"1.5", "", nil, ""},
		{".5", "", nil, ""},
		{"1..", "", nil, ""},
		{"031", "", nil, ""},
		{"２+３", "", nil, ""},
		{"2×3", "", nil, ""},
		{"2+pi-pi", "", nil, "names"},
		{"__import__('os')", "", nil, ""},
		{"2 # two", "", nil, "a comment"},
		{"[2]", "", nil, ""},
		{"\x00\xff", "", nil, ""},
	} {
		got, err := ReadArithmetic(test.text)
		if test.value == "" {
			if err == nil {
				t.Errorf("ReadArithmetic(%.40q) = %v, want an error (%s)", test.text, got, test.why)
			}
			continue
		}
		if err != nil || !slices.Equal(got.Numbers, test.numbers) {
			t.Errorf("ReadArithmetic(%.40q) = %v, %v, want the numbers %v (%s)", test.text, got.Numbers, err, test.numbers, test.why)
			continue
		}
		value, err := got.Value()
		if test.value == "none" {
			if !errors.Is(err, ErrDivisionByZero) {
				t.Errorf("Value of %q is %v, %v, want a division by zero", test.text, value, err)
			}
			continue
		}
		if want, _ := new(big.Rat).SetString(test.value); err != nil || value.Cmp(want) != 0 {
			t.Errorf("Value of %.40q is %v, %v, want %s (%s)", test.text, value, err, test.value, test.why)
		}
	}
}

// Fractions of machine integers agree with big.Rat.
func FuzzArithmetic(f *testing.F) {
	f.Add("1/(5/6-1)*-3")
	f.Add("((7)/3 - 1/3)/(2-2)")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := ReadArithmetic(text)
		if err != nil || len(a.Numbers) > 50 {
			return
		}
		got, err := a.Value()
		want, wantErr := evaluate(a.text, newRat, applyRat)
		if !errors.Is(err, wantErr) || err == nil && got.Cmp(want) != 0 {
			t.Errorf("Value of %q is %v, %v, want %v, %v", text, got, err, want, wantErr)
		}
	})
}

func TestSpace(t *testing.T) {
	const text = "\x1c a\u3000b\tc\u00a0\n"
	if got, want := Fields(text), []string{"a", "b", "c"}; !slices.Equal(got, want) {
		t.Errorf("Fields(%q) = %q, want %q", text, got, want)
	}
	if got, want := Trim(text), "a\u3000b\tc"; got != want {
		t.Errorf("Trim(%q) = %q, want %q", text, got, want)
	}
	if got, want := TrimRight(text), "\x1c a\u3000b\tc"; got != want {
		t.Errorf("TrimRight(%q) = %q, want %q", text, got, want)
	}
	if got, want := Squeeze(text+" 1  2 \r\n\n"), "a b c\n1 2\n\n"; got != want {
		t.Errorf("Squeeze gives %q, want %q", got, want)
	}
	if got, want := Solid(text), "abc"; got != want {
		t.Errorf("Solid(%q) = %q, want %q", text, got, want)
	}
}
