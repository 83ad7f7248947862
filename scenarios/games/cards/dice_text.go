package cards

import (
	"fmt"
	"strings"
)

// Rules implements [games.Start].
func (d dice) Rules(wording int) string {
	return d.game(0, wording) + "\n\n" + d.opponent()
}

// game tells the rules of the game to a seat: that which bids first in the first round, 0, or the other.
func (d dice) game(seat, wording int) string {
	own := "one die"
	if d.Dice == 2 {
		own = "two dice"
	}
	faces := fmt.Sprintf("the faces 1 to %d", d.Faces)
	text := fmt.Sprintf([]string{
		"You play %[1]d rounds of liar's dice against one opponent. In each round, both of you roll %[2]s with %[3]s, and see only your own. You bid in turn.",
		"This is liar's dice for two, in %[1]d rounds. Each player rolls %[2]s with %[3]s and hides the result from the other; then you take turns to bid.",
		"The game is liar's dice, and there are %[1]d rounds against the same opponent. You each have %[2]s with %[3]s, rolled anew in every round and seen only by their owner. The players bid by turns.",
	}[wording], len(d.Rolls), own, faces)
	text += fmt.Sprintf(" A bid such as 2 twos claims that the dice of both players together show a two at least twice. Each bid must be higher than the last one: claim a larger number, or the same number of a higher face. "+
		"The highest bid is %s. Instead of bidding, a player may say liar, which ends the round: if the last bid is true, the player who made it wins the round, else the other one.", bid{2 * d.Dice, d.Faces})
	if d.Wild {
		text += fmt.Sprintf(" The %s is wild: it counts as every face.", faceNames[d.Faces-1])
	}
	bid := [2]string{"first", "second"}
	return text + fmt.Sprintf(" You bid %s in the first, third, fifth round and so on, and %s in the others. A move is a bid or liar.", bid[seat], bid[1-seat])
}

// opponent tells the strategy of the opponent.
func (d dice) opponent() string {
	var text string
	switch d.Opponent {
	case "random":
		return "Your opponent chooses among the moves that it may make, each with the same chance."
	case "equilibrium":
		return "Your opponent plays an equilibrium strategy: no strategy wins more against it, on average, than the game is worth."
	case "honest":
		text = "Your opponent makes the lowest bid it may make that its own dice alone make true; if there is none, it says liar."
	default:
		text = "Your opponent thinks your dice equally likely to show anything, whatever you bid. It says liar if, by this and its own dice, your last bid is more likely false than true; else it makes the lowest bid it may make. " +
			"After the highest bid, it says liar."
	}
	if d.Errs > 0 {
		text += fmt.Sprintf(" But with a chance of %d %%, at each move, it makes any move that the rules allow, each with the same chance.", d.Errs)
	}
	return text
}

// faces tells what a roll shows.
func (d dice) faces(roll []int) string {
	if len(roll) == 1 {
		return fmt.Sprintf("die shows %d", roll[0])
	}
	return fmt.Sprintf("dice show %d and %d", roll[0], roll[1])
}

// show implements [bout].
func (d dice) show(hand int, moves []string) string { return d.shown(seat(hand), hand, moves) }

// shown describes a round to one of its players.
func (d dice) shown(own player, hand int, moves []string) string {
	if hand == len(d.Rolls) {
		return "The match is over."
	}
	text := fmt.Sprintf("Round %d of %d. You bid %s. Your %s.", hand+1, len(d.Rolls), [2]string{"first", "second"}[own], d.faces(d.Rolls[hand][own]))
	if len(moves) == 0 {
		return text + " You may make any bid."
	}
	var all []string
	for i, m := range moves {
		who := "your opponent bids "
		if player(i%2) == own {
			who = "you bid "
		}
		all = append(all, who+m)
	}
	last := moves[len(moves)-1]
	text += " So far in this round: " + strings.Join(all, ", ") + "."
	if last == (bid{2 * d.Dice, d.Faces}).String() {
		return text + " There is no higher bid, so you can only say liar."
	}
	return text + " You may make a bid higher than " + last + ", or say liar."
}

// says implements [bout].
func (d dice) says(mine bool, move string) string {
	who, s := "Your opponent", "s"
	if mine {
		who, s = "You", ""
	}
	if move == liar {
		return fmt.Sprintf("%s say%s liar.", who, s)
	}
	return fmt.Sprintf("%s bid%s %s.", who, s, move)
}

// shows implements [bout].
func (d dice) shows(int) string { return "" }

// ends implements [bout].
func (d dice) ends(hand int, moves []string, won float64) string {
	return d.ended(seat(hand), hand, moves, won > 0)
}

// ended tells one of its players how a round ended.
func (d dice) ended(own player, hand int, moves []string, won bool) string {
	bid := moves[len(moves)-2]
	is, result := "false", "You lose the round."
	if won {
		result = "You win the round."
	}
	if hand < len(d.Rolls)-1 {
		result += " The next round begins."
	}
	if bidder := player(len(moves) % 2); won == (bidder == own) {
		is = "true"
	}
	return fmt.Sprintf("Your opponent's %s, so the bid of %s is %s. %s", d.faces(d.Rolls[hand][1-own]), bid, is, result)
}

// read implements [bout].
func (d dice) read(moves []string, text string) (move, why string) {
	if text == liar {
		if len(moves) == 0 {
			return "", "there is no bid yet that you could challenge"
		}
		return liar, ""
	}
	b, ok := readBid(text)
	switch {
	case !ok:
		return "", fmt.Sprintf("%.20q is neither liar nor a bid such as 2 twos", text)
	case b.face > d.Faces:
		return "", fmt.Sprintf("the dice have no %s", faceNames[b.face-1])
	case b.count > 2*d.Dice:
		return "", fmt.Sprintf("%s are too many: there are %d dice in all", b, 2*d.Dice)
	}
	if len(moves) == 0 {
		return b.String(), ""
	}
	last, _ := readBid(moves[len(moves)-1])
	if b.count < last.count || b.count == last.count && b.face <= last.face {
		return "", fmt.Sprintf("%s is not higher than the last bid, %s", b, last)
	}
	return b.String(), ""
}
