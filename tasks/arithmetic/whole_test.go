package arithmetic

import (
	"math/big"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
)

// Machine integers and large numbers give the same results.
func TestStepsOfSmallNumbersAreThoseOfLargeOnes(t *testing.T) {
	t.Parallel()
	r := rng.New(4, "whole")
	for range 20_000 {
		x, y := whole{n: r.Between64(-1<<61, 1<<61) >> r.Between(0, 61)}, whole{n: r.Between64(-1<<61, 1<<61) >> r.Between(0, 61)}
		if r.Chance(0.1) {
			y.n = 0
		}
		for _, op := range []byte("+-*/~<>") {
			got, ok := wholeStep(op, x, y)
			want, able := largeStep(op, x, y)
			if ok != able || ok && got.big().Cmp(want.large) != 0 {
				t.Fatalf("%d %c %d is %+v, %t; want %s, %t", x.n, op, y.n, got, ok, want.large, able)
			}
		}
	}
}

func TestReadWhole(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, text string
		base      int64
		digits    int
	}{
		{"nothing", "", 10, 0},
		{"no digit", "-1", 10, 0},
		{"digits and more", "1207+4", 10, 4},
		{"letters are not decimal digits", "12ab", 10, 2},
		{"letters of both cases", "1aFg", 16, 3},
		{"zeros in front", "0012", 10, 4},
		{"the most that a machine number is read from", "999999999999999", 10, 15},
		{"one more", "9999999999999999", 10, 16},
		{"as many in base 16", "fffffffffffffff)", 16, 15},
		{"one more in base 16", "ffffffffffffffff)", 16, 16},
		{"very many", strings.Repeat("7", 400), 10, 400},
	} {
		got, size := readWhole(test.text, test.base)
		want, _ := new(big.Int).SetString("0"+test.text[:test.digits], int(test.base))
		if size != test.digits || got.big().Cmp(want) != 0 {
			t.Errorf("%s: %s of %d digits, want %s of %d", test.why, got.big(), size, want, test.digits)
		}
		if back := string(got.append(nil, "", int(test.base))); back != want.Text(int(test.base)) {
			t.Errorf("%s: written as %s, want %s", test.why, back, want.Text(int(test.base)))
		}
	}
}
