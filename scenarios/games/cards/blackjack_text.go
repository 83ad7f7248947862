package cards

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
)

// Rules implements [games.Start].
func (b blackjack) Rules(wording int) string {
	text := fmt.Sprintf([]string{
		"You play %d hands of blackjack against a dealer, for a stake of 1 each. You get two cards, and see one of the dealer's two.",
		"The game is blackjack: %d hands, one after the other, against the dealer. The stake of a hand is 1. Two cards are dealt to you and two to the dealer, one of them face down.",
		"This is a table of blackjack, with nobody but you and the dealer, for %d hands at a stake of 1. Each hand begins with two cards for you and two for the dealer, of which you see the first.",
	}[wording], b.Hands)
	text += " Aces (A) count 1 or 11, and all cards that count ten are written 10; a total is soft if an ace counts 11 in it. An ace and a ten as the first two cards are a natural, which wins 1.5 times the stake at once. " +
		"The dealer looks before you move; if the dealer has a natural, you lose the stake at once, and if both have one, nobody wins. A move is hit (you get another card)"
	if b.Double {
		text += ", stand (you get no more) or double (the stake is doubled, and you get exactly one more card; only as the first move of a hand)"
	} else {
		text += " or stand (you get no more)"
	}
	return text + ". Above 21 you are bust, and lose the stake. Else the dealer takes cards up to a total of 16, and stands on 17 or more, soft totals included. The higher total wins the stake; if the dealer is bust, you win it, and equal totals win nothing. " +
		"There is no splitting, no insurance and no surrender.\n\n" + b.shoe()
}

// shoe tells where the cards come from.
func (b blackjack) shoe() string {
	if b.Weights == nil {
		return "All hands are dealt from one deck of 52 cards, four of each rank, so 16 of them count ten. It is not shuffled between the hands. After each hand, the dealer's hidden card is shown."
	}
	sum := 0
	var parts []string
	for i, w := range b.Weights {
		sum += w
		if w > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", face(i+1), w))
		}
	}
	return fmt.Sprintf("The cards come from an endless shoe, so what was dealt does not change what comes. Of every %d cards, on average, so many are of each kind: %s.", sum, strings.Join(parts, ", "))
}

// face is a card as it is written.
func face(card int) string {
	if card == 1 {
		return "A"
	}
	return fmt.Sprint(card)
}

// faces writes several cards.
func faces(cards []int) string {
	var all []string
	for _, c := range cards {
		all = append(all, face(c))
	}
	last := len(all) - 1
	return strings.Join(all[:last], ", ") + " and " + all[last]
}

// String tells a total.
func (t total) String() string {
	if t.soft() {
		return fmt.Sprintf("soft %d", t.best())
	}
	return fmt.Sprint(t.best())
}

// result tells what a hand wins.
func result(won float64) string {
	switch {
	case won > 0:
		return fmt.Sprintf(" You win %g.", won)
	case won < 0:
		return fmt.Sprintf(" You lose %g.", -won)
	}
	return " Nobody wins."
}

// Show implements [games.Match].
func (s *sitting) Show() string {
	if s.hand == s.Hands {
		return "The match is over."
	}
	text := fmt.Sprintf("Hand %d of %d. You have %s: %s. The dealer shows %s.", s.hand+1, s.Hands, faces(s.cards), totalOf(s.cards...), face(s.dealer[0]))
	if s.Deck != nil {
		var seen []string
		for card := 1; card <= 10; card++ {
			if n := full()[card] - s.left[card]; n > 0 {
				seen = append(seen, fmt.Sprintf("%s: %d", face(card), n))
			}
		}
		text += " Cards seen from the deck, with these: " + strings.Join(seen, ", ") + "."
	}
	return text + " You may " + games.Either(s.Allowed()) + "."
}

// refusal says why a text is no move, if it is none.
func (s *sitting) refusal(text string) string {
	switch text {
	case hit, stand:
		return ""
	case double:
		switch {
		case !s.Double:
			return "there is no double at this table"
		case len(s.cards) > 2:
			return "double is possible only as the first move of a hand"
		}
		return ""
	}
	return fmt.Sprintf("%.20q is not a move; you may %s", text, games.Either(s.Allowed()))
}
