package guess

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// mostCodes bounds the codes of a deduction.
const mostCodes = 256

// A deduction finds one of several codes by guesses, each answered by a mark that says how it
// compares with the code. It knows the fewest guesses that find a code, added over all codes that
// are still possible. Many goroutines may use it.
type deduction struct {
	marks [][]uint8  // of a guess and a code; both have the same numbers
	kinds [][]uint8  // the same, the marks of each guess numbered from 0
	swaps [][]uint16 // ways to rename the codes, and the guesses with them, that keep all marks

	floor [mostCodes + 1]int // by n: a lower bound of the sum of n codes, exact up to 2
	more  [mostCodes]int     // floor of n+1 less that of n

	mu    sync.Mutex
	known map[codeSet]effort // by the codes that are possible
	whole int                // the sum over all codes; 0: not yet known
	bests map[codeSet][]int  // what best found
}

// newDeduction returns the deduction over n codes. Only the code itself gets the mark of a code.
func newDeduction(n int, mark func(guess, code int) uint8) *deduction {
	d := &deduction{known: map[codeSet]effort{}, bests: map[codeSet][]int{}}
	wrong := [256]bool{} // marks of wrong guesses
	for guess := range n {
		row, kind := make([]uint8, n), make([]uint8, n)
		var numbers [256]uint8 // of the marks that were seen, from 1
		last := uint8(0)
		for code := range row {
			m := mark(guess, code)
			if numbers[m] == 0 {
				last++
				numbers[m] = last
			}
			row[code], kind[code] = m, numbers[m]-1
			wrong[m] = wrong[m] || guess != code
		}
		d.marks, d.kinds = append(d.marks, row), append(d.kinds, kind)
	}
	room := 0
	for _, seen := range wrong {
		if seen {
			room++
		}
	}
	for n := range d.more {
		d.floor[n+1] = least(n+1, room)
		d.more[n] = d.floor[n+1] - d.floor[n]
	}
	return d
}

// least is a lower bound of the sum of guesses over n codes, whatever they are: one is guessed at
// once, and with k marks of wrong guesses, k more at the second guess and k² at the third.
func least(n, k int) (sum int) {
	for guesses, room := 1, 1; n > 0; guesses, room = guesses+1, room*max(k, 1) {
		sum += guesses * min(n, room)
		n -= room
	}
	return sum
}

// A codeSet is a set of codes, as bits.
type codeSet [mostCodes / 64]uint64

// name is the key of a set.
func name(set []uint16) (key codeSet) {
	for _, code := range set {
		key[code>>6] |= 1 << (code & 63)
	}
	return key
}

// An effort is the sum of the guesses over all possible codes, under the best play.
type effort struct {
	sum   int32
	exact bool // else it is at least so much
}

// mostKnown bounds the sets of codes that a deduction remembers.
const mostKnown = 100_000

// all lists all codes.
func (d *deduction) all() []uint16 {
	codes := make([]uint16, len(d.marks))
	for i := range codes {
		codes[i] = uint16(i)
	}
	return codes
}

// left returns the codes of a set that a mark of a guess leaves.
func (d *deduction) left(set []uint16, guess int, mark uint8) (left []uint16) {
	for _, code := range set {
		if d.marks[guess][code] == mark {
			left = append(left, code)
		}
	}
	return left
}

// average returns the guesses that the best play needs on average.
func (d *deduction) average() float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := d.all()
	if d.whole == 0 {
		d.whole = d.sum(all, math.MaxInt32)
	}
	return float64(d.whole) / float64(len(all))
}

// lost returns the guesses that a guess gives away, on average over a set of codes.
func (d *deduction) lost(set []uint16, guess int) float64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return float64(d.with(set, guess, math.MaxInt32)-d.sum(set, math.MaxInt32)) / float64(len(set))
}

// best lists the guesses that are as good as any. The caller must not change the list.
func (d *deduction) best(set []uint16) (guesses []int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	key := name(set)
	if guesses, has := d.bests[key]; has {
		return guesses
	}
	if len(d.bests) >= mostKnown/10 {
		clear(d.bests)
	}
	defer func() { d.bests[key] = guesses }()
	sum := d.sum(set, math.MaxInt32)
	alike := d.alike(set)
	least := make([]bool, len(d.marks)) // of the first of those that are alike
	for guess := range d.marks {
		if alike != nil && int(alike[guess]) != guess {
			least[guess] = least[alike[guess]]
		} else {
			o, largest := d.rate(set, guess)
			least[guess] = largest < len(set) && o.least <= sum && d.with(set, guess, sum+1) == sum
		}
		if least[guess] {
			guesses = append(guesses, guess)
		}
	}
	return guesses
}

// sum is the fewest guesses that find the codes of a set, added over all of them; or any number of limit or more if there are so many.
func (d *deduction) sum(set []uint16, limit int) int {
	if len(set) <= 2 {
		return d.floor[len(set)]
	}
	key := name(set)
	if e, has := d.known[key]; has && (e.exact || int(e.sum) >= limit) {
		return int(e.sum)
	}
	var room [mostCodes]option
	options, best := d.options(room[:0], set, limit)
	for len(options) > 0 {
		var o option
		if o, options = promising(options); o.least >= best {
			break
		}
		best = min(best, d.with(set, o.guess, best))
	}
	if len(d.known) >= mostKnown {
		clear(d.known)
	}
	d.known[key] = effort{int32(best), best < limit}
	return best
}

// with is the same if a certain guess comes first. The largest sets that it leaves are looked at first.
func (d *deduction) with(set []uint16, guess, limit int) int {
	var room [mostCodes]uint16
	var some [mostCodes]part
	parts := d.split(&room, some[:0], set, guess)
	sum := len(set)
	for _, p := range parts {
		sum += d.floor[p.size]
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(b.size, a.size) })
	for _, p := range parts {
		if p.size <= 2 || sum >= limit {
			break // the floor is exact, or it does not matter
		}
		rest := sum - d.floor[p.size]
		sum = rest + d.sum(room[p.from:p.from+p.size], limit-rest)
	}
	return sum
}

// A part is what a mark leaves of a set, in a list of all parts.
type part struct{ from, size int }

// split sorts a set without the guess itself by the marks of the guess, into room. It returns some with the parts.
func (d *deduction) split(room *[mostCodes]uint16, some []part, set []uint16, guess int) []part {
	var sizes, ends [mostCodes]uint8
	kinds := d.kinds[guess]
	for _, code := range set {
		if int(code) != guess {
			sizes[kinds[code]]++
		}
	}
	at := 0
	for k := 0; at < len(set) && k < len(kinds); k++ {
		if n := int(sizes[k]); n > 0 {
			ends[k] = uint8(at)
			some = append(some, part{at, n})
			at += n
		}
	}
	for _, code := range set {
		if int(code) != guess {
			k := kinds[code]
			room[ends[k]] = code
			ends[k]++
		}
	}
	return some
}

// An option is a guess with a lower bound of its sum.
type option struct{ guess, least int }

// options adds the guesses to a list that may have a sum below a limit, and returns the limit, or the
// least sum that it found below.
func (d *deduction) options(all []option, set []uint16, limit int) ([]option, int) {
	for _, code := range set {
		if o, largest := d.rate(set, int(code)); largest <= 2 && o.least == d.floor[len(set)] {
			return nil, min(limit, o.least) // there is nothing better
		}
	}
	alike := d.alike(set)
	for guess := range d.kinds {
		if alike != nil && int(alike[guess]) != guess {
			continue
		}
		switch o, largest := d.rate(set, guess); {
		case o.least >= limit || largest == len(set):
		case largest <= 2: // the bound is exact
			limit = o.least
		default:
			all = append(all, o)
		}
	}
	return all, limit
}

// rate returns a guess with its lower bound, and the size of the largest set that it leaves. It tells
// nothing if that is the whole set.
func (d *deduction) rate(set []uint16, guess int) (o option, largest int) {
	var sizes [mostCodes]uint8
	kinds := d.kinds[guess]
	sum, most := len(set), uint8(0)
	for _, code := range set {
		if int(code) == guess {
			continue
		}
		k := kinds[code]
		sum += d.more[sizes[k]]
		sizes[k]++
		most = max(most, sizes[k])
	}
	return option{guess, sum}, int(most)
}

// promising takes the option with the least bound from a list.
func promising(options []option) (option, []option) {
	at, last := 0, len(options)-1
	for i, o := range options {
		if o.least < options[at].least {
			at = i
		}
	}
	o := options[at]
	options[at] = options[last]
	return o, options[:last]
}

// alike tells for each guess the first one that is as good by symmetry; nil if that is not worth the search.
func (d *deduction) alike(set []uint16) []uint16 {
	const few = 8
	if len(set) <= few || d.swaps == nil {
		return nil
	}
	in := make([]bool, len(d.marks))
	for _, code := range set {
		in[code] = true
	}
	var swaps [][]uint16
	for _, swap := range d.swaps {
		if !slices.ContainsFunc(set, func(code uint16) bool { return !in[swap[code]] }) {
			swaps = append(swaps, swap)
		}
	}
	if swaps == nil {
		return nil
	}
	alike := d.all()
	for changed := true; changed; {
		changed = false
		for _, swap := range swaps {
			changed = join(alike, swap) || changed
		}
	}
	return alike
}

// join gives guesses that a swap exchanges the smaller of their numbers, and reports whether that changed any.
func join(alike, swap []uint16) (changed bool) {
	for guess := range alike {
		if other := alike[swap[guess]]; other < alike[guess] {
			alike[guess], changed = other, true
		}
	}
	return changed
}
