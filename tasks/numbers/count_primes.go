package numbers

import (
	"encoding/json"
	"math/bits"
	"strconv"
	"sync"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// countPrimes asks for the number of primes in an interval.
var countPrimes = task.Spec[countPrimesParams, countPrimesItem]{
	Name:     "count_primes",
	Category: "algorithmic",
	Doc:      "Count the prime numbers between two numbers, both included.",
	Source:   "The sieve of Eratosthenes; the settings are those of reasoning-gym.",
	Version:  5,
	Default:  countPrimesParams{MinN: 1, MaxN: 10_000},
	Levels: []countPrimesParams{
		{MinN: 1, MaxN: 150},
		{MinN: 1, MaxN: 250},
		{MinN: 100, MaxN: 1600},
		{MinN: 1000, MaxN: 3500},
		{MinN: 12_000, MaxN: 16_000},
		{MinN: 20_000, MaxN: 25_000},
	},
	Few: []string{
		"There are 11,325 intervals up to 150, and most begin with a small number or end with a large one.",
		"There are 31,375 intervals up to 250, and most begin with a small number or end with a large one.",
	},
	Make: makeCountPrimes,
	Ask: []string{
		"How many prime numbers are there from {start} to {end}, both included?",
		"Count the primes between {start} and {end}. The two ends belong to the range.",
		"Among the whole numbers from {start} up to and including {end}, how many are prime?",
		"A list has every whole number from {start} to {end}. How many of its numbers have exactly two divisors?",
		"Let n run from {start} through {end}. For how many values of n is n prime?",
		"Someone crosses out all numbers that are not prime from the list of all whole numbers starting with {start} and ending with {end}. How many are left?",
	},
	Form:  " Answer with one whole number.",
	Short: "primes from {start} to {end}",
	Match: task.MatchNumber,
}

// mostPrime limits the numbers that the sieve covers.
const mostPrime = 1_000_000

// countPrimesParams are the settings of one difficulty.
type countPrimesParams struct {
	MinN int `json:"min_n" want:"1 or more"` // of both ends of the interval
	MaxN int `json:"max_n" want:"min_n to 1000000"`
}

// countPrimesItem is one interval.
type countPrimesItem struct {
	Start    int    `json:"start" want:"1 or more"`
	End      int    `json:"end" want:"start or more"`
	Solution int    `json:"solution"` // number of primes from Start to End
	N        [2]int `json:"n"`        // Start and End
	Phrasing int    `json:"phrasing,omitempty"`

	// Primes are the primes themselves, as entries of reasoning-gym list them. We neither need
	// nor write them.
	Primes json.RawMessage `json:"primes,omitempty"`
}

// makeCountPrimes draws an interval of at least a fifth of the allowed range, so that few
// counts are small.
func makeCountPrimes(p countPrimesParams, r *rng.Rand) (countPrimesItem, error) {
	length := r.Between((p.MaxN-p.MinN)/5, p.MaxN-p.MinN)
	start := r.Between(p.MinN, p.MaxN-length)
	end := start + length
	return countPrimesItem{
		Start: start, End: end, N: [2]int{start, end},
		Solution: primesUpTo(end) - primesUpTo(start-1),
		Phrasing: r.Between(0, 5),
	}, nil
}

// A primeSieve knows the odd primes up to mostPrime: bit j of word i of composite stands
// for the number 2(64i+j)+1.
type primeSieve struct {
	composite []uint64
	before    []int32 // number of primes, 2 included, in the words before
}

var primes = sync.OnceValue(func() *primeSieve {
	const words = mostPrime/128 + 1
	s := &primeSieve{make([]uint64, words), make([]int32, words)}
	s.composite[0] = 1 // the number 1
	for i := 3; i*i <= mostPrime; i += 2 {
		if s.composite[i/128]>>(i/2%64)&1 != 0 {
			continue
		}
		for multiple := i * i / 2; multiple < 64*words; multiple += i {
			s.composite[multiple/64] |= 1 << (multiple % 64)
		}
	}
	count := int32(1) // the number 2
	for i, word := range s.composite {
		s.before[i] = count
		count += int32(bits.OnesCount64(^word))
	}
	return s
})

// primesUpTo returns the number of primes up to n, which must not exceed mostPrime.
func primesUpTo(n int) int {
	if n < 2 {
		return 0
	}
	s, last := primes(), (n-1)/2 // index of the largest odd number up to n
	upTo := uint64(2)<<(last%64) - 1
	return int(s.before[last/64]) + bits.OnesCount64(^s.composite[last/64]&upTo)
}

// Check refuses a record with a wrong count. Above [mostPrime] it trusts the record.
func (c countPrimesItem) Check() error {
	if c.End > mostPrime {
		return nil
	}
	return task.Want("solution", c.Solution, primesUpTo(c.End)-primesUpTo(c.Start-1))
}

func (c countPrimesItem) Solve() string { return strconv.Itoa(c.Solution) }
