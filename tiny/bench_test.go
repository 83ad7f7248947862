package tiny_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// laptop are the sizes of the project's published figures: 132 thousand parameters.
var laptop = transformer.Config{Vocab: tiny.Size, Context: 96, Layers: 2, Width: 64, Heads: 4, Hidden: 256}

// A load imitates the requests of a run: groups of eight replies to prompts of twenty
// tokens, as many groups at a time as the slots hold.
type load struct {
	live  int     // samples in progress at once
	reply int     // tokens of a reply
	turns int     // turns of each sample; 0: one
	sharp float32 // factor on the logits of the untrained model; 0: 1
	every int64   // tokens between new weights; 0: never
}

// BenchmarkSample counts the tokens generated per second. Reading prompts takes time, but
// does not count. Equal samples of a group pass through the model once; an untrained
// model makes them differ at once.
func BenchmarkSample(b *testing.B) {
	for _, of := range []struct {
		name string
		load
	}{
		{"flat/reply=44", load{live: 128, reply: 44}},
		{"flat/reply=10", load{live: 128, reply: 10}},
		{"sharp/reply=44", load{live: 128, reply: 44, sharp: 4}},
		{"sharp/reply=10", load{live: 128, reply: 10, sharp: 4}},
		{"sure/reply=10", load{live: 128, reply: 10, sharp: 16}},
		{"flat/live=64", load{live: 64, reply: 10}},
		{"flat/live=256", load{live: 256, reply: 10}},
		{"flat/turns=3", load{live: 128, reply: 10, turns: 3}},
	} {
		b.Run(of.name, of.run)
	}
}

// BenchmarkSetWeights is the same with new weights at regular intervals.
func BenchmarkSetWeights(b *testing.B) {
	for _, every := range []int64{100, 1000, 10000} {
		b.Run(fmt.Sprint("tokens=", every), load{live: 128, reply: 10, every: every}.run)
	}
}

func (l load) run(b *testing.B) {
	const size = 8
	m := newModel(b, laptop, 1, -20)
	if l.sharp != 0 {
		for i := range m.Tensors()[1].Data {
			m.Tensors()[1].Data[i] *= l.sharp
		}
	}
	p := start(b, m, tiny.Options{MaxSequences: l.live})
	var next, version atomic.Int64
	var all sync.WaitGroup
	surprise := newMean()
	b.ResetTimer()
	for range l.live / size {
		all.Go(func() {
			for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
				surprise.add(l.group(b, p, fmt.Sprint(i)))
				if v := version.Load(); l.every > 0 && p.Sampled() >= (v+1)*l.every && version.CompareAndSwap(v, v+1) {
					_ = p.SetWeights(m, int32(v+1)) // a later version may have overtaken it
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(p.Sampled())/b.Elapsed().Seconds(), "tokens/s")
	b.ReportMetric(surprise.mean(), "nats/token")
	b.ReportMetric(0, "ns/op")
}

// group plays a group of eight like the engine, and returns the negated log-probabilities
// of the tokens of its first turn.
func (l load) group(b *testing.B, p *tiny.Policy, key string) (surprise []float32) {
	r := ask("x", 8)
	r.Key = key
	r.Messages[0].Content = strings.Repeat("7", 17)
	r.Sampling.MaxTokens = l.reply
	var others sync.WaitGroup
	for k, s := range sample(b, p, r) {
		for _, p := range s.LogProbs {
			surprise = append(surprise, -p)
		}
		others.Go(func() {
			next := r
			for range l.turns - 1 {
				next = follow(next, s)
				next.Key = fmt.Sprint(key, "#", k)
				s = sample(b, p, next)[0]
			}
		})
	}
	others.Wait()
	return surprise
}

// A mean is a running mean to which many goroutines add.
type mean struct {
	mu  sync.Mutex
	sum float64
	n   int
}

func newMean() *mean { return new(mean) }

func (m *mean) add(all []float32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, x := range all {
		m.sum += float64(x)
	}
	m.n += len(all)
}

func (m *mean) mean() float64 { return m.sum / float64(max(1, m.n)) }

// BenchmarkTrain takes optimiser steps on the same model with sixteen sequences of 64
// tokens. Its rate is the yardstick for sampling.
func BenchmarkTrain(b *testing.B) {
	m := newModel(b, laptop, 1, 0)
	o, err := transformer.NewAdamW(m, transformer.AdamSettings{Clip: 1})
	if err != nil {
		b.Fatal(err)
	}
	pass := transformer.NewPass(m)
	batch, by := make([][]int32, 16), make([][]float32, 16)
	for s := range batch {
		for i := range 64 {
			batch[s], by[s] = append(batch[s], int32((7*s+3*i)%tiny.Size)), append(by[s], -1.0/(16*63))
		}
	}
	for b.Loop() {
		clear(pass.Grads())
		if _, err := pass.Forward(batch, nil); err != nil {
			b.Fatal(err)
		}
		if err := pass.Backward(by, nil); err != nil {
			b.Fatal(err)
		}
		if _, err := o.Step(m, pass.Grads()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(16*64*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
	b.ReportMetric(0, "ns/op")
}
