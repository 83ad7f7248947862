package answer_test

import (
	"math"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/answer"
)

func TestReadFloat(t *testing.T) {
	for _, test := range []struct {
		text string
		want float64
		ok   bool
	}{
		{" -1.5e1\n", -15, true},
		{"1_000.5", 1000.5, true},
		{"1__0", 0, false},
		{"_1", 0, false},
		{"1_", 0, false},
		{"1_.5", 0, false},
		{".5", 0.5, true},
		{"5.", 5, true},
		{"٣", 3, true},
		{"0x10", 0, false},
		{"1e999", math.Inf(1), true},
		{"-1e999", math.Inf(-1), true},
		{"1e-99999999999999999", 0, true},
		{"1e-999", 0, true},
		{"nan", 0, false},
		{"inf", 0, false},
		{"", 0, false},
		{"1 2", 0, false},
		{"0.1" + strings.Repeat("0", 2000) + "1", 0.1, true},
		{strings.Repeat("9", 100_000), math.Inf(1), true},
		{"𝟙𝟚.𝟛", 12.3, true},
		{"１２", 12, true},
		{"一", 0, false},
		{"𝔸", 0, false},
		{"0." + strings.Repeat("9", 100_000), 1, true},
	} {
		if got, ok := answer.ReadFloat(test.text); ok != test.ok || ok && got != test.want {
			t.Errorf("%.40q: %v, %v; want %v, %v", test.text, got, ok, test.want, test.ok)
		}
	}
}
