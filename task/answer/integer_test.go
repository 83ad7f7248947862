package answer

import (
	"math"
	"strings"
	"testing"
)

func TestReadInteger(t *testing.T) {
	for _, test := range []struct{ text, want, why string }{
		{"0", "0", ""},
		{"00", "0", "nothing but zeros"},
		{"-0x0", "0", ""},
		{"0x1F", "31", ""},
		{"0X1f", "31", ""},
		{" -0x1f\n", "-31", ""},
		{"+31", "31", ""},
		{"0o37", "31", ""},
		{"0b11111", "31", ""},
		{"0x_1_f", "31", "underscores"},
		{"3_1", "31", ""},
		{"0_0", "0", ""},
		{"0x001f", "31", "leading zeros"},
		{"٣١", "31", "digits of another script"},
		{"０x1f", "31", ""},
		{"\u00a031\u2003", "31", "space beyond ASCII"},
		{"0x" + strings.Repeat("0", 50_000) + "1f", "31", "many leading zeros"},
	} {
		if n, ok := ReadInteger(test.text); !ok || n.String() != test.want {
			t.Errorf("%.40q: %v, %v; want %s (%s)", test.text, n, ok, test.want, test.why)
		}
	}
	for _, text := range []string{
		"", " ", "-", "+", "0x", "0x_", "0x1__f", "0x1f_", "_31", "31_", "031", "0_1", "1f", "0xg", "0o8", "0b2", "31.0", "3e1", "- 31", "--31", "+-31", "0x-1f", "0x+1f", "3 1", "0x 1f",
		"\x0031", "31\x00", "3\u00a01", "0x1f,", "0x1f)", "²", "-_1", "0x__1", strings.Repeat("9", mostDecimals+1), "0x" + strings.Repeat("f", mostDigits+1),
	} {
		if n, ok := ReadInteger(text); ok {
			t.Errorf("%.40q: %v", text, n)
		}
	}
}

func TestReadInt(t *testing.T) {
	for _, test := range []struct {
		text string
		want int64
	}{{"31", 31}, {" +31\n", 31}, {"-0031", -31}, {"3_1", 31}, {"٣١", 31}, {"00", 0}, {"-0", 0}, {strings.Repeat("0", 50) + "5", 5}, {"9223372036854775807", math.MaxInt64}} {
		if n, ok := ReadInt(test.text); !ok || n != test.want {
			t.Errorf("%q: %d, %v; want %d", test.text, n, ok, test.want)
		}
	}
	for _, text := range []string{"", "-", "+-3", "0x1f", "3.0", "1e3", "_3", "3_", "3__1", "-_3", "3 1", "9223372036854775808", strings.Repeat("0", mostDecimals) + "1"} {
		if n, ok := ReadInt(text); ok {
			t.Errorf("%.40q: %d", text, n)
		}
	}
}
