package guess

import (
	"slices"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
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
		holdToPlainSearch(t, p.solve().deduction)
	}
	for _, p := range []wordParams{{Words: 16, Guesses: 6}, {Words: 12, Near: true, Guesses: 9}} {
		r := rng.New(1, "lists")
		for range 20 {
			w, err := makeWords(p, r)
			if err != nil {
				t.Fatal(err)
			}
			holdToPlainSearch(t, w.Match(games.Luck{}, new(games.Tables)).(*spelling).solver())
		}
	}
}

// holdToPlainSearch compares what a deduction says of all codes, and of those that any guess leaves.
func holdToPlainSearch(t *testing.T, d *deduction) {
	t.Helper()
	plain := plainSearch{d, map[string]int{}}
	check := func(set []uint16) {
		sum, best := plain.search(set)
		if got := d.sum(set, 1e9); got != sum {
			t.Fatalf("%v takes %d, plain search says %d", set, got, sum)
		}
		if got := d.best(set); !slices.Equal(got, best) {
			t.Fatalf("the best for %v are %v, plain search says %v", set, got, best)
		}
	}
	check(d.all())
	for guess := range d.marks {
		for mark := range d.kinds {
			if left := d.left(d.all(), guess, uint8(mark)); len(left) > 0 {
				check(left)
			}
		}
	}
}

// A plainSearch tries all guesses.
type plainSearch struct {
	*deduction
	sums map[string]int
}

// search returns the sum of guesses under the best play, and the best guesses.
func (p plainSearch) search(set []uint16) (sum int, best []int) {
	sum = 1e9
	for guess := range p.marks {
		switch got := p.first(set, guess); {
		case got < sum:
			sum, best = got, []int{guess}
		case got == sum:
			best = append(best, guess)
		}
	}
	p.sums[name(set)] = sum
	return sum, best
}

// first returns the sum if a certain guess comes first.
func (p plainSearch) first(set []uint16, guess int) int {
	sum := len(set)
	for mark := range p.kinds {
		left := p.left(set, guess, uint8(mark))
		if mark == int(p.found) || len(left) == 0 {
			continue
		}
		if len(left) == len(set) {
			return 1e9
		}
		if _, has := p.sums[name(left)]; !has {
			p.search(left)
		}
		sum += p.sums[name(left)]
	}
	return sum
}
