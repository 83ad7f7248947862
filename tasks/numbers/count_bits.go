package numbers

import (
	"math/bits"
	"strconv"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// countBits asks for the number of ones in binary.
var countBits = task.Spec[countBitsParams, countBitsItem]{
	Name:     "count_bits",
	Category: "arithmetic",
	Doc: "Count the ones of a number in binary. " +
		"All shares of ones from a quarter to three quarters are equally likely; random numbers would have about half.",
	Source:  "Binary numbers; the settings are those of reasoning-gym.",
	Version: 4,
	Default: countBitsParams{MinN: 1, MaxN: 2147483647},
	Levels: []countBitsParams{
		{MinN: 1, MaxN: 8191},
		{MinN: 256, MaxN: 65_535},
		{MinN: 1 << 20, MaxN: 1<<28 - 1},
		{MinN: 1 << 28, MaxN: 1<<36 - 1},
		{MinN: 1 << 40, MaxN: 1<<48 - 1},
		{MinN: 1 << 56, MaxN: 1<<62 - 1},
	},
	Few: []string{
		"There are 8,191 numbers, most of which are twice another one or its mirror image.",
		"Many numbers of up to 16 bits have few ones, or few zeros, in few places.",
	},
	Make: makeCountBits,
	Ask: []string{
		"How many ones does the number {number} have in binary?",
		"Write {number} in base 2. How many of its digits are 1?",
		"How many bits are set in the binary form of {number}?",
		"A computer stores the number {number} as bits. How many of them are 1?",
		"Into how many different powers of two, added together, can {number} be split?",
		"Give the sum of the binary digits of {number}.",
	},
	Form:  " Answer with the count alone, in decimal.",
	Short: "ones in binary {number}",
	Match: task.MatchNumber,
}

// countBitsParams are the settings of one difficulty.
type countBitsParams struct {
	MinN int64 `json:"min_n" want:"1 or more"` // of the number
	MaxN int64 `json:"max_n" want:"min_n or more"`
}

// countBitsItem is one number.
type countBitsItem struct {
	Number   int64  `json:"number" want:"0 or more"`
	Solution int    `json:"solution" want:"the answer"` // number of ones in Number
	Binary   string `json:"binary"`                     // Number in binary
	N        int64  `json:"n"`                          // Number again, for reasoning-gym
	Phrasing int    `json:"phrasing,omitempty"`
}

// makeCountBits draws a share of ones, then the digits from the highest down.
func makeCountBits(p countBitsParams, r *rng.Rand) (countBitsItem, error) {
	const certain = 1 << 8
	share := uint64(r.Between(certain/4, certain-certain/4)) // share of ones, in 256ths; all or none would give few numbers
	chances := r.Uint64()                                    // eight bits for each digit
	n, aboveMin, belowMax := int64(0), false, false
	for i := bits.Len64(uint64(p.MaxN)) - 1; i >= 0; i-- {
		bit := int64(0)
		if chances%certain < share {
			bit = 1
		}
		if chances /= certain; i%8 == 0 {
			chances = r.Uint64()
		}
		least, most := p.MinN>>i&1, p.MaxN>>i&1
		if !aboveMin {
			bit = max(bit, least)
		}
		if !belowMax {
			bit = min(bit, most)
		}
		aboveMin = aboveMin || bit > least
		belowMax = belowMax || bit < most
		n = n<<1 | bit
	}
	return countBitsItem{
		Number: n, N: n,
		Solution: bits.OnesCount64(uint64(n)),
		Binary:   strconv.FormatInt(n, 2),
		Phrasing: r.Between(0, 5),
	}, nil
}

// Canonical implements [task.Canonicalizer]. Twice the number has as many ones, and so has the number
// whose binary digits are read from the end.
func (c countBitsItem) Canonical() string {
	odd := uint64(c.Number) >> bits.TrailingZeros64(uint64(c.Number))
	mirrored := bits.Reverse64(odd)
	return strconv.FormatUint(min(odd, mirrored>>bits.TrailingZeros64(mirrored)), 10)
}

func (c countBitsItem) Solve() string { return strconv.Itoa(bits.OnesCount64(uint64(c.Number))) }
