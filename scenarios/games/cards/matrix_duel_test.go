package cards

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// The dynamic program over beliefs agrees with one over all pasts, which asks each member anew.
func TestForesight(t *testing.T) {
	r := rng.New(1, "foresight")
	for range 60 {
		size := r.Between(2, 3)
		p := matrixParams{Size: size, Kinds: kinds, Members: r.Between(1, 4)}
		pay := drawPay(r, size, size, mostPay)
		f := newForesight(pay, drawMembers(p, r), 7-size)
		best, blind := f.byPasts(nil)
		if o := f.look(f.opening()); math.Abs(o.best-best) > 1e-9 || math.Abs(o.blind-blind) > 1e-9 {
			t.Fatalf("%v against %v: %v and %v, and over all pasts %v and %v", pay, f.members, o.best, o.blind, best, blind)
		}
	}
}

// byPasts is what the best play and uniform play win after a past.
func (f *foresight) byPasts(past [][2]int) (best, blind float64) {
	if len(past) == f.rounds {
		return 0, 0
	}
	chances, sum := make([]float64, len(f.pay)), 0.0
	for _, m := range f.members {
		weight := 1.0
		for i := range past {
			weight *= f.given(m, past[:i])[past[i][1]]
		}
		sum += weight
		for move, chance := range f.given(m, past) {
			chances[move] += weight * chance
		}
	}
	best = math.Inf(-1)
	for mine := range f.pay {
		won, byChance := 0.0, 0.0
		for theirs, chance := range chances {
			if chance == 0 {
				continue
			}
			b, u := f.byPasts(append(past[:len(past):len(past)], [2]int{mine, theirs}))
			won += chance / sum * (float64(f.pay[mine][theirs]) + b)
			byChance += chance / sum * (float64(f.pay[mine][theirs]) + u)
		}
		best, blind = max(best, won), blind+byChance/float64(len(f.pay))
	}
	return best, blind
}

// given returns the chance of each move of a member after a past, from its description.
func (f *foresight) given(m member, past [][2]int) []float64 {
	chances := make([]float64, len(f.pay))
	move, n := m.Move, len(past)
	switch m.Kind {
	case "mix":
		for i, p := range m.Percent {
			chances[i] = float64(p) / 100
		}
		return chances
	case "cycles":
		move = (move + n) % len(f.pay)
	case "copies", "follows", "answers":
		if n == 0 {
			break
		}
		move = past[n-1][0]
		if m.Kind == "follows" {
			move = (move + 1) % len(f.pay)
		}
		if m.Kind == "answers" {
			row := f.pay[move]
			for move = 0; row[move] != slices.Min(row); move++ {
			}
		}
	}
	chances[move] = 1
	return chances
}

// Nothing tells which member the opponent is before it has moved, not even the key.
func TestMembersAreHidden(t *testing.T) {
	s, err := makeMatrices(matrixDuel.Levels[2], rng.New(1, "hidden"))
	if err != nil {
		t.Fatal(err)
	}
	other := s
	other.Actual = (s.Actual + 1) % len(s.Members)
	if s.Canonical() != other.Canonical() {
		t.Errorf("the keys are %s and %s", s.Canonical(), other.Canonical())
	}
	a, b := s.Match(games.Luck{}, new(games.Tables)), other.Match(games.Luck{}, new(games.Tables))
	if a.Show() != b.Show() || s.Rules(0) != other.Rules(0) || !slices.Equal(a.Best(), b.Best()) {
		t.Errorf("%q and %q", a.Show(), b.Show())
	}
}

// A matrix of numbers too large for the solver is refused.
func TestLargeMatrices(t *testing.T) {
	for _, most := range []int{mostPay, mostPay + 1} {
		s := matrices{Pay: [][][]int{{{most, 0}, {0, -most}}}, Rounds: 1}
		if err := task.Check(s); (err == nil) != (most == mostPay) {
			t.Errorf("with %d: %v", most, err)
		}
	}
}

// A matrix with its rows and columns in another order is the same.
func TestKeysOfMatrices(t *testing.T) {
	r := rng.New(1, "keys")
	for range 20 {
		size := r.Between(2, 5)
		one := matrices{Pay: [][][]int{drawPay(r, size, size, mostPay), drawPay(r, size, size, mostPay)}, Rounds: 2}
		two := matrices{Rounds: 2}
		for _, pay := range slices.Backward(one.Pay) {
			rows, columns := r.Between(1, size-1), r.Between(1, size-1)
			var turned [][]int
			for _, row := range slices.Concat(pay[rows:], pay[:rows]) {
				turned = append(turned, slices.Concat(row[columns:], row[:columns]))
			}
			two.Pay = append(two.Pay, turned)
		}
		if one.Canonical() != two.Canonical() {
			t.Fatalf("%v and %v have the keys %s and %s", one.Pay, two.Pay, one.Canonical(), two.Canonical())
		}
		two.Pay[0][0][0]++
		if one.Canonical() == two.Canonical() {
			t.Fatalf("%v and %v have the same key", one.Pay, two.Pay)
		}
	}
}

func TestReadMix(t *testing.T) {
	for _, c := range []struct{ why, text, want, fault string }{
		{"weights are relative", "A 2, B 6", "A 1, B 3", ""},
		{"decimals, small letters, any spaces", " b  0.25,a 0.75 ", "A 3, B 1", ""},
		{"a weight of 0", "A 0, C 1", "C 1", ""},
		{"one row", "C 0.000001", "C 1", ""},
		{"no weight", "A", "", "is not a letter and a weight"},
		{"nothing after a comma", "A 1,", "", "is not a letter and a weight"},
		{"twice", "A 1, a 2", "", "has two weights"},
		{"no such row", "D 1", "", "you have no move"},
		{"negative", "A -1, B 2", "", "is not a number"},
		{"an exponent", "A 1e3", "", "is not a number"},
		{"no number", "A NaN", "", "is not a number"},
		{"full-width digits", "A １", "", "is not a number"},
		{"too long", "A 1234567", "", "is not a number"},
		{"all 0", "A 0, B 0.0", "", "all weights are 0"},
	} {
		got, why := readMix(c.text, 3)
		if (why == "") != (c.fault == "") || !strings.Contains(why, c.fault) || why == "" && got.String() != c.want {
			t.Errorf("%s: %q is read as %v, %q; want %q, %q", c.why, c.text, got, why, c.want, c.fault)
		}
	}
}

func FuzzReadMix(f *testing.F) {
	f.Add("A 5, B 8, C 0.5", 3)
	f.Add("a 1,,b", 2)
	f.Fuzz(func(t *testing.T, text string, rows int) {
		rows = 2 + int(uint(rows)%4)
		m, why := readMix(text, rows)
		if why != "" {
			return
		}
		if len(m) != rows || slices.Min(m) < 0 || m.sum() <= 0 {
			t.Fatalf("%q is read as %v", text, m)
		}
		pay := drawPay(rng.New(1, text), rows, rows, mostPay)
		if m.guaranteed(pay).Cmp(solve(pay).value) > 0 {
			t.Fatalf("%v wins more than the value of %v", m, pay)
		}
	})
}
