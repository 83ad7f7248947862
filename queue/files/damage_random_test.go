package files

import (
	"bytes"
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// damageSeed repeats a TestRandomDamage.
var damageSeed = flag.Uint64("damage-seed", 0, "seed of TestRandomDamage; 0: another each time")

// No random damage to a file does silent harm.
func TestRandomDamage(t *testing.T) {
	t.Parallel()
	seed := *damageSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	r := rand.New(rand.NewPCG(seed, 0))
	ruins := []ruin{rest(t, closed), rest(t, rewritten), rest(t, killed)}
	told := 0
	for i := range damageAt {
		one := ruins[r.IntN(len(ruins))]
		names := slices.Sorted(maps.Keys(one.files))
		name := names[r.IntN(len(names))]
		files := maps.Clone(one.files)
		how := rot(r, files, name)
		o := one.enter(t, files)
		if harm := o.lost > 0 || o.again > 0 || o.back; harm && o.told == 0 {
			t.Fatalf("-damage-seed %d, damage %d, %s of %s: not a word, but %+v", seed, i, how, name, o)
		}
		if o.told > 0 || o.refused != nil {
			told++
		}
	}
	t.Logf("seed %d: %d damages, %d told, none did harm without a word", seed, damageAt, told)
}

// rot damages a file in one of the ways of disks, and names it.
func rot(r *rand.Rand, files map[string][]byte, name string) string {
	b := bytes.Clone(files[name])
	at := r.IntN(len(b) + 1)
	noise := make([]byte, 1+r.IntN(6000))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	how := []string{"a flipped bit", "zeros", "noise", "a lost end", "noise at the end", "zeros at the end", "a copy of a part at the end", "the loss"}[r.IntN(8)]
	switch how {
	case "a flipped bit":
		b[min(at, len(b)-1)] ^= 1 << r.IntN(8)
	case "zeros":
		clear(b[at:min(len(b), at+r.IntN(600))])
	case "noise":
		copy(b[at:], noise)
	case "a lost end":
		b = b[:at]
	case "noise at the end":
		b = append(b, noise...)
	case "zeros at the end":
		b = append(b, make([]byte, len(noise))...)
	case "a copy of a part at the end":
		b = append(b, b[at:min(len(b), at+len(noise))]...)
	case "the loss":
		delete(files, name)
		return how
	}
	files[name] = b
	return how
}
