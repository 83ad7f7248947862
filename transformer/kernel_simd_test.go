//go:build goexperiment.simd && amd64

package transformer

import (
	"math/rand/v2"
	"simd/archsimd"
	"testing"
)

type panelKernel struct {
	name string
	mul  func(c, a matrix, b [][lanes]float32, add bool)
}

type outerKernel struct {
	name string
	add  func(c *block, a, b [][lanes]float32)
}

// panelKernels lists the kernels that this processor can run.
func panelKernels() []panelKernel {
	list := []panelKernel{{"plain", mulPanelPlain}}
	if hasAVX2 {
		list = append(list, panelKernel{"AVX2", mulPanel256})
	}
	if hasAVX512 {
		list = append(list, panelKernel{"AVX-512", mulPanel512})
	}
	return list
}

// outerKernels lists the kernels that this processor can run.
func outerKernels() []outerKernel {
	list := []outerKernel{{"plain", addOuterPlain}}
	if hasAVX2 {
		list = append(list, outerKernel{"AVX2", addOuter256})
	}
	if hasAVX512 {
		list = append(list, outerKernel{"AVX-512", addOuter512})
	}
	return list
}

// TestWideKernelsGiveTheSameBits compares the kernels of both widths.
func TestWideKernelsGiveTheSameBits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 6))
	a, b := random(r, 9, 50), panelOf(random(r, 50, lanes))
	var first []float32
	for _, kernel := range panelKernels()[1:] {
		c := random(r, 9, lanes)
		kernel.mul(c, a, b, false)
		for i := range c.rows {
			if first = append(first, c.row(i)...); *c.block(i) != [lanes]float32(first[i*lanes:]) {
				t.Errorf("%s: row %d differs from that of %s", kernel.name, i, panelKernels()[1].name)
			}
		}
	}
}

// multiplyAdds makes n rounds of flopsPerRound independent operations of this build's
// kind and nothing else. No kernel can be faster.
func multiplyAdds(n int) float32 {
	if hasAVX512 {
		return multiplyAdds512(n)
	}
	x, y := archsimd.BroadcastFloat32x8(float32(n)), archsimd.BroadcastFloat32x8(0.5)
	a, b, c, d := x.Add(y), x.Sub(y), x.Mul(y), y.Mul(y) // if they were the same, the compiler would merge them
	e, f, g, h, i, j := a.Mul(a), a.Mul(b), a.Mul(c), b.Mul(c), b.Mul(d), c.Mul(d)
	for range n {
		a, b, c, d, e = a.MulAdd(y, x), b.MulAdd(y, x), c.MulAdd(y, x), d.MulAdd(y, x), e.MulAdd(y, x)
		f, g, h, i, j = f.MulAdd(y, x), g.MulAdd(y, x), h.MulAdd(y, x), i.MulAdd(y, x), j.MulAdd(y, x)
	}
	return total(a.Add(b).Add(c.Add(d)).Add(e.Add(f)).Add(g.Add(h)).Add(i.Add(j)))
}

// multiplyAdds512 does the same with registers twice as wide.
func multiplyAdds512(n int) float32 {
	x, y := archsimd.BroadcastFloat32x16(float32(n)), archsimd.BroadcastFloat32x16(0.5)
	a, b, c, d := x.Add(y), x.Sub(y), x.Mul(y), y.Mul(y) // if they were the same, the compiler would merge them
	e, f, g, h, i, j := a.Mul(a), a.Mul(b), a.Mul(c), b.Mul(c), b.Mul(d), c.Mul(d)
	for range n {
		a, b, c, d, e = a.MulAdd(y, x), b.MulAdd(y, x), c.MulAdd(y, x), d.MulAdd(y, x), e.MulAdd(y, x)
		f, g, h, i, j = f.MulAdd(y, x), g.MulAdd(y, x), h.MulAdd(y, x), i.MulAdd(y, x), j.MulAdd(y, x)
	}
	var sum [lanes]float32
	a.Add(b).Add(c.Add(d)).Add(e.Add(f)).Add(g.Add(h)).Add(i.Add(j)).Store(&sum)
	return sum[0]
}

// flopsPerRound counts a multiplication and an addition as two.
func flopsPerRound() float64 {
	if hasAVX512 {
		return 2 * 10 * 16
	}
	return 2 * 10 * 8
}
