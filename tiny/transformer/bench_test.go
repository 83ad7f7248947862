package transformer

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// laptop is the configuration of the project's published figures: 106 thousand parameters.
var laptop = Config{Vocab: 64, Context: 65, Layers: 2, Width: 64, Heads: 4, Hidden: 256}

// BenchmarkTrain takes whole optimiser steps of 16 sequences with 64 scored tokens each.
func BenchmarkTrain(b *testing.B) {
	for _, c := range []Config{laptop, {Vocab: 128, Context: 129, Layers: 4, Width: 96, Heads: 6, Hidden: 384}} {
		b.Run(fmt.Sprintf("%dk", c.Params()/1000), func(b *testing.B) {
			m, err := New(c, 1)
			if err != nil {
				b.Fatal(err)
			}
			o, err := NewAdamW(m, AdamSettings{Clip: 1})
			if err != nil {
				b.Fatal(err)
			}
			p := NewPass(m)
			lengths := make([]int, 16)
			for i := range lengths {
				lengths[i] = c.Context
			}
			batch := sequences(c, 1, lengths...)
			d, n := likelihood(batch)
			most := limit()
			for b.Loop() {
				clear(p.Grads())
				run(b, p, batch, d)
				if _, err := o.Step(m, p.Grads()); err != nil {
					b.Fatal(err)
				}
			}
			perSecond(b, n, c.trainFlops(c.Context-1)/most)
		})
	}
}

// perSecond reports tokens per second, and their share of the arithmetic limit. cost is
// the time of one token at the limit, in seconds.
func perSecond(b *testing.B, tokens int, cost float64) {
	rate := float64(tokens) * float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate, "tokens/s")
	b.ReportMetric(100*rate*cost, "%limit")
	b.ReportMetric(0, "ns/op")
}

// limit measures how many multiplications and additions per second all processors can make
// now: fewer on a busy machine than on an idle one.
func limit() float64 {
	const rounds, calls = 1 << 12, 2000
	began := time.Now()
	sums := make([]float32, calls)
	parallel(calls, workers(), func(_, i int) { sums[i] = kernels.multiplyAdds(rounds) })
	return calls * rounds * kernels.flops / time.Since(began).Seconds()
}

// BenchmarkLimit reports the arithmetic limit of the other benchmarks.
func BenchmarkLimit(b *testing.B) {
	sum := 0.0
	for b.Loop() {
		sum += limit()
	}
	b.ReportMetric(sum/float64(b.N)/1e9, "GFLOP/s")
	b.ReportMetric(0, "ns/op")
}

// forwardFlops returns the operations of the matrix products for one token of a sequence
// of n tokens in the forward pass, with causal attention.
func (c Config) forwardFlops(n int) float64 {
	matrices := c.Layers*(4*c.Width*c.Width+2*c.Width*c.Hidden) + c.Vocab*c.Width
	return 2*float64(matrices) + 2*float64(c.Layers*c.Width*(n+1))
}

// trainFlops is the same for the forward and backward pass.
func (c Config) trainFlops(n int) float64 { return 3 * c.forwardFlops(n) }

// BenchmarkForward only scores, as for a reference model.
func BenchmarkForward(b *testing.B) {
	m := shaken(laptop, 1)
	p := NewPass(m)
	lengths := make([]int, 16)
	for i := range lengths {
		lengths[i] = laptop.Context
	}
	batch := sequences(laptop, 1, lengths...)
	most := limit()
	for b.Loop() {
		if _, err := p.Forward(batch, nil); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b, 16*(laptop.Context-1), laptop.forwardFlops(laptop.Context-1)/most)
}

// BenchmarkSample fills the contexts of many slots, from one token each, drawing every
// token at temperature 1.
func BenchmarkSample(b *testing.B) {
	for _, slots := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("slots=%d", slots), func(b *testing.B) {
			d, err := NewDecoder(shaken(laptop, 1), slots)
			if err != nil {
				b.Fatal(err)
			}
			samplers := make([]Sampler, d.Workers())
			sources := make([]*rand.ChaCha8, d.Workers())
			for i := range sources {
				sources[i] = rand.NewChaCha8([32]byte{byte(i)})
			}
			all, next := make([]int, slots), make([]int32, slots)
			n, most, shares := laptop.Context-1, limit(), min(slots, d.Workers())
			for b.Loop() {
				for s := range all {
					all[s] = s
					d.Reset(s)
				}
				for range n {
					if err := d.Step(all, next); err != nil {
						b.Fatal(err)
					}
					d.Do(shares, func(w, i int) {
						for s := i * slots / shares; s < (i+1)*slots/shares; s++ {
							draw, err := samplers[w].Sample(d.Logits(s), Sampling{Temperature: 1}, sources[w])
							if err != nil {
								b.Error(err)
							}
							next[s] = draw.Token
						}
					})
				}
			}
			perSecond(b, n*slots, laptop.forwardFlops(n)/most)
		})
	}
}

// BenchmarkKernel multiplies 64 rows by a matrix of 64 × 256, on one processor.
func BenchmarkKernel(b *testing.B) {
	var a, c, in matrix
	a.resize(64, 64)
	in.resize(64, 256)
	c.resize(64, 256)
	for i := range a.data {
		a.data[i] = 1
	}
	var w packing
	w.pack(in)
	for name, f := range map[string]func(){
		"product": func() { multiply(c, a, &w, false) },
		"transposed": func() {
			mulPanels(c, a.turned(), in.panels(c.cols/lanes), true)
		},
	} {
		b.Run(name, func(b *testing.B) {
			most := limit() / float64(workers())
			for b.Loop() {
				f()
			}
			rate := 2 * 64 * 64 * 256 * float64(b.N) / b.Elapsed().Seconds()
			b.ReportMetric(rate/1e9, "GFLOP/s")
			b.ReportMetric(100*rate/most, "%limit")
			b.ReportMetric(0, "ns/op")
		})
	}
}
