package main

// The registers of score and mix besides those of mul. Strides are in bytes.
const (
	pagesOf    = "AX"  // the attention, when nothing else is there
	pagesNext  = "R10" // address of the next page in the list
	pagesLeft  = "R11" // pages in score, positions in mix
	pagesApart = "R15"
)

// score(a *attention)
func (t tiling) score(w *amd64) {
	t.pages(w, "score", [2]string{"attention_weights", "attention_queries"}, func(w *amd64, rows int) {
		again, done := w.label(), w.label()
		w.line("MOVQ (attention_pages+8)(%s), %s", pagesOf, pagesLeft)
		w.here(again)
		w.line("TESTQ %s, %s", pagesLeft, pagesLeft)
		w.line("JZ %s", done)
		t.clear(w, rows)
		t.page(w, "attention_keys")
		a, walking := w.rowsAt(mulA, mulADown, rows)
		w.line("MOVQ (attention_queries+matrix_cols)(%s), %s", pagesOf, mulInner)
		t.addPage(w, a, walking)
		c, _ := w.rowsAt(mulC, mulCDown, rows)
		t.keep(w, c)
		w.line("ADDQ $64, %s", mulC)
		w.line("DECQ %s", pagesLeft)
		w.line("JMP %s", again)
		w.here(done)
		w.line("MOVQ a+0(FP), %s", pagesOf)
		w.line("MOVQ (attention_pages+8)(%s), %s", pagesOf, pagesLeft)
		w.line("SHLQ $6, %s", pagesLeft)
		w.line("SUBQ %s, %s", pagesLeft, mulC)
	})
}

// mix(a *attention)
func (t tiling) mix(w *amd64) {
	t.pages(w, "mix", [2]string{"attention_mixed", "attention_weights"}, func(w *amd64, rows int) {
		again, done := w.label(), w.label()
		w.line("MOVQ (attention_weights+matrix_cols)(%s), %s", pagesOf, pagesLeft)
		t.clear(w, rows)
		a, walking := w.rowsAt(mulA, mulADown, rows)
		w.here(again)
		w.line("TESTQ %s, %s", pagesLeft, pagesLeft)
		w.line("JLE %s", done)
		t.page(w, "attention_values")
		w.line("MOVQ $16, %s", mulInner)
		w.line("CMPQ %s, %s", pagesLeft, mulInner)
		w.line("CMOVQLT %s, %s", pagesLeft, mulInner)
		t.addPage(w, a, walking)
		w.line("SUBQ $16, %s", pagesLeft)
		w.line("JMP %s", again)
		w.here(done)
		c, _ := w.rowsAt(mulC, mulCDown, rows)
		t.keep(w, c)
	})
}

// pages writes a function that sets the first named matrix of an attention to the products
// of each row of the second with rows of its own in the pages. tile computes some rows of
// the product.
func (t tiling) pages(w *amd64, name string, of [2]string, tile func(w *amd64, rows int)) {
	w.begin(name+t.suffix, 8)
	w.line("MOVQ a+0(FP), %s", pagesOf)
	for _, from := range [][2]string{
		{of[0] + "+matrix_data", mulC}, {of[0] + "+matrix_stride", mulCDown}, {"attention_queries+matrix_rows", mulRows},
		{of[1] + "+matrix_data", mulA}, {of[1] + "+matrix_stride", mulADown}, {"attention_apart", pagesApart},
	} {
		w.line("MOVQ (%s)(%s), %s", from[0], pagesOf, from[1])
	}
	for _, stride := range []string{mulCDown, mulADown, pagesApart} {
		w.line("SHLQ $2, %s", stride)
	}
	t.tiles(w, func(w *amd64, rows int) {
		w.line("MOVQ a+0(FP), %s", pagesOf)
		w.line("MOVQ attention_pages(%s), %s", pagesOf, pagesNext)
		tile(w, rows)
		for range rows {
			w.line("ADDQ %s, %s", mulCDown, mulC)
			w.line("ADDQ %s, %s", mulADown, mulA)
		}
	})
	w.end()
}

// page loads the address, in the next page, of the rows of the tile's first head.
func (t tiling) page(w *amd64, first string) {
	w.line("MOVQ a+0(FP), %s", pagesOf)
	w.line("MOVQ (attention_queries+matrix_rows)(%s), %s", pagesOf, mulB)
	w.line("SUBQ %s, %s", mulRows, mulB)
	w.line("IMULQ attention_apart(%s), %s", pagesOf, mulB)
	w.line("ADDQ %s(%s), %s", first, pagesOf, mulB)
	w.line("MOVQ (%s), %s", pagesNext, mulInner)
	w.line("ADDQ $8, %s", pagesNext)
	w.line("MOVQ page_data(%s), %s", mulInner, mulInner)
	w.line("LEAQ (%s)(%s*4), %s", mulInner, mulB, mulB)
}

// addPage adds to the sums the products of the next numbers of each row of a, at advancing
// addresses, and its rows in the page. The inner dimension is 1 or more.
func (t tiling) addPage(w *amd64, a, walking []string) {
	again := w.label()
	w.here(again)
	b := []string{"(" + mulB + ")", "(" + mulB + ")(" + pagesApart + "*1)", "(" + mulB + ")(" + pagesApart + "*2)", "(AX)(" + pagesApart + "*1)"}
	if len(a) > 3 {
		w.line("LEAQ (%s)(%s*2), AX", mulB, pagesApart)
	}
	t.eachSum(len(a), func(row, part int, sum string) {
		if part == 0 {
			w.line("VBROADCASTSS %s, %s%d", a[row], t.vector, t.parts)
		}
		w.line("VFMADD231PS %d%s, %s%d, %s", 32*part, b[row], t.vector, t.parts, sum)
	})
	for _, p := range walking {
		w.line("ADDQ $4, %s", p)
	}
	w.line("ADDQ $64, %s", mulB)
	w.line("DECQ %s", mulInner)
	w.line("JNZ %s", again)
}
