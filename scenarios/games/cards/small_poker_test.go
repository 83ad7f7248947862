package cards

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

func TestBets(t *testing.T) {
	for _, c := range []struct {
		why   string
		limit limit
		moves string
		may   string
		pot   int
	}{
		{"nobody has bet", kuhn(3), "", "check bet", 2},
		{"no raises in Kuhn's poker", kuhn(3), "bet", "fold call", 3},
		{"a check may be followed by a bet", kuhn(3), "check bet", "fold call", 3},
		{"two checks end the hand", kuhn(3), "check check", "", 2},
		{"a call ends the hand", kuhn(3), "check bet call", "", 4},
		{"a fold ends the hand", kuhn(3), "bet fold", "", 3},
		{"a bet may be raised", leduc(), "bet", "fold call raise", 4},
		{"only once", leduc(), "check bet raise", "fold call", 8},
		{"a call opens the second round", leduc(), "bet raise call", "check bet", 10},
		{"so do two checks", leduc(), "check check", "check bet", 2},
		{"the second round has bets of 4", leduc(), "check check bet raise", "fold call", 14},
		{"a call in the second round ends the hand", leduc(), "bet call check bet call", "", 14},
		{"a fold in the first round ends the hand", leduc(), "bet raise fold", "", 8},
	} {
		b := c.limit.opening()
		for _, m := range strings.Fields(c.moves) {
			b = b.after(m)
		}
		if may := strings.Join(b.moves(), " "); may != c.may || b.paid[0]+b.paid[1] != c.pot {
			t.Errorf("%s: after %q one may %q, with %d chips in the pot; want %q and %d", c.why, c.moves, may, b.paid[0]+b.paid[1], c.may, c.pot)
		}
		for _, m := range []string{"check", "bet", "fold", "call", "raise", "", "bet 2"} {
			if why := b.refusal(m); !b.over() && (why == "") != (" "+c.may+" " != strings.Replace(" "+c.may+" ", " "+m+" ", " ", 1)) {
				t.Errorf("%s: %q after %q: %q", c.why, m, c.moves, why)
			}
		}
	}
}

func TestShowdowns(t *testing.T) {
	for _, c := range []struct {
		why             string
		limit           limit
		moves           string
		one, two, board int
		want            float64
	}{
		{"the higher card wins", kuhn(3), "bet call", 2, 1, -1, 2},
		{"the pot of two checks", kuhn(3), "check check", 0, 2, -1, -1},
		{"who folds loses the better hand", kuhn(3), "check bet fold", 2, 0, -1, -1},
		{"the second folds", kuhn(3), "bet fold", 0, 2, -1, 1},
		{"a pair beats a king", leduc(), "bet call check check", 0, 2, 0, 3},
		{"a pair of the second", leduc(), "bet call bet call", 2, 0, 0, -7},
		{"no pair: the higher card", leduc(), "check check check check", 2, 1, 0, 1},
		{"equal cards share", leduc(), "bet raise call bet raise call", 1, 1, 0, 0},
		{"the most that a hand wins", leduc(), "bet raise call bet raise call", 2, 1, 2, 13},
	} {
		b := c.limit.opening()
		for _, m := range strings.Fields(c.moves) {
			b = b.after(m)
		}
		if got := b.pay(c.one, c.two, c.board); got != c.want || !b.over() {
			t.Errorf("%s: the first wins %v, want %v", c.why, got, c.want)
		}
	}
}

// Two problems that differ in the opponent's card only are told alike until it shows it.
func TestCardsAreHidden(t *testing.T) {
	for _, opponent := range []string{"calls", "bets", "random"} {
		one := poker{Opponent: opponent, Deals: [][3]int{{1, 0, 2}, {0, 1, 2}}}
		two := poker{Opponent: opponent, Deals: [][3]int{{1, 2, 2}, {2, 1, 2}}}
		r := rng.New(1, "hidden")
		for try := range 50 {
			a, b := one.Match(games.Luck{}, new(games.Tables)), two.Match(games.Luck{}, new(games.Tables))
			for _, over := a.Over(); !over; _, over = a.Over() {
				if a.Show() != b.Show() {
					t.Fatalf("%s, %d: %q and %q", opponent, try, a.Show(), b.Show())
				}
				m := rng.Pick(r, a.Allowed())
				toldA, _ := a.Move(m)
				toldB, _ := b.Move(m)
				beforeA, _, shown := strings.Cut(toldA, "shows")
				beforeB, _, _ := strings.Cut(toldB, "shows")
				if beforeA != beforeB {
					t.Fatalf("%s: %q and %q", opponent, toldA, toldB)
				}
				if shown {
					break
				}
			}
		}
	}
}

// What an opponent has done tells what it may hold: one that bets with the highest card only is
// not called, and one that bets with the lowest only is.
func TestBayes(t *testing.T) {
	never := odds{}
	for _, c := range []struct {
		bettor int
		want   string
	}{{0, "call"}, {2, "fold"}} {
		p := poker{Cards: 3, Opponent: "table", Table: []odds{never, never, never}, Deals: [][3]int{{1, c.bettor, 0}}}
		p.Table[c.bettor].Bet = 100
		m := p.Match(games.Luck{}, new(games.Tables))
		if told, why := m.Move("check"); !strings.Contains(told, "Your opponent bets.") {
			t.Fatalf("%q %q", told, why)
		}
		if got := m.Best(); len(got) != 1 || got[0] != c.want {
			t.Errorf("with the middle card, against a bet with card %d only: %q, want %q", c.bettor+1, got, c.want)
		}
	}
}
