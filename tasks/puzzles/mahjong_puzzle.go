package puzzles

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// mahjongPuzzle asks for the effect of the last card on a hand that has changed for many
// rounds.
var mahjongPuzzle = task.Spec[mahjongParams, mahjongItem]{
	Name:     "mahjong_puzzle",
	Category: "games",
	Doc:      "Keep track of a hand of letter cards, and tell whether the last drawn card makes a triplet, a sequence or nothing. Each is the answer in a third of the problems.",
	Source:   "Calls of Chinese mahjong, with letters for tiles; the settings are those of reasoning-gym.",
	Version:  2,
	Default:  mahjongParams{MinNumRounds: 10, MaxNumRounds: 50},
	Levels: []mahjongParams{
		{MinNumRounds: 1, MaxNumRounds: 2},
		{MinNumRounds: 3, MaxNumRounds: 6},
		{MinNumRounds: 10, MaxNumRounds: 20},
		{MinNumRounds: 30, MaxNumRounds: 50},
		{MinNumRounds: 90, MaxNumRounds: 120},
		{MinNumRounds: 250, MaxNumRounds: 300},
	},
	Make:    makeMahjong,
	Surface: "There are three answers, so a third of all guesses are right.",
}

// mahjongParams are the settings of one difficulty.
type mahjongParams struct {
	MinNumRounds int `json:"min_num_rounds" want:"1 to 1000"`
	MaxNumRounds int `json:"max_num_rounds" want:"min_num_rounds to 1000"`
}

const (
	mahjongHand = 13 // cards between two rounds
)

// mahjongItem is one game.
type mahjongItem struct {
	InitialCards string         `json:"initial_cards,omitempty"` // missing in entries of reasoning-gym: the first round implies them
	Rounds       []mahjongRound `json:"rounds" want:"1 to 1000"`
	Solution     string         `json:"solution"` // the result of the last round; not used, since some of reasoning-gym's are wrong
	Phrasing     int            `json:"phrasing,omitempty" want:"0 to 5"`
}

// A mahjongRound adds a card to the hand and then removes one.
type mahjongRound struct {
	Add    string `json:"add"`
	Remove string `json:"remove"`
	Cards  string `json:"cards"` // the hand after the round
	Result string `json:"result"`
}

// The results of a round.
const (
	resultPeng = "Peng"
	resultChi  = "Chi"
	resultPass = "Pass"
)

// A mahjongCount counts the letters of a hand.
type mahjongCount [26]int

// countCards counts the cards of a hand.
func countCards(hand string) (n mahjongCount) {
	for _, c := range []byte(hand) {
		n[c-'A']++
	}
	return n
}

// result returns the effect of a card on the hand without it.
func (n *mahjongCount) result(card byte) string {
	at := int(card - 'A')
	if n[at] >= 2 {
		return resultPeng
	}
	held := func(letter int) bool { return letter >= 0 && letter < len(n) && n[letter] > 0 }
	if held(at-2) && held(at-1) || held(at-1) && held(at+1) || held(at+1) && held(at+2) {
		return resultChi
	}
	return resultPass
}

// makeMahjong draws the result of the last round first, then the game. In the other rounds
// too, the results are about equally frequent.
func makeMahjong(p mahjongParams, r *rng.Rand) (mahjongItem, error) {
	item := mahjongItem{Phrasing: r.Between(0, len(mahjongPhrasings)-1)}
	item.Solution = rng.Pick(r, []string{resultPeng, resultChi, resultPass})
	item.Rounds = make([]mahjongRound, r.Between(p.MinNumRounds, p.MaxNumRounds))
	for {
		hand := make([]byte, mahjongHand)
		for i := range hand {
			hand[i] = 'A' + byte(r.Between(0, 25))
		}
		item.InitialCards = string(hand)
		cards := item.InitialCards
		for i := range item.Rounds {
			want := item.Solution
			if i < len(item.Rounds)-1 {
				want = rng.Pick(r, []string{resultPeng, resultChi, resultPass})
			}
			item.Rounds[i] = drawRound(cards, want, r)
			cards = item.Rounds[i].Cards
		}
		if item.Rounds[len(item.Rounds)-1].Result == item.Solution {
			return item, nil
		}
	}
}

// drawRound draws a card with the result want, or any if the hand allows none, and the card
// to remove.
func drawRound(cards, want string, r *rng.Rand) mahjongRound {
	var fit []byte
	count := countCards(cards)
	for c := byte('A'); c <= 'Z'; c++ {
		if count.result(c) == want {
			fit = append(fit, c)
		}
	}
	add := 'A' + byte(r.Between(0, 25))
	if len(fit) > 0 {
		add = rng.Pick(r, fit)
	}
	full := cards + string(add)
	remove := full[r.Between(0, len(full)-1)]
	return mahjongRound{Add: string(add), Remove: string(remove), Cards: strings.Replace(full, string(remove), "", 1), Result: count.result(add)}
}

// mahjongPhrasings are the wordings of the question: before the first cards, before the
// rounds, each round, and after them. In a round, {round} is its number, {add} and {remove}
// its cards.
var mahjongPhrasings = []struct{ start, rounds, round, end string }{
	{"A card game is played with letters. You hold 13 cards. In every round a new card comes in and gets a result: Peng if you already hold two or more cards with the same letter; otherwise Chi if it forms three consecutive letters of the alphabet with two cards that you hold, in whatever position (A does not come after Z); otherwise Pass. Afterwards one card leaves your hand, which has no influence on the result of that round.\n\nYour cards at the beginning: ",
		"\n\n", "Round {round}: {add} comes in, then {remove} leaves.\n", "\nWhat is the result of the last round? Answer with Peng, Chi or Pass."},
	{"At first, the hand is ", ".\n\nThis is what happens to it:\n", "{round}. draw {add}, discard {remove}\n",
		"\nEach draw is judged by the cards that are in the hand just before it. If two of them have the letter that is drawn, the draw is a Peng. If it is no Peng, but two of the cards and the drawn one are three neighbors in the alphabet (such as KLM, whichever of them is drawn, but not YZA), it is a Chi. Anything else is a Pass. Judge the final draw, and reply with one word: Peng, Chi or Pass."},
	{"Was the last card a Peng, a Chi or a Pass?\n\nStarting hand: ", "\nRounds (card received / card given away):\n", "{add} / {remove}\n",
		"\nRules:\n- Receiving a card of which at least two copies are in the hand is a Peng.\n- Receiving a card that completes a run of three letters, like ABC or XYZ but not YZA, with two cards of the hand is a Chi, unless it is a Peng.\n- Receiving any other card is a Pass.\n- The card is given away after that.\n\nGive only the word."},
	{"Follow a hand of thirteen letter cards through a game, and tell how its last round ends. Three endings are possible. \"Peng\": the hand has the letter of the new card at least twice before the card is added. \"Chi\": not Peng, and with two cards of the hand the new card makes a sequence of three successive letters, which does not go on from Z to A. \"Pass\": neither. A round is over when one card, new or old, has been put away.\n\nHand: ",
		"\n\n", "In round {round} the new card is {add}, and {remove} is put away.\n", "\nState the ending of the last round as a single word."},
	{"Here is the log of a game.\n\nstart ", "\n", "+{add} -{remove}\n",
		"\nThe first line shows the cards that a player has. In each of the other lines, a card is added (+) and one is taken away (-), in this order. When a card is added, the player calls Peng if there were two or more of the same letter among the other cards; if not, Chi if the added card and two others are three letters in a row in the alphabet, which begins with A and ends with Z; and Pass if neither is possible. Which call is made in the last line? Write Peng, Chi or Pass, and no more."},
	{"The answer to this question is one of the words Peng, Chi and Pass.\n\nSomebody holds the cards ", " and takes part in the following rounds.\n\n", "Round {round}: gets {add}, then hands over {remove}\n",
		"\nGetting a card when two or more cards with its letter are held is called Peng. Getting a card that fits together with two held cards into three letters that follow each other in the alphabet is called Chi (no letter follows Z); where both would be true, only Peng is. Getting another card is called Pass. What is it called in the final round?"},
}

func (m mahjongItem) Prompt() string {
	words := mahjongPhrasings[m.Phrasing]
	b := make([]byte, 0, task.PromptRoom+len(m.Rounds)*(len(words.round)+8))
	b = append(append(append(b, words.start...), m.initial()...), words.rounds...)
	for i, round := range m.Rounds {
		rest := words.round
		for rest != "" {
			text, after, _ := strings.Cut(rest, "{")
			name, tail, _ := strings.Cut(after, "}")
			b = append(b, text...)
			switch name {
			case "round":
				b = fmt.Append(b, i+1)
			case "add":
				b = append(b, round.Add...)
			case "remove":
				b = append(b, round.Remove...)
			}
			rest = tail
		}
	}
	return string(append(b, words.end...))
}

// initial returns the hand before the first round.
func (m mahjongItem) initial() string {
	if m.InitialCards != "" {
		return m.InitialCards
	}
	first := m.Rounds[0]
	return strings.Replace(first.Cards+first.Remove, first.Add, "", 1)
}

// Canonical implements [task.Canonicalizer]. The order of the first cards does not matter, nor from
// which letter and in which direction the cards are counted.
func (m mahjongItem) Canonical() string {
	b := []byte(m.initial())
	first := len(b)
	for _, round := range m.Rounds {
		b = append(append(b, round.Add...), round.Remove...)
	}
	least, most := slices.Min(b), slices.Max(b)
	return canon.Least(2, func(i int) string {
		counted := make([]byte, len(b))
		for k, card := range b {
			counted[k] = 'A' + card - least
			if i == 1 {
				counted[k] = 'A' + most - card
			}
		}
		slices.Sort(counted[:first])
		return string(counted)
	})
}

// Check refuses a record of an impossible game.
func (m mahjongItem) Check() error {
	for i, round := range m.Rounds {
		if !isCard(round.Add) || !isCard(round.Remove) {
			return fmt.Errorf("round %d adds %.20q and removes %.20q, want letters", i+1, round.Add, round.Remove)
		}
	}
	hand := m.initial()
	if len(hand) > 2*mahjongHand || strings.Trim(hand, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" {
		return errors.New("the first cards are not a hand of capital letters")
	}
	for i, round := range m.Rounds {
		hand += round.Add
		if !strings.Contains(hand, round.Remove) {
			return fmt.Errorf("round %d removes %s, which is not in the hand %s", i+1, round.Remove, hand)
		}
		hand = strings.Replace(hand, round.Remove, "", 1)
	}
	return nil
}

// isCard reports whether text is a capital letter.
func isCard(text string) bool { return len(text) == 1 && text[0] >= 'A' && text[0] <= 'Z' }

func (m mahjongItem) Choices() int { return 3 }

// Solve implements [task.Instance]. It applies the rules to the last round.
func (m mahjongItem) Solve() string {
	count := countCards(m.initial())
	last := len(m.Rounds) - 1
	for _, round := range m.Rounds[:last] {
		count[round.Add[0]-'A']++
		count[round.Remove[0]-'A']--
	}
	return count.result(m.Rounds[last].Add[0])
}

// Score implements [task.Scorer]. The word may be in upper or lower case, and a full
// stop may follow.
func (m mahjongItem) Score(text string) quintain.Verdict {
	const longest = 100
	if len(text) > longest {
		return quintain.Malformed("want Peng, Chi or Pass")
	}
	word := strings.TrimSuffix(answer.Trim(text), ".")
	for _, result := range []string{resultPeng, resultChi, resultPass} {
		if !strings.EqualFold(word, result) {
			continue
		}
		if want := m.Solve(); result != want {
			return quintain.Wrong("want " + want)
		}
		return quintain.Right()
	}
	return quintain.Malformed("want Peng, Chi or Pass")
}
