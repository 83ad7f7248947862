package transformer

import (
	"fmt"
	"sync"
	"testing"
)

// smol has the sizes of SmolLM2-135M.
var smol = Config{
	Vocab: 49152, Context: 512, Layers: 30, Width: 576, Heads: 9, Hidden: 1536, Rank: 16, Alpha: 32,
	KVHeads: 3, Tied: true, Epsilon: 1e-5, RotaryBase: 100000,
}

// smolModel makes a model of those sizes, once.
var smolModel = sync.OnceValues(func() (*Model, error) {
	x := uint32(1)
	return Adapt(smol, 1, func(t Tensor) error {
		for i := range t.Data {
			x = x*1664525 + 1013904223
			t.Data[i] = float32(int32(x)) / (1 << 31) / 16
		}
		return nil
	})
})

// BenchmarkAdaptedStep takes the gradient of a step: 8 prompts of 113 tokens with 8 replies of 8 or 9 tokens each.
func BenchmarkAdaptedStep(b *testing.B) {
	m, err := smolModel()
	if err != nil {
		b.Fatal(err)
	}
	var batch [][]int32
	var fixed []int
	for g := range 8 {
		prompt := sequences(smol, uint64(g), 113)[0]
		for i := range 8 {
			batch = append(batch, append(prompt[:113:113], sequences(smol, uint64(100*g+i), 8+i%2)[0]...))
			fixed = append(fixed, 113)
		}
	}
	d, _ := likelihood(batch)
	p := NewPass(m)
	for b.Loop() {
		if _, err := p.Forward(batch, fixed); err != nil {
			b.Fatal(err)
		}
		if err := p.Backward(d, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAdaptedForward reads 8 prompts of 113 tokens.
func BenchmarkAdaptedForward(b *testing.B) {
	m, err := smolModel()
	if err != nil {
		b.Fatal(err)
	}
	d, err := NewDecoder(m, 8)
	if err != nil {
		b.Fatal(err)
	}
	var feeds []Feed
	for g := range 8 {
		feeds = append(feeds, Feed{g, sequences(smol, uint64(g), 113)[0]})
	}
	for b.Loop() {
		for g := range 8 {
			d.Reset(g)
		}
		if err := d.Extend(feeds...); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b, 8*113, 0)
}

// BenchmarkAdaptedSample continues sequences after prompts of 113 tokens, 8 of them with the same.
func BenchmarkAdaptedSample(b *testing.B) {
	m, err := smolModel()
	if err != nil {
		b.Fatal(err)
	}
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
