package transformer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// kin lists shapes of models that people have, small: of SmolLM2, Llama 3, Qwen 2 and Qwen 3.
var kin = []Config{
	{Vocab: 37, Context: 70, Layers: 2, Width: 48, Heads: 3, Hidden: 80, Rank: 16, Alpha: 32, KVHeads: 1, Tied: true, Epsilon: 1e-5, RotaryBase: 100000},
	{Vocab: 33, Context: 48, Layers: 1, Width: 64, Heads: 4, Hidden: 48, Rank: 16, Alpha: 16, KVHeads: 2, Rotary: Scaling{8, 1, 4, 16}, RotaryBase: 500},
	{Vocab: 20, Context: 40, Layers: 2, Width: 32, Heads: 2, Hidden: 64, Rank: 32, Alpha: 8, Biases: true, Tied: true},
	{Vocab: 20, Context: 40, Layers: 2, Width: 32, Heads: 2, Hidden: 48, Rank: 16, Alpha: 16, KVHeads: 1, HeadWidth: 32, QKNorm: true},
	{Vocab: 37, Context: 70, Layers: 2, Width: 48, Heads: 3, Hidden: 80, Rank: 16, Alpha: 32, KVHeads: 1, Biases: true, BFloat16: true},
	{Vocab: 40, Context: 40, Layers: 2, Width: 64, Heads: 2, Hidden: 96, Rank: 16, Alpha: 16, QKNorm: true, Tied: true, BFloat16: true},
}

// tolerance is the rounding of a model's products: that of float32, or 1000 times that.
func (c Config) tolerance() float64 {
	if c.BFloat16 {
		return 0.1
	}
	return 1e-4
}

// adapted returns a model with random numbers in all tensors, and the frozen ones by name.
func adapted(tb testing.TB, c Config, seed uint64) (*Model, map[string][]float64) {
	tb.Helper()
	r := rand.New(rand.NewPCG(seed, 9))
	frozen := map[string][]float64{}
	m, err := Adapt(c, seed, func(t Tensor) error {
		for i := range t.Data {
			x := r.NormFloat64()
			switch {
			case t.Name == "embed" || t.Name == "head":
				x *= 0.4
			case strings.HasSuffix(t.Name, ".bias"):
				x *= 0.3
			case t.Rows == 1:
				x = 1 + 0.3*x
			default:
				x /= math.Sqrt(float64(t.Cols))
			}
			t.Data[i] = float32(x)
			if c.BFloat16 && t.Rows > 1 {
				x, _ := split(pair(t.Data[i], 0))
				t.Data[i] = x
			}
			frozen[t.Name] = append(frozen[t.Name], float64(t.Data[i]))
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	for _, t := range m.Tensors() {
		for i := range t.Data {
			t.Data[i] = float32(r.NormFloat64() / math.Sqrt(float64(t.Rows)) / 2)
		}
	}
	return m, frozen
}

// anyModel returns a model with random numbers in all tensors.
func anyModel(tb testing.TB, c Config, seed uint64) *Model {
	tb.Helper()
	if c.Rank == 0 {
		return shaken(c, seed)
	}
	m, _ := adapted(tb, c, seed)
	return m
}

// A llama is an independent implementation of a model with adapters, in float64 and one token at a time.
type llama struct {
	Config
	frozen, trained, constant map[string][]float64 // constant: the adapters for constant tokens
}

func newLlama(m *Model, frozen map[string][]float64) llama {
	l := llama{m.config, frozen, map[string][]float64{}, map[string][]float64{}}
	for _, t := range m.Tensors() {
		for _, x := range t.Data {
			l.trained[t.Name] = append(l.trained[t.Name], float64(x))
			l.constant[t.Name] = append(l.constant[t.Name], float64(x))
		}
	}
	return l
}

// linear multiplies x by a frozen matrix, and by a second matrix of adapters after part of a first one.
func (l llama) linear(x []float64, adapters map[string][]float64, layer, name string, first string, part int) []float64 {
	w := l.frozen[layer+name]
	y := make([]float64, len(w)/len(x))
	for i := range y {
		y[i] = inner(w[i*len(x):][:len(x)], x)
		if bias := l.frozen[layer+name+".bias"]; bias != nil {
			y[i] += bias[i]
		}
	}
	a, b := adapters[layer+first+".a"], adapters[layer+name+".b"]
	cols := len(a) / len(x)
	for k := range l.Rank {
		var rank float64
		for i, v := range x {
			rank += v * a[i*cols+part*l.Rank+k]
		}
		for i := range y {
			y[i] += l.Alpha / float64(l.Rank) * rank * b[k*len(y)+i]
		}
	}
	return y
}

func (l llama) rms(x []float64, gain string) []float64 {
	y := make([]float64, len(x))
	f := 1 / math.Sqrt(inner(x, x)/float64(len(x))+float64(l.epsilon()))
	for i := range x {
		y[i] = x[i] * f * l.frozen[gain][i]
	}
	return y
}

// scores returns log-probability and entropy of every token, after fixed constant ones.
func (l llama) scores(tokens []int32, fixed int) (logProbs, entropies []float64) {
	n, group := l.headWidth(), l.Heads/l.kvHeads()
	stream := make([][]float64, len(tokens))
	for i, token := range tokens {
		stream[i] = slices.Clone(l.frozen["embed"][int(token)*l.Width:][:l.Width])
	}
	for layer := range l.Layers {
		name := fmt.Sprintf("layers.%d.", layer)
		var keys, values [][]float64
		for i, x := range stream {
			adapters := l.trained
			if i < fixed-1 {
				adapters = l.constant
			}
			in := l.rms(x, name+"in")
			q := l.linear(in, adapters, name, "q", "qkv", 0)
			k := l.linear(in, adapters, name, "k", "qkv", 1)
			for h := 0; h < len(q); h += n {
				l.turn(q[h:h+n], name+"q.gain", i)
			}
			for h := 0; h < len(k); h += n {
				l.turn(k[h:h+n], name+"k.gain", i)
			}
			keys, values = append(keys, k), append(values, l.linear(in, adapters, name, "v", "qkv", 2))
			mixed := make([]float64, len(q))
			for h := range l.Heads {
				scores, at := make([]float64, i+1), h/group*n
				for j := range scores {
					scores[j] = inner(q[h*n:][:n], keys[j][at:][:n]) / math.Sqrt(float64(n))
				}
				for j, p := range soft(scores) {
					for d := range n {
						mixed[h*n+d] += p * values[j][at+d]
					}
				}
			}
			x = sum(x, l.linear(mixed, adapters, name, "out", "out", 0))
			mid := l.rms(x, name+"mid")
			units := l.linear(mid, adapters, name, "up", "gateup", 1)
			for j, g := range l.linear(mid, adapters, name, "gate", "gateup", 0) {
				units[j] *= g / (1 + math.Exp(-g))
			}
			stream[i] = sum(x, l.linear(units, adapters, name, "down", "down", 0))
		}
	}
	return l.predict(stream, tokens, fixed)
}

// turn normalises a head if it has gains, and rotates it.
func (l llama) turn(x []float64, gain string, pos int) {
	if l.QKNorm {
		copy(x, l.rms(x, gain))
	}
	half := len(x) / 2
	base := l.RotaryBase
	if base == 0 {
		base = 10000
	}
	for k := range half {
		freq := math.Pow(base, -float64(k)/float64(half))
		if s := l.Rotary; s.Factor > 0 {
			wave := 2 * math.Pi / freq
			blend := (float64(s.Context)/wave - s.Low) / (s.High - s.Low)
			switch {
			case wave > float64(s.Context)/s.Low:
				freq /= s.Factor
			case wave >= float64(s.Context)/s.High:
				freq = (1-blend)*freq/s.Factor + blend*freq
			}
		}
		sin, cos := math.Sincos(float64(pos) * freq)
		x[k], x[k+half] = x[k]*cos-x[k+half]*sin, x[k]*sin+x[k+half]*cos
	}
}

func (l llama) predict(stream [][]float64, tokens []int32, fixed int) (logProbs, entropies []float64) {
	logProbs, entropies = []float64{0}, []float64{0}
	head := l.frozen["head"]
	if l.Tied {
		head = l.frozen["embed"]
	}
	for i, x := range stream[:len(tokens)-1] {
		last, logits := l.rms(x, "last"), make([]float64, l.Vocab)
		for j := range logits {
			logits[j] = inner(last, head[j*l.Width:][:l.Width])
		}
		probs := soft(logits)
		var h float64
		for _, p := range probs {
			h -= p * math.Log(p)
		}
		logProb := math.Log(probs[tokens[i+1]])
		if i+1 < fixed {
			logProb, h = 0, 0
		}
		logProbs, entropies = append(logProbs, logProb), append(entropies, h)
	}
	return logProbs, entropies
}

// samples returns a batch of groups with constant prompts, some of which begin alike, the last one as all of it does, and two
// sequences without, and how many of their tokens are constant.
func samples(c Config) (batch [][]int32, fixed []int) {
	batch = family(c, sequences(c, 2, 14), 12, 3, 1)
	batch = family(c, batch, 10, 7, 5)
	batch = append(batch, sequences(c, 5, 12)...)
	batch = family(c, batch, 9, 2)
	batch = append(batch, sequences(c, 4, 9, 1)...)
	return batch, []int{12, 12, 12, 14, 14, 11, 9, 1, 0}
}

func TestAdaptedScoresAreThoseOfTheReference(t *testing.T) {
	t.Parallel()
	for i, c := range kin {
		m, frozen := adapted(t, c, uint64(i))
		batch, fixed := samples(c)
		for _, fixed := range [][]int{fixed, nil} {
			got, err := NewPass(m).Forward(batch, fixed)
			if err != nil {
				t.Fatal(err)
			}
			if fixed == nil {
				fixed = make([]int, len(batch))
			}
			for s, tokens := range batch {
				logProbs, entropies := newLlama(m, frozen).scores(tokens, fixed[s])
				near(t, fmt.Sprintf("%+v: log-probabilities of sequence %d", c, s), got.LogProbs[s], logProbs, c.tolerance())
				near(t, fmt.Sprintf("%+v: entropies of sequence %d", c, s), got.Entropies[s], entropies, c.tolerance())
			}
		}
	}
}

// TestAdaptedGradientsAreThoseOfTheReference compares the gradient of a random loss by every tensor, in random
// directions, with the difference quotient of the reference, with constant prompts and without.
func TestAdaptedGradientsAreThoseOfTheReference(t *testing.T) {
	t.Parallel()
	for i, c := range kin {
		m, frozen := adapted(t, c, uint64(i))
		batch, fixed := samples(c)
		for _, fixed := range [][]int{fixed, make([]int, len(batch))} {
			checkSlopes(t, m, newLlama(m, frozen), batch, fixed)
		}
	}
}

func checkSlopes(t *testing.T, m *Model, ref llama, batch [][]int32, fixed []int) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 3))
	dLogProbs, dEntropies := weightsOf(batch, r), weightsOf(batch, r)
	p := NewPass(m)
	if _, err := p.Forward(batch, fixed); err != nil {
		t.Fatal(err)
	}
	if err := p.Backward(dLogProbs, dEntropies); err != nil {
		t.Fatal(err)
	}
	loss := func() (l float64) {
		for s, tokens := range batch {
			logProbs, entropies := ref.scores(tokens, fixed[s])
			for t := 1; t < len(tokens); t++ {
				l += float64(dLogProbs[s][t])*logProbs[t] + float64(dEntropies[s][t])*entropies[t]
			}
		}
		return l
	}
	for _, tensor := range p.Gradients() {
		params := ref.trained[tensor.Name]
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
		if size := norm(tensor.Data); size == 0 || math.Abs(along-slope) > min(10*ref.tolerance(), 0.2)*size {
			t.Errorf("%+v: %s: the gradient gives the slope %v, want %v; its norm is %v", ref.Config, tensor.Name, along, slope, size)
		}
	}
}

// TestAdaptersBeginWithoutEffect compares a new model with one whose adapters count next to nothing.
func TestAdaptersBeginWithoutEffect(t *testing.T) {
	t.Parallel()
	for i, c := range kin {
		m, _ := adapted(t, c, uint64(i))
		fresh, err := blank(c)
		if err != nil {
			t.Fatal(err)
		}
		fresh.draw(7)
		if err := fresh.Attach(m); err != nil {
			t.Fatal(err)
		}
		for _, tensor := range m.Tensors() {
			clear(tensor.Data)
		}
		batch, fixed := samples(c)
		want, err := NewPass(m).Forward(batch, fixed)
		if err != nil {
			t.Fatal(err)
		}
		got, err := NewPass(fresh).Forward(batch, fixed)
		if err != nil {
			t.Fatal(err)
		}
		for s := range batch {
			if !slices.Equal(got.LogProbs[s], want.LogProbs[s]) {
				t.Errorf("%+v: sequence %d has %v, want %v", c, s, got.LogProbs[s], want.LogProbs[s])
			}
		}
	}
}

// TestAdaptersLearn raises the log-probabilities of some sequences, by way of a checkpoint, whose model gets the
// frozen tensors of the first.
func TestAdaptersLearn(t *testing.T) {
	t.Parallel()
	m, _ := adapted(t, kin[0], 1)
	o, err := NewAdamW(m, AdamSettings{Rate: 0.01, Clip: 1})
	if err != nil {
		t.Fatal(err)
	}
	batch, fixed := samples(m.Config())
	d, n := likelihood(batch)
	loss := func(p *Pass) (l float64) {
		scores, err := p.Forward(batch, fixed)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range scores.LogProbs {
			for _, x := range row {
				l -= float64(x) / float64(n)
			}
		}
		return l
	}
	p := NewPass(m)
	first := loss(p)
	for range 30 {
		data, err := (&Checkpoint{Model: m, Optimizer: o}).Bytes(Float32)
		if err != nil {
			t.Fatal(err)
		}
		c, err := ReadCheckpoint(data, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Model.Attach(m); err != nil {
			t.Fatal(err)
		}
		m, o, p = c.Model, c.Optimizer, NewPass(c.Model)
		loss(p)
		if err := p.Backward(d, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := o.Step(m, p.Grads()); err != nil {
			t.Fatal(err)
		}
	}
	if last := loss(p); !(last < first/2) {
		t.Errorf("the loss goes from %v to %v, want less than half", first, last)
	}
}

func TestAdaptRefuses(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why   string
		spoil func(*Config)
		read  func(Tensor) error
		want  string
	}{
		{"a tensor that cannot be read", func(*Config) {}, func(t Tensor) error { return fmt.Errorf("is missing") }, "embed: is missing"},
		{"nothing to train", func(c *Config) { *c = small[0] }, nil, "rank is 0"},
		{"heads that do not divide", func(c *Config) { c.KVHeads = 2 }, nil, "heads is 3"},
		{"no scale", func(c *Config) { c.Alpha = 0 }, nil, "alpha is 0"},
		{"half a scaling", func(c *Config) { c.Rotary.Factor = 8 }, nil, "rotary.low is 0"},
	} {
		c := kin[0]
		test.spoil(&c)
		if _, err := Adapt(c, 1, test.read); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
	}
}
