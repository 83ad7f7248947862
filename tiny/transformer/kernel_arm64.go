//go:build !purego

package transformer

// available lists the kernels for this processor, the fastest first. Every arm64
// processor has NEON.
func available() []kernelSet {
	return []kernelSet{{
		name: "NEON", mul: mulNEON, mulPairs: mulPairsPlain, roundPairs: roundPairsPlain, score: scoreNEON, mix: mixNEON,
		dot: dotNEON, maximum: maximumNEON, powers: powersNEON,
		setScaled: setScaledNEON, addScaled: addScaledNEON, addProduct: addProductNEON,
		squareReLU: squareReLUNEON, squareReLUBack: squareReLUBackNEON, softmaxBack: softmaxBackNEON,
		turnHeads: turnHeadsNEON, stepAdam: stepAdamNEON,
		multiplyAdds: multiplyAddsNEON, flops: 2 * 24 * 4,
	}, plain}
}

//go:noescape
func mulNEON(c matrix, a factor, b panels, add bool)

//go:noescape
func scoreNEON(a *attention)

//go:noescape
func mixNEON(a *attention)

//go:noescape
func dotNEON(x, y []float32) float32

//go:noescape
func maximumNEON(x []float32) float32

//go:noescape
func powersNEON(x []float32, factor, term float32) (sum, weighted float32)

//go:noescape
func setScaledNEON(to, x []float32, f float32)

//go:noescape
func addScaledNEON(to, x []float32, f float32)

//go:noescape
func addProductNEON(to, x, y []float32)

//go:noescape
func squareReLUNEON(to, x []float32)

//go:noescape
func squareReLUBackNEON(d, x []float32)

//go:noescape
func softmaxBackNEON(d, probs []float32, mean, scale float32)

//go:noescape
func turnHeadsNEON(lo, hi []float32, at angles)

//go:noescape
func stepAdamNEON(params, grads []float32, m moments, u *update)

func multiplyAddsNEON(n int) float32
