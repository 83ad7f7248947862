package words

import (
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// binaryAlternation asks for the number of swaps that make a row of bits alternate.
var binaryAlternation = task.Spec[binaryAlternationParams, binaryAlternationItem]{
	Name:     "binary_alternation",
	Category: "algorithmic",
	Doc: "Find the least number of swaps of any two characters that makes a binary string alternate, or -1. " +
		"All possible numbers of swaps for a length, from 1, are equally likely.",
	Source:  "A common programming exercise; the settings are those of reasoning-gym.",
	Version: 5,
	Default: binaryAlternationParams{MinN: 10, MaxN: 30, PSolvable: 0.8},
	Levels: []binaryAlternationParams{
		{MinN: 9, MaxN: 14, PSolvable: 0.93},
		{MinN: 16, MaxN: 24, PSolvable: 0.99},
		{MinN: 44, MaxN: 72, PSolvable: 0.98},
		{MinN: 90, MaxN: 140, PSolvable: 0.9},
		{MinN: 200, MaxN: 300, PSolvable: 0.95},
		{MinN: 700, MaxN: 1000, PSolvable: 0.95},
	},
	Few: []string{
		"Few swaps undo each other in few strings.",
		"Few swaps undo each other in few strings, of which four at a time ask the same.",
	},
	Make: makeBinaryAlternation,
	Ask: []string{
		"What is the least number of swaps that makes this binary string alternate? A swap exchanges any two of its characters, wherever they stand.\n\n{string}",
		"A binary string alternates if no two neighbors are equal, like 01010. You may swap any two characters of the string below. What is the smallest number of swaps that makes it alternate?\n\n" +
			"{string}",
		"Make the zeros and ones of the following string alternate by swapping pairs of characters, which need not be neighbors. How few swaps are enough?\n\n{string}",
		"The string below is to become one in which no two neighbors are equal. Its characters may only change places, two at a time, at any distance. How many such exchanges are needed at least?\n\n" +
			"{string}",
		"Someone wants to see zeros and ones take turns in the following string, and may exchange two characters of it in each move. Find the least number of moves.\n\n{string}",
		"Count the exchanges that are needed, at the very least, to turn this string into an alternating one. An exchange takes any two characters and puts each in the place of the other.\n\n{string}",
	},
	Form:  "\n\nAnswer with one whole number, or with -1 if no swaps make it alternate.",
	Short: "swaps to alternate, or -1: {string}",
	Match: task.MatchNumber,
}

// binaryAlternationParams are the settings of one difficulty.
type binaryAlternationParams struct {
	MinN      int     `json:"min_n" want:"2 or more"` // of characters
	MaxN      int     `json:"max_n" want:"min_n to 10000"`
	PSolvable float64 `json:"p_solvable" want:"0 to 1"` // share of strings that can be made to alternate
}

// binaryAlternationItem is one string of zeros and ones.
type binaryAlternationItem struct {
	String   string `json:"string" want:"1 or more" chars:"01"`
	Solution int    `json:"solution" want:"the answer"` // swaps, or -1
	Solvable bool   `json:"solvable"`
	N        int    `json:"n"` // length of String; in reasoning-gym, sometimes up to 2 less
	Phrasing int    `json:"phrasing,omitempty"`
}

// makeBinaryAlternation draws a number of swaps, at least one, and undoes that many on an
// alternating string. For a string that cannot alternate, it also turns one or two
// characters into the more frequent one.
func makeBinaryAlternation(p binaryAlternationParams, r *rng.Rand) (binaryAlternationItem, error) {
	n := r.Between(p.MinN, p.MaxN)
	most := mostSwaps(n)
	bits, first := make([]byte, n), r.Between(0, 1)
	for i := range bits {
		bits[i] = '0' + byte((first+i)&1)
	}
	swaps := r.Between(min(1, most), most)
	turn(bits, 0, swaps, r)
	turn(bits, 1, swaps, r)
	item := binaryAlternationItem{Solution: swaps, Solvable: r.Chance(p.PSolvable), N: n, Phrasing: r.Between(0, 5)}
	if !item.Solvable {
		item.Solution = -1
		unbalance(bits, byte('0'+first), r)
	}
	item.String = string(bits)
	return item, nil
}

// mostSwaps is the most swaps that a string of length n may need.
func mostSwaps(n int) int {
	if n%2 == 0 {
		return n / 4
	}
	return n / 2 // only one alternating string has the right counts
}

// turn turns n of the bits at even (from = 0) or odd indexes (1); each choice is equally
// likely.
func turn(bits []byte, from, n int, r *rng.Rand) {
	for left := (len(bits) - from + 1) / 2; n > 0; left-- {
		if r.Between(1, left) <= n {
			bits[from] ^= 1
			n--
		}
		from += 2
	}
}

// unbalance turns one bit that is not often into often, and sometimes two if there are
// enough; often must be at least as frequent as the other.
func unbalance(bits []byte, often byte, r *rng.Rand) {
	more := 1
	if len(bits) >= 6 && r.Chance(1./3) {
		more = 2
	}
	for at := r.Between(0, len(bits)-1); more > 0; at = (at + 1) % len(bits) {
		if bits[at] != often {
			bits[at] = often
			more--
			at = r.Between(0, len(bits)-1)
		}
	}
}

// swapsToAlternate returns the number of swaps needed, or -1 if none suffice. One swap
// mends a wrong zero and a wrong one.
func swapsToAlternate(bits string) int {
	var wrong [2]int // places that differ from 0101… and from 1010…
	ones := 0
	for i, c := range []byte(bits) {
		bit := int(c & 1)
		ones += bit
		wrong[(bit^i)&1]++
	}
	a, b := wrong[1], wrong[0]
	switch zeros := len(bits) - ones; {
	case zeros == ones:
		return min(a, b) / 2
	case zeros == ones+1:
		return a / 2
	case ones == zeros+1:
		return b / 2
	}
	return -1
}

// Canonical implements [task.Canonicalizer]. Zeros and ones may be exchanged, and the string may
// be read from its end.
func (b binaryAlternationItem) Canonical() string {
	best := ""
	for _, flip := range []byte{0, 1} {
		bits := []byte(b.String)
		for i := range bits {
			bits[i] ^= flip
		}
		forward := string(bits)
		slices.Reverse(bits)
		if text := min(forward, string(bits)); best == "" || text < best {
			best = text
		}
	}
	return best
}

// Choices implements [task.Chooser]: -1, or a number of swaps.
func (b binaryAlternationItem) Choices() int { return 1 + mostSwaps(len(b.String)) }

func (b binaryAlternationItem) Solve() string { return strconv.Itoa(swapsToAlternate(b.String)) }
