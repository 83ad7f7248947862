package transformer

import (
	"math"
	"math/rand/v2"
	"slices"
)

// reference is an independent implementation of the model, in float64 and one token at a
// time, for comparison.
type reference struct {
	Config
	params map[string][]float64
}

func newReference(m *Model) reference {
	r := reference{m.Config(), map[string][]float64{}}
	for _, t := range m.Tensors() {
		for _, x := range t.Data {
			r.params[t.Name] = append(r.params[t.Name], float64(x))
		}
	}
	return r
}

// scores returns the log-probability and entropy of every token of a sequence.
func (r reference) scores(tokens []int32) (logProbs, entropies []float64) {
	logProbs, entropies = []float64{0}, []float64{0}
	stream := make([][]float64, len(tokens))
	for i, token := range tokens {
		stream[i] = append([]float64(nil), r.params["embed"][int(token)*r.Width:][:r.Width]...)
	}
	for l := range r.Layers {
		name := "layers." + string(rune('0'+l)) + "."
		r.attend(stream, name)
		for i, x := range stream {
			hidden := product(rms(x), r.params[name+"up"], r.Hidden)
			for j, h := range hidden {
				hidden[j] = math.Max(h, 0) * math.Max(h, 0)
			}
			stream[i] = sum(x, product(hidden, r.params[name+"down"], r.Width))
		}
	}
	for i, x := range stream[:len(tokens)-1] {
		logits := make([]float64, r.Vocab)
		for j := range logits {
			logits[j] = inner(rms(x), r.params["head"][j*r.Width:][:r.Width])
		}
		probs := soft(logits)
		logProbs = append(logProbs, math.Log(probs[tokens[i+1]]))
		var h float64
		for _, p := range probs {
			h -= p * math.Log(p)
		}
		entropies = append(entropies, h)
	}
	return logProbs, entropies
}

func (r reference) attend(stream [][]float64, layer string) {
	n := r.Width / r.Heads
	made := make([][]float64, len(stream))
	for i, x := range stream {
		in := rms(x)
		if i > 0 {
			for j, y := range rms(stream[i-1]) {
				in[j] += r.params[layer+"shift"][j] * y
			}
		}
		made[i] = product(in, r.params[layer+"qkv"], 3*r.Width)
		for h := range 2 * r.Heads {
			rotate(made[i][h*n:][:n], i)
		}
	}
	after := make([][]float64, len(stream))
	for i := range stream {
		mixed := make([]float64, r.Width)
		for h := range r.Heads {
			scores := make([]float64, i+1)
			for j := range scores {
				scores[j] = inner(made[i][h*n:][:n], made[j][r.Width+h*n:][:n]) / math.Sqrt(float64(n))
			}
			for j, p := range soft(scores) {
				for k := range n {
					mixed[h*n+k] += p * made[j][2*r.Width+h*n+k]
				}
			}
		}
		after[i] = sum(stream[i], product(mixed, r.params[layer+"out"], r.Width))
	}
	copy(stream, after)
}

func rotate(x []float64, pos int) {
	half := len(x) / 2
	for k := range half {
		angle := float64(pos) * math.Pow(rotaryBase, -float64(k)/float64(half))
		a, b := x[k], x[k+half]
		x[k] = a*math.Cos(angle) - b*math.Sin(angle)
		x[k+half] = a*math.Sin(angle) + b*math.Cos(angle)
	}
}

func rms(x []float64) []float64 {
	f := 1 / math.Sqrt(inner(x, x)/float64(len(x))+normEps)
	y := make([]float64, len(x))
	for i := range x {
		y[i] = x[i] * f
	}
	return y
}

func product(x, w []float64, cols int) []float64 {
	y := make([]float64, cols)
	for i := range x {
		for j := range y {
			y[j] += x[i] * w[i*cols+j]
		}
	}
	return y
}

func soft(x []float64) []float64 {
	y := make([]float64, len(x))
	var total float64
	for i := range x {
		y[i] = math.Exp(x[i])
		total += y[i]
	}
	for i := range y {
		y[i] /= total
	}
	return y
}

func inner(x, y []float64) (s float64) {
	for i := range x {
		s += x[i] * y[i]
	}
	return s
}

func sum(x, y []float64) []float64 {
	z := make([]float64, len(x))
	for i := range x {
		z[i] = x[i] + y[i]
	}
	return z
}

func shaken(c Config, seed uint64) *Model {
	m, err := New(c, seed)
	if err != nil {
		panic(err)
	}
	r := rand.New(rand.NewPCG(seed, 7))
	for _, t := range m.Tensors() {
		spread := 1 / math.Sqrt(float64(t.Rows))
		if t.Name == "embed" || t.Name == "head" {
			spread = 0.7
		}
		for i := range t.Data {
			t.Data[i] = float32(r.NormFloat64() * spread)
		}
	}
	return m
}

// sequences draws token sequences of the given lengths.
func sequences(c Config, seed uint64, lengths ...int) [][]int32 {
	r := rand.New(rand.NewPCG(seed, 8))
	batch := make([][]int32, len(lengths))
	for s, n := range lengths {
		for range n {
			batch[s] = append(batch[s], int32(r.IntN(c.Vocab)))
		}
	}
	return batch
}

// family adds sequences to a batch that begin with the first shared tokens of its last
// sequence. Each has the given number of further tokens.
func family(c Config, batch [][]int32, shared int, longer ...int) [][]int32 {
	trunk := batch[len(batch)-1][:shared]
	for i, tokens := range sequences(c, uint64(100+shared), longer...) {
		child := slices.Concat(trunk, tokens)
		if len(tokens) > 0 { // make the next token differ from the one in the sequence before
			child[shared] = (batch[len(batch)-1][min(shared, len(batch[len(batch)-1])-1)] + 1 + int32(i)) % int32(c.Vocab)
		}
		batch = append(batch, child)
	}
	return batch
}
