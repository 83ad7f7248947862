package guess

import (
	"slices"
	"testing"

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
	small := []wordParams{{Words: 16, Guesses: 6}, {Words: 12, Near: true, Guesses: 9}}
	for i, p := range slices.Concat(small, wordlePlay.Levels) {
		lists := 20
		if i >= len(small) {
			lists = 1
		}
		r := rng.New(1, "lists")
		for range lists {
			w, err := makeWords(p, r)
			if err != nil {
				t.Fatal(err)
			}
			holdToPlainSearch(t, w.solve())
		}
	}
}

// holdToPlainSearch compares what a deduction says of all codes, and of those that any guess leaves.
func holdToPlainSearch(t *testing.T, d *deduction) {
	t.Helper()
	plain := plainSearch{d, map[codeSet]int{}}
	checked := map[codeSet]bool{}
	check := func(set []uint16) {
		if checked[name(set)] || len(set) == 0 {
			return
		}
		checked[name(set)] = true
		sum, best := plain.search(set)
		if got := d.sum(set, 1e9); got != sum {
			t.Fatalf("%v takes %d, plain search says %d", set, got, sum)
		}
		if got := d.best(set); !slices.Equal(got, best) {
			t.Fatalf("the best for %v are %v, plain search says %v", set, got, best)
		}
		for guess := range d.marks {
			want := float64(plain.first(set, guess)-sum) / float64(len(set))
			if got := d.lost(set, guess); got != want {
				t.Fatalf("guess %d of %v gives away %v, plain search says %v", guess, set, got, want)
			}
		}
	}
	check(d.all())
	for guess := range d.marks {
		for _, left := range plain.parts(d.all(), guess) {
			check(left)
		}
	}
}

// A plainSearch tries all guesses.
type plainSearch struct {
	*deduction
	sums map[codeSet]int
}

// search returns the sum of guesses under the best play, and the best guesses.
func (p plainSearch) search(set []uint16) (sum int, best []int) {
	sum = 1e9
	for guess := range p.marks {
		if mark := p.marks[guess][set[0]]; mark != p.marks[guess][guess] && len(p.parts(set, guess)[mark]) == len(set) {
			continue // it tells nothing
		}
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
	for mark, left := range p.parts(set, guess) {
		if uint8(mark) == p.marks[guess][guess] || len(left) == 0 {
			continue
		}
		if _, has := p.sums[name(left)]; !has {
			p.search(left)
		}
		sum += p.sums[name(left)]
	}
	return sum
}

// parts returns what each mark of a guess leaves of a set.
func (p plainSearch) parts(set []uint16, guess int) (parts [256][]uint16) {
	for _, code := range set {
		mark := p.marks[guess][code]
		parts[mark] = append(parts[mark], code)
	}
	return parts
}
