package transformer

// The two kernels below hold nearly all of the arithmetic. Both make lanes columns
// of a product, four rows at a time. A row's sums run in the order of the inner
// dimension, in the same instructions wherever the row stands: what the other rows
// hold, and how many there are, does not change it.

// mulPanel sets the lanes columns of c to a·b, or adds a·b to them. c has the rows
// of a; b has lanes columns and the columns of a as rows.
func mulPanelGo(c, a, b matrix, add bool) {
	var spare [lanes]float32
	for i := 0; i < a.rows; i++ {
		acc := &spare
		clear(acc[:])
		for k, x := range a.row(i) {
			row := (*[lanes]float32)(b.data[k*b.stride:])
			for j := range acc {
				acc[j] += x * row[j]
			}
		}
		to := (*[lanes]float32)(c.data[i*c.stride:])
		if add {
			for j := range acc {
				to[j] += acc[j]
			}
		} else {
			*to = *acc
		}
	}
}

// mulPanelT is mulPanel with the transpose of a: it adds aᵀ·b to c, or sets it. c has
// the columns of a as rows; b has the rows of a.
func mulPanelTGo(c, a, b matrix, add bool) {
	for i := range a.cols {
		var acc [lanes]float32
		for k := range a.rows {
			x := a.data[k*a.stride+i]
			row := (*[lanes]float32)(b.data[k*b.stride:])
			for j := range acc {
				acc[j] += x * row[j]
			}
		}
		to := (*[lanes]float32)(c.data[i*c.stride:])
		if add {
			for j := range acc {
				to[j] += acc[j]
			}
		} else {
			*to = acc
		}
	}
}

func mulPanel(c, a, b matrix, add bool)  { mulPanelGo(c, a, b, add) }
func mulPanelT(c, a, b matrix, add bool) { mulPanelTGo(c, a, b, add) }
