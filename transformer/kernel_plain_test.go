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
