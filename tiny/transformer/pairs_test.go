package transformer

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// rounded returns m with its numbers rounded to bfloat16, by the definition.
func rounded(m matrix) matrix {
	m.data = slices.Clone(m.data)
	for i, x := range m.data {
		_, exp := math.Frexp(float64(x))
		unit := math.Ldexp(1, exp-8)
		m.data[i] = float32(math.RoundToEven(float64(x)/unit) * unit)
	}
	return m
}

// TestPairsMultiply compares products of pairs with those of their numbers in float64, and each row alone.
func TestPairsMultiply(t *testing.T) {
	everySet(t, func(t *testing.T, set kernelSet) {
		r := rand.New(rand.NewPCG(1, 12))
		for _, rows := range []int{0, 1, 2, 3, 7, 8, 9, 31} {
			for _, inner := range []int{1, 2, 31, 64, 97, 130} {
				for _, n := range []int{1, 16, 33, 48} {
					a, b, c := random(r, rows, inner), random(r, inner, n), random(r, rows, padded(n))
					w := packing{pairs: true}
					var turned matrix
					turned.transpose(b)
					w.packTransposed(turned)
					var from matrix
					from.resize(rows, (inner+1)/2)
					for i := range rows {
						whole := inner &^ (2*lanes - 1)
						set.roundPairs(from.row(i)[:whole/2], a.row(i)[:whole])
						roundPairsPlain(from.row(i)[whole/2:], a.row(i)[whole:])
					}
					for _, add := range []bool{false, true} {
						want := product32(c.columns(0, n), rounded(a), rounded(b), add)
						got := c
						data, check := fenced(c.data)
						got.data = data
						what := fmt.Sprintf("%d rows, %d inner, %d columns, add %v", rows, inner, n, add)
						set.mulPairs(got, from.factor(), w.all(), add)
						check(t, what)
						for i := range rows {
							alike(t, what, got.row(i)[:n], want.row(i), 1e-5*math.Sqrt(float64(inner)))
							one := c.between(i, i+1)
							one.data = slices.Clone(one.data)
							set.mulPairs(one, from.between(i, i+1).factor(), w.all(), add)
							if !slices.Equal(one.row(0), got.row(i)) {
								t.Fatalf("%s: row %d alone has other bits", what, i)
							}
						}
					}
				}
			}
		}
	})
}

// TestRoundingToPairs compares with the definition, at the numbers between two of bfloat16 too.
func TestRoundingToPairs(t *testing.T) {
	everySet(t, func(t *testing.T, set kernelSet) {
		r := rand.New(rand.NewPCG(1, 13))
		x := random(r, 1, 8*lanes)
		for i := range x.cols / 2 {
			x.data[i] = math.Float32frombits(math.Float32bits(x.data[i])&^0xffff | 0x8000)
		}
		x.data[70], x.data[71] = float32(math.Inf(-1)), 0
		to, want := make([]float32, x.cols/2), rounded(x).data
		want[70], want[71] = x.data[70], 0
		set.roundPairs(to, x.row(0))
		for i, both := range to {
			if lo, hi := split(both); lo != want[2*i] || hi != want[2*i+1] {
				t.Errorf("%v and %v become %v and %v, want %v and %v", x.data[2*i], x.data[2*i+1], lo, hi, want[2*i], want[2*i+1])
			}
		}
		nan := slices.Repeat([]float32{float32(math.NaN()), 1}, lanes)
		set.roundPairs(to[:lanes], nan)
		for _, both := range to[:lanes] {
			if lo, hi := split(both); lo == lo || hi != 1 {
				t.Errorf("not a number and 1 become %v and %v", lo, hi)
			}
		}
	})
}

// TestPairsFlip transposes twice.
func TestPairsFlip(t *testing.T) {
	t.Parallel()
	m := random(rand.New(rand.NewPCG(1, 14)), 37, 51)
	from, back, again := packing{pairs: true}, packing{}, packing{}
	from.packTransposed(m)
	back.flip(&from, team{})
	again.flip(&back, team{})
	want := rounded(m)
	for i := range m.rows {
		for j := range m.cols {
			if x := want.row(i)[j]; from.get(j, i) != x || back.get(i, j) != x {
				t.Fatalf("row %d column %d is %v, transposed %v, want %v", i, j, from.get(j, i), back.get(i, j), x)
			}
		}
	}
	if !slices.Equal(again.data, from.data) {
		t.Error("transposed twice it is another matrix")
	}
}

// TestFlip transposes matrices in one memory, which holds the numbers of the one before.
func TestFlip(t *testing.T) {
	t.Parallel()
	var back packing
	for _, size := range [][2]int{{64, 48}, {37, 51}, {5, 3}, {16, 16}, {1, 33}} {
		m := random(rand.New(rand.NewPCG(1, 15)), size[0], size[1])
		var from, want packing
		from.packTransposed(m)
		want.pack(m)
		if back.flip(&from, team{}); !slices.Equal(back.data, want.data) {
			t.Errorf("the transpose of %v numbers is another matrix", size)
		}
	}
}
