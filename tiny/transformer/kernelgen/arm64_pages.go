package main

// In score and mix, as in mul, R0 and R1 are the addresses of c and a, R3 and R4 the strides
// in bytes of both, R7 counts the rows, and R10 to R13 are the addresses of the rows of a. R20
// to R23 are those of b, R14 is the distance between them, R2 the start of the first in a
// page. R5 is the address of the next page in the list, R6 counts the pages left in score, the
// positions left in mix. R16 is the attention.

// score(a *attention)
func (w *arm64) score() {
	w.pages("score", []string{"attention_weights", "attention_queries", "attention_keys"}, func(rows int) {
		again, done := w.label(), w.label()
		w.line("MOVD (attention_pages+8)(R16), R6")
		w.line("MOVD R0, R15")
		w.here(again)
		w.line("CBZ R6, %s", done)
		w.clear(4 * rows)
		w.rowsAt(rows)
		w.line("MOVD (attention_queries+matrix_cols)(R16), R8")
		w.addPage(rows)
		w.keep(15, rows)
		w.line("ADD $64, R15, R15")
		w.line("SUB $1, R6, R6")
		w.line("JMP %s", again)
		w.here(done)
	})
}

// mix(a *attention)
func (w *arm64) mix() {
	w.pages("mix", []string{"attention_mixed", "attention_weights", "attention_values"}, func(rows int) {
		again, done := w.label(), w.label()
		w.line("MOVD (attention_weights+matrix_cols)(R16), R6")
		w.clear(4 * rows)
		w.rowsAt(rows)
		w.here(again)
		w.line("CMP $0, R6")
		w.line("BLE %s", done)
		w.line("MOVD $16, R8")
		w.line("CMP R8, R6")
		w.line("CSEL LT, R6, R8, R8")
		w.addPage(rows)
		w.line("SUB $16, R6, R6")
		w.line("JMP %s", again)
		w.here(done)
		w.keep(0, rows)
	})
}

// pages writes a function that sets the first named part of an attention to the products of
// each row of the second with rows of its own in the pages; the third gives their start. tile
// computes some rows of the product.
func (w *arm64) pages(name string, of []string, tile func(rows int)) {
	w.begin(name+"NEON", 8)
	w.line("MOVD a+0(FP), R16")
	for _, from := range []struct {
		field    string
		register int
	}{
		{of[0] + "+matrix_data", 0}, {of[1] + "+matrix_data", 1}, {of[2], 2}, {of[0] + "+matrix_stride", 3}, {of[1] + "+matrix_stride", 4},
		{"attention_queries+matrix_rows", 7}, {"attention_apart", 14},
	} {
		w.line("MOVD (%s)(R16), R%d", from.field, from.register)
	}
	for _, stride := range []int{2, 3, 4, 14} {
		w.line("LSL $2, R%d, R%d", stride, stride)
	}
	w.tiles(func(rows int) {
		w.line("MOVD attention_pages(R16), R5")
		tile(rows)
		for range rows {
			w.line("ADD R3, R0, R0")
			w.line("ADD R4, R1, R1")
			w.line("ADD R14, R2, R2")
		}
	})
	w.end()
}

// rowsAt computes the addresses of some rows of a.
func (w *arm64) rowsAt(rows int) {
	w.line("MOVD R1, R10")
	for row := 1; row < rows; row++ {
		w.line("ADD R4, R%d, R%d", 9+row, 10+row)
	}
}

// addPage adds to the sums the products of the next numbers of each row of a, at advancing
// addresses, and its rows in the next page. The inner dimension, R8, is 1 or more.
func (w *arm64) addPage(rows int) {
	again := w.label()
	w.line("MOVD.P 8(R5), R20")
	w.line("MOVD page_data(R20), R20")
	w.line("ADD R2, R20, R20")
	for row := 1; row < rows; row++ {
		w.line("ADD R14, R%d, R%d", 19+row, 20+row)
	}
	w.here(again)
	for row := range rows {
		w.line("VLD1.P 64(R%d), [%s]", 20+row, fourRegisters(16))
		w.line("VLD1R.P 4(R%d), [V%d.S4]", 10+row, 20+row)
		for part := range 4 {
			w.line("VFMLA V%d.S4, V%d.S4, V%d.S4", 20+row, 16+part, 4*row+part)
		}
	}
	w.line("SUB $1, R8, R8")
	w.line("CBNZ R8, %s", again)
}

// keep stores the sums of a tile in rows of c, the first at the address in a register.
func (w *arm64) keep(first, rows int) {
	w.line("MOVD R%d, R9", first)
	for row := range rows {
		w.line("VST1 [%s], (R9)", fourRegisters(4*row))
		w.line("ADD R3, R9, R9")
	}
}
