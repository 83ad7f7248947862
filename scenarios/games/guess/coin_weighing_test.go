package guess

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games"
)

// The weighings that are enough are known.
func TestWeighingsAreKnown(t *testing.T) {
	for _, c := range []struct {
		of   suspicion
		want int
		why  string
	}{
		{suspicion{heavy: 3}, 1, "one against one"},
		{suspicion{heavy: 9}, 2, "three groups of three"},
		{suspicion{heavy: 10}, 3, "ten cases, and nine outcomes of two weighings"},
		{suspicion{odd: 4, none: true}, 3, "the specification: nine cases, but no two weighings tell them apart"},
		{suspicion{odd: 12, none: true}, 3, "the specification, Dyson: (3^3-3)/2 coins"},
		{suspicion{odd: 13, none: true}, 4, "Dyson: one coin too many"},
		{suspicion{odd: 13, good: 1, none: true}, 3, "Dyson: (3^3-1)/2 coins, with a good one"},
		{suspicion{odd: 14, good: 1, none: true}, 4, "29 cases, and 27 outcomes"},
	} {
		b := balance{known: map[suspicion][2]int8{}}
		if got := b.need(c.of); got != c.want {
			t.Errorf("%+v takes %d weighings, want %d: %s", c.of, got, c.want, c.why)
		}
	}
}

// The search with bounds finds what plain search over all pans finds.
func TestBalanceIsBruteForce(t *testing.T) {
	// weigh puts each coin to the left, to the right or aside, in every way.
	var weigh func(from []verdict, coins int, left, right []int, then func(left, right []int) bool) bool
	weigh = func(from []verdict, coins int, left, right []int, then func(left, right []int) bool) bool {
		if coins == 0 {
			return len(left) == len(right) && then(left, right)
		}
		return weigh(from, coins-1, left, right, then) ||
			weigh(from, coins-1, append(left[:len(left):len(left)], coins), right, then) ||
			weigh(from, coins-1, left, append(right[:len(right):len(right)], coins), then)
	}
	var plain func(from []verdict, coins, n int) bool
	plain = func(from []verdict, coins, n int) bool {
		if len(from) <= 1 || n == 0 {
			return len(from) <= 1
		}
		return weigh(from, coins, nil, nil, func(left, right []int) bool {
			var after [3][]verdict
			for _, v := range from {
				o := v.shows(left, right)
				after[o] = append(after[o], v)
			}
			return plain(after[0], coins, n-1) && plain(after[1], coins, n-1) && plain(after[2], coins, n-1)
		})
	}
	for _, p := range []coinParams{
		{Coins: 2, Heavy: true, None: true}, {Coins: 3, Heavy: true}, {Coins: 4, Heavy: true, None: true}, {Coins: 5, Heavy: true}, {Coins: 3},
		{Coins: 3, None: true}, {Coins: 2, Good: 1}, {Coins: 3, Good: 1, None: true}, {Coins: 4, None: true}, {Coins: 4, Good: 1, None: true},
	} {
		m := oddCoin{p, p.verdicts()[0]}.Match(games.Luck{}, new(games.Tables)).(*weighing)
		want := 0
		for !plain(p.verdicts(), p.Coins+p.Good, want) {
			want++
		}
		if got := m.balance().need(m.now()); got != want {
			t.Errorf("%+v takes %d weighings, plain search says %d", p, got, want)
		}
	}
}

// Every way in which the best play may go ends after as many weighings as are enough.
func TestBestWeighingsSuffice(t *testing.T) {
	for _, p := range coinWeighing.Levels {
		for _, truth := range p.verdicts() {
			m := oddCoin{p, truth}.Match(games.Luck{}, new(games.Tables)).(*weighing)
			need := m.balance().need(m.now())
			for _, over := m.Over(); !over; _, over = m.Over() {
				if _, why := m.Move(m.Best()[0]); why != "" {
					t.Fatal(why)
				}
			}
			if worth, _ := m.Over(); worth != 1 || m.Value() != 1 || len(m.past) > need {
				t.Errorf("%+v, %v: worth %v, value %v after %q", p, truth, worth, m.Value(), m.past)
			}
			if !p.Adversary && !strings.HasPrefix(truth.name(), m.left[0].name()) {
				t.Errorf("%v was found as %v", truth, m.left[0])
			}
		}
	}
}

// A lucky answer and a wrong one earn nothing; a weighing that was not needed costs a quarter.
func TestCoinScores(t *testing.T) {
	start := func() games.Match {
		return oddCoin{coinParams{Coins: 3, Heavy: true, Replies: 7}, verdict{2, true}}.Match(games.Luck{}, new(games.Tables))
	}
	for _, c := range []struct {
		moves string
		want  float64
		why   string
	}{
		{"2 heavy", 0, "right by luck"},
		{"weigh 1 | 2; 1 heavy", 0, "wrong"},
		{"weigh 1 | 2; 2 heavy", 1, "certain"},
		{"weigh 1 | 2; weigh 1 | 2; 2 heavy", 0.75, "weighed once more"},
		{"weigh 1 | 2; weigh 1 | 3; weigh 2 | 3; 2 heavy", 0.5, "weighed twice more"},
	} {
		m := start()
		for move := range strings.SplitSeq(c.moves, "; ") {
			if _, why := m.Move(move); why != "" {
				t.Fatalf("%q: %s", move, why)
			}
		}
		if worth, over := m.Over(); !over || worth != c.want || m.Value() != c.want {
			t.Errorf("%q: over %v, worth %v, value %v, want %v: %s", c.moves, over, worth, m.Value(), c.want, c.why)
		}
	}
	for _, c := range []struct{ move, why string }{
		{"weigh 1,2 | 3", "equally many coins, not 2 and 1"},
		{"weigh 1 2", "two pans"},
		{"weigh 1 | 1", "coin 1 is named twice"},
		{"weigh 1 | 4", "is no coin: want 1 to 3"},
		{"weigh |", "the pans are empty"},
		{"2 light", "neither a weighing nor one of the possible answers"},
		{"none", "neither a weighing nor one of the possible answers"},
	} {
		if _, why := start().Move(c.move); !strings.Contains(why, c.why) {
			t.Errorf("%q gets %q, want %q", c.move, why, c.why)
		}
	}
}

func FuzzPans(f *testing.F) {
	for _, text := range []string{"1,2 | 3,4", "|", "1 | 2 | 3", "1 |", "１ | 2", "99999999 | 1", strings.Repeat("1,", 99)} {
		f.Add(text)
	}
	m := oddCoin{coinParams{Coins: 8, None: true, Replies: 9}, verdict{}}.Match(games.Luck{}, new(games.Tables)).(*weighing)
	f.Fuzz(func(t *testing.T, text string) {
		left, right, why := m.readPans(text)
		if why != "" {
			return
		}
		if _, _, why := m.readPans(spellPans(left, right)); why != "" || len(left) != len(right) {
			t.Errorf("%q is read as %v and %v: %s", text, left, right, why)
		}
	})
}
