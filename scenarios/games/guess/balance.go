package guess

import "sync"

// A suspicion counts coins by what they may be, of which one is true.
type suspicion struct {
	odd   uint8 // coins that may be heavy or light
	heavy uint8 // coins that may only be heavy
	light uint8
	good  uint8 // coins that are neither
	none  bool  // perhaps no coin is odd
}

// cases counts what may be true.
func (s suspicion) cases() int {
	n := 2*int(s.odd) + int(s.heavy) + int(s.light)
	if s.none {
		n++
	}
	return n
}

// coins counts all coins.
func (s suspicion) coins() uint8 { return s.odd + s.heavy + s.light + s.good }

// The outcomes of a weighing.
const (
	balanced = iota
	leftHeavy
	rightHeavy
)

// weighed returns what remains after each outcome of a weighing. The pans hold coins by what they may be.
func (s suspicion) weighed(left, right suspicion) (after [3]suspicion) {
	after[balanced] = suspicion{odd: s.odd - left.odd - right.odd, heavy: s.heavy - left.heavy - right.heavy, light: s.light - left.light - right.light, none: s.none}
	after[leftHeavy] = suspicion{heavy: left.odd + left.heavy, light: right.odd + right.light}
	after[rightHeavy] = suspicion{heavy: right.odd + right.heavy, light: left.odd + left.light}
	for i := range after {
		after[i].good = s.coins() - after[i].coins()
	}
	return after
}

// A balance knows how many weighings tell what is true, whatever they show. Many goroutines may use
// it.
type balance struct {
	mu    sync.Mutex
	known map[suspicion][2]int8 // bounds of the number of weighings
}

// maxWeighings is more than any game takes.
const maxWeighings = 20

// need returns the number of weighings that are enough in the worst case.
func (b *balance) need(s suspicion) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	for n := range maxWeighings {
		if b.enough(s, n) {
			return n
		}
	}
	return maxWeighings
}

// best returns the pans of a weighing of the best play.
func (b *balance) best(s suspicion) (left, right suspicion) {
	n := b.need(s)
	b.mu.Lock()
	defer b.mu.Unlock()
	left, right, _ = b.find(s, n)
	return left, right
}

// enough reports whether n weighings are enough.
func (b *balance) enough(s suspicion, n int) bool {
	bounds, has := b.known[s]
	switch {
	case s.cases() <= 1:
		return true
	case n == 0 || s.cases() > power3(n) || has && n < int(bounds[0]):
		return false
	case has && n >= int(bounds[1]):
		return true
	case !has:
		bounds[1] = maxWeighings
	}
	_, _, found := b.find(s, n)
	if found {
		bounds[1] = int8(n)
	} else {
		bounds[0] = int8(n + 1)
	}
	b.known[s] = bounds
	return found
}

// power3 returns 3 to the power of n.
func power3(n int) int {
	power := 1
	for range n {
		power *= 3
	}
	return power
}

// find looks for a weighing after which n-1 more are enough. It puts good coins into the right pan alone.
func (b *balance) find(s suspicion, n int) (left, right suspicion, found bool) {
	for _, left := range s.parts(s.coins() / 2) {
		rest := suspicion{odd: s.odd - left.odd, heavy: s.heavy - left.heavy, light: s.light - left.light}
		for _, right := range rest.parts(left.coins()) {
			right.good = left.coins() - right.coins()
			if right.good > s.good || left.coins() == 0 {
				continue
			}
			if b.settled(s.weighed(left, right), n-1) {
				return left, right, true
			}
		}
	}
	return left, right, false
}

// settled reports whether n weighings are enough after each outcome.
func (b *balance) settled(after [3]suspicion, n int) bool {
	for _, s := range after {
		if s.cases() > power3(n) {
			return false
		}
	}
	for _, s := range after {
		if !b.enough(s, n) {
			return false
		}
	}
	return true
}

// parts lists what a pan may hold of the coins that are not good, most coins at most.
func (s suspicion) parts(most uint8) (all []suspicion) {
	for odd := range min(s.odd, most) + 1 {
		for heavy := range min(s.heavy, most-odd) + 1 {
			for light := range min(s.light, most-odd-heavy) + 1 {
				all = append(all, suspicion{odd: odd, heavy: heavy, light: light})
			}
		}
	}
	return all
}
