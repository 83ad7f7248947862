//go:build goexperiment.simd && amd64

package transformer

import (
	"math/rand/v2"
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

// panelKernels lists what this processor can run.
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

// outerKernels lists what this processor can run.
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
