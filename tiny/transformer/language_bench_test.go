package transformer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// smol has the sizes of SmolLM2-135M.
var smol = Config{
	Vocab: 49152, Context: 512, Layers: 30, Width: 576, Heads: 9, Hidden: 1536, Rank: 16, Alpha: 32,
	KVHeads: 3, Tied: true, Epsilon: 1e-5, RotaryBase: 100000,
}

// eachPrecision runs a benchmark for a model of those sizes in each precision that this processor has.
func eachPrecision(b *testing.B, f func(b *testing.B, m *Model)) {
	for _, name := range []string{"float32", "bfloat16"} {
		c, x := smol, uint32(1)
		if c.BFloat16 = name == "bfloat16"; c.BFloat16 && !BFloat16() {
			continue
		}
		b.Run(name, func(b *testing.B) {
			m, err := Adapt(c, 1, func(t Tensor) error {
				for i := range t.Data {
					x = x*1664525 + 1013904223
					t.Data[i] = float32(int32(x)) / (1 << 31) / 16
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
			f(b, m)
		})
	}
}

// BenchmarkLanguageStep makes whole steps: it reads 8 prompts of 113 tokens, samples 8 replies of 8 or 9 tokens to
// each, and trains on them.
func BenchmarkLanguageStep(b *testing.B) { eachPrecision(b, benchmarkStep) }

func benchmarkStep(b *testing.B, m *Model) {
	d, err := NewDecoder(m, 64)
	if err != nil {
		b.Fatal(err)
	}
	o, err := NewAdamW(m, AdamSettings{Rate: 1e-4, Clip: 1})
	if err != nil {
		b.Fatal(err)
	}
	p, samplers := NewPass(m), make([]Sampler, d.Workers())
	fixed, batch := slices.Repeat([]int{113}, 64), make([][]int32, 64)
	for b.Loop() {
		if err := d.Load(m); err != nil {
			b.Fatal(err)
		}
		for g := range 8 {
			batch[8*g] = sequences(smol, uint64(g), 113)[0]
			if err := d.Extend(Feed{8 * g, batch[8*g]}); err != nil {
				b.Fatal(err)
			}
		}
		for s := range batch {
			batch[s] = slices.Clip(batch[s&^7][:113])
			d.Copy(s, s&^7)
		}
		for at := range 9 {
			var slots []int
			var next []int32
			tokens := make([]int32, len(batch))
			d.Do(len(batch), func(w, s int) {
				draw, err := samplers[w].Sample(d.Logits(s), Sampling{Temperature: 1}, rand.NewChaCha8([32]byte{byte(s), byte(at)}))
				if tokens[s] = draw.Token; err != nil {
					b.Error(err)
				}
			})
			for s := range batch {
				if at == 8 && s%2 == 0 {
					continue
				}
				batch[s] = append(batch[s], tokens[s])
				slots, next = append(slots, s), append(next, tokens[s])
			}
			if at < 8 {
				if err := d.Step(slots, next); err != nil {
					b.Fatal(err)
				}
			}
		}
		if _, err := p.Forward(batch, fixed); err != nil {
			b.Fatal(err)
		}
		weights, _ := likelihood(batch)
		clear(p.Grads())
		if err := p.Backward(weights, nil); err != nil {
			b.Fatal(err)
		}
		if _, err := o.Step(m, p.Grads()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/step")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkLanguageSample continues sequences after prompts of 113 tokens, 8 of them with the same.
func BenchmarkLanguageSample(b *testing.B) { eachPrecision(b, benchmarkSlots) }

func benchmarkSlots(b *testing.B, m *Model) {
	for _, slots := range []int{1, 8, 32, 64} {
		b.Run(fmt.Sprintf("slots=%d", slots), func(b *testing.B) {
			d, err := NewDecoder(m, slots)
			if err != nil {
				b.Fatal(err)
			}
			prompt := sequences(smol, 1, 113)[0]
			all, next := make([]int, slots), make([]int32, slots)
			begin := func() {
				for s := range slots {
					if all[s] = s; s%8 > 0 {
						d.Copy(s, s-1)
					} else if d.Reset(s); true {
						if _, err := d.Append(s, prompt); err != nil {
							b.Fatal(err)
						}
					}
				}
			}
			begin()
			for b.Loop() {
				if d.Len(0) == 145 {
					b.StopTimer()
					begin()
					b.StartTimer()
				}
				if err := d.Step(all, next); err != nil {
					b.Fatal(err)
				}
			}
			perSecond(b, slots, 2*134.5e6/limit())
		})
	}
}

// BenchmarkProducts multiplies rows by the matrices of SmolLM2-135M, on all processors, with each set of kernels.
func BenchmarkProducts(b *testing.B) {
	best := kernels
	defer func() { kernels = best }()
	for _, set := range available() {
		if set.name == plain.name {
			continue
		}
		for _, shape := range [][2]int{{576, 960}, {576, 576}, {576, 3072}, {1536, 576}, {576, 49152}, {49152, 576}} {
			for _, rows := range []int{8, 64, 512} {
				for _, pairs := range []bool{false, set.bfloat16} {
					b.Run(fmt.Sprintf("%s/%dx%dx%d/bfloat16=%v", set.name, rows, shape[0], shape[1], pairs), func(b *testing.B) {
						kernels = set
						benchmarkProduct(b, rows, shape, pairs)
					})
				}
			}
		}
	}
}

func benchmarkProduct(b *testing.B, rows int, shape [2]int, pairs bool) {
	inner, cols := shape[0], shape[1]
	var a, c matrix
	var w packing
	a.resize(rows, inner)
	c.resize(rows, cols)
	w.pairs = pairs
	w.resize(inner, cols)
	for i := range a.data {
		a.data[i] = 1
	}
	for i := range w.data {
		w.data[i] = 1
	}
	t, most, l := team{pool: newWorkerPool()}, limit(), linear{rounded: new(matrix)}
	for b.Loop() {
		t.multiply(c, l.left(a, &w, t), &w, false)
	}
	rate := 2 * float64(rows*inner) * float64(cols) * float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate/1e9, "GFLOP/s")
	b.ReportMetric(100*rate/most, "%limit")
	b.ReportMetric(0, "ns/op")
}
