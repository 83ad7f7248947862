package arithmetic

import (
	"strings"
	"testing"
)

func TestReadInt(t *testing.T) {
	for _, test := range []struct {
		text string
		want int
		ok   bool
	}{
		{"7", 7, true},
		{" -007\n", -7, true},
		{"+1_000", 1000, true},
		{"٣٠", 30, true},
		{"0", 0, true},
		{"-0", 0, true},
		{"999999999999999999", 999_999_999_999_999_999, true},
		{"1000000000000000000", 0, false},
		{strings.Repeat("0", 50) + "5", 5, true},
		{strings.Repeat("9", 5000), 0, false},
		{"1.0", 0, false},
		{"1e3", 0, false},
		{"1 2", 0, false},
		{"0x1f", 0, false},
		{"-", 0, false},
		{"", 0, false},
	} {
		if got, ok := readInt(test.text); got != test.want || ok != test.ok {
			t.Errorf("readInt(%.20q) = %d, %v; want %d, %v", test.text, got, ok, test.want, test.ok)
		}
	}
}
