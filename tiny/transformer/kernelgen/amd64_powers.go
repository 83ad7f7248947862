package main

import "math"

// The registers of powersWide and softenWide. Those from powerFirst on hold the constants.
const (
	powerX, powerN               = "SI", "DI"
	powerFactor, powerTerm       = 0, 1
	powerSum, powerWeighted      = 2, 3
	powerU, powerE               = 4, 7
	powerFirst                   = 16
	powerHighU, powerHighE, some = 5, 6, 8
)

// powersWide is [powers] for AVX-512: two blocks at once. Each adds its own numbers to the
// sums, so they equal the machine's. The length is a multiple of two blocks.
func (w *amd64) powersWide() {
	list := powerConstants()
	w.begin("powersAVX512", 40, list...)
	w.line("MOVQ x_base+0(FP), %s", powerX)
	w.line("MOVQ x_len+8(FP), %s", powerN)
	w.line("VBROADCASTSS factor+24(FP), Z%d", powerFactor)
	w.line("VBROADCASTSS term+28(FP), Z%d", powerTerm)
	w.wideConstants(list)
	w.line("KXNORW K2, K2, K2") // all bits
	w.line("VXORPS Y%d, Y%[1]d, Y%[1]d", powerSum)
	w.line("VXORPS Y%d, Y%[1]d, Y%[1]d", powerWeighted)
	again, done := w.label(), w.label()
	w.line("SHRQ $%d, %s", log2(2*width), powerN)
	w.line("JZ %s", done)
	w.here(again)
	w.widePowers()
	w.line("VEXTRACTF64X4 $1, Z%d, Y%d", powerU, powerHighU)
	w.line("VFMADD231PS Y%d, Y%d, Y%d", powerU, powerE, powerWeighted)
	w.line("VFMADD231PS Y%d, Y%d, Y%d", powerHighU, powerHighE, powerWeighted)
	w.line("ADDQ $64, %s", powerX)
	w.line("DECQ %s", powerN)
	w.line("JNZ %s", again)
	w.here(done)
	w.fold(add, powerSum, powerU)
	w.fold(add, powerWeighted, powerU)
	w.result(powerSum, "sum+32")
	w.result(powerWeighted, "weighted+36")
	w.end()
}

// wideConstants loads constants of the function.
func (w *amd64) wideConstants(list []uint32) {
	for i := range list {
		w.line("VBROADCASTSS %s_constants<>+%d(SB), Z%d", w.name, 4*i, powerFirst+i)
	}
}

// widePowers replaces the next two blocks by their powers, or by zero where K2 is clear, and
// adds them to the sum.
func (w *amd64) widePowers() {
	w.line("VMOVUPS.Z (%s), K2, Z%d", powerX, powerE)
	w.line("VMOVAPS Z%d, Z%d", powerTerm, powerU)
	w.line("VFMADD231PS Z%d, Z%d, Z%d", powerE, powerFactor, powerU)
	w.line("VCMPPS $21, Z%d, Z%d, K2, K1", powerFirst+powerLeast, powerU) // not below
	w.line("VMOVAPS.Z Z%d, K1, Z%[1]d", powerU)
	w.line("VADDPS Z%d, Z%d, Z5", powerFirst+powerToWhole, powerU)
	w.line("VSUBPS Z%d, Z5, Z6", powerFirst+powerToWhole)
	w.line("VSUBPS Z6, Z%d, Z6", powerU)
	w.line("VMOVAPS Z%d, Z%d", powerFirst+powerTerms+5, powerE)
	for i := 4; i >= 0; i-- {
		w.line("VFMADD213PS Z%d, Z6, Z%d", powerFirst+powerTerms+i, powerE)
	}
	w.line("VFMADD213PS Z%d, Z6, Z%d", powerFirst+powerOne, powerE)
	w.line("VPADDD Z%d, Z5, Z5", powerFirst+powerBias)
	w.line("VPSLLD $23, Z5, Z5")
	w.line("VMULPS.Z Z5, Z%d, K1, Z%[1]d", powerE)
	w.line("VMOVUPS Z%d, (%s)", powerE, powerX)
	w.line("VEXTRACTF64X4 $1, Z%d, Y%d", powerE, powerHighE)
	w.line("VADDPS Y%d, Y%d, Y%[2]d", powerE, powerSum)
	w.line("VADDPS Y%d, Y%d, Y%[2]d", powerHighE, powerSum)
}

// soften(a *attention) for AVX-512: three passes over the weights of a head, two blocks at
// once. They are the steps of softmax in package transformer, with the same rounding.
func (w *amd64) softenWide() {
	const heads, row, stride, blocks, last = "BX", "DX", "R8", "R9", "R10"
	list := powerConstants()
	infinity, log := len(list), len(list)+1
	list = append(list, math.Float32bits(float32(math.Inf(-1))), math.Float32bits(math.Log2E))
	w.begin("softenAVX512", 8, list...)
	w.wideConstants(list)
	w.line("MOVQ a+0(FP), AX")
	w.line("MOVQ (attention_weights+matrix_rows)(AX), %s", heads)
	w.line("MOVQ (attention_weights+matrix_data)(AX), %s", row)
	w.line("MOVQ (attention_weights+matrix_stride)(AX), %s", stride)
	w.line("SHLQ $2, %s", stride)
	w.line("MOVQ (attention_weights+matrix_cols)(AX), CX")
	w.line("LEAQ 15(CX), %s", blocks)
	w.line("SHRQ $4, %s", blocks)
	w.line("NEGQ CX") // CX becomes how many numbers of the last two blocks do not count
	w.line("ANDQ $15, CX")
	w.line("MOVL $0xffff, %s", last)
	w.line("SHRL CX, %s", last)
	w.line("VMOVSS attention_scale(AX), X9")
	w.line("VMULSS X%d, X9, X%d", powerFirst+log, powerFactor)
	w.line("VBROADCASTSS X%d, Z%[1]d", powerFactor)

	again := w.label()
	w.here(again)
	w.line("VMOVAPS Z%d, Z%d", powerFirst+infinity, some)
	w.eachWide(row, blocks, last, func() { w.line("VMAXPS (%s), Z%d, K2, Z%[2]d", powerX, some) })
	w.line("VEXTRACTF64X4 $1, Z%d, Y4", some)
	w.line("VMAXPS Y4, Y%d, Y%[1]d", some)
	w.fold(larger, some, 4)
	w.line("VMULSS X%d, X9, X%[1]d", some)
	w.line("VMULSS X%d, X%d, X%d", powerFirst+log, some, powerTerm)
	w.line("VXORPS X%d, X%[1]d, X%[1]d", some)
	w.line("VSUBSS X%d, X%d, X%[1]d", powerTerm, some)
	w.line("VBROADCASTSS X%d, Z%[1]d", powerTerm)
	w.line("VXORPS Y%d, Y%[1]d, Y%[1]d", powerSum)
	w.eachWide(row, blocks, last, w.widePowers)
	w.fold(add, powerSum, 4)
	w.line("VDIVSS X%d, X%d, X%[1]d", powerSum, powerFirst+powerOne)
	w.line("VBROADCASTSS X%d, Z%[1]d", powerSum)
	w.eachWide(row, blocks, last, func() {
		w.line("VMULPS (%s), Z%d, Z4", powerX, powerSum)
		w.line("VMOVUPS Z4, (%s)", powerX)
	})
	w.line("ADDQ %s, %s", stride, row)
	w.line("DECQ %s", heads)
	w.line("JNZ %s", again)
	w.end()
}

// eachWide repeats body for every two blocks of a row. The bits of K2 mark the numbers that
// count: all, except in the last two blocks.
func (w *amd64) eachWide(row, blocks, last string, body func()) {
	again, next := w.label(), w.label()
	w.line("MOVQ %s, %s", row, powerX)
	w.line("MOVQ %s, %s", blocks, powerN)
	w.line("KXNORW K2, K2, K2")
	w.here(again)
	w.line("CMPQ %s, $1", powerN)
	w.line("JNE %s", next)
	w.line("KMOVW %s, K2", last)
	w.here(next)
	body()
	w.line("ADDQ $64, %s", powerX)
	w.line("DECQ %s", powerN)
	w.line("JNZ %s", again)
}
