package transformer

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// small lists sizes that reach every edge case of the kernels.
var small = []Config{
	{Vocab: 7, Context: 40, Layers: 1, Width: 16, Heads: 1, Hidden: 16},
	{Vocab: 37, Context: 40, Layers: 2, Width: 32, Heads: 2, Hidden: 48},
	{Vocab: 18, Context: 70, Layers: 3, Width: 64, Heads: 2, Hidden: 48},
	{Vocab: lookupMost + 1, Context: 40, Layers: 1, Width: 16, Heads: 1, Hidden: 16},
}

func TestScoresAreThoseOfTheReference(t *testing.T) {
	t.Parallel()
	for i, c := range small {
		m := shaken(c, uint64(i))
		batch := family(c, sequences(c, 1, 2, 1, 17, c.Context, 5, 33, 16, 3, 36), 19, 3, 0, 18)
		got, err := NewPass(m).Forward(batch, nil)
		if err != nil {
			t.Fatal(err)
		}
		ref := newReference(m)
		for s, tokens := range batch {
			logProbs, entropies := ref.scores(tokens)
			near(t, fmt.Sprintf("%+v: log-probabilities of sequence %d", c, s), got.LogProbs[s], logProbs, 1e-4)
			near(t, fmt.Sprintf("%+v: entropies of sequence %d", c, s), got.Entropies[s], entropies, 1e-4)
		}
	}
}

// near checks that got equals want within a tolerance.
func near(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(float64(got[i])-want[i]) <= tolerance) {
			t.Fatalf("%s: [%d] is %v, want %v", what, i, got[i], want[i])
		}
	}
}

// weightsOf draws the derivatives of a loss.
func weightsOf(batch [][]int32, r *rand.Rand) (d [][]float32) {
	for _, tokens := range batch {
		row := make([]float32, len(tokens))
		for i := range row {
			row[i] = float32(r.NormFloat64())
		}
		d = append(d, row)
	}
	return d
}

// TestGradientsAreThoseOfTheReference compares the gradient of a random loss by every
// tensor, in random directions, with the difference quotient of the reference.
func TestGradientsAreThoseOfTheReference(t *testing.T) {
	t.Parallel()
	for i, c := range small {
		m := shaken(c, uint64(i))
		batch := family(c, sequences(c, 2, 19, 3, 34), 21, 4, 17, 1)
		r := rand.New(rand.NewPCG(3, 3))
		dLogProbs, dEntropies := weightsOf(batch, r), weightsOf(batch, r)
		dEntropies[1] = make([]float32, len(batch[1]))
		p := NewPass(m)
		if _, err := p.Forward(batch, nil); err != nil {
			t.Fatal(err)
		}
		if err := p.Backward(dLogProbs, dEntropies); err != nil {
			t.Fatal(err)
		}
		ref := newReference(m)
		loss := func() (l float64) {
			for s, tokens := range batch {
				logProbs, entropies := ref.scores(tokens)
				for t := 1; t < len(tokens); t++ {
					l += float64(dLogProbs[s][t])*logProbs[t] + float64(dEntropies[s][t])*entropies[t]
				}
			}
			return l
		}
		for _, tensor := range p.Gradients() {
			params := ref.params[tensor.Name]
			var along float64
			direction := make([]float64, len(params))
			for j, g := range tensor.Data {
				direction[j] = r.NormFloat64()
				along += float64(g) * direction[j]
			}
			const h = 1e-6
			move(params, direction, h)
			up := loss()
			move(params, direction, -2*h)
			slope := (up - loss()) / (2 * h)
			move(params, direction, h)
			if size := norm(tensor.Data); size == 0 || math.Abs(along-slope) > 1e-3*size {
				t.Errorf("%+v: %s: the gradient gives the slope %v, want %v; its norm is %v", c, tensor.Name, along, slope, size)
			}
		}
	}
}

// move adds h times a direction.
func move(params, direction []float64, h float64) {
	for i, d := range direction {
		params[i] += h * d
	}
}

// TestGradientsAddUp compares the sum over micro-batches with the gradient of the whole
// batch.
func TestGradientsAddUp(t *testing.T) {
	t.Parallel()
	c := small[1]
	m := shaken(c, 1)
	batch := family(c, sequences(c, 2, 19, 3, 34, 1, 8, 40), 30, 5, 0, 10)
	batch = family(c, append(batch, batch[3]), 1, 30, 12) // this one shares too little
	d := weightsOf(batch, rand.New(rand.NewPCG(3, 3)))
	whole, parts := NewPass(m), NewPass(m)
	run(t, whole, batch, d)
	if len(whole.tokens) >= 190 {
		t.Errorf("%d rows, want fewer: some must be shared", len(whole.tokens))
	}
	for s := range batch { // alone, a sequence shares nothing
		run(t, parts, batch[s:s+1], d[s:s+1])
	}
	for i, want := range whole.Grads() {
		if got := parts.Grads()[i]; !(math.Abs(float64(got-want)) < 1e-4) {
			t.Fatalf("parameter %d: %v in parts, %v in one batch", i, got, want)
		}
	}
}

// run makes a forward and a backward pass with a batch.
func run(t testing.TB, p *Pass, batch [][]int32, d [][]float32) Scores {
	t.Helper()
	scores, err := p.Forward(batch, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Backward(d, nil); err != nil {
		t.Fatal(err)
	}
	return scores
}

// TestSameBitsOnAnyNumberOfProcessors trains a few steps, and samples, with several values of
// GOMAXPROCS and with each set of kernels in assembly. A run may go on on another machine.
func TestSameBitsOnAnyNumberOfProcessors(t *testing.T) {
	best := kernels
	defer func() { kernels = best }()
	train := func(c Config, set kernelSet, procs int) []float32 {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		kernels = set
		m := anyModel(t, c, 1)
		p := NewPass(m)
		o, err := NewAdamW(m, AdamSettings{Rate: 0.01, Clip: 1, WeightDecay: 0.1, WarmUp: 2, Muon: float64(3 * max(0, 1-c.Rank))})
		if err != nil {
			t.Fatal(err)
		}
		for step := range 4 {
			batch := family(c, sequences(c, uint64(step), 19, 3, 34, 1, 8, 40, 40, 22), 20, 7, 20, 1)
			clear(p.Grads())
			run(t, p, batch, weightsOf(batch, rand.New(rand.NewPCG(3, uint64(step)))))
			if c.Rank > 0 { // constant prompts that begin alike, too
				batch, fixed := samples(c)
				if _, err := p.Forward(batch, fixed); err != nil {
					t.Fatal(err)
				}
				if err := p.Backward(weightsOf(batch, rand.New(rand.NewPCG(4, uint64(step)))), nil); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := o.Step(m, p.Grads()); err != nil {
				t.Fatal(err)
			}
		}
		return append(m.Params(), sampled(t, m)...)
	}
	for _, c := range []Config{small[1], kin[0], kin[4]} {
		want := train(c, best, 1)
		for _, procs := range []int{2, 3, 8} {
			if !slices.Equal(train(c, best, procs), want) {
				t.Errorf("%+v: GOMAXPROCS %d gives other numbers than 1", c, procs)
			}
		}
		for _, set := range available() {
			if other := set.name == plain.name || c.BFloat16 && set.bfloat16 != best.bfloat16; !other && !slices.Equal(train(c, set, 2), want) {
				t.Errorf("%+v: %s gives other numbers than %s", c, set.name, best.name)
			}
		}
	}
}

// sampled returns the logits of sequences that a decoder samples together.
func sampled(t *testing.T, m *Model) (logits []float32) {
	t.Helper()
	d, err := NewDecoder(m, 5)
	if err != nil {
		t.Fatal(err)
	}
	slots, next, src := []int{0, 1, 2, 3, 4}, make([]int32, 5), rand.NewChaCha8([32]byte{1})
	for s := range slots {
		if _, err := d.Append(s, sequences(m.config, 1, 1+3*s)[0]); err != nil {
			t.Fatal(err)
		}
	}
	for range 20 {
		for s := range slots {
			logits = append(logits, d.Logits(s)...)
			draw, err := new(Sampler).Sample(d.Logits(s), Sampling{Temperature: 1}, src)
			if err != nil {
				t.Fatal(err)
			}
			next[s] = draw.Token
		}
		if err := d.Step(slots, next); err != nil {
			t.Fatal(err)
		}
	}
	return logits
}

// TestScoresDoNotDependOnTheBatch scores sequences alone and together.
func TestScoresDoNotDependOnTheBatch(t *testing.T) {
	t.Parallel()
	c := small[1]
	p := NewPass(shaken(c, 1))
	batch := family(c, sequences(c, 2, 19, 3, 34, 1, 8, 40, 40, 22), 21, 7, 19, 1, 0)
	scores, err := p.Forward(batch, nil)
	if err != nil {
		t.Fatal(err)
	}
	for s := range batch {
		want, entropies := slices.Clone(scores.LogProbs[s]), slices.Clone(scores.Entropies[s])
		alone, err := NewPass(p.net.model).Forward(batch[s:s+1], nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(alone.LogProbs[0], want) || !slices.Equal(alone.Entropies[0], entropies) {
			t.Errorf("sequence %d: %v alone, %v in the batch", s, alone.LogProbs[0], want)
		}
	}
}

func TestNewModelIsUniform(t *testing.T) {
	t.Parallel()
	c := small[1]
	m, err := New(c, 5)
	if err != nil {
		t.Fatal(err)
	}
	scores, err := NewPass(m).Forward(sequences(c, 2, 9), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range scores.LogProbs[0][1:] {
		if math.Abs(float64(got)+math.Log(float64(c.Vocab))) > 1e-5 {
			t.Errorf("log-probability %v, want %v", got, -math.Log(float64(c.Vocab)))
		}
	}
}

// TestOverfit memorises a few sequences.
func TestOverfit(t *testing.T) {
	t.Parallel()
	c := Config{Vocab: 20, Context: 24, Layers: 2, Width: 32, Heads: 2, Hidden: 64}
	m, err := New(c, 5)
	if err != nil {
		t.Fatal(err)
	}
	o, err := NewAdamW(m, AdamSettings{Rate: 0.01, Clip: 1, WarmUp: 5})
	if err != nil {
		t.Fatal(err)
	}
	p := NewPass(m)
	batch := sequences(c, 2, 24, 13, 20, 7)
	for s, tokens := range batch {
		for i := range tokens {
			tokens[i] = 4 + tokens[i]%16
		}
		tokens[0] = int32(s) // identifies the sequence
	}
	d, n := likelihood(batch)
	var loss float64
	for range 150 {
		clear(p.Grads())
		loss = 0
		for _, row := range run(t, p, batch, d).LogProbs {
			for _, l := range row {
				loss -= float64(l) / float64(n)
			}
		}
		if _, err := o.Step(m, p.Grads()); err != nil {
			t.Fatal(err)
		}
	}
	if !(loss < 0.02) {
		t.Errorf("loss is %v after 150 steps, want less than 0.02", loss)
	}
}

// likelihood returns the derivative of the mean of -log p over all n scored tokens.
func likelihood(batch [][]int32) (d [][]float32, n int) {
	for _, tokens := range batch {
		n += len(tokens) - 1
	}
	for _, tokens := range batch {
		d = append(d, slices.Repeat([]float32{-1 / float32(n)}, len(tokens)))
	}
	return d, n
}

func TestForwardRefuses(t *testing.T) {
	t.Parallel()
	c := small[0]
	p := NewPass(shaken(c, 1))
	for _, test := range []struct {
		batch [][]int32
		want  string
	}{
		{[][]int32{{1}, {}}, "sequence 1 is empty"},
		{[][]int32{{1, 7}}, "sequence 0: token 1 is 7, but the vocabulary has 7"},
		{[][]int32{{-1}}, "token 0 is -1"},
		{[][]int32{make([]int32, c.Context+1)}, "41 tokens, but the context holds 40"},
	} {
		if _, err := p.Forward(test.batch, nil); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want %q", test.batch, err, test.want)
		}
	}
	if _, err := p.Forward([][]int32{make([]int32, c.Context+1)}, nil); !errors.Is(err, ErrContext) {
		t.Errorf("error %v, want ErrContext", err)
	}
	if err := p.Backward(nil, nil); err == nil {
		t.Error("backward without forward is accepted")
	}
	for _, d := range [][][]float32{{}, {{1, 2}}, {{1, 2, 3}, {1}}} {
		if _, err := p.Forward([][]int32{{1, 2, 3}}, nil); err != nil {
			t.Fatal(err)
		}
		if err := p.Backward(d, nil); err == nil {
			t.Errorf("derivatives %v are accepted", d)
		}
		if err := p.Backward([][]float32{{1, 2, 3}}, d); err == nil {
			t.Errorf("derivatives by entropies %v are accepted", d)
		}
	}
	if _, err := p.Forward(nil, nil); err != nil {
		t.Errorf("an empty batch: %v", err)
	}
	if err := p.Backward(nil, nil); err != nil {
		t.Errorf("an empty batch, backward: %v", err)
	}
}

// TestSharing lays out batches and checks which rows are shared.
func TestSharing(t *testing.T) {
	t.Parallel()
	of := func(shared, own int) []int32 { // followed by own tokens that no other sequence has
		tokens := slices.Repeat([]int32{7}, shared)
		for i := range own {
			tokens = append(tokens, int32(100*own+i))
		}
		return tokens
	}
	for _, test := range []struct {
		why   string
		batch [][]int32
		want  []int // shared rows of each sequence
	}{
		{"alone", [][]int32{of(30, 2)}, []int{0}},
		{"all but the last in common", [][]int32{of(30, 2), of(30, 3), of(30, 1)}, []int{29, 29, 29}},
		{"one is the beginning of the others", [][]int32{of(30, 0), of(30, 3), of(30, 1)}, []int{29, 29, 29}},
		{"equal", [][]int32{of(0, 30), of(0, 30)}, []int{29, 29}},
		{"too little in common", [][]int32{of(minShared, 2), of(minShared, 3)}, []int{0, 0}},
		{"just enough in common", [][]int32{of(minShared+1, 2), of(minShared+1, 3)}, []int{minShared, minShared}},
		{"two groups", [][]int32{of(30, 2), of(30, 3), of(0, 31), of(0, 31)}, []int{29, 29, 30, 30}},
		{"the third would cost more than it saves", [][]int32{of(60, 2), of(60, 3), of(20, 4), of(20, 5)}, []int{59, 59, 19, 19}},
		{"the third saves more than it costs", [][]int32{of(60, 2), of(60, 3), of(50, 4)}, []int{49, 49, 49}},
		{"short ones", [][]int32{{7}, {7}, {7, 7}}, []int{0, 0, 0}},
	} {
		var p plan
		p.lay(test.batch)
		for i, s := range p.batch {
			if s.shared != test.want[i] || s.all() != len(test.batch[i])-1 {
				t.Errorf("%s: sequence %d: %+v, want %d shared", test.why, i, s, test.want[i])
			}
		}
	}
}
