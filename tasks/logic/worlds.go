package logic

// A worlds is a set of assignments of true and false to n facts, one bit for each: fact k
// is true in assignment i if bit k of i is set.
type worlds []uint64

// newWorlds returns an empty set of assignments to n facts.
func newWorlds(n int) worlds { return make(worlds, worldWords(n)) }

// worldWords returns the number of words of a set of assignments to n facts.
func worldWords(n int) int { return max(1, 1<<n>>6) }

// everyWorld returns the bits of a word that stand for assignments to n facts.
func everyWorld(n int) uint64 {
	if n >= 6 {
		return ^uint64(0)
	}
	return 1<<(1<<n) - 1
}

// factBits are, for the facts 0 to 5, the assignments of a word that make the fact true.
var factBits = [6]uint64{
	0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0, 0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000,
}

// factWord returns the assignments of word w that make a fact true.
func factWord(fact, w int) uint64 {
	switch {
	case fact < len(factBits):
		return factBits[fact]
	case w>>(fact-len(factBits))&1 == 1:
		return ^uint64(0)
	}
	return 0
}
