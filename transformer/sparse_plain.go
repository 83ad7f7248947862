//go:build !(goexperiment.simd && amd64)

package transformer

// A sparse multiplies matrices in which about half of the numbers or more are zero,
// such as the output of a squared ReLU. It leaves out the zeros, which does not change
// a bit of a product of finite numbers. For a matrix without zeros it is slower than
// [multiply], as it takes one row at a time. The zero value is ready to use.
type sparse struct {
	values []float32 // the numbers of one row that are not zero
	at     []int32   // their columns
}

// multiply sets c to a·b, or adds a·b to c.
func (s *sparse) multiply(c, a matrix, b *packing, add bool) {
	for i := range a.rows {
		s.gather(a.row(i))
		for j := range b.panels() {
			to := (*[lanes]float32)(c.data[i*c.stride+j*lanes:])
			if !add {
				*to = [lanes]float32{}
			}
			s.add6(to, b.panel(j), 0)
			s.add6(to, b.panel(j), 6)
			s.add4(to, b.panel(j))
		}
	}
}

// gather stores the numbers of a row that are not zero. To avoid a branch it writes every
// number, and overwrites a zero with the next.
func (s *sparse) gather(row []float32) {
	if len(row) > cap(s.values) {
		s.values, s.at = make([]float32, len(row)), make([]int32, len(row))
	}
	values, at := s.values[:len(row)], s.at[:len(row)]
	n := 0
	for k, x := range row {
		values[n], at[n] = x, int32(k)
		if x != 0 {
			n++
		}
	}
	s.values, s.at = values[:n], at[:n]
}

// add6 adds the product of the row with a panel to six columns of c, from j on.
//
//go:noinline
func (s *sparse) add6(c *[lanes]float32, b [][lanes]float32, j int) {
	j = max(0, min(j, lanes-6))
	to := (*[6]float32)(c[j:])
	values := s.values
	at := s.at[:len(values)]
	s0, s1, s2, s3, s4, s5 := to[0], to[1], to[2], to[3], to[4], to[5]
	for i, x := range values {
		w := (*[6]float32)(b[at[i]][j:])
		s0 += x * w[0]
		s1 += x * w[1]
		s2 += x * w[2]
		s3 += x * w[3]
		s4 += x * w[4]
		s5 += x * w[5]
	}
	to[0], to[1], to[2], to[3], to[4], to[5] = s0, s1, s2, s3, s4, s5
}

// add4 is add6 for the last four columns.
//
//go:noinline
func (s *sparse) add4(c *[lanes]float32, b [][lanes]float32) {
	to := (*[4]float32)(c[lanes-4:])
	values := s.values
	at := s.at[:len(values)]
	s0, s1, s2, s3 := to[0], to[1], to[2], to[3]
	for i, x := range values {
		w := (*[4]float32)(b[at[i]][lanes-4:])
		s0 += x * w[0]
		s1 += x * w[1]
		s2 += x * w[2]
		s3 += x * w[3]
	}
	to[0], to[1], to[2], to[3] = s0, s1, s2, s3
}
