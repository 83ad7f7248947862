package main

import "fmt"

// A tiling is how one of amd64's instruction sets multiplies matrices. Tiles of some rows
// and 16 columns of the product, or of two panels of them, stay in registers while the sums
// grow.
type tiling struct {
	suffix string // of the names of functions
	vector string // prefix of the registers
	zero   string // instruction to clear a register
	parts  int    // registers of 16 columns
	panels int    // of a tile
	rows   []int  // of tiles, the largest first; each applies while that many rows remain
	pairs  bool   // of bfloat16 in place of numbers
}

var avx2 = tiling{suffix: "AVX2", vector: "Y", zero: "VXORPS", parts: 2, panels: 1, rows: []int{4, 2, 1}}

// avx512 has tiles of two panels: with one, it would wait for memory.
var avx512 = tiling{suffix: "AVX512", vector: "Z", zero: "VPXORD", parts: 1, panels: 2, rows: []int{8, 4, 2, 1}}

// bf16 multiplies matrices of pairs, with two sums of products at once.
var bf16 = tiling{suffix: "BF16", vector: "Z", zero: "VPXORD", parts: 1, panels: 2, rows: []int{8, 4, 2, 1}, pairs: true}

// The registers of mul. Strides are in bytes.
const (
	mulC, mulCDown             = "DI", "R8"
	mulA, mulADown, mulAAcross = "SI", "R9", "R10"
	mulB, mulBDown, mulBApart  = "DX", "R11", "R15"
	mulRows, mulInner          = "BX", "CX" // remaining rows and inner dimension
)

// mul(c matrix, a factor, b panels, add bool)
func (t tiling) mul(w *amd64) {
	w.begin("mul"+t.suffix, 145)
	for _, from := range [][2]string{
		{"c_stride+40", mulCDown}, {"a_down+72", mulADown}, {"a_across+80", mulAAcross}, {"b_stride+120", mulBDown}, {"b_apart+128", mulBApart},
	} {
		w.line("MOVQ %s(FP), %s", from[0], from[1])
		w.line("SHLQ $2, %s", from[1])
	}
	for ; t.panels > 0; t.panels-- {
		again, next := w.label(), w.label()
		w.here(again)
		w.line("CMPQ b_n+136(FP), $%d", t.panels)
		w.line("JLT %s", next)
		w.line("MOVQ c_data_base+0(FP), %s", mulC)
		w.line("MOVQ c_rows+24(FP), %s", mulRows)
		w.line("MOVQ a_data_base+48(FP), %s", mulA)
		t.tiles(w, t.tile)
		w.line("SUBQ $%d, b_n+136(FP)", t.panels)
		w.line("ADDQ $%d, c_data_base+0(FP)", 64*t.panels)
		for range t.panels {
			w.line("ADDQ %s, b_data_base+88(FP)", mulBApart)
		}
		w.line("JMP %s", again)
		w.here(next)
	}
	w.end()
}

// tiles writes tiles for all rows.
func (t tiling) tiles(w *amd64, tile func(w *amd64, rows int)) {
	for _, rows := range t.rows {
		again, next := w.label(), w.label()
		w.here(again)
		w.line("CMPQ %s, $%d", mulRows, rows)
		w.line("JLT %s", next)
		tile(w, rows)
		w.line("SUBQ $%d, %s", rows, mulRows)
		w.line("JMP %s", again)
		w.here(next)
	}
}

// tile computes some rows of the product, and advances c and a past them.
func (t tiling) tile(w *amd64, rows int) {
	fresh, start, again, done := w.label(), w.label(), w.label(), w.label()
	w.line("CMPB add+144(FP), $0")
	w.line("JEQ %s", fresh)
	c, _ := w.rowsAt(mulC, mulCDown, rows)
	t.eachSum(rows, func(row, part int, sum string) { w.line("VMOVUPS %d%s, %s", t.bytes(part), c[row], sum) })
	w.line("JMP %s", start)
	w.here(fresh)
	t.clear(w, rows)
	w.here(start)
	a, walking := w.rowsAt(mulA, mulADown, rows)
	w.line("MOVQ b_data_base+88(FP), %s", mulB)
	w.line("MOVQ b_rows+112(FP), %s", mulInner)
	w.line("TESTQ %s, %s", mulInner, mulInner)
	w.line("JZ %s", done)
	w.here(again)
	t.addProducts(w, a)
	for _, p := range walking {
		w.line("ADDQ %s, %s", mulAAcross, p)
	}
	w.line("ADDQ %s, %s", mulBDown, mulB)
	w.line("DECQ %s", mulInner)
	w.line("JNZ %s", again)
	w.here(done)
	c, _ = w.rowsAt(mulC, mulCDown, rows)
	t.keep(w, c)
	for range rows {
		w.line("ADDQ %s, %s", mulCDown, mulC)
		w.line("ADDQ %s, %s", mulADown, mulA)
	}
}

// registers returns the number of registers of a row of a tile.
func (t tiling) registers() int { return t.parts * t.panels }

// bytes returns the start of a part in a row of c.
func (t tiling) bytes(part int) int { return 64 / t.parts * part }

// clear zeroes the sums of a tile.
func (t tiling) clear(w *amd64, rows int) {
	t.eachSum(rows, func(_, _ int, sum string) { w.line("%s %s, %s, %s", t.zero, sum, sum, sum) })
}

// keep stores the sums of a tile at the addresses of its rows.
func (t tiling) keep(w *amd64, c []string) {
	t.eachSum(len(c), func(row, part int, sum string) { w.line("VMOVUPS %s, %d%s", sum, t.bytes(part), c[row]) })
}

// addProducts adds to the sums the products of a number of each row of a with one row of b.
func (t tiling) addProducts(w *amd64, a []string) {
	n := t.registers()
	for part := range n {
		at := fmt.Sprintf("%d(%s)", t.bytes(part%t.parts), mulB)
		if part >= t.parts {
			at += "(" + mulBApart + "*1)"
		}
		w.line("VMOVUPS %s, %s%d", at, t.vector, part)
	}
	t.eachSum(len(a), func(row, part int, sum string) {
		switch {
		case n == 1 && !t.pairs:
			w.line("VFMADD231PS.BCST %s, Z0, %s", a[row], sum)
		case part == 0:
			w.line("VBROADCASTSS %s, %s%d", a[row], t.vector, n)
			fallthrough
		default:
			if t.pairs {
				w.evex(0x252, n+1+row*n+part, part, n) // VDPBF16PS
				return
			}
			w.line("VFMADD231PS %s%d, %s%d, %s", t.vector, n, t.vector, part, sum)
		}
	})
}

// evex writes an instruction on Z registers that Go's assembler does not know: code is its opcode, and 0x200 for the prefix
// f3, 0x300 for f2.
func (w *amd64) evex(code, d, a, b int) {
	not := func(register, bit, to int) int { return (^register >> bit & 1) << to }
	w.line("BYTE $0x62; BYTE $%#x; BYTE $%#x; BYTE $%#x; BYTE $%#x; BYTE $%#x",
		not(d, 3, 7)|not(b, 4, 6)|not(b, 3, 5)|not(d, 4, 4)|2, ^a&15<<3|4|code>>8, 0x40|not(a, 4, 3), code&0xff, 0xc0|d&7<<3|b&7)
}

// roundPairs(to, x []float32)
func (t tiling) roundPairs(w *amd64) {
	w.begin("roundPairs"+t.suffix, 48)
	w.line("MOVQ to_base+0(FP), DI")
	w.line("MOVQ x_base+24(FP), SI")
	w.line("MOVQ x_len+32(FP), CX")
	again, done := w.label(), w.label()
	w.line("SHRQ $5, CX")
	w.line("JZ %s", done)
	w.here(again)
	w.line("VMOVUPS (SI), Z0")
	w.line("VMOVUPS 64(SI), Z1")
	w.evex(0x372, 0, 1, 0) // VCVTNE2PS2BF16
	w.line("VMOVUPS Z0, (DI)")
	w.line("ADDQ $128, SI")
	w.line("ADDQ $64, DI")
	w.line("DECQ CX")
	w.line("JNZ %s", again)
	w.here(done)
	w.end()
}

// eachSum calls f for the parts of all rows of a tile, with the register of the sums.
func (t tiling) eachSum(rows int, f func(row, part int, sum string)) {
	n := t.registers()
	for row := range rows {
		for part := range n {
			f(row, part, fmt.Sprintf("%s%d", t.vector, n+1+row*n+part))
		}
	}
}

// rowsAt returns the addresses of rows of a matrix, a stride apart, and the registers that
// they use.
func (w *amd64) rowsAt(first, stride string, rows int) (addresses, registers []string) {
	for row := range rows {
		if row%3 == 0 { // an address can hold one or two strides
			p := []string{"R12", "R13", "AX"}[row/3]
			if row == 0 {
				w.line("MOVQ %s, %s", first, p)
			} else {
				w.line("LEAQ (%s)(%s*2), %s", registers[row/3-1], stride, p)
				w.line("ADDQ %s, %s", stride, p)
			}
			registers = append(registers, p)
		}
		p := registers[row/3]
		addresses = append(addresses, []string{"(" + p + ")", "(" + p + ")(" + stride + "*1)", "(" + p + ")(" + stride + "*2)"}[row%3])
	}
	return addresses, registers
}

// multiplyAdds(n int) float32
func (t tiling) multiplyAdds(w *amd64) {
	w.begin("multiplyAdds"+t.suffix, 12)
	again := w.label()
	w.line("MOVQ n+0(FP), %s", mulInner)
	for i := range 16 {
		w.line("%s %s%d, %s%d, %s%d", t.zero, t.vector, i, t.vector, i, t.vector, i)
	}
	w.here(again)
	for i := range 12 {
		w.line("VFMADD231PS %s14, %s15, %s%d", t.vector, t.vector, t.vector, i)
	}
	w.line("DECQ %s", mulInner)
	w.line("JNZ %s", again)
	w.result(0, "ret+8")
	w.end()
}
