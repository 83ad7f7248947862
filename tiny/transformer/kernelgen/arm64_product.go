package main

import "fmt"

// mul(c matrix, a factor, b panels, add bool). Tiles of up to four rows and 16 columns of the product are in V0 to V15
// while the sums grow. R0, R1 and R2 are the addresses of c, a and b, R3 to R6 the strides in bytes: c down, a down, a
// across, b down. R7 counts the remaining rows, R8 the rest of the inner dimension. R10 to R13 are the addresses of the
// rows of a, R20 that of the row of b. R14 is the distance between panels of b, R15 counts them.
func (w *arm64) mul() {
	w.begin("mulNEON", 145)
	again, done := w.label(), w.label()
	for i, arg := range []string{"c_stride+40", "a_down+72", "a_across+80", "b_stride+120"} {
		w.line("MOVD %s(FP), R%d", arg, 3+i)
		w.line("LSL $2, R%d, R%d", 3+i, 3+i)
	}
	w.line("MOVD b_data_base+88(FP), R2")
	w.line("MOVD b_apart+128(FP), R14")
	w.line("LSL $2, R14, R14")
	w.line("MOVD b_n+136(FP), R15")
	w.line("MOVD c_data_base+0(FP), R16")
	w.here(again)
	w.line("CBZ R15, %s", done)
	w.line("MOVD R16, R0")
	w.line("MOVD a_data_base+48(FP), R1")
	w.line("MOVD c_rows+24(FP), R7")
	w.tiles(w.tile)
	w.line("ADD $64, R16, R16")
	w.line("ADD R14, R2, R2")
	w.line("SUB $1, R15, R15")
	w.line("JMP %s", again)
	w.here(done)
	w.end()
}

// tiles writes tiles for all rows.
func (w *arm64) tiles(tile func(rows int)) {
	for _, rows := range []int{4, 2, 1} {
		again, next := w.label(), w.label()
		w.here(again)
		w.line("CMP $%d, R7", rows)
		w.line("BLT %s", next)
		tile(rows)
		w.line("SUB $%d, R7, R7", rows)
		w.line("JMP %s", again)
		w.here(next)
	}
}

// tile computes some rows of the product, and advances c and a past them.
func (w *arm64) tile(rows int) {
	fresh, start, again, done := w.label(), w.label(), w.label(), w.label()
	w.line("MOVBU add+144(FP), R9")
	w.line("CBZ R9, %s", fresh)
	w.line("MOVD R0, R9")
	for row := range rows {
		w.line("VLD1 (R9), [%s]", fourRegisters(4*row))
		w.line("ADD R3, R9, R9")
	}
	w.line("JMP %s", start)
	w.here(fresh)
	w.clear(4 * rows)
	w.here(start)
	w.line("MOVD R2, R20")
	for row := range rows {
		w.line("MOVD R1, R%d", 10+row)
		w.line("ADD R4, R1, R1")
	}
	w.line("MOVD b_rows+112(FP), R8")
	w.line("CBZ R8, %s", done)
	w.here(again)
	w.line("VLD1 (R20), [%s]", fourRegisters(16))
	w.line("ADD R6, R20, R20")
	for row := range rows {
		w.line("VLD1R.P (R%d)(R5), [V%d.S4]", 10+row, 20+row)
		for part := range 4 {
			w.line("VFMLA V%d.S4, V%d.S4, V%d.S4", 20+row, 16+part, 4*row+part)
		}
	}
	w.line("SUB $1, R8, R8")
	w.line("CBNZ R8, %s", again)
	w.here(done)
	for row := range rows {
		w.line("VST1 [%s], (R0)", fourRegisters(4*row))
		w.line("ADD R3, R0, R0")
	}
}

// clear zeroes the first registers.
func (w *arm64) clear(registers int) {
	for v := range registers {
		w.line("VEOR V%d.B16, V%d.B16, V%d.B16", v, v, v)
	}
}

// fourRegisters lists the vector registers from first on.
func fourRegisters(first int) string {
	return fmt.Sprintf("V%d.S4, V%d.S4, V%d.S4, V%d.S4", first, first+1, first+2, first+3)
}

// multiplyAdds(n int) float32
func (w *arm64) multiplyAdds() {
	w.begin("multiplyAddsNEON", 12)
	again := w.label()
	w.line("MOVD n+0(FP), R0")
	w.clear(26)
	w.here(again)
	for v := range 24 {
		w.line("VFMLA V24.S4, V25.S4, V%d.S4", v)
	}
	w.line("SUB $1, R0, R0")
	w.line("CBNZ R0, %s", again)
	w.result(0, "ret+8")
	w.end()
}
