package cards

import (
	"math"
	"math/big"
	"reflect"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/scenarios/games"
)

// letters and shares are matches of one matrix, which has no saddle.
var (
	letters = matrices{Pay: [][][]int{{{3, -1}, {-2, 4}}}, Members: []member{{Kind: "repeats"}}, Rounds: 2}
	shares  = matrices{Pay: [][][]int{{{3, -1}, {-2, 4}}, {{0, -1, 1}, {1, 0, -1}, {-1, 1, 0}}}, Rounds: 1}
)

// The second seat is asked before it may know the first's move, and then both are told both.
func TestMovesAtOnceAreHidden(t *testing.T) {
	for level, moves := range map[int][2]string{0: {"A", "B"}, 4: {"A 1", "A 1, B 2"}} {
		g := matrixDuel.Game()
		of, err := g.Scenario.Over(g.Task, []byte(`{"players":"self"}`))
		if err != nil {
			t.Fatal(err)
		}
		seated := of.(quintain.Seated)
		p, err := of.Problem(quintain.Draw{Seed: 1, Level: level})
		if err != nil {
			t.Fatal(err)
		}
		var asked, told [2]quintain.Next
		for i, move := range moves {
			table, err := seated.Table(p)
			if err != nil {
				t.Fatal(err)
			}
			opening, err := table.Open(t.Context())
			if err != nil || opening.Seat != 0 {
				t.Fatalf("%+v, error %v", opening, err)
			}
			say := func(seat int, text string) quintain.Next {
				next, err := table.Step(t.Context(), seat, quintain.Reply{Text: "<move>" + text + "</move>"})
				if err != nil {
					t.Fatal(err)
				}
				return next
			}
			asked[i] = say(0, move)
			asked[i].Answer = ""
			say(1, "nothing") // the refusal must not tell either
			told[i] = say(1, moves[1])
			advice, err := seated.AdviseAt(p, 1, asked[i].Observe)
			if err != nil || len(advice.Best) == 0 || len(advice.Allowed) < 2 {
				t.Errorf("level %d: seat 1 may reply %+v, error %v", level, advice, err)
			}
		}
		if asked[0].Seat != 1 || !reflect.DeepEqual(asked[0], asked[1]) {
			t.Errorf("level %d: seat 1 is asked %+v after one move, and %+v after another", level, asked[0], asked[1])
		}
		if told[0].Seat != 0 || reflect.DeepEqual(told[0].Observe, told[1].Observe) {
			t.Errorf("level %d: seat 0 is told %+v whatever it has played", level, told[0])
		}
	}
}

func TestSidesOfMatrices(t *testing.T) {
	for _, c := range []struct {
		why   string
		start matrices
		moves []string
		says  [2]string // of the last move, to both
		news  [2]string
		worth float64
	}{
		{"letters", letters, []string{"A", "a", "B", "B"}, [2]string{"Your opponent plays B.", "You play B."}, [2]string{"You win 4.", "You lose 4."}, 0.5 + 7.0/36},
		{"letters that lose", letters, []string{"A", "B", "B", "A"}, [2]string{"Your opponent plays A.", "You play A."}, [2]string{"You lose 2.", "You win 2."}, 0.5 - 3.0/36},
		{"mixes", shares, []string{"A 1, B 1", "A 1, B 3"}, [2]string{"Your opponent mixes A 1, B 3.", "You mix A 1, B 3."}, [2]string{"You gain 1.250 on average.", "You lose 1.250 on average."}, 0.5 + 1.25/18},
	} {
		s := c.start.Sides(games.Luck{}, nil)
		name := ""
		for i, move := range c.moves {
			if s.Seat() != i%2 || s.(games.Blind).Blind() != (i%2 == 1) {
				t.Errorf("%s: before move %d, seat %d is to move", c.why, i, s.Seat())
			}
			var why string
			if name, why = s.Move(move); why != "" {
				t.Fatalf("%s: %s", c.why, why)
			}
		}
		worth, over := s.Over()
		says, news := [2]string{s.Says(false, name), s.Says(true, name)}, [2]string{s.News(0), s.News(1)}
		if !over || math.Abs(worth-c.worth) > 1e-12 || says != c.says || news != c.news {
			t.Errorf("%s: %q, %q, over %v with %v; want %q, %q and %v", c.why, says, news, over, worth, c.says, c.news, c.worth)
		}
	}
}

// What the best of one side guarantees is what the best of the other allows.
func TestBestMixesOfBothSidesMeet(t *testing.T) {
	for round := range shares.Pay {
		s := &matrixSides{matrices: shares, round: round}
		rows := s.optimal()
		s.first = rows
		columns := s.optimal()
		value, allowed := rows.guaranteed(s.pay(0)), new(big.Rat).Neg(columns.guaranteed(s.pay(1)))
		if value.Cmp(allowed) != 0 {
			t.Errorf("matrix %d: the rows win %v, and the columns lose %v", round, value, allowed)
		}
		if want := []*big.Rat{big.NewRat(1, 1), new(big.Rat)}[round]; value.Cmp(want) != 0 {
			t.Errorf("matrix %d is worth %v, want %v", round, value, want)
		}
		won, _ := value.Float64()
		if got := average(s.pay(0), rows, columns); math.Abs(got-won) > 1e-12 {
			t.Errorf("matrix %d: both win %v, want %v", round, got, won)
		}
	}
}

func TestFaultsInSidesOfMatrices(t *testing.T) {
	for _, c := range []struct {
		start matrices
		text  string
	}{{letters, "C"}, {letters, ""}, {letters, "A 1, B 1"}, {letters, "AB"}, {shares, "A"}, {shares, "A 1 B"}, {shares, "A 0, B 0"}, {shares, "A 1, A 2"}, {shares, "C 1"}, {shares, "A -1"}, {shares, "A 1 2 3"}} {
		s := c.start.Sides(games.Luck{}, nil)
		if name, why := s.Move(c.text); why == "" || s.Seat() != 0 {
			t.Errorf("%q is taken for %s", c.text, name)
		}
	}
}
