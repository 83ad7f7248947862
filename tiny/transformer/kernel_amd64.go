//go:build !purego

package transformer

import "golang.org/x/sys/cpu"

// available lists the kernels for this processor, the fastest first.
func available() []kernelSet {
	list := []kernelSet{plain}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		set := kernelSet{
			name: "AVX2", mul: mulAVX2, mulPairs: mulPairsPlain, roundPairs: roundPairsPlain, score: scoreAVX2, mix: mixAVX2,
			dot: dotAVX2, maximum: maximumAVX2, powers: powersAVX2,
			setScaled: setScaledAVX2, addScaled: addScaledAVX2, addProduct: addProductAVX2,
			squareReLU: squareReLUAVX2, squareReLUBack: squareReLUBackAVX2, softmaxBack: softmaxBackAVX2,
			turnHeads: turnHeadsAVX2, stepAdam: stepAdamAVX2,
			multiplyAdds: multiplyAddsAVX2, flops: 2 * 12 * 8,
		}
		list = append([]kernelSet{set}, list...)
		if cpu.X86.HasAVX512F {
			set.name, set.mul, set.powers, set.soften = "AVX-512", mulAVX512, powersAVX512, softenAVX512
			set.multiplyAdds, set.flops = multiplyAddsAVX512, 2*12*16
			if cpu.X86.HasAVX512BF16 {
				set.mulPairs, set.roundPairs, set.bfloat16 = mulBF16, roundPairsBF16, true
			}
			list = append([]kernelSet{set}, list...)
		}
	}
	return list
}

//go:noescape
func mulAVX2(c matrix, a factor, b panels, add bool)

//go:noescape
func mulAVX512(c matrix, a factor, b panels, add bool)

//go:noescape
func mulBF16(c matrix, a factor, b panels, add bool)

//go:noescape
func roundPairsBF16(to, x []float32)

//go:noescape
func scoreAVX2(a *attention)

//go:noescape
func mixAVX2(a *attention)

//go:noescape
func dotAVX2(x, y []float32) float32

//go:noescape
func maximumAVX2(x []float32) float32

//go:noescape
func powersAVX2(x []float32, factor, term float32) (sum, weighted float32)

//go:noescape
func powersAVX512(x []float32, factor, term float32) (sum, weighted float32)

//go:noescape
func softenAVX512(a *attention)

//go:noescape
func setScaledAVX2(to, x []float32, f float32)

//go:noescape
func addScaledAVX2(to, x []float32, f float32)

//go:noescape
func addProductAVX2(to, x, y []float32)

//go:noescape
func squareReLUAVX2(to, x []float32)

//go:noescape
func squareReLUBackAVX2(d, x []float32)

//go:noescape
func softmaxBackAVX2(d, probs []float32, mean, scale float32)

//go:noescape
func turnHeadsAVX2(lo, hi []float32, at angles)

//go:noescape
func stepAdamAVX2(params, grads []float32, m moments, u *update)

func multiplyAddsAVX2(n int) float32
func multiplyAddsAVX512(n int) float32
