package numbers

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// gcdParams are the settings of a question about divisors or multiples.
type gcdParams struct {
	MinNumbers int   `json:"min_numbers" want:"2 or more"` // count of numbers
	MaxNumbers int   `json:"max_numbers" want:"min_numbers to 100"`
	MinValue   int64 `json:"min_value" want:"1 or more"` // of every number
	MaxValue   int64 `json:"max_value" want:"more than min_value"`
}

// draw draws the numbers.
func (p gcdParams) draw(r *rng.Rand) []int64 {
	return drawMultiples(r, r.Between(p.MinNumbers, p.MaxNumbers), p.MinValue, p.MaxValue)
}

// drawMultiples draws n numbers from least to most, above 0, all multiples of one number.
// It draws that number first, each order of magnitude equally likely, because most random
// numbers have no common divisor but 1. If the range allows it, none of the numbers divides
// all others or is a multiple of all others, so that repeating a number is never right.
func drawMultiples(r *rng.Rand, n int, least, most int64) []int64 {
	const tries = 20 // at least one try in four succeeds, except in very short ranges
	numbers := make([]int64, n)
	for range tries {
		divisor := int64(1)
		if widest := (most - least + 1) / 4; widest > 1 {
			size := r.Between(1, bits.Len64(uint64(widest)))
			divisor = r.Between64(1<<(size-1), min(1<<size-1, widest))
		}
		for i := range numbers {
			numbers[i] = divisor * r.Between64((least+divisor-1)/divisor, most/divisor)
		}
		if !oneTellsAll(numbers) {
			break
		}
	}
	return numbers
}

// oneTellsAll reports whether the smallest number divides all, or the largest is a
// multiple of all.
func oneTellsAll(numbers []int64) bool {
	smallest, largest := slices.Min(numbers), slices.Max(numbers)
	divides, multiple := true, true
	for _, n := range numbers {
		divides = divides && n%smallest == 0
		multiple = multiple && largest%n == 0
	}
	return divides || multiple
}

// divisor returns the greatest common divisor of numbers, by Euclid's algorithm.
func divisor(numbers []int64) int64 {
	g := int64(0)
	for _, n := range numbers {
		for n != 0 {
			g, n = n, g%n
		}
	}
	return g
}

// commuted writes numbers for a key, without their order and a power of ten of all.
func commuted(numbers []int64) string {
	return task.Commuted(strings.Trim(strings.ReplaceAll(fmt.Sprint(numbers), " ", "+"), "[]"), nil)
}
