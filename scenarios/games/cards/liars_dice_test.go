package cards

import (
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

func TestDiceThatCount(t *testing.T) {
	for _, c := range []struct {
		why  string
		wild bool
		dice []int
		face int
		want int
	}{
		{"equal faces", false, []int{2, 2, 3}, 2, 2},
		{"no wild face", false, []int{2, 4, 4}, 2, 1},
		{"the highest face is wild", true, []int{2, 4, 4}, 2, 3},
		{"a wild face counts once for itself", true, []int{2, 4, 4}, 4, 2},
		{"none", true, []int{1, 1, 1}, 3, 0},
	} {
		if got := (cups{2, 4, c.wild}).counts(c.dice, c.face); got != c.want {
			t.Errorf("%s: %d, want %d", c.why, got, c.want)
		}
	}
}

func TestReadingBids(t *testing.T) {
	d := dice{cups: cups{Dice: 1, Faces: 4}, Rolls: [][2][]int{{{1}, {2}}}}
	for _, c := range []struct{ why, after, text, move, fault string }{
		{"any bid may open", "", "1 one", "1 one", ""},
		{"even the highest", "", "2 fours", "2 fours", ""},
		{"a plural for one", "", "1 twos", "1 two", ""},
		{"nothing to challenge", "", "liar", "", "no bid yet"},
		{"a challenge", "1 one", "liar", "liar", ""},
		{"a higher face", "1 one", "1 two", "1 two", ""},
		{"a higher number of a lower face", "1 four", "2 ones", "2 ones", ""},
		{"the same bid", "1 two", "1 two", "", "not higher than the last bid, 1 two"},
		{"a lower face", "1 two", "1 one", "", "not higher"},
		{"a higher face, a lower number", "2 ones", "1 four", "", "not higher"},
		{"too many dice", "", "3 ones", "", "there are 2 dice in all"},
		{"no such face", "", "1 five", "", "no five"},
		{"no dice", "", "0 ones", "", "neither"},
		{"negative", "", "-1 ones", "", "neither"},
		{"no face", "", "2", "", "neither"},
		{"a digit for a face", "", "2 4", "", "neither"},
		{"too long", "", strings.Repeat("9", 100) + " ones", "", "neither"},
	} {
		var moves []string
		if c.after != "" {
			moves = []string{c.after}
		}
		move, why := d.read(moves, c.text)
		if move != c.move || (why == "") != (c.fault == "") || !strings.Contains(why, c.fault) {
			t.Errorf("%s: %q after %q is %q, %q; want %q, %q", c.why, c.text, c.after, move, why, c.move, c.fault)
		}
	}
}

func TestOpponentsWithDice(t *testing.T) {
	for _, c := range []struct {
		why, opponent string
		cups          cups
		roll          []int
		after, want   string
	}{
		{"opens with its die", "honest", cups{1, 6, false}, []int{4}, "", "1 four"},
		{"opens with the lowest of two", "honest", cups{2, 3, false}, []int{2, 3}, "", "1 two"},
		{"a wild die makes any bid on one true", "honest", cups{1, 6, true}, []int{6}, "", "1 one"},
		{"raises to its die", "honest", cups{1, 6, false}, []int{4}, "1 two", "1 four"},
		{"has nothing higher", "honest", cups{1, 6, false}, []int{4}, "1 five", liar},
		{"two equal dice make a bid on two true", "honest", cups{2, 3, false}, []int{2, 2}, "1 three", "2 twos"},
		{"opens with the lowest bid", "careful", cups{1, 6, false}, []int{4}, "", "1 one"},
		{"doubts a face that it has not", "careful", cups{1, 6, false}, []int{4}, "1 two", liar},
		{"believes a face that it has", "careful", cups{1, 6, false}, []int{4}, "1 four", "1 five"},
		{"believes what is as likely as not", "careful", cups{1, 2, false}, []int{1}, "1 two", "2 ones"},
		{"doubts two", "careful", cups{1, 6, false}, []int{4}, "2 fours", liar},
		{"cannot bid higher", "careful", cups{1, 2, true}, []int{2}, "2 twos", liar},
	} {
		d := dice{cups: c.cups, Opponent: c.opponent}
		n := c.cups.tree().root
		if c.after != "" {
			n = n.next[slices.Index(n.moves, c.after)]
		}
		if got := n.moves[d.rule(n.moves, c.roll)]; got != c.want {
			t.Errorf("%s: %s, with %v after %q: %q, want %q", c.why, c.opponent, c.roll, c.after, got, c.want)
		}
	}
}

// Bids of an honest opponent tell its die.
func TestBelievingDice(t *testing.T) {
	d := dice{cups: cups{Dice: 1, Faces: 6}, Opponent: "honest", Rolls: [][2][]int{{{1}, {1}}, {{3}, {3}}}}
	m := d.Match(games.Luck{}, new(games.Tables))
	told, why := m.Move("2 sixes")
	if why != "" || !strings.Contains(told, "Your opponent says liar. Your opponent's die shows 1, so the bid of 2 sixes is false. You lose the round. The next round begins. Your opponent bids 1 three.") {
		t.Fatalf("%q, %q", told, why)
	}
	if best := m.Best(); !slices.Equal(best, []string{"2 threes"}) {
		t.Errorf("with a three against a three: %q, want 2 threes, which is true, and which it challenges", best)
	}
}

// Two problems that differ in the opponent's die only are told alike until it shows.
func TestDiceAreHidden(t *testing.T) {
	r := rng.New(1, "hidden")
	for try := range 50 {
		one := dice{cups: cups{Dice: 1, Faces: 4}, Opponent: "random", Rolls: [][2][]int{{{2}, {1}}, {{1}, {2}}}}
		two := dice{cups: cups{Dice: 1, Faces: 4}, Opponent: "random", Rolls: [][2][]int{{{2}, {4}}, {{4}, {2}}}}
		a, b := one.Match(games.Luck{}, new(games.Tables)), two.Match(games.Luck{}, new(games.Tables))
		for shown := false; !shown; {
			if a.Show() != b.Show() {
				t.Fatalf("%d: %q and %q", try, a.Show(), b.Show())
			}
			move := rng.Pick(r, a.Allowed())
			toldA, _ := a.Move(move)
			toldB, _ := b.Move(move)
			var beforeA, beforeB string
			beforeA, _, shown = strings.Cut(toldA, "die shows")
			beforeB, _, _ = strings.Cut(toldB, "die shows")
			if beforeA != beforeB {
				t.Fatalf("%d: %q and %q", try, toldA, toldB)
			}
		}
	}
}

func FuzzReadBid(f *testing.F) {
	f.Add("2 fives")
	f.Add("1 sixes")
	f.Fuzz(func(t *testing.T, text string) {
		b, ok := readBid(text)
		if !ok {
			return
		}
		if again, ok := readBid(b.String()); !ok || again != b {
			t.Fatalf("%q is %v, and that is %v", text, b, again)
		}
	})
}
