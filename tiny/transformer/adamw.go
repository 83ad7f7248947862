package transformer

import (
	"errors"
	"fmt"
	"math"
)

// AdamSettings are the settings of [AdamW]. Each field's comment says what zero means.
type AdamSettings struct {
	Rate        float64 `json:"rate"`         // learning rate; 0: 0.001
	Beta1       float64 `json:"beta1"`        // decay of the mean of gradients; 0: 0.9
	Beta2       float64 `json:"beta2"`        // decay of the mean of squared gradients; 0: 0.95
	Epsilon     float64 `json:"epsilon"`      // added to the root of the mean square; 0: 1e-8
	WeightDecay float64 `json:"weight_decay"` // times the rate; applies to all tensors but embeddings and shifts; 0: none
	Clip        float64 `json:"clip"`         // limit on the joint norm of all gradients; 0: no limit
	WarmUp      int     `json:"warm_up"`      // steps over which the rate rises to its full value; 0: none

	// Muon multiplies the rate for the matrices of the layers, which Muon then updates;
	// 0: AdamW updates them like all others.
	Muon float64 `json:"muon,omitempty"`
}

// Check reports the first invalid setting.
func (s AdamSettings) Check() error {
	for _, f := range []struct {
		name  string
		value float64
		below float64
	}{
		{"rate", s.Rate, math.Inf(1)},
		{"beta1", s.Beta1, 1},
		{"beta2", s.Beta2, 1},
		{"epsilon", s.Epsilon, math.Inf(1)},
		{"weight_decay", s.WeightDecay, math.Inf(1)},
		{"clip", s.Clip, math.Inf(1)},
		{"warm_up", float64(s.WarmUp), math.Inf(1)},
		{"muon", s.Muon, math.Inf(1)},
	} {
		if !(f.value >= 0 && f.value < f.below) {
			return fmt.Errorf("%s is %v, want 0 or more, and below %v", f.name, f.value, f.below)
		}
	}
	return nil
}

// filled returns s with defaults in place of zeros.
func (s AdamSettings) filled() AdamSettings {
	or := func(x *float64, value float64) {
		if *x == 0 {
			*x = value
		}
	}
	or(&s.Rate, 1e-3)
	or(&s.Beta1, 0.9)
	or(&s.Beta2, 0.95)
	or(&s.Epsilon, 1e-8)
	return s
}

// AdamW is the optimiser of Loshchilov and Hutter, "Decoupled Weight Decay
// Regularization" (2019), for one model. Only one goroutine may use it at a time.
type AdamW struct {
	// Settings may change between steps, for example the rate.
	Settings AdamSettings

	steps  int
	first  []float32 // mean of the gradients, laid out like the parameters
	second []float32 // mean of the squared gradients; zero where Muon updates

	jobs    []muonJob     // reused from step to step
	scratch []muonScratch // likewise, one per goroutine
}

// NewAdamW returns a new optimiser for models of m's sizes.
func NewAdamW(m *Model, s AdamSettings) (*AdamW, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if s.Muon > 0 && m.config.Rank > 0 {
		return nil, errors.New("muon is for models without adapters, want 0")
	}
	return &AdamW{Settings: s, first: make([]float32, len(m.params)), second: make([]float32, len(m.params))}, nil
}

// Steps returns the number of steps taken so far.
func (o *AdamW) Steps() int { return o.steps }

// A StepReport describes one step of [AdamW].
type StepReport struct {
	Norm float64 // joint norm of all gradients, before clipping
	Rate float64 // learning rate after warm-up
}

// adamChunk is the number of parameters in one goroutine's unit of work.
const adamChunk = 1 << 14

// Step updates the parameters of m by gradients of the same layout, and does not change
// the gradients. For a NaN or infinite gradient, it changes nothing and returns
// [ErrNotFinite]. It panics if m has other sizes.
func (o *AdamW) Step(m *Model, grads []float32) (StepReport, error) {
	if len(m.params) != len(o.first) || len(grads) != len(o.first) {
		panic("transformer: optimiser, model and gradients differ in size")
	}
	set := o.Settings.filled()
	report := StepReport{Norm: norm(grads)}
	if math.IsNaN(report.Norm) || math.IsInf(report.Norm, 0) {
		return report, fmt.Errorf("norm of the gradients is %v: %w", report.Norm, ErrNotFinite)
	}
	o.steps++
	report.Rate = set.Rate
	if o.steps < set.WarmUp {
		report.Rate *= float64(o.steps) / float64(set.WarmUp)
	}
	u := update{
		scale: 1,
		beta1: float32(set.Beta1), beta2: float32(set.Beta2), epsilon: float32(set.Epsilon),
		rest1: 1 - float32(set.Beta1), rest2: 1 - float32(set.Beta2),
		rate:   float32(report.Rate / (1 - math.Pow(set.Beta1, float64(o.steps)))),
		unbias: float32(1 / (1 - math.Pow(set.Beta2, float64(o.steps)))),
	}
	if set.Clip > 0 && report.Norm > set.Clip {
		u.scale = float32(set.Clip / report.Norm)
	}
	if set.Muon > 0 {
		rate := report.Rate * set.Muon
		o.muon(m, grads, update{scale: u.scale, rate: float32(rate), keep: float32(1 - rate*set.WeightDecay)})
	}
	at := 0
	for i, t := range m.tensors {
		u.keep = 1
		if t.decays {
			u.keep = float32(1 - report.Rate*set.WeightDecay)
		}
		if set.Muon == 0 || !steppedByMuon(i) {
			o.stepTensor(t.Data, grads[at:at+len(t.Data)], at, u)
		}
		at += len(t.Data)
	}
	return report, nil
}

// stepTensor updates one tensor; its parameters begin at index at of the model's.
func (o *AdamW) stepTensor(params, grads []float32, at int, u update) {
	chunks := (len(params) + adamChunk - 1) / adamChunk
	parallel(chunks, workers(), func(_, i int) {
		lo, hi := i*adamChunk, min((i+1)*adamChunk, len(params))
		m := moments{o.first[at+lo : at+hi], o.second[at+lo : at+hi]}
		kernels.stepAdam(params[lo:hi], grads[lo:hi], m, &u)
	})
}

// moments holds parts of the two means of an optimiser.
type moments struct{ first, second []float32 }

// An update is one step, the same for every parameter of a tensor.
type update struct {
	scale        float32 // clipping factor of the gradients
	beta1, beta2 float32
	rest1, rest2 float32 // 1 minus these
	epsilon      float32
	rate         float32 // learning rate, corrected for the bias of the first mean
	unbias       float32 // corrects the bias of the second mean
	keep         float32 // share of the parameter that weight decay leaves
}

// stepAdamPlain takes a step in plain Go. All slices have the same length, a multiple of
// lanes.
func stepAdamPlain(params, grads []float32, m moments, u *update) {
	first, second, grads := m.first[:len(params)], m.second[:len(params)], grads[:len(params)]
	for i, p := range params {
		g := grads[i] * u.scale
		a := u.beta1*first[i] + u.rest1*g
		b := u.beta2*second[i] + u.rest2*g*g
		first[i], second[i] = a, b
		params[i] = p*u.keep - u.rate*a/(float32(math.Sqrt(float64(b*u.unbias)))+u.epsilon)
	}
}

// norm returns the root of the sum of squares.
func norm(s []float32) float64 {
	var sum float64
	for _, x := range s {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}
