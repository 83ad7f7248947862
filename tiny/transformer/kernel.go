package transformer

//go:generate go run ./kernelgen .

// A kernelSet holds nearly all of the arithmetic, for one kind of processor. Kernels in
// assembly check no bounds: [mulPanels] and the functions of vector.go do.
type kernelSet struct {
	name string

	mul            func(c matrix, a factor, b panels, add bool)
	mulPairs       func(c matrix, a factor, b panels, add bool) // of pairs
	roundPairs     func(to, x []float32)
	bfloat16       bool // both are in assembly
	score          func(a *attention)
	soften         func(a *attention) // nil: use [softmax]
	mix            func(a *attention)
	dot            func(x, y []float32) float32
	maximum        func(x []float32) float32
	powers         func(x []float32, factor, term float32) (sum, weighted float32)
	setScaled      func(to, x []float32, f float32)
	addScaled      func(to, x []float32, f float32)
	addProduct     func(to, x, y []float32)
	squareReLU     func(to, x []float32)
	squareReLUBack func(d, x []float32)
	softmaxBack    func(d, probs []float32, mean, scale float32)
	turnHeads      func(lo, hi []float32, at angles)
	stepAdam       func(params, grads []float32, m moments, u *update)

	// multiplyAdds makes n rounds of independent multiplications and additions, flops in each,
	// and nothing else. No kernel can be faster.
	multiplyAdds func(n int) float32
	flops        float64
}

// plain holds the kernels in plain Go, for other processors. The tests compare those in
// assembly with them.
var plain = kernelSet{
	name: "portable", mul: mulPlain, mulPairs: mulPairsPlain, roundPairs: roundPairsPlain, score: scorePlain, mix: mixPlain,
	dot: dotPlain, maximum: maximumPlain, powers: powersPlain,
	setScaled: setScaledPlain, addScaled: addScaledPlain, addProduct: addProductPlain,
	squareReLU: squareReLUPlain, squareReLUBack: squareReLUBackPlain, softmaxBack: softmaxBackPlain,
	turnHeads: turnHeadsPlain, stepAdam: stepAdamPlain,
	multiplyAdds: multiplyAddsPlain, flops: 2 * 12,
}

// kernels is the fastest set for this processor.
var kernels = available()[0]

// Kernels names the instructions for the arithmetic on this processor: "AVX-512", "AVX2",
// "NEON" or "portable".
func Kernels() string { return kernels.name }

// BFloat16 reports whether this processor has instructions for [Config.BFloat16].
func BFloat16() bool { return kernels.bfloat16 }

// A factor is the left matrix of a product: row i and column k hold data[i*down+k*across].
type factor struct {
	data         []float32
	down, across int
}

// factor returns m as the left matrix of a product.
func (m matrix) factor() factor { return factor{m.data, m.stride, 1} }

// turned returns the transpose of m as the left matrix of a product.
func (m matrix) turned() factor { return factor{m.data, 1, m.stride} }

// panels is the right matrix of a product: n times lanes columns. Panels begin apart numbers
// after each other.
type panels struct {
	data         []float32
	rows, stride int
	apart, n     int
}

// panels returns the first n times lanes columns of m.
func (m matrix) panels(n int) panels { return panels{m.data, m.rows, m.stride, lanes, n} }

func (p panels) panel(j int) matrix {
	return matrix{data: p.data[min(j*p.apart, len(p.data)):], rows: p.rows, cols: lanes, stride: p.stride}
}

// mulPanels sets the first columns of c to the product of a and b, or adds it to them. It sums
// each number of the product in the order of the rows of b, starting from 0 or from c, by the
// same instructions wherever it is. So the number does not depend on the content or count of
// other rows and columns.
func mulPanels(c matrix, a factor, b panels, add bool) {
	if b.check(c, a) {
		kernels.mul(c, a, b, add)
	}
}

// check checks the bounds of the product of a and p, and reports whether there is anything to compute.
func (p panels) check(c matrix, a factor) bool {
	if c.rows == 0 || p.n == 0 {
		return false
	}
	_ = c.data[(c.rows-1)*c.stride+p.n*lanes-1]
	if p.rows > 0 {
		_ = a.data[(c.rows-1)*a.down+(p.rows-1)*a.across]
		_ = p.data[(p.n-1)*p.apart+(p.rows-1)*p.stride+lanes-1]
	}
	return true
}

// mulPlain is the kernel of [mulPanels] in plain Go.
func mulPlain(c matrix, a factor, b panels, add bool) {
	for j := range b.n {
		mulPanelPlain(c.columns(j*lanes, lanes), a, b.panel(j), add)
	}
}

// mulPanelPlain computes lanes columns: tiles of three rows and two columns, with sums in
// registers. The last tile repeats its last row for missing ones.
func mulPanelPlain(c matrix, a factor, b matrix, add bool) {
	clearUnless(add, c)
	var memory [depth][3]float32
	for lo := 0; lo < b.rows; lo += depth {
		part := b.between(lo, min(lo+depth, b.rows))
		x := memory[:part.rows]
		for i := 0; i < c.rows; i += 3 {
			rows := [3]int{i, min(i+1, c.rows-1), min(i+2, c.rows-1)}
			for k := range x {
				at := (lo + k) * a.across
				x[k] = [3]float32{a.data[rows[0]*a.down+at], a.data[rows[1]*a.down+at], a.data[rows[2]*a.down+at]}
			}
			addTilePlain([3]*[lanes]float32{c.block(rows[0]), c.block(rows[1]), c.block(rows[2])}, x, part)
		}
	}
}

// depth is the number of rows of b that a kernel takes at a time; they fit the cache.
const depth = 64

// clearUnless sets the first lanes columns of c to zero unless the product is added to them.
func clearUnless(add bool, c matrix) {
	if !add {
		for i := range c.rows {
			*c.block(i) = [lanes]float32{}
		}
	}
}

// addTilePlain adds the product of a and b to three rows of lanes numbers.
func addTilePlain(c [3]*[lanes]float32, a [][3]float32, b matrix) {
	c0, c1, c2 := c[0], c[1], c[2]
	for j := 0; j < lanes; j += 2 {
		j := j & (lanes - 2) // tells the compiler that j+1 is in bounds
		s00, s01, s10, s11, s20, s21 := c0[j], c0[j+1], c1[j], c1[j+1], c2[j], c2[j+1]
		at := j
		for k := range a {
			x, w := &a[k], (*[2]float32)(b.data[at:])
			s00 += x[0] * w[0]
			s10 += x[1] * w[0]
			s20 += x[2] * w[0]
			s01 += x[0] * w[1]
			s11 += x[1] * w[1]
			s21 += x[2] * w[1]
			at += b.stride
		}
		c0[j], c0[j+1], c1[j], c1[j+1], c2[j], c2[j+1] = s00, s01, s10, s11, s20, s21
	}
}

// multiplyAddsPlain makes the operations one at a time.
func multiplyAddsPlain(n int) float32 {
	x, y := float32(n), float32(0.5)
	a, b, c, d, e, f := x, x+1, x+2, x+3, x+4, x+5 // the compiler might merge equal ones
	g, h, i, j, k, l := x+6, x+7, x+8, x+9, x+10, x+11
	for range n {
		a, b, c, d = a*y+x, b*y+x, c*y+x, d*y+x
		e, f, g, h = e*y+x, f*y+x, g*y+x, h*y+x
		i, j, k, l = i*y+x, j*y+x, k*y+x, l*y+x
	}
	return a + b + c + d + e + f + g + h + i + j + k + l
}
