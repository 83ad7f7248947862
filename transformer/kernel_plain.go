//go:build !(goexperiment.simd && amd64)

package transformer

// mulPanel sets the first lanes columns of c to a·b, or adds that to them. c has as many
// rows as a; b has as many rows as a has columns.
func mulPanel(c, a matrix, b [][lanes]float32, add bool) { mulPanelPlain(c, a, b, add) }

// mulPair is mulPanel for two panels, which follow one another in b, and the first 2·lanes
// columns of c.
func mulPair(c, a matrix, b [][lanes]float32, add bool) {
	mulPanelPlain(c, a, b[:len(b)/2], add)
	mulPanelPlain(c.columns(lanes, lanes), a, b[len(b)/2:], add)
}

// addRow adds a·b to c. a has at least as many numbers as b has rows.
func addRow(c *[lanes]float32, a []float32, b [][lanes]float32) { addRowPlain(c, a, b) }

// addOuter adds aᵀ·b to c. a has at least as many rows as b.
func addOuter(c *block, a, b [][lanes]float32) { addOuterPlain(c, a, b) }
