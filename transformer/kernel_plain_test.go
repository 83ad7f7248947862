//go:build !(goexperiment.simd && amd64)

package transformer

type panelKernel struct {
	name string
	mul  func(c, a matrix, b [][lanes]float32, add bool)
}

type outerKernel struct {
	name string
	add  func(c *block, a, b [][lanes]float32)
}

func panelKernels() []panelKernel { return []panelKernel{{"plain", mulPanelPlain}} }
func outerKernels() []outerKernel { return []outerKernel{{"plain", addOuterPlain}} }

// multiplyAdds makes n rounds of flopsPerRound independent operations of this build's
// kind and nothing else. No kernel can be faster.
func multiplyAdds(n int) float32 {
	x, y := float32(n), float32(0.5)
	a, b, c, d, e, f := x, x+1, x+2, x+3, x+4, x+5 // if they were the same, the compiler might merge them
	g, h, i, j, k, l := x+6, x+7, x+8, x+9, x+10, x+11
	for range n {
		a, b, c, d = a*y+x, b*y+x, c*y+x, d*y+x
		e, f, g, h = e*y+x, f*y+x, g*y+x, h*y+x
		i, j, k, l = i*y+x, j*y+x, k*y+x, l*y+x
	}
	return a + b + c + d + e + f + g + h + i + j + k + l
}

// flopsPerRound counts a multiplication and an addition as two.
func flopsPerRound() float64 { return 2 * 12 }
