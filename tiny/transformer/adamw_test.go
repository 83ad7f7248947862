package transformer

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestAdamWFollowsItsRule compares three steps with the rule, computed in float64 for
// each parameter alone.
func TestAdamWFollowsItsRule(t *testing.T) {
	t.Parallel()
	m := shaken(small[0], 1)
	set := AdamSettings{Rate: 0.1, Beta1: 0.8, Beta2: 0.9, Epsilon: 1e-3, WeightDecay: 0.5, Clip: 2, WarmUp: 2}
	o, err := NewAdamW(m, set)
	if err != nil {
		t.Fatal(err)
	}
	want := wide(m.Params())
	first, second := make([]float64, len(want)), make([]float64, len(want))
	for step := 1; step <= 3; step++ {
		grads := shaken(small[0], uint64(10+step)).Params()
		report, err := o.Step(m, grads)
		if err != nil {
			t.Fatal(err)
		}
		rate := 0.1 * min(1, float64(step)/2)
		if length := norm(grads); report.Norm != length || math.Abs(report.Rate-rate) > 1e-12 || length < 2 {
			t.Errorf("step %d: report %+v, want norm %v and rate %v", step, report, length, rate)
		}
		at := 0
		for _, tensor := range m.Tensors() {
			for range tensor.Data {
				g := float64(grads[at]) * 2 / report.Norm
				first[at] = 0.8*first[at] + 0.2*g
				second[at] = 0.9*second[at] + 0.1*g*g
				if tensor.Name != "embed" && !strings.HasSuffix(tensor.Name, "shift") {
					want[at] -= rate * 0.5 * want[at]
				}
				mean, square := first[at]/(1-math.Pow(0.8, float64(step))), second[at]/(1-math.Pow(0.9, float64(step)))
				want[at] -= rate * mean / (math.Sqrt(square) + 1e-3)
				at++
			}
		}
	}
	near(t, "parameters", m.Params(), want, 1e-5)
	if o.Steps() != 3 {
		t.Errorf("%d steps, want 3", o.Steps())
	}
}

func TestStepRefusesNaN(t *testing.T) {
	t.Parallel()
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		m := shaken(small[0], 1)
		o, err := NewAdamW(m, AdamSettings{})
		if err != nil {
			t.Fatal(err)
		}
		was := slices.Clone(m.Params())
		grads := make([]float32, len(was))
		grads[3], grads[4] = 1, float32(bad)
		if _, err := o.Step(m, grads); !errors.Is(err, ErrNotFinite) {
			t.Errorf("gradient %v: error %v", bad, err)
		}
		if !slices.Equal(m.Params(), was) || o.Steps() != 0 || slices.Max(o.first) != 0 {
			t.Errorf("gradient %v changed something", bad)
		}
	}
}

func TestAdamSettingsCheck(t *testing.T) {
	t.Parallel()
	for _, s := range []AdamSettings{
		{Rate: -1}, {Rate: math.NaN()}, {Rate: math.Inf(1)}, {Beta1: 1}, {Beta2: -0.1}, {Beta2: 1},
		{Epsilon: -1}, {WeightDecay: -1}, {Clip: -1}, {Clip: math.NaN()}, {WarmUp: -1}, {Muon: -1},
	} {
		if _, err := NewAdamW(shaken(small[0], 1), s); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}
