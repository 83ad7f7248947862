//go:build goexperiment.simd && amd64

package transformer

// A sparse multiplies matrices in which about half of the numbers or more are zero. Wide
// kernels gain nothing by leaving out the zeros.
type sparse struct{}

// multiply sets c to a·b, or adds a·b to c.
func (*sparse) multiply(c, a matrix, b *packing, add bool) { multiply(c, a, b, add) }
