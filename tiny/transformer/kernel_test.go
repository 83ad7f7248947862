package transformer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// random returns a matrix of normal numbers.
func random(r *rand.Rand, rows, cols int) (m matrix) {
	m.resize(rows, cols)
	for i := range m.data {
		m.data[i] = float32(r.NormFloat64())
	}
	return m
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

// everySet runs a test for each set of kernels for this processor.
func everySet(t *testing.T, test func(t *testing.T, set kernelSet)) {
	t.Parallel()
	for _, set := range available() {
		t.Run(set.name, func(t *testing.T) {
			t.Parallel()
			test(t, set)
		})
	}
}

// fenced copies x to the middle of a larger slice, unaligned. check fails the test if a kernel
// wrote outside the copy.
func fenced(x []float32) (inner []float32, check func(t *testing.T, what string)) {
	const fence = 12345
	all := slices.Repeat([]float32{fence}, len(x)+2*lanes+1)
	inner = all[lanes+1:][:len(x)]
	copy(inner, x)
	return inner, func(t *testing.T, what string) {
		t.Helper()
		for _, y := range slices.Concat(all[:lanes+1], all[lanes+1+len(x):]) {
			if y != fence {
				t.Fatalf("%s: wrote beyond its numbers", what)
			}
		}
	}
}

// TestKernelsMultiply compares with the definition of the product, for both forms of each
// matrix.
func TestKernelsMultiply(t *testing.T) {
	everySet(t, func(t *testing.T, set kernelSet) {
		r := rand.New(rand.NewPCG(1, 2))
		for _, rows := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 31} {
			for _, inner := range []int{0, 1, 2, 7, 16, 65} {
				for n, form := range []struct{ add, turned, packed bool }{
					{}, {add: true}, {turned: true}, {add: true, turned: true}, {packed: true}, {add: true, packed: true},
				} {
					a, b := random(r, rows, inner), random(r, inner, (n+2)*lanes).columns(lanes, n*lanes)
					from, by := a.factor(), b.panels(n)
					if form.packed {
						var w packing
						w.pack(b)
						by = w.all()
					}
					if form.turned {
						var turned matrix
						turned.transpose(a)
						from = turned.turned()
					}
					c := random(r, rows, n*lanes)
					want := product32(c, a, b, form.add)
					data, check := fenced(c.data)
					c.data = data
					what := fmt.Sprintf("%d rows, %d inner, %d panels, %+v", rows, inner, n, form)
					set.mul(c, from, by, form.add)
					check(t, what)
					alike(t, what, c.data, want.data, 1e-5*math.Sqrt(float64(1+inner)))
				}
			}
		}
	})
}

// product32 returns a·b, or c+a·b, by the definition and summed in float64.
func product32(c, a, b matrix, add bool) matrix {
	want := c
	want.data = slices.Clone(c.data)
	for i := range a.rows {
		for j := range c.cols {
			var sum float64
			if add {
				sum = float64(c.row(i)[j])
			}
			for k := range b.rows {
				sum += float64(a.row(i)[k]) * float64(b.row(k)[j])
			}
			want.row(i)[j] = float32(sum)
		}
	}
	return want
}

// TestRowsDoNotDependOnEachOther computes each row of a product alone, and in two parts.
func TestRowsDoNotDependOnEachOther(t *testing.T) {
	everySet(t, func(t *testing.T, set kernelSet) {
		r := rand.New(rand.NewPCG(1, 4))
		a, b, c := random(r, 15, 50), random(r, 50, lanes), random(r, 15, lanes)
		set.mul(c, a.factor(), b.panels(1), false)
		for i := range c.rows {
			one := random(r, 1, lanes)
			set.mul(one, a.between(i, i+1).factor(), b.panels(1), false)
			if *one.block(0) != *c.block(i) {
				t.Errorf("row %d: %v alone, %v among others", i, one.block(0), c.block(i))
			}
			set.mul(one, a.between(i, i+1).factor(), b.between(0, 7).panels(1), false)
			set.mul(one, a.between(i, i+1).columns(7, 43).factor(), b.between(7, 50).panels(1), true)
			if *one.block(0) != *c.block(i) {
				t.Errorf("row %d: %v in two parts, %v in one", i, one.block(0), c.block(i))
			}
		}
	})
}

// TestAttention compares the products with keys and values in pages with separate products for
// each head and page.
func TestAttention(t *testing.T) {
	everySet(t, func(t *testing.T, set kernelSet) {
		r := rand.New(rand.NewPCG(1, 10))
		for _, heads := range []int{1, 2, 3, 4, 5, 6, 7, 11} {
			for _, held := range []int{1, 15, 16, 17, 40, 48} {
				a := attention{queries: random(r, heads, 24), weights: random(r, heads, held), mixed: random(r, heads, lanes), keys: 3 * lanes, values: 5 * lanes, apart: 40 * lanes}
				for range padded(held) / lanes {
					a.pages = append(a.pages, &page{data: random(r, 1, 600*lanes).row(0)})
				}
				t.Run(fmt.Sprintf("%d heads, %d positions", heads, held), func(t *testing.T) {
					checkMix(t, set, a)
					checkScore(t, set, a)
				})
			}
		}
	})
}

// checkScore compares the products of queries and keys.
func checkScore(t *testing.T, set kernelSet, a attention) {
	t.Helper()
	var want matrix
	want.resize(a.weights.rows, a.weights.cols)
	for at, p := range a.pages {
		for i := range want.rows {
			keys := rowsOf(p, a.keys+i*a.apart, a.queries.cols)
			set.mul(want.between(i, i+1).columns(at*lanes, lanes), a.queries.between(i, i+1).factor(), keys.panels(1), false)
		}
	}
	data, check := fenced(make([]float32, len(want.data)))
	a.weights.data = data
	set.score(&a)
	check(t, "scores")
	if !slices.Equal(data, want.data) {
		t.Error("scores: not the bits of single products")
	}
}

// checkMix compares the weighted sums of values.
func checkMix(t *testing.T, set kernelSet, a attention) {
	t.Helper()
	var want matrix
	want.resize(a.mixed.rows, a.mixed.cols)
	for i := range want.rows {
		for at := 0; at < a.weights.cols; at += lanes {
			n := min(lanes, a.weights.cols-at)
			values := rowsOf(a.pages[at/lanes], a.values+i*a.apart, n)
			set.mul(want.between(i, i+1), a.weights.between(i, i+1).columns(at, n).factor(), values.panels(1), at > 0)
		}
	}
	data, check := fenced(make([]float32, len(want.data)))
	a.mixed.data = data
	set.mix(&a)
	check(t, "sums")
	if !slices.Equal(data, want.data) {
		t.Error("sums: not the bits of single products")
	}
}

// TestSoften compares the weights of all heads at once with those head by head, between
// padding and with a non-finite number.
func TestSoften(t *testing.T) {
	everySet(t, func(t *testing.T, set kernelSet) {
		if set.soften == nil {
			return // the set has no kernel for it
		}
		r := rand.New(rand.NewPCG(1, 12))
		for _, heads := range []int{1, 4, 5} {
			for _, held := range []int{1, 2, 15, 16, 17, 31, 32, 40, 128} {
				for _, odd := range []float32{0, 1e9, float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())} {
					a := attention{weights: random(r, heads, held), scale: 0.25}
					for i := range a.weights.data {
						a.weights.data[i] *= 20
					}
					a.weights.row(heads - 1)[held/2] = odd
					want := a.weights
					want.data = slices.Clone(want.data)
					for h := range heads {
						softmax(want.full(h), held, a.scale)
					}
					data, check := fenced(a.weights.data)
					a.weights.data = data
					set.soften(&a)
					what := fmt.Sprintf("%d heads, %d positions, %v", heads, held, odd)
					check(t, what)
					for h := range heads {
						for i, w := range want.full(h) {
							if got := a.weights.full(h)[i]; got != w && (got == got || w == w) {
								t.Fatalf("%s: head %d, position %d: %v, want %v", what, h, i, got, w)
							}
						}
					}
				}
			}
		}
	})
}

// TestWideKernelsGiveTheSameBits compares the products and the powers of the sets in assembly.
func TestWideKernelsGiveTheSameBits(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 6))
	a, b := random(r, 15, 50), random(r, 50, 3*lanes)
	var first []float32
	for _, set := range available() {
		if set.name == plain.name {
			continue
		}
		c := random(rand.New(rand.NewPCG(1, 11)), 15, 3*lanes)
		set.mul(c, a.factor(), b.panels(3), false)
		sum, weighted := set.powers(c.row(0), 0.5, -20)
		got := slices.Concat(c.data, []float32{sum, weighted})
		if first == nil {
			first = got
		}
		if !slices.Equal(got, first) {
			t.Errorf("%s: not the bits of %s", set.name, kernels.name)
		}
	}
}

// TestProductsKeepInfinitiesAndNaN checks that no tile leaves out a number.
func TestProductsKeepInfinitiesAndNaN(t *testing.T) {
	everySet(t, func(t *testing.T, set kernelSet) {
		inf, nan := float32(math.Inf(1)), float32(math.NaN())
		for i := range 15 {
			a, b, c := random(rand.New(rand.NewPCG(1, 8)), 15, 5), slices.Repeat([]float32{1}, 5*lanes), random(rand.New(rand.NewPCG(1, 9)), 15, lanes)
			in := matrix{data: b, rows: 5, cols: lanes, stride: lanes}
			a.row(i)[3] = inf
			if set.mul(c, a.factor(), in.panels(1), false); c.row(i)[9] != inf {
				t.Errorf("row %d with an infinity: %v", i, c.row(i))
			}
			a.row(i)[1] = nan
			set.mul(c, a.factor(), in.panels(1), false)
			for j, x := range c.data {
				if bad := x-x != 0; bad != (j/c.stride == i && j%c.stride < lanes) {
					t.Fatalf("row %d with NaN: [%d] is %v", i, j, x)
				}
			}
		}
	})
}

// TestVectorKernelsMatchThePlainOnes compares each set with plain Go, on unaligned numbers.
func TestVectorKernelsMatchThePlainOnes(t *testing.T) {
	everySet(t, func(t *testing.T, set kernelSet) {
		r := rand.New(rand.NewPCG(1, 5))
		for _, n := range []int{0, 16, 32, 48, 160} {
			draw := func() []float32 { return random(r, 1, n).row(0) }
			at := angles{cos: (*[8]float32)(random(r, 1, 8).data), sin: (*[8]float32)(random(r, 1, 8).data), sign: -1, heads: n / lanes, bytes: 4 * lanes}
			u := update{0.7, 0.9, 0.95, 0.1, 0.05, 1e-3, 0.01, 1.3, 0.99}
			for name, f := range map[string]func(set *kernelSet, x, y, z, v []float32) []float32{
				"dot": func(set *kernelSet, x, y, _, _ []float32) []float32 { return []float32{set.dot(x, y)} },
				"maximum": func(set *kernelSet, x, _, _, _ []float32) []float32 {
					return []float32{set.maximum(x)}
				},
				"setScaled":      func(set *kernelSet, x, y, _, _ []float32) []float32 { set.setScaled(x, y, 3); return nil },
				"addScaled":      func(set *kernelSet, x, y, _, _ []float32) []float32 { set.addScaled(x, y, 0.7); return nil },
				"addProduct":     func(set *kernelSet, x, y, z, _ []float32) []float32 { set.addProduct(x, y, z); return nil },
				"squareReLU":     func(set *kernelSet, x, y, _, _ []float32) []float32 { set.squareReLU(x, y); return nil },
				"squareReLUBack": func(set *kernelSet, x, y, _, _ []float32) []float32 { set.squareReLUBack(x, y); return nil },
				"softmaxBack":    func(set *kernelSet, x, y, _, _ []float32) []float32 { set.softmaxBack(x, y, 0.3, 0.25); return nil },
				"turnHeads":      func(set *kernelSet, x, y, _, _ []float32) []float32 { set.turnHeads(x, y, at); return nil },
				"stepAdam": func(set *kernelSet, x, y, z, v []float32) []float32 {
					for i := range v {
						v[i] *= v[i]
					}
					set.stepAdam(x, y, moments{z, v}, &u)
					return nil
				},
				"powers": func(set *kernelSet, x, _, _, _ []float32) []float32 {
					for i := range x {
						x[i] = -100 * x[i] * x[i]
					}
					sum, weighted := set.powers(x, 1, -0.5)
					return []float32{sum, weighted}
				},
			} {
				if n == 0 && name == "maximum" {
					continue // has none
				}
				var got, want []float32
				x := [][]float32{draw(), draw(), draw(), draw()}
				y := make([][]float32, len(x))
				checks := make([]func(*testing.T, string), len(x))
				for i := range x {
					y[i], checks[i] = fenced(x[i])
				}
				want = f(&plain, x[0], x[1], x[2], x[3])
				got = f(&set, y[0], y[1], y[2], y[3])
				what := fmt.Sprintf("%s of %d", name, n)
				for i := range x {
					checks[i](t, what)
				}
				alike(t, what, slices.Concat(slices.Concat(y...), got), slices.Concat(slices.Concat(x...), want), 1e-5)
			}
		}
	})
}

// TestPowersAreThoseOfMath compares with package math over the whole range.
func TestPowersAreThoseOfMath(t *testing.T) {
	everySet(t, func(t *testing.T, set kernelSet) {
		for at := float64(-125.5); at <= 0; at += 1.0 / 64 {
			x := slices.Repeat([]float32{float32(2 * at)}, lanes)
			sum, weighted := set.powers(x, 0.5, 0)
			want := math.Exp2(at)
			if math.Abs(float64(x[3])-want) > 3e-7*want {
				t.Fatalf("2^%v is %v, want %v", at, x[3], want)
			}
			if math.Abs(float64(sum)-lanes*want) > 1e-5*lanes*want || math.Abs(float64(weighted)-lanes*want*at) > 1e-5*lanes*want*(1-at) {
				t.Fatalf("of %v: sum %v, weighted %v", at, sum, weighted)
			}
		}
		x := slices.Repeat([]float32{float32(math.Inf(-1))}, lanes)
		x[2] = -1000
		if sum, weighted := set.powers(x, 1, 0); sum != 0 || weighted != 0 || x[2] != 0 || x[0] != 0 {
			t.Errorf("of numbers far below: sum %v, weighted %v, %v", sum, weighted, x)
		}
	})
}

// TestMaximum finds the largest number at any index, also among infinities.
func TestMaximum(t *testing.T) {
	everySet(t, func(t *testing.T, set kernelSet) {
		for i := range 3 * lanes {
			x := slices.Repeat([]float32{float32(math.Inf(-1))}, 3*lanes)
			for _, want := range []float32{-1e30, 2, float32(math.Inf(1))} {
				if x[i] = want; set.maximum(x) != want {
					t.Fatalf("%v at %d: maximum is %v", want, i, set.maximum(x))
				}
			}
		}
	})
}

// TestNaNStays checks that no vector function hides a NaN.
func TestNaNStays(t *testing.T) {
	everySet(t, func(t *testing.T, set kernelSet) {
		for name, f := range map[string]func(x, y []float32){
			"powers":         func(x, _ []float32) { set.powers(x, 1, 0) },
			"squareReLU":     func(x, y []float32) { set.squareReLU(y, x) },
			"squareReLUBack": func(x, y []float32) { set.squareReLUBack(x, y) },
			"softmaxBack":    func(x, y []float32) { set.softmaxBack(x, y, 1, 1) },
			"setScaled":      func(x, _ []float32) { set.setScaled(x, x, 2) },
			"addScaled":      func(x, y []float32) { set.addScaled(x, y, 1) },
			"addProduct":     func(x, y []float32) { set.addProduct(x, y, y) },
			"turnHeads":      func(x, y []float32) { set.turnHeads(x, y, angles{(*[8]float32)(y), (*[8]float32)(y), 1, 2, 32}) },
			"stepAdam":       func(x, y []float32) { set.stepAdam(x, y, moments{slices.Clone(y), slices.Clone(y)}, &update{}) },
			"dot":            func(x, y []float32) { x[5] = set.dot(x, y) },
		} {
			for _, sign := range []float64{1, -1} {
				x, y := make([]float32, lanes), slices.Repeat([]float32{1}, lanes)
				x[5] = float32(math.Copysign(math.NaN(), sign))
				if f(x, y); x[5] == x[5] {
					t.Errorf("%s turns NaN into %v", name, x[5])
				}
			}
		}
	})
}

// TestShortSlicesPanic checks that the wrappers of the assembly kernels, which check nothing
// themselves, reject too short slices.
func TestShortSlicesPanic(t *testing.T) {
	t.Parallel()
	long, short := make([]float32, 2*lanes), make([]float32, lanes)[:lanes:lanes]
	square := func(data []float32) matrix { return matrix{data: data, rows: 2, cols: lanes, stride: lanes} }
	for name, f := range map[string]func(){
		"dot":            func() { dot(long, short) },
		"addScaled":      func() { addScaled(short, long, 1) },
		"addProduct":     func() { addProduct(long, long, short) },
		"squareReLU":     func() { squareReLU(short, long) },
		"squareReLUBack": func() { squareReLUBack(long, short) },
		"softmaxBack":    func() { softmaxBack(long, short, 1) },
		"turnHeads":      func() { turnHeads(long, short, angles{(*[8]float32)(long), (*[8]float32)(long), 1, 4, 32}) },
		"product":        func() { mulPanels(square(short), square(long).factor(), square(long).panels(1), true) },
		"left factor":    func() { mulPanels(square(long), square(short).factor(), square(long).panels(1), true) },
		"queries": func() {
			(&attention{queries: square(short), weights: square(long), pages: []*page{{data: long}}}).score()
		},
		"scores": func() {
			(&attention{queries: square(long), weights: square(short), pages: []*page{{data: long}}}).score()
		},
		"keys": func() {
			(&attention{queries: square(long), weights: square(long), pages: []*page{{data: short}}}).score()
		},
		"weights": func() {
			(&attention{queries: square(long), weights: square(short), mixed: square(long), pages: []*page{{data: long}}}).mix()
		},
		"mixed": func() {
			(&attention{queries: square(long), weights: square(long), mixed: square(short), pages: []*page{{data: long}}}).mix()
		},
		"values": func() {
			(&attention{queries: square(long), weights: square(long), mixed: square(long), pages: []*page{{data: short}}}).mix()
		},
		"pages":        func() { (&attention{queries: square(long), weights: square(long), mixed: square(long)}).mix() },
		"right factor": func() { mulPanels(square(long), square(long).factor(), square(short).panels(1), true) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
