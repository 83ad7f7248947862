package guess

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

// A deduction finds one of several codes by guesses, each answered by a mark that says how it
// compares with the code. It knows the fewest guesses that find a code, added over all codes that
// are still possible. Many goroutines may use it.
type deduction struct {
	marks [][]uint8  // of a guess and a code; both have the same numbers
	found uint8      // the mark of the code itself
	swaps [][]uint16 // ways to rename the codes, and the guesses with them, that keep all marks
	kinds int        // marks are less
	room  int        // the different marks of wrong guesses

	mu    sync.Mutex
	known map[string]effort // by the codes that are possible
	whole int               // the sum over all codes; 0: not yet known
	bests map[string][]int  // what best found
}

// newDeduction returns the deduction over n codes.
func newDeduction(n int, found uint8, mark func(guess, code int) uint8) *deduction {
	d := &deduction{found: found, known: map[string]effort{}, bests: map[string][]int{}}
	seen := [256]bool{}
	for guess := range n {
		row := make([]uint8, n)
		for code := range row {
			row[code] = mark(guess, code)
			seen[row[code]] = true
		}
		d.marks = append(d.marks, row)
	}
	for m, is := range seen {
		if is {
			d.kinds, d.room = m+1, d.room+1
		}
	}
	d.room--
	return d
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
	least := map[int]bool{}
	for _, o := range d.options(set) {
		least[o.guess] = o.least <= sum && d.with(set, o.guess, sum+1) == sum
	}
	alike := d.alike(set)
	for guess := range d.marks {
		stands := guess
		if alike != nil {
			stands = int(alike[guess])
		}
		if least[stands] {
			guesses = append(guesses, guess)
		}
	}
	return guesses
}

// sum is the fewest guesses that find the codes of a set, added over all of them; or any number of limit or more if there are so many.
func (d *deduction) sum(set []uint16, limit int) int {
	if len(set) <= 2 {
		return max(0, 2*len(set)-1)
	}
	key := name(set)
	if e, has := d.known[key]; has && (e.exact || int(e.sum) >= limit) {
		return int(e.sum)
	}
	best := limit
	for _, o := range d.options(set) {
		if o.least >= best {
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

// with is the same if a certain guess comes first.
func (d *deduction) with(set []uint16, guess, limit int) int {
	parts := d.split(set, guess)
	sum := len(set)
	for _, p := range parts {
		sum += d.least(len(p))
	}
	for _, p := range parts {
		if sum >= limit {
			break
		}
		rest := sum - d.least(len(p))
		sum = rest + d.sum(p, limit-rest)
	}
	return sum
}

// split returns what a guess leaves of a set, by its marks, but for the code itself; the largest
// part first.
func (d *deduction) split(set []uint16, guess int) (parts [][]uint16) {
	var sizes, starts [256]uint16
	marks := d.marks[guess]
	for _, code := range set {
		sizes[marks[code]]++
	}
	sizes[d.found] = 0
	at := uint16(0)
	for m := range d.kinds {
		starts[m] = at
		at += sizes[m]
	}
	sorted := make([]uint16, at)
	ends := starts
	for _, code := range set {
		if m := marks[code]; m != d.found {
			sorted[ends[m]] = code
			ends[m]++
		}
	}
	for m := range d.kinds {
		if sizes[m] > 0 {
			parts = append(parts, sorted[starts[m]:ends[m]:ends[m]])
		}
	}
	slices.SortStableFunc(parts, func(a, b []uint16) int { return cmp.Compare(len(b), len(a)) })
	return parts
}

// An option is a guess with a lower bound of its sum.
type option struct{ guess, least int }

// options lists the guesses that tell something, the most promising first.
func (d *deduction) options(set []uint16) (all []option) {
	alike := d.alike(set)
	for guess, marks := range d.marks {
		if alike != nil && int(alike[guess]) != guess {
			continue
		}
		var sizes [256]uint16
		for _, code := range set {
			sizes[marks[code]]++
		}
		sizes[d.found] = 0
		sum := len(set)
		telling := true
		for _, n := range sizes[:d.kinds] {
			if n > 0 {
				sum += d.least(int(n))
				telling = telling && int(n) < len(set)
			}
		}
		if telling {
			all = append(all, option{guess, sum})
		}
	}
	slices.SortStableFunc(all, func(a, b option) int { return cmp.Compare(a.least, b.least) })
	return all
}

// least is a lower bound of the sum of guesses over n codes, whatever they are: one is guessed at
// once, and with k marks of wrong guesses,, k more at the second guess and k² at the third.
func (d *deduction) least(n int) (sum int) {
	for guesses, room := 1, 1; n > 0; guesses, room = guesses+1, room*(d.room) {
		sum += guesses * min(n, room)
		n -= room
	}
	return sum
}

// name is the key of a set.
func name(set []uint16) string {
	key := make([]byte, 0, 64)
	for _, code := range set {
		for int(code)>>3 >= len(key) {
			key = append(key, 0)
		}
		key[code>>3] |= 1 << (code & 7)
	}
	return string(key)
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
