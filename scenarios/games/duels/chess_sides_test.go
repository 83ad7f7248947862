package duels

import (
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenarios/games"
	"github.com/quintain-rl/quintain/task/rng"
)

// White mates with the best play, and loses by waiting or by letting go; Black holds with the best
// play, and loses by letting go.
func TestSidesOfChess(t *testing.T) {
	mates := chessParams{Endings: []string{"KRK"}, Least: 3, Most: 5, Opponent: "optimal"}
	holds := chessParams{Endings: []string{"KPK"}, Hold: 5, Opponent: "optimal"}
	best := func(s *chessSides) []string { return s.Best() }
	for _, c := range []struct {
		why     string
		params  chessParams
		moves   func(s *chessSides) []string // of seat 0; seat 1 plays the best ones
		worth   float64
		replies func(p chessStart) int // of seat 0
	}{
		{"White mates", mates, best, 1, func(p chessStart) int { return p.Mate }},
		{"White waits until its moves run out", mates, func(s *chessSides) []string {
			return slices.DeleteFunc(s.Allowed(), func(name string) bool {
				mv, _ := s.read(name)
				more, all := s.loss(mv)
				next := s.after(mv)
				return all || more == 0 || next.ending == nil || len(next.moves()) == 0
			})
		}, 0, func(p chessStart) int { return p.Turns() }},
		{"White lets go", mates, func(s *chessSides) []string {
			return slices.DeleteFunc(s.Allowed(), func(name string) bool {
				mv, _ := s.read(name)
				_, all := s.loss(mv)
				return !all
			})
		}, 0, func(chessStart) int { return 1 }},
		{"Black holds", holds, best, 1, func(p chessStart) int { return p.Hold }},
		{"Black lets go", holds, func(s *chessSides) []string {
			return slices.DeleteFunc(s.Allowed(), func(name string) bool { return slices.Contains(s.Best(), name) })
		}, 0, func(chessStart) int { return 1 }},
	} {
		played := 0
		for n := range 20 {
			r := rng.New(uint64(n), "sides of chess", c.why)
			start, err := makeChess(c.params, r)
			if err != nil {
				t.Fatal(err)
			}
			s, replies := start.Sides(games.Luck{}, nil).(*chessSides), 0
			for _, over := s.Over(); !over; _, over = s.Over() {
				from := s.Best()
				if s.Seat() == 0 {
					replies++
					from = c.moves(s)
				}
				if len(from) == 0 {
					break // there is no such move
				}
				if _, why := s.Move(rng.Pick(r, from)); why != "" {
					t.Fatal(why)
				}
			}
			worth, over := s.Over()
			if !over {
				continue
			}
			played++
			if want := c.replies(start); worth != c.worth || replies != want && (c.params.Hold == 0 || replies > want) {
				t.Errorf("%s: %s ends with %v after %d replies, want %v after %d", c.why, s.fen(), worth, replies, c.worth, want)
			}
		}
		if played == 0 {
			t.Errorf("%s: nothing was played to its end", c.why)
		}
	}
}

// Each seat is told its pieces, and what is to be done with them.
func TestSeatsKnowTheirPieces(t *testing.T) {
	for _, c := range []struct {
		start chessStart
		seat  int
		want  []string
	}{
		{chessStart{Ending: "KRK", Mate: 3}, 0, []string{"White", "mating Black in 10 moves"}},
		{chessStart{Ending: "KRK", Mate: 3}, 1, []string{"Black", "mating you in 10 moves"}},
		{chessStart{Ending: "KPK", Hold: 8}, 0, []string{"Black", "for 8 moves of yours"}},
		{chessStart{Ending: "KPK", Hold: 8}, 1, []string{"White", "Black holds out for 8 moves"}},
	} {
		for wording := range 3 {
			text := c.start.RulesAt(c.seat, wording)
			begin, _, _ := strings.Cut(text, ". ")
			if !strings.Contains(strings.ToLower(begin), strings.ToLower(c.want[0])) || !strings.Contains(text, c.want[1]) {
				t.Errorf("seat %d is told %s", c.seat, text)
			}
		}
	}
}
