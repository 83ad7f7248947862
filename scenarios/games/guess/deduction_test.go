package guess

import (
	"slices"
	"testing"
)

// The averages of the best play are known.
func TestMastermindAverages(t *testing.T) {
	for _, c := range []struct {
		p    pegParams
		want int // guesses over all codes
		why  string
	}{
		{pegParams{Places: 2, Colours: 4}, 45, "the specification, by search in Python"},
		{pegParams{Places: 3, Colours: 4}, 206, "the specification, by search in Python"},
		{pegParams{Places: 3, Colours: 5}, 451, "the specification, by search in Python"},
	} {
		d := c.p.solve()
		if sum := d.sum(d.all(), 1e9); sum != c.want {
			t.Errorf("%d pegs of %d colours take %d guesses over all codes, want %d: %s", c.p.Places, c.p.Colours, sum, c.want, c.why)
		}
	}
}

// The search with bounds, memory and symmetry finds what plain search finds.
func TestDeductionIsBruteForce(t *testing.T) {
	for _, p := range []pegParams{{Places: 2, Colours: 3}, {Places: 2, Colours: 4}, {Places: 3, Colours: 2}} {
		d := p.solve()
		var plain func(set []uint16) (sum int, best []int)
		with := func(set []uint16, guess int) int {
			sum := len(set)
			for mark := range uint8(d.kinds) {
				left := d.left(set, guess, mark)
				if mark == d.found || len(left) == 0 {
					continue
				}
				if len(left) == len(set) {
					return 1e9
				}
				rest, _ := plain(left)
				sum += rest
			}
			return sum
		}
		seen := map[string]int{}
		plain = func(set []uint16) (sum int, best []int) {
			if sum, has := seen[name(set)]; has {
				return sum, nil
			}
			sum = 1e9
			for guess := range d.marks {
				switch got := with(set, guess); {
				case got < sum:
					sum, best = got, []int{guess}
				case got == sum:
					best = append(best, guess)
				}
			}
			seen[name(set)] = sum
			return sum, best
		}
		check := func(set []uint16) {
			delete(seen, name(set))
			sum, best := plain(set)
			if got := d.sum(set, 1e9); got != sum {
				t.Fatalf("%+v: %v takes %d, plain search says %d", p, set, got, sum)
			}
			if got := d.best(set); !slices.Equal(got, best) {
				t.Fatalf("%+v: the best for %v are %v, plain search says %v", p, set, got, best)
			}
		}
		check(d.all())
		for guess := range d.marks {
			for mark := range uint8(d.kinds) {
				if left := d.left(d.all(), guess, mark); len(left) > 0 {
					check(left)
				}
			}
		}
	}
}
