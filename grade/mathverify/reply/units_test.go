package reply_test

import (
	"math/big"
	"testing"

	"github.com/quintain-rl/quintain/grade/mathverify/reply"
)

func TestSplit(t *testing.T) {
	for _, test := range []struct {
		text, value string
		num, den    int64 // the size of the unit; num 0: there is none
	}{
		{"12 cm", "12", 1, 100},
		{`12\text{ cm}`, "12", 1, 100},
		{`3\,\mathrm{km}`, "3", 1000, 1},
		{"4 cm^2", "4", 1, 10_000},
		{`4\text{ cm}^2`, "4", 1, 10_000},
		{"4 square meters", "4", 1, 1},
		{"36 km/h", "36", 5, 18},
		{"30 miles per hour", "30", 1_397, 3_125},
		{`9.8\ \mathrm{m/s^2}`, "9.8", 1, 1},
		{`\$5.40`, "5.40", 100, 1},
		{"5.4 cents", "5.4", 1, 1},
		{`45^\circ`, "45", 1, 1},
		{`2\pi\text{ cm}`, `2\pi`, 1, 100},
		{`5\ \mu\text{m}`, "5", 1, 1_000_000},
		{"5 µs", "5", 1, 1_000_000},
		{"5 nm", "5", 1, 1_000_000_000},
		{`9\text{ cm}^{3}`, "9", 1, 1_000_000},
		{"3 J/(kg·K)", "3", 1, 1},
		{"3 J/kg·K", "3", 1, 1},
		{`3\text{ m s}^{-1}`, "3", 1, 1},
		{"3 meters per second squared", "3", 1, 1},
		{`12\frac{\text{km}}{\text{h}}`, "12", 5, 18},
		{`4.7\ \text{k}\Omega`, "4.7", 1_000_000, 1},
		{"€5", "5", 1, 1},
		{`25^\circ\text{C}`, "25", 1, 1},
		{"77 degrees Fahrenheit", "77", 5, 9},
		{"3 kWh", "3", 3_600_000_000, 1},
		{"12 apples", "", 0, 1},
		{"12", "", 0, 1},
		{"cm", "", 0, 1},
		{"x^2", "", 0, 1},
	} {
		value, unit, ok := reply.SplitUnit(test.text)
		if ok != (test.num != 0) || value != test.value || ok && unit.Size().Cmp(big.NewRat(test.num, test.den)) != 0 {
			t.Errorf("Split(%q) is %q, %v, %t; want %q, %d/%d", test.text, value, unit.Size(), ok, test.value, test.num, test.den)
		}
	}
}

func TestSum(t *testing.T) {
	for text, want := range map[string]string{
		"2 hours 30 minutes": "5/2", `60^\circ 42'`: "607/10", `30°15'36"`: "1513/50", `5\text{ ft } 6\text{ in}`: "11/2", "1 dollar and 25 cents": "5/4",
		"2 hours": "", "2 hours 30 cm": "", "2 hours 30": "",
	} {
		if value, _ := reply.SumUnit(text); value != want {
			t.Errorf("Sum(%q) is %q, want %q", text, value, want)
		}
	}
}

func TestSameDimension(t *testing.T) {
	for _, test := range []struct {
		a, b    string
		radians int
		same    bool
	}{
		{"cm", "miles", 0, true},
		{"km/h", "feet per second", 0, true},
		{"radians", "degrees", 1, true},
		{"degrees", "rad", -1, true},
		{"cm", "seconds", 0, false},
		{"cm", "cm^2", 0, false},
	} {
		a, _ := reply.UnitIn(test.a)
		b, _ := reply.UnitIn(test.b)
		if radians, same := a.SameDimension(b); same != test.same || same && radians != test.radians {
			t.Errorf("%q and %q: %d, %t", test.a, test.b, radians, same)
		}
	}
}
