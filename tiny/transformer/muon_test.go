package transformer

import (
	"math"
	"strings"
	"testing"
)

// TestMuonFollowsItsRule compares two steps with the rule, computed independently in
// float64, matrix by matrix. Every tensor but the matrices of the layers follows AdamW.
func TestMuonFollowsItsRule(t *testing.T) {
	t.Parallel()
	for _, c := range small[:3] {
		m, plain := shaken(c, 1), shaken(c, 1)
		set := AdamSettings{Rate: 0.01, WeightDecay: 0.5, Clip: 2}
		adam, err := NewAdamW(plain, set)
		if err != nil {
			t.Fatal(err)
		}
		set.Muon = 3
		o, err := NewAdamW(m, set)
		if err != nil {
			t.Fatal(err)
		}
		want, means := map[string][]float64{}, map[string][]float64{}
		for _, tensor := range m.Tensors() {
			want[tensor.Name], means[tensor.Name] = wide(tensor.Data), make([]float64, len(tensor.Data))
		}
		for step := range 2 {
			grads := shaken(c, uint64(10+step))
			if _, err := adam.Step(plain, grads.Params()); err != nil {
				t.Fatal(err)
			}
			report, err := o.Step(m, grads.Params())
			if err != nil {
				t.Fatal(err)
			}
			for i, tensor := range m.Tensors() {
				if strings.HasPrefix(tensor.Name, "layers.") && tensor.Rows > 1 {
					ruleOfMuon(want[tensor.Name], means[tensor.Name], grads.Tensors()[i], 2/report.Norm)
				} else {
					want[tensor.Name] = wide(plain.Tensors()[i].Data)
				}
			}
		}
		for _, tensor := range m.Tensors() {
			near(t, tensor.Name, tensor.Data, want[tensor.Name], 1e-4)
		}
	}
}

// ruleOfMuon updates a tensor at the rate 0.03, with weight decay 0.5.
func ruleOfMuon(params, means []float64, grad Tensor, scale float64) {
	cols := grad.Cols
	if strings.HasSuffix(grad.Name, "qkv") {
		cols = grad.Rows // the queries, keys and values separately
	}
	for lo := 0; lo < grad.Cols; lo += cols {
		x := make([][]float64, grad.Rows)
		for i := range x {
			for j := lo; j < lo+cols; j++ {
				at := i*grad.Cols + j
				g := scale * float64(grad.Data[at])
				means[at] = 0.95*means[at] + 0.05*g
				x[i] = append(x[i], 0.95*means[at]+0.05*g)
			}
		}
		x = schulz(x)
		for i := range x {
			for j, v := range x[i] {
				at := i*grad.Cols + lo + j
				params[at] = params[at]*(1-0.03*0.5) - 0.03*math.Sqrt(max(1, float64(cols)/float64(grad.Rows)))*v
			}
		}
	}
}

// schulz makes five rounds of the Newton-Schulz iteration, by its definition.
func schulz(x [][]float64) [][]float64 {
	var size float64
	for _, row := range x {
		for _, v := range row {
			size += v * v
		}
	}
	for _, row := range x {
		for j := range row {
			row[j] /= math.Sqrt(size)
		}
	}
	for range 5 {
		cube := times(times(x, flip(x)), x)
		fifth := times(times(x, flip(x)), cube)
		for i, row := range x {
			for j := range row {
				row[j] = 3.4445*row[j] - 4.7750*cube[i][j] + 2.0315*fifth[i][j]
			}
		}
	}
	return x
}

func flip(x [][]float64) [][]float64 {
	y := make([][]float64, len(x[0]))
	for _, row := range x {
		for j, v := range row {
			y[j] = append(y[j], v)
		}
	}
	return y
}

func times(x, y [][]float64) [][]float64 {
	z := make([][]float64, len(x))
	for i, row := range x {
		z[i] = make([]float64, len(y[0]))
		for k, v := range row {
			for j, w := range y[k] {
				z[i][j] += v * w
			}
		}
	}
	return z
}

// TestMuonMakesSingularValuesOne tries a matrix with one direction a thousand times
// stronger than the others, and a matrix of zeros.
func TestMuonMakesSingularValuesOne(t *testing.T) {
	t.Parallel()
	for _, sizes := range [][2]int{{32, 32}, {32, 64}, {64, 32}} {
		var s muonScratch
		s.x.resize(sizes[0], sizes[1])
		for i := range min(sizes[0], sizes[1]) {
			s.x.row(i)[i] = 0.1
		}
		s.x.row(3)[3] = 1
		s.orthogonalise()
		for i := range s.x.rows {
			for j, x := range s.x.row(i) {
				if i == j && (x < 0.6 || x > 1.3) || i != j && x != 0 {
					t.Errorf("%v: [%d,%d] is %v", sizes, i, j, x)
				}
			}
		}
		s.x.resize(sizes[0], sizes[1])
		clear(s.x.data)
		if s.orthogonalise(); s.x.row(1)[1] != 0 {
			t.Errorf("%v: zeros became %v", sizes, s.x.row(1)[1])
		}
	}
}
