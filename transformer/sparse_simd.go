//go:build goexperiment.simd && amd64

package transformer

// A sparse multiplies matrices of which about half of the numbers are zero or more. Wide
// kernels gain nothing by leaving them out.
type sparse struct{}

// multiply sets c to a·b, or adds a·b to c.
func (*sparse) multiply(c, a matrix, b *packing, add bool) { multiply(c, a, b, add) }
