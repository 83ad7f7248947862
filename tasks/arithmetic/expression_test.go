package arithmetic

import (
	"strings"
	"testing"
)

func TestExpressionsRead(t *testing.T) {
	for _, test := range []struct{ text, want, why string }{
		{"7", "7", ""},
		{"2+3*4", "14", "products first"},
		{"2 - 3 - 4", "-5", "from left to right"},
		{"100 / 5 / 2", "10", ""},
		{"8 / 2 * 4", "16", ""},
		{"( ( 376 + -405 ) )", "-29", "brackets around all"},
		{"9 * -( -( -( 2 - 3 / 1 ) ) + 4 ) - 4", "-31", "a minus in front of brackets"},
		{"--5", "5", "two of them"},
		{"-2*-3", "6", ""},
		{"5--3", "8", ""},
		{"7 / 2", "3", "rounded down"},
		{"-7 / 2", "-4", "also below zero"},
		{"7 / -2", "-4", ""},
		{"-7 / -2", "3", ""},
		{"-6 / 2", "-3", ""},
		{"1 << 3 + 1", "16", "shifts come last"},
		{"-5 >> 1", "-3", "and round down"},
		{"1 << 64", "18446744073709551616", ""},
		{strings.Repeat("9", 30) + " + 1", "1" + strings.Repeat("0", 30), "a large number"},
		{strings.Repeat("(", 20_000) + "1" + strings.Repeat(")", 20_000), "1", "deep brackets"},
		{strings.Repeat("-", 20_000) + "1", "1", "many signs"},
	} {
		if got, ok := evaluated(wholes(10, withShifts), test.text); !ok || got.big().String() != test.want {
			t.Errorf("%.60s = %v, %v; want %s (%s)", test.text, got, ok, test.want, test.why)
		}
	}
}

func TestExpressionsRefuse(t *testing.T) {
	for _, text := range []string{
		"", " ", "+5", "5 +", "5 5", "5 % 2", "5 ** 2", "5 // 2", "()", "(5", "5)", ")5(", "(5 +)", "5 (6)", "a", "5 / 0", "5 < 1", "5 <", "5 <> 1", "5 << 65", "5 << -1", "5 >> 99999999999999999999",
		"1.5", "1e5", "0x10", "5 - - ", "\n5", "5;", "٣", strings.Repeat("1+", maxExpression) + "1",
	} {
		if got, ok := evaluated(wholes(10, withShifts), text); ok {
			t.Errorf("%.60q = %v", text, got)
		}
	}
}
