package transformer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// random is a matrix of normal numbers.
func random(r *rand.Rand, rows, cols int) (m matrix) {
	m.resize(rows, cols)
	for i := range m.data {
		m.data[i] = float32(r.NormFloat64())
	}
	return m
}

// panelOf packs the first lanes columns of m.
func panelOf(m matrix) [][lanes]float32 {
	var p packing
	p.pack(m)
	return p.panel(0)
}

// TestKernelsMultiply compares every kernel of this build with the definition of the
// product.
func TestKernelsMultiply(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, kernel := range panelKernels() {
		for _, rows := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 31} {
			for _, inner := range []int{0, 1, 2, 7, 16, 65} {
				a, b, c := random(r, rows, inner), random(r, inner, lanes), random(r, rows, lanes)
				for _, add := range []bool{false, true} {
					want := slices.Clone(c.data)
					for i := range rows {
						for j := range lanes {
							var sum float64
							for k := range inner {
								sum += float64(a.row(i)[k]) * float64(b.row(k)[j])
							}
							if add {
								sum += float64(c.row(i)[j])
							}
							want[i*c.stride+j] = float32(sum)
						}
					}
					got := c
					got.data = slices.Clone(c.data)
					kernel.mul(got, a, panelOf(b), add)
					what := fmt.Sprintf("%s: %d rows, %d inner, add %v", kernel.name, rows, inner, add)
					alike(t, what, got.data, want, 1e-5*math.Sqrt(float64(1+inner)))
				}
			}
		}
	}
}

// alike checks that two rows are equal within a tolerance relative to their size.
func alike(t *testing.T, what string, got, want []float32, tolerance float64) {
	t.Helper()
	for i := range want {
		if math.Abs(float64(got[i]-want[i])) > tolerance*(1+math.Abs(float64(want[i]))) {
			t.Fatalf("%s: [%d] is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestTransposedKernelsMultiply(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 3))
	for _, cols := range []int{1, 15, 16, 17, 40} {
		for _, rows := range []int{0, 1, 5, 64, 65, 200} {
			a, b, c := random(r, rows, cols), random(r, rows, lanes), random(r, cols, lanes)
			for _, add := range []bool{false, true} {
				var want matrix
				want.resize(cols, lanes)
				var turned matrix
				turned.resize(cols, rows)
				for i := range rows {
					for j, x := range a.row(i) {
						turned.row(j)[i] = x
					}
				}
				if add {
					want.copyFrom(c)
				}
				mulPanelPlain(want, turned, panelOf(b), add)
				got := c
				got.data = slices.Clone(c.data)
				mulPanelT(got, a, panelOf(b), add)
				for i := range cols {
					alike(t, fmt.Sprintf("%d × %d, add %v, row %d", rows, cols, add, i), got.row(i), want.row(i), 1e-4)
				}
			}
		}
	}
	for _, kernel := range outerKernels() {
		for _, rows := range []int{0, 1, 2, 33} {
			a, b := panelOf(random(r, rows, lanes)), panelOf(random(r, rows, lanes))
			var got, want block
			got[3][5], want[3][5] = 1, 1
			kernel.add(&got, a, b)
			for i := range want {
				for j := range want[i] {
					for k := range b {
						want[i][j] += a[k][i] * b[k][j]
					}
				}
				alike(t, fmt.Sprintf("%s: %d rows", kernel.name, rows), got[i][:], want[i][:], 1e-4)
			}
		}
	}
}

// TestRowsDoNotDependOnEachOther computes each row of a product alone.
func TestRowsDoNotDependOnEachOther(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 4))
	a, b, c := random(r, 11, 50), panelOf(random(r, 50, lanes)), random(r, 11, lanes)
	mulPanel(c, a, b, false)
	for i := range c.rows {
		one := random(r, 1, lanes)
		mulPanel(one, a.between(i, i+1), b, false)
		if *one.block(0) != *c.block(i) {
			t.Errorf("row %d: %v alone, %v among others", i, one.block(0), c.block(i))
		}
		var single [lanes]float32
		addRow(&single, a.row(i), b)
		if single != *c.block(i) {
			t.Errorf("row %d: %v by addRow, %v among others", i, single, c.block(i))
		}
	}
}

// TestSparseIsDense checks that leaving out zeros does not change a bit of the product.
func TestSparseIsDense(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 7))
	var s sparse
	for _, inner := range []int{16, 48, 256} {
		a, c := random(r, 9, inner), random(r, 9, 3*lanes)
		for i := range a.data {
			if r.IntN(3) > 0 || i/a.stride == 4 { // one row is all zeros
				a.data[i] = 0
			}
		}
		var b packing
		b.pack(random(r, inner, 3*lanes))
		for _, add := range []bool{true, false} {
			got, want := c, c
			got.data, want.data = slices.Clone(c.data), slices.Clone(c.data)
			s.multiply(got, a, &b, add)
			multiply(want, a, &b, add)
			if !slices.Equal(got.data, want.data) {
				t.Errorf("%d inner, add %v: not the dense product", inner, add)
			}
		}
		a.row(2)[3] = float32(math.NaN())
		if s.multiply(c, a, &b, false); c.row(2)[0] == c.row(2)[0] {
			t.Errorf("%d inner: a NaN is lost", inner)
		}
	}
}

func TestVectorFunctionsMatchTheirDefinitions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 5))
	for _, n := range []int{16, 32, 48, 160} {
		x, y := random(r, 1, n).row(0), random(r, 1, n).row(0)
		if got, want := dot(x, y), dotPlain(x, y); math.Abs(float64(got-want)) > 1e-4 {
			t.Errorf("dot of %d is %v, want %v", n, got, want)
		}
		if got, want := maximum(x), slices.Max(x); got != want {
			t.Errorf("maximum of %d is %v, want %v", n, got, want)
		}
		got, want := slices.Clone(x), slices.Clone(x)
		addScaled(got, y, 0.7)
		addScaledPlain(want, y, 0.7)
		alike(t, "addScaled", got, want, 1e-6)
		scaleBy(got, 3)
		scaleByPlain(want, 3)
		alike(t, "scaleBy", got, want, 1e-6)
		gotTo, wantTo := slices.Clone(y), slices.Clone(y)
		squareReLU(gotTo, got)
		squareReLUPlain(wantTo, want)
		alike(t, "squareReLU", slices.Concat(got, gotTo), slices.Concat(want, wantTo), 1e-5)
		at := angles{random(r, 1, n/2).row(0), random(r, 1, n/2).row(0), -1}
		turnPairs(got[:n/2], got[n/2:], at)
		turnPairsPlain(want[:n/2], want[n/2:], at)
		alike(t, "turnPairs", got, want, 1e-5)
	}
}

// TestExponentialIsThatOfMath compares with package math over the whole range.
func TestExponentialIsThatOfMath(t *testing.T) {
	t.Parallel()
	for name, exponential := range map[string]func([]float32, float32, float32) (float32, float32){
		"plain": exponentialPlain, "of this build": exponential,
	} {
		for at := float64(-130); at <= 0; at += 1.0 / 64 {
			x := slices.Repeat([]float32{float32(at)}, lanes)
			sum, weighted := exponential(x, 0.5, 0)
			want := math.Exp(at / 2)
			if math.Abs(float64(x[3])-want) > (1e-6-1e-7*at)*want {
				t.Fatalf("%s: e^%v is %v, want %v", name, at/2, x[3], want)
			}
			if math.Abs(float64(sum)-lanes*want) > 1e-4*want || math.Abs(float64(weighted)-lanes*want*at/2) > 1e-4*want*(1-at) {
				t.Fatalf("%s: of %v: sum %v, weighted %v", name, at/2, sum, weighted)
			}
		}
		x := make([]float32, lanes)
		for i := range x {
			x[i] = float32(math.Inf(-1))
		}
		x[2] = -1000
		if sum, weighted := exponential(x, 1, 0); sum != 0 || weighted != 0 || x[2] != 0 || x[0] != 0 {
			t.Errorf("%s: of numbers far below: sum %v, weighted %v, %v", name, sum, weighted, x)
		}
	}
}

// TestNaNStays checks that no vector function hides a NaN.
func TestNaNStays(t *testing.T) {
	t.Parallel()
	nan := float32(math.NaN())
	for name, f := range map[string]func(x []float32){
		"exponential":      func(x []float32) { exponential(x, 1, 0) },
		"exponentialPlain": func(x []float32) { exponentialPlain(x, 1, 0) },
		"squareReLU":       func(x []float32) { squareReLU(make([]float32, lanes), x) },
		"squareReLUPlain":  func(x []float32) { squareReLUPlain(make([]float32, lanes), x) },
		"softmax":          func(x []float32) { softmax(x, lanes, 1) },
	} {
		for _, sign := range []float32{1, -1} {
			x := make([]float32, lanes)
			x[5] = float32(math.Copysign(float64(nan), float64(sign)))
			f(x)
			if x[5] == x[5] {
				t.Errorf("%s turns NaN into %v", name, x[5])
			}
		}
	}
}
