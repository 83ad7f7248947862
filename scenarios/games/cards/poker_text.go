package cards

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/scenarios/games"
)

// Rules implements [games.Start].
func (p poker) Rules(wording int) string {
	return p.game(0, wording) + "\n\n" + p.opponent()
}

// game tells the rules of the game to a seat: that which acts first in the first hand, 0, or the other.
func (p poker) game(seat, wording int) string {
	if p.Cards == 0 {
		return fmt.Sprintf([]string{
			"You play %s of Leduc hold'em, a poker for two. The deck has two jacks (J), two queens (Q) and two kings (K). Both players put one chip into the pot and get one card, " +
				"which only they see. There is a round of bets; then a public card is shown, and there is a second round. Bets and raises are of 2 chips in the first round and of 4 in the second. %s",
			"The game is Leduc hold'em, and you play %s against one opponent. Of six cards, two each of J, Q and K, each of you is dealt one, face down, after an ante of one chip each. " +
				"You bet in two rounds, the second after a public card is turned up. A bet or raise is 2 chips in the first round, 4 chips in the second. %s",
			"This is a match of %s of Leduc hold'em for two players, with a deck of two jacks, two queens and two kings (J, Q, K). Each antes a chip and receives a card that the other does not see. " +
				"A round of betting follows, with bets and raises of 2 chips; then one card is laid open for both, and a second round follows, with bets and raises of 4 chips. %s",
		}[wording], count(len(p.Deals)), "In each round, the first player begins. While nobody has bet in the round, a move is check or bet; after a bet or a raise, it is fold, call or raise. "+
			"A round has one bet and one raise at most, and ends when both have checked or one has called. Who folds loses the pot. After the second round, a card that pairs with the public card wins; "+
			"else the higher card wins, and equal cards share the pot. "+p.order(seat)+" Your moves are check, bet, fold, call and raise.")
	}
	return fmt.Sprintf([]string{
		"You play %s of Kuhn's poker against one opponent. The deck has the cards 1 to %d, one of each. Both players put one chip into the pot and get one card, which only they see. %s",
		"The game is Kuhn's poker, for two players; you play %s. From a deck of cards numbered 1 to %d, each of you is dealt one, face down, after an ante of one chip each. %s",
		"This is a match of %s of Kuhn's poker for two. There is one card of each number from 1 to %d. Each player antes a chip and receives a card that the other does not see. %s",
	}[wording], count(len(p.Deals)), p.Cards, "The first player may check or bet one chip. While nobody has bet, the other may do the same; the hand ends when both have checked. After a bet, the other player may fold, and "+
		"loses the pot, or call, by putting in one chip too. There are no raises. If nobody has folded, the higher card wins the pot. "+p.order(seat)+" "+
		"Your moves are check, bet, fold and call.")
}

// count tells a number of hands.
func count(hands int) string {
	if hands == 1 {
		return "one hand"
	}
	return fmt.Sprintf("%d hands", hands)
}

// order tells a seat when it acts.
func (p poker) order(seat int) string {
	act := [2]string{"first", "second"}
	if len(p.Deals) == 1 {
		return "You act " + act[seat] + "."
	}
	return fmt.Sprintf("You act %s in the first, third, fifth hand and so on, and %s in the others.", act[seat], act[1-seat])
}

// opponent tells the strategy of the opponent.
func (p poker) opponent() string {
	raises := ""
	if p.Cards == 0 {
		raises = " and never raises"
	}
	switch p.Opponent {
	case "calls":
		return "Your opponent never bets" + raises + ", and calls every bet."
	case "bets":
		if p.Cards == 0 {
			return "Your opponent bets or raises whenever it may, and else calls."
		}
		return "Your opponent bets whenever it may, and calls every bet."
	case "random":
		return "Your opponent chooses among the moves that it may make, each with the same chance."
	case "equilibrium":
		return "Your opponent plays an equilibrium strategy: no strategy wins more against it, on average, than the game is worth."
	}
	return p.table()
}

// table tells the strategy that is a table.
func (p poker) table() string {
	var b strings.Builder
	b.WriteString("Your opponent always plays by this table. It gives the chances of its moves in percent, by what it holds.\n```\nholds  nobody has bet: bet  after a bet: fold  call")
	if p.Cards == 0 {
		b.WriteString("  raise")
	}
	ranks := slices.Concat(p.limit().ranks, []string{"pair"})
	for i, o := range p.Table {
		fmt.Fprintf(&b, "\n%-4s %21d %18d %5d", ranks[i], o.Bet, 100-o.Call-o.Raise, o.Call)
		if p.Cards == 0 {
			fmt.Fprintf(&b, " %6d", o.Raise)
		}
	}
	b.WriteString("\n```\nIf nobody has bet and it does not bet, it checks.")
	if p.Cards == 0 {
		b.WriteString(" The last row is for a card that pairs with the public card. Where it wants to raise and may not, it calls.")
	}
	return b.String()
}

// betting replays the moves of a hand.
func (p poker) betting(moves []string) betting {
	b := p.limit().opening()
	for _, m := range moves {
		b = b.after(m)
	}
	return b
}

// show implements [bout].
func (p poker) show(hand int, moves []string) string { return p.shown(seat(hand), hand, moves) }

// shown describes a hand to one of its players.
func (p poker) shown(as player, hand int, moves []string) string {
	if hand == len(p.Deals) {
		return "The match is over."
	}
	b, ranks := p.betting(moves), p.limit().ranks
	deal := p.Deals[hand]
	act := [2]string{"first", "second"}[as]
	text := fmt.Sprintf("Hand %d of %d. You act %s. Your card is %s.", hand+1, len(p.Deals), act, ranks[deal[as]])
	if b.round > 0 {
		text += fmt.Sprintf(" The public card is %s.", ranks[deal[2]])
	}
	text += fmt.Sprintf(" There are %d chips in the pot.", b.paid[0]+b.paid[1])
	if len(moves) > 0 {
		text += " So far in this hand: " + p.history(as, moves) + "."
	}
	return text + " You may " + games.Either(b.moves()) + "."
}

// history tells the moves of a hand to one of its players.
func (p poker) history(as player, moves []string) string {
	var all []string
	for i, m := range moves {
		b := p.betting(moves[:i])
		said := "your opponent " + m + "s"
		if b.turn == as {
			said = "you " + m
		}
		if b.round > 0 && b.paid[0] == b.paid[1] && !b.checked {
			said = "the public card is shown, " + said
		}
		all = append(all, said)
	}
	return strings.Join(all, ", ")
}

// says implements [bout].
func (p poker) says(mine bool, move string) string {
	if mine {
		return "You " + move + "."
	}
	return "Your opponent " + move + "s."
}

// shows implements [bout].
func (p poker) shows(hand int) string {
	return "The public card is " + p.limit().ranks[p.Deals[hand][2]] + "."
}

// ends implements [bout]. A card is shown only if nobody has folded.
func (p poker) ends(hand int, moves []string, won float64) string {
	next := ""
	if hand < len(p.Deals)-1 {
		next = " The next hand begins."
	}
	return p.ended(1-seat(hand), hand, moves) + gained(won) + next
}

// ended shows what a player holds in the end of a hand.
func (p poker) ended(holder player, hand int, moves []string) string {
	if b := p.betting(moves); !b.folded {
		return fmt.Sprintf("Your opponent shows %s. ", b.ranks[p.Deals[hand][holder]])
	}
	return ""
}

// gained tells a player what a hand brought.
func gained(won float64) string {
	chips := "chips"
	if math.Abs(won) == 1 {
		chips = "chip"
	}
	switch {
	case won > 0:
		return fmt.Sprintf("You gain %g %s.", won, chips)
	case won < 0:
		return fmt.Sprintf("You lose %g %s.", -won, chips)
	}
	return "You share the pot."
}

// read implements [bout].
func (p poker) read(moves []string, text string) (move, why string) {
	if why := p.betting(moves).refusal(text); why != "" {
		return "", fmt.Sprintf("%.20q is not possible: %s", text, why)
	}
	return text, ""
}

// brief describes a hand in a few characters: the game by its cards, the opponent or its table, then
// the seat of the policy, its card, the public card, and the moves so far.
func (p poker) brief(hand int, moves []string) string { return p.briefAs(seat(hand), hand, moves) }

// briefAs is brief for a player of the hand.
func (p poker) briefAs(mine player, hand int, moves []string) string {
	if hand == len(p.Deals) {
		return "over"
	}
	game := "leduc"
	if p.Cards > 0 {
		game = strconv.Itoa(p.Cards)
	}
	var b strings.Builder
	b.WriteString(game + " " + p.Opponent)
	for _, o := range p.Table {
		fmt.Fprintf(&b, " %d,%d", o.Bet, o.Call)
		if p.Cards == 0 {
			fmt.Fprintf(&b, ",%d", o.Raise)
		}
	}
	ranks, deal := p.limit().ranks, p.Deals[hand]
	fmt.Fprintf(&b, "\n%d %s", mine+1, ranks[deal[mine]])
	if p.betting(moves).round > 0 {
		b.WriteString(ranks[deal[2]])
	}
	for _, m := range moves {
		b.WriteString(" " + m)
	}
	return b.String()
}
