package duels

import (
	"math/bits"
	"sync"
)

// mates are the distances to mate in the positions of an ending: in plies and one more, if White
// forces mate; otherwise never, or 0 where White is to move.
type mates struct {
	white []uint8 // by [fold.index], White to move
	black []uint8 // Black to move
}

// never marks positions that do not occur, and those in which Black is not to be mated.
const never = 255

// A library holds the distances of endings by name. They are worked out on first use, in half a
// second for KQKR and less for the others, and take 11 MB in all.
type library map[string]func() *mates

var (
	queenMates = sync.OnceValue(func() *mates { return solveEnding("KQK", nil) })
	rookMates  = sync.OnceValue(func() *mates { return solveEnding("KRK", nil) })
	allMates   = library{
		"KQK":  queenMates,
		"KRK":  rookMates,
		"KPK":  sync.OnceValue(func() *mates { return solveEnding("KPK", library{"KQK": queenMates, "KRK": rookMates}) }),
		"KBBK": sync.OnceValue(func() *mates { return solveEnding("KBBK", nil) }),
		"KQKR": sync.OnceValue(func() *mates { return solveEnding("KQKR", library{"KQK": queenMates}) }),
	}
)

// plies is how many plies White needs to mate, if it forces mate.
func (c *chess) plies(of library) (n int, forced bool) {
	if c.ending == nil {
		return 0, false
	}
	table := of[c.name]()
	kept := table.white
	if c.black {
		kept = table.black
	}
	n = int(kept[c.index()])
	return n - 1, n != 0 && n != never
}

// triangle numbers the squares a1, b1, c1, d1, b2, c2, d2, c3, d3 and d4, to one of which a symmetry
// of the board takes each square.
var triangle = [64]int{0: 0, 1: 1, 2: 2, 3: 3, 9: 4, 10: 5, 11: 6, 18: 7, 19: 8, 27: 9}

// corner lists the squares of the triangle.
var corner = [10]int8{0, 1, 2, 3, 9, 10, 11, 18, 19, 27}

// folded is the position under the symmetry that takes White's king to the triangle. Pawns allow
// none.
func (c *chess) folded() [mostMen]int8 {
	at := c.at
	if c.pawns {
		return at
	}
	f := fold(at[whiteKing])
	for i := range c.men {
		at[i] = f.square(at[i])
	}
	return at
}

// A folding is a symmetry of the board: it flips bits of a square, and may swap rank and file then.
type folding struct {
	flip int8
	swap bool
}

// fold returns the symmetry that takes a square to the triangle.
func fold(at int8) (f folding) {
	if at&7 > 3 {
		f.flip ^= 7
	}
	if at>>3 > 3 {
		f.flip ^= 56
	}
	at ^= f.flip
	f.swap = at>>3 > at&7
	return f
}

// square is where it takes a square.
func (f folding) square(at int8) int8 {
	at ^= f.flip
	if f.swap {
		at = at>>3 | at&7<<3
	}
	return at
}

// back returns the squares that it takes to some.
func (f folding) back(set uint64) uint64 {
	if f.swap {
		set = transposed(set)
	}
	if f.flip&7 != 0 {
		set = bits.ReverseBytes64(bits.Reverse64(set))
	}
	if f.flip&56 != 0 {
		set = bits.ReverseBytes64(set)
	}
	return set
}

// transposed is a set of squares with ranks and files swapped.
func transposed(set uint64) uint64 {
	for _, swap := range []struct {
		mask  uint64
		shift int
	}{{0x00000000f0f0f0f0, 28}, {0x0000cccc0000cccc, 14}, {0x00aa00aa00aa00aa, 7}} {
		moved := (set ^ set>>swap.shift) & swap.mask
		set ^= moved ^ moved<<swap.shift
	}
	return set
}

// index is the place of a position in the tables of its ending.
func (c *chess) index() int {
	at := c.folded()
	n := triangle[at[whiteKing]]
	if c.pawns {
		n = int(at[whiteKing])
	}
	for i := 1; i < len(c.men); i++ {
		n = n<<6 | int(at[i])
	}
	return n
}

// size is the number of places.
func (e *ending) size() int {
	kings := 10
	if e.pawns {
		kings = 64
	}
	return kings << (6 * (len(e.men) - 1))
}
