package arithmetic

import (
	"errors"
	"fmt"
	"math/bits"
	"strconv"

	"github.com/quintain-rl/quintain/rng"
)

// maxNumbers is how many numbers a question about divisors or multiples has at most.
const maxNumbers = 100

// drawMultiples draws n numbers from least to most, above 0, which are all
// multiples of one number and not all the same. That number is drawn first, each
// order of magnitude as likely as another: of numbers drawn at random most have no
// divisor in common but 1.
func drawMultiples(r *rng.Rand, n, least, most int) []int {
	divisor := 1
	if widest := (most - least + 1) / 4; widest > 1 {
		size := r.Between(1, bits.Len(uint(widest)))
		divisor = r.Between(1<<(size-1), min(1<<size-1, widest))
	}
	lo, hi := (least+divisor-1)/divisor, most/divisor
	numbers := make([]int, n)
	same := true
	for i := range numbers {
		numbers[i] = divisor * r.Between(lo, hi)
		same = same && numbers[i] == numbers[0]
	}
	if same {
		other := r.Between(lo, hi-1)
		if other >= numbers[0]/divisor {
			other++
		}
		numbers[r.Between(0, n-1)] = divisor * other
	}
	return numbers
}

// checkNumbers refuses a list that is empty, too long, or has a number below 1.
func checkNumbers(numbers []int) error {
	if len(numbers) == 0 {
		return errors.New("numbers is empty")
	}
	if len(numbers) > maxNumbers {
		return fmt.Errorf("numbers has %d numbers, want at most %d", len(numbers), maxNumbers)
	}
	for _, n := range numbers {
		if n < 1 {
			return fmt.Errorf("numbers has %d, want 1 or more", n)
		}
	}
	return nil
}

// divisor returns the greatest common divisor of numbers, by Euclid's algorithm.
func divisor(numbers []int) int {
	g := 0
	for _, n := range numbers {
		for n != 0 {
			g, n = n, g%n
		}
	}
	return g
}

// appendList appends numbers as text, with ", " and a last " and " between them.
func appendList(text []byte, numbers []int) []byte {
	for i, n := range numbers {
		switch {
		case i > 0 && i == len(numbers)-1:
			text = append(text, " and "...)
		case i > 0:
			text = append(text, ", "...)
		}
		text = strconv.AppendInt(text, int64(n), 10)
	}
	return text
}
