package cards

import (
	"math"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
)

// A shoe is an endless one, with what a hand wins.
type shoe struct {
	*endless
	hand worths
}

func newShoe(weights []int, doubles bool) *shoe {
	s := &shoe{endless: newEndless(weights)}
	s.hand = s.endless.hand(doubles)
	return s
}

// A sitting is a match against the dealer.
type sitting struct {
	blackjack
	luck    games.Luck
	shoe    func() *shoe // worked out when the first move needs it
	counted *counted     // of a deck, in this hand; nil: not begun
	hand    int
	dealer  [2]int // the open card and the hidden one
	cards   []int  // of the policy
	drawn   int    // cards from the deck
	left    rest   // of the deck, unseen, with the hidden card
	won     float64
	score   games.Score
}

// open deals a hand.
func (s *sitting) open() {
	var deal [4]int
	if s.Deck == nil {
		deal = s.Deals[s.hand]
	} else {
		copy(deal[:], s.Deck[s.drawn:])
		s.drawn += len(deal)
	}
	s.see(deal[:3]...)
	s.cards, s.dealer, s.counted = slices.Clone(deal[:2]), [2]int(deal[2:]), nil
}

// see takes cards from those that were not seen.
func (s *sitting) see(cards ...int) {
	for _, card := range cards {
		if s.Deck != nil {
			s.left[card]--
		}
	}
}

// draw takes the next card; n is how many cards the player or the dealer has.
func (s *sitting) draw(by string, n int) (card int) {
	if s.Deck != nil {
		card = s.Deck[s.drawn]
		s.drawn++
		s.see(card)
		return card
	}
	sum := 0
	for _, w := range s.Weights {
		sum += w
	}
	const most = 100 // cards of a hand
	for x := s.luck.At(by, s.hand*most+n).Between(1, sum); x > 0; card++ {
		x -= s.Weights[card]
	}
	return card
}

// worth is what the moves win, and the most that a legal one does.
func (s *sitting) worth() (of map[string]float64, best float64) {
	t := totalOf(s.cards...)
	if s.Deck == nil {
		of = s.shoe().moves(t, s.dealer[0])
	} else {
		if s.counted == nil {
			s.counted = newCounted(s.dealer[0])
		}
		of = s.counted.moves(t, s.left)
	}
	best = math.Inf(-1)
	for _, move := range s.Allowed() {
		best = max(best, of[move])
	}
	return of, best
}

// Move implements [games.Match].
func (s *sitting) Move(text string) (told, why string) {
	move := strings.ToLower(strings.TrimSpace(text))
	if why := s.refusal(move); why != "" {
		return "", why
	}
	hand := s.shoe().hand
	s.score.Par = float64(s.Hands) * (hand.best - hand.constant)
	of, best := s.worth()
	s.score.Add(best-of[move], slack)
	stake := 1.0
	if move == double {
		stake = 2
	}
	told = "You stand."
	if move != stand {
		card := s.draw("chance", len(s.cards))
		s.cards = append(s.cards, card)
		told = "You " + move + " and get " + face(card) + "."
	}
	if move == hit && totalOf(s.cards...).best() <= 21 {
		return told, ""
	}
	return told + " " + s.settle(stake) + s.next(), ""
}

// settle plays the dealer's hand, pays, and tells it.
func (s *sitting) settle(stake float64) string {
	t := totalOf(s.cards...)
	s.see(s.dealer[1])
	if t.best() > 21 {
		s.won -= stake
		return "With " + t.String() + ", you are bust. The dealer's hidden card is " + face(s.dealer[1]) + "." + result(-stake)
	}
	dealt := totalOf(s.dealer[:]...)
	all := s.dealer[:]
	for dealt.best() < 17 {
		card := s.draw("dealer", len(all))
		all, dealt = append(all, card), dealt.with(card)
	}
	var sure ending
	sure[endsAt(dealt.best())] = 1
	won := stake * sure.against(t.best())
	s.won += won
	return "You have " + t.String() + ", and the dealer has " + faces(all) + ": " + dealt.String() + "." + result(won)
}

// next deals hands until there is one to play, and tells of those with naturals.
func (s *sitting) next() (told string) {
	for s.hand++; s.hand < s.Hands; s.hand++ {
		s.open()
		mine, theirs := natural(s.cards[0], s.cards[1]), natural(s.dealer[0], s.dealer[1])
		if !mine && !theirs {
			return told + " The next hand begins."
		}
		s.see(s.dealer[1])
		won := 0.0
		switch {
		case !theirs:
			won = 1.5
		case !mine:
			won = -1
		}
		s.won += won
		told += " In the next hand, you have " + faces(s.cards) + ", and the dealer has " + faces(s.dealer[:]) + "." + result(won)
	}
	return told
}

// Over implements [games.Match].
func (s *sitting) Over() (worth float64, over bool) {
	const most = 2 // of a hand
	return 0.5 + s.won/float64(2*most*s.Hands), s.hand == s.Hands
}

// Value implements [games.Match].
func (s *sitting) Value() float64 { return s.score.Value() }

// Best implements [games.Match].
func (s *sitting) Best() (moves []string) {
	of, best := s.worth()
	for _, move := range s.Allowed() {
		if best-of[move] <= slack {
			moves = append(moves, move)
		}
	}
	return moves
}

// Allowed implements [games.Match].
func (s *sitting) Allowed() []string {
	if s.Double && len(s.cards) == 2 {
		return []string{hit, stand, double}
	}
	return []string{hit, stand}
}
