package duels

import (
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
)

// The longest mates are known from the literature.
func TestLongestMates(t *testing.T) {
	for name, want := range map[string]int{"KQK": 10, "KRK": 16, "KPK": 28, "KBBK": 19, "KQKR": 35} {
		longest := uint8(0)
		for _, n := range allMates[name]().white {
			if n != never {
				longest = max(longest, n)
			}
		}
		if got := int(longest) / 2; got != want {
			t.Errorf("the longest mate of %s takes %d moves, want %d", name, got, want)
		}
	}
}

// The distance to mate is one more than that of White's best move, and of Black's: the recursion that
// defines it.
func TestMatesObeyTheirRecursion(t *testing.T) {
	r := rng.New(1, "recursion")
	for name, e := range endings {
		for sound := 0; sound < 3000; {
			c := chess{ending: e, black: r.Chance(0.5)}
			for i := range e.men {
				c.at[i] = int8(r.Between(0, 63))
			}
			if !c.sound() {
				continue
			}
			sound++
			n, forced := c.plies(allMates)
			if want, must := fromMoves(&c); n != want && must || forced != must {
				t.Fatalf("%s: %s is mate in %d plies (%v), and by its moves in %d (%v)", name, c.fen(), n, forced, want, must)
			}
		}
	}
}

// fromMoves works out the distance to mate from those of the next positions.
func fromMoves(c *chess) (plies int, forced bool) {
	moves := c.moves()
	if len(moves) == 0 {
		return 0, c.black && c.checked(true)
	}
	forced = c.black
	for _, mv := range moves {
		next := c.after(mv)
		n, wins := next.plies(allMates)
		switch {
		case c.black:
			plies, forced = max(plies, n+1), forced && wins
		case wins && (!forced || n+1 < plies):
			plies, forced = n+1, true
		}
	}
	return plies, forced
}

func TestMovesOfChess(t *testing.T) {
	for _, c := range []struct {
		ending string
		at     []int8 // of the men
		black  bool
		text   string
		want   string
		why    string
	}{
		{"KQK", []int8{17, 0, 15}, false, "Qa2#", "Qa2#", "the queen on a2 keeps b1 and b2"},
		{"KQK", []int8{17, 0, 15}, false, "h2a2", "Qa2#", "two squares name the same move"},
		{"KQK", []int8{17, 0, 15}, false, " q A2 ", "Qa2#", "capitals, blanks and signs do not matter"},
		{"KQK", []int8{17, 0, 15}, false, "Qa3", "", "no queen of yours can go to a3"},
		{"KQK", []int8{17, 0, 15}, false, "Kb2", "", "that would leave your king in check"},
		{"KQK", []int8{17, 0, 15}, false, "Zz9", "", `"Zz9" is no move, such as Kd4 or e2d4`},
		{"KPK", []int8{45, 63, 52}, false, "e8=Q+", "e8=Q+", "a pawn promotes"},
		{"KPK", []int8{45, 63, 52}, false, "e7e8n", "e8=N", "also to a knight"},
		{"KPK", []int8{45, 63, 52}, false, "e8", "", "a pawn that reaches the last rank becomes another piece, as in e8=Q"},
		{"KPK", []int8{0, 63, 12}, false, "e4", "e4", "two squares in the beginning"},
		{"KQKR", []int8{0, 63, 9, 54}, true, "Rxb2", "", "no rook of yours can go to b2"},
		{"KQKR", []int8{0, 63, 9, 49}, true, "Rxb2", "Rxb2", "the rook takes the queen"},
	} {
		f := finish{chess: chess{ending: endings[c.ending], black: c.black}}
		copy(f.at[:], c.at)
		got := ""
		mv, why := f.read(c.text)
		if why == "" {
			got = f.spell(mv)
		}
		if got != c.want || c.want == "" && why != c.why {
			t.Errorf("%s: %q is %q (%s), want %q: %s", f.fen(), c.text, got, why, c.want, c.why)
		}
	}
}

func FuzzChessMove(f *testing.F) {
	for _, text := range []string{"Kd4", "e2e4", "e8=Q", "O-O", "Qxé", "=+#"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := &finish{chess: chess{ending: endings["KPK"], at: [mostMen]int8{45, 63, 52}}}
		if mv, why := m.read(text); why == "" && m.exposes(mv) {
			t.Errorf("%q leaves the king in check", text)
		}
	})
}
