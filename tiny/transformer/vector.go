package transformer

import "math"

// The functions of this file work on single rows. Unless a comment says otherwise, the length of
// a row is a multiple of lanes. NaN stays NaN.

// dot returns the sum of products. y must be at least as long as x.
func dot(x, y []float32) float32 { return kernels.dot(x, y[:len(x)]) }

// dotPlain is [dot] in plain Go.
func dotPlain(x, y []float32) float32 {
	y = y[:len(x)]
	var s0, s1, s2, s3 float32
	for ; len(x) >= 4 && len(y) >= 4; x, y = x[4:], y[4:] {
		s0 += x[0] * y[0]
		s1 += x[1] * y[1]
		s2 += x[2] * y[2]
		s3 += x[3] * y[3]
	}
	return (s0 + s1) + (s2 + s3)
}

// maximum returns the largest number of x.
func maximum(x []float32) float32 { return kernels.maximum(x) }

// maximumPlain is [maximum] in plain Go.
func maximumPlain(x []float32) float32 {
	top := x[0]
	for _, v := range x {
		if v > top {
			top = v
		}
	}
	return top
}

// setScaled stores f·x in to, which must be at least as long as x and may be x.
func setScaled(to, x []float32, f float32) { kernels.setScaled(to[:len(x)], x, f) }

// setScaledPlain is [setScaled] in plain Go.
func setScaledPlain(to, x []float32, f float32) {
	to = to[:len(x)]
	for i, v := range x {
		to[i] = f * v
	}
}

// addScaled adds f·x to to, which must be at least as long as x.
func addScaled(to, x []float32, f float32) { kernels.addScaled(to[:len(x)], x, f) }

// addScaledPlain is [addScaled] in plain Go.
func addScaledPlain(to, x []float32, f float32) {
	to = to[:len(x)]
	for i, v := range x {
		to[i] += f * v
	}
}

// addProduct adds x[i]·y[i] to each to[i]. to and y must be at least as long as x.
func addProduct(to, x, y []float32) { kernels.addProduct(to[:len(x)], x, y[:len(x)]) }

// addProductPlain is [addProduct] in plain Go.
func addProductPlain(to, x, y []float32) {
	to, y = to[:len(x)], y[:len(x)]
	for i, v := range x {
		to[i] += v * y[i]
	}
}

// Coefficients of the Taylor polynomial of 2^f, lnⁱ2/i!. For f from -1/2 to 1/2 its error
// is at most 1.2e-7.
const (
	exp1 = math.Ln2
	exp2 = exp1 * math.Ln2 / 2
	exp3 = exp2 * math.Ln2 / 3
	exp4 = exp3 * math.Ln2 / 4
	exp5 = exp4 * math.Ln2 / 5
	exp6 = exp5 * math.Ln2 / 6
)

// leastPower is the power of two below which an exponential counts as zero.
const leastPower = -126

// toWhole rounds a number by addition, since float32 numbers of its size are 1 apart. Its own
// low bits are zero.
const toWhole = 3 << 22

// exponential sets each v of x to e^u for u = scale·v - shift, which must not be above zero. It
// returns the sum of all e^u and the sum of all e^u·u.
func exponential(x []float32, scale, shift float32) (sum, weighted float32) {
	sum, weighted = kernels.powers(x, scale*math.Log2E, -shift*math.Log2E)
	return sum, weighted * math.Ln2
}

// powersPlain sets each v of x to 2^u for u = factor·v + term, which must not be above zero. It
// returns the sum of all 2^u and the sum of all 2^u·u. 2^u is 2^n·2^f, where n is u rounded.
func powersPlain(x []float32, factor, term float32) (sum, weighted float32) {
	for i, v := range x {
		u := v*factor + term
		if u < leastPower {
			x[i] = 0
			continue
		}
		near := u + toWhole // its low bits are n
		f := u - float32(near-toWhole)
		e := 1 + f*(exp1+f*(exp2+f*(exp3+f*(exp4+f*(exp5+f*exp6)))))
		e *= math.Float32frombits((math.Float32bits(near) + 127) << 23)
		x[i] = e
		sum += e
		weighted += e * u
	}
	return sum, weighted
}

// squareReLU replaces each v of x by max(v, 0), and writes the squares to to, which must be
// at least as long.
func squareReLU(to, x []float32) { kernels.squareReLU(to[:len(x)], x) }

// squareReLUPlain is [squareReLU] in plain Go. Half of v+|v| is max(v, 0).
func squareReLUPlain(to, x []float32) {
	to = to[:len(x)]
	for i, v := range x {
		v = 0.5 * (v + abs(v))
		x[i] = v
		to[i] = v * v
	}
}

// turnHeads rotates pairs of numbers of lo and hi by their angles: the first ones of every head.
func turnHeads(lo, hi []float32, at angles) {
	if at.heads > 0 {
		last := at.bytes / 4 * (at.heads - 1)
		_, _ = lo[last+anglesAtOnce-1], hi[last+anglesAtOnce-1]
		kernels.turnHeads(lo, hi, at)
	}
}

// turnHeadsPlain is [turnHeads] in plain Go.
func turnHeadsPlain(lo, hi []float32, at angles) {
	for h := range at.heads {
		lo, hi := lo[h*at.bytes/4:], hi[h*at.bytes/4:]
		for i, c := range at.cos {
			s := at.sign * at.sin[i]
			x, y := lo[i], hi[i]
			lo[i] = x*c - y*s
			hi[i] = x*s + y*c
		}
	}
}

// softmax multiplies the first n numbers of row by scale, turns them from logits into
// probabilities, and sets the rest of the row to zero. The partition gives log-probabilities and
// entropy.
func softmax(row []float32, n int, scale float32) partition {
	for i := n; i < len(row); i++ {
		row[i] = float32(math.Inf(-1))
	}
	top := scale * maximum(row)
	sum, weighted := exponential(row, scale, top)
	setScaled(row, row, 1/sum)
	return partition{top, sum, weighted}
}

// A partition sums up the logits of a row for softmax.
type partition struct {
	top      float32 // the largest logit
	sum      float32 // of e^(logit-top)
	weighted float32 // sum of e^(logit-top)·(logit-top)
}

// norm returns the log of the sum of e^logit: a logit minus norm is a log-probability.
func (p partition) norm() float32 { return p.top + float32(math.Log(float64(p.sum))) }

// entropy returns the entropy of the probabilities, in nats.
func (p partition) entropy() float32 {
	return float32(math.Log(float64(p.sum))) - p.weighted/p.sum
}

// softmaxBack turns d, the gradient of the probabilities from softmax, into that of its input.
func softmaxBack(d, probs []float32, scale float32) {
	kernels.softmaxBack(d, probs[:len(d)], dot(d, probs), scale)
}

// softmaxBackPlain is the kernel of [softmaxBack] in plain Go; mean is the product of d and
// probs.
func softmaxBackPlain(d, probs []float32, mean, scale float32) {
	probs = probs[:len(d)]
	for i, p := range probs {
		d[i] = scale * p * (d[i] - mean)
	}
}

// normEps keeps the normalisation of an all-zero row finite, unless the model has its own.
const normEps = 1e-6

// normalise sets each row of its result (to) to that row of x, divided by its root mean square, and stores
// the factor in inv. epsilon is added to the mean square.
func normalise(to, x matrix, inv []float32, epsilon float32) {
	for i := range x.rows {
		from := x.row(i)
		f := 1 / float32(math.Sqrt(float64(dot(from, from)/float32(len(from))+epsilon)))
		inv[i] = f
		setScaled(to.row(i), from, f)
	}
}

// setProduct stores x[i]·y[i] in each to[i], which may be x or y.
func setProduct(to, x, y []float32) {
	x, y = x[:len(to)], y[:len(to)]
	for i := range to {
		to[i] = x[i] * y[i]
	}
}

// normaliseBack adds to dx the gradient that reaches x through its normalised form n;
// dn is the gradient of n.
func normaliseBack(dx, dn, n matrix, inv []float32) {
	for i := range dx.rows {
		d, from, to := dn.row(i), n.row(i), dx.row(i)
		addScaled(to, d, inv[i])
		addScaled(to, from, -inv[i]*dot(d, from)/float32(len(d)))
	}
}

// squareReLUBack turns d, the gradient of the squares, into that of squareReLU's input; x is the
// result of squareReLU in x, and must be at least as long as d.
func squareReLUBack(d, x []float32) { kernels.squareReLUBack(d, x[:len(d)]) }

// squareReLUBackPlain is [squareReLUBack] in plain Go.
func squareReLUBackPlain(d, x []float32) {
	x = x[:len(d)]
	for i, v := range x {
		d[i] *= 2 * v
	}
}

// abs returns the size of x.
func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }
