//go:build !(goexperiment.simd && amd64)

package transformer

// dot is the sum of products. y must be at least as long as x.
func dot(x, y []float32) float32 { return dotPlain(x, y) }

// maximum is the largest of x.
func maximum(x []float32) float32 { return maximumPlain(x) }

// scaleBy multiplies x by f.
func scaleBy(x []float32, f float32) { scaleByPlain(x, f) }

// addScaled adds f·x to to, which must be at least as long as x.
func addScaled(to, x []float32, f float32) { addScaledPlain(to, x, f) }

// addProduct adds x[i]·y[i] to each to[i]. All three have the same length.
func addProduct(to, x, y []float32) { addProductPlain(to, x, y) }

// exponential sets each v of x to e^u for u = scale·v - shift, which must not be above
// zero. It returns the sum of all e^u and the sum of all e^u·u.
func exponential(x []float32, scale, shift float32) (sum, weighted float32) {
	return exponentialPlain(x, scale, shift)
}

// squareReLU replaces each v of x by max(v, 0), and writes the squares to to.
func squareReLU(to, x []float32) { squareReLUPlain(to, x) }

// turnPairs rotates each pair of numbers of lo and hi by its angle. The number of pairs is
// a multiple of eight.
func turnPairs(lo, hi []float32, at angles) { turnPairsPlain(lo, hi, at) }
