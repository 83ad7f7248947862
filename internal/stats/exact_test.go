package stats

import (
	"math"
	"testing"
)

func TestExact(t *testing.T) {
	for _, test := range []struct {
		sum        float64
		n          int
		confidence float64
		want       Interval
		why        string
	}{
		{0, 10, 0.95, Interval{0, 0.30850}, "the rule of three, exactly: 1 - 0.025^(1/10)"},
		{10, 10, 0.95, Interval{0.69150, 1}, "its mirror"},
		{5, 10, 0.95, Interval{0.18709, 0.81291}, "the textbook's table"},
		{16, 16, 0.999, Interval{0.62184, 1}, "0.0005^(1/16)"},
		{0, 0, 0.95, Interval{0, 1}, "nothing is known"},
		{200, 400, 0.999, Interval{0.41711, 0.58289}, "symmetric, near the normal approximation"},
	} {
		got := Exact(test.sum, test.n, test.confidence)
		if math.Abs(got.Low-test.want.Low) > 1e-4 || math.Abs(got.High-test.want.High) > 1e-4 {
			t.Errorf("%v of %d at %v: %+v, want %+v (%s)", test.sum, test.n, test.confidence, got, test.want, test.why)
		}
	}
	if a, b := Exact(2.5, 10, 0.95), Exact(3, 10, 0.95); !(a.Low < b.Low && a.High < b.High) {
		t.Errorf("a smaller sum has the interval %+v, and a larger %+v", a, b)
	}
}
