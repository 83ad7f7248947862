//go:build !(goexperiment.simd && amd64)

package transformer

// dot is the sum of products. y is as long as x or longer.
func dot(x, y []float32) float32 { return dotPlain(x, y) }

// maximum is the largest of x.
func maximum(x []float32) float32 { return maximumPlain(x) }

// scaleBy multiplies x by f.
func scaleBy(x []float32, f float32) { scaleByPlain(x, f) }

// addScaled adds f·x to to, which is as long as x or longer.
func addScaled(to, x []float32, f float32) { addScaledPlain(to, x, f) }

// addProduct adds to each number of to the product of those in x and y, which are as long.
func addProduct(to, x, y []float32) { addProductPlain(to, x, y) }

// exponential sets each v of x to e^u, where u is scale·v - shift and not above zero. It
// returns the sum of these, and the sum of e^u·u.
func exponential(x []float32, scale, shift float32) (sum, weighted float32) {
	return exponentialPlain(x, scale, shift)
}

// squareReLU writes into to the square of what is positive in x, and x to what is
// positive in it.
func squareReLU(to, x []float32) { squareReLUPlain(to, x) }

// turnPairs turns the pairs of numbers of lo and hi by as many angles: a multiple of eight.
func turnPairs(lo, hi []float32, at angles) { turnPairsPlain(lo, hi, at) }
