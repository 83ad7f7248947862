package languages

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// cards are the rules of an invented card game, and a hand to count.
type cards struct {
	Suits []string   `json:"suits" want:"4" oneof:"suns moons stars waves leaves stones bells keys, each once"` // names
	Rules []cardRule `json:"rules" want:"1 to 8"`
	Hand  []card     `json:"hand" want:"1 to 40"`
}

// A card has a number and a suit, an index of the names.
type card struct {
	Number int `json:"number" want:"1 to 12"`
	Suit   int `json:"suit" want:"0 to 3"`
}

// A cardRule changes the points of a hand.
type cardRule struct {
	Kind   string `json:"kind" oneof:"factor pairs all_suits odd highest single runs more double"`
	Suit   int    `json:"suit" want:"0 to 3"`  // of the rules about one suit
	Other  int    `json:"other" want:"0 to 3"` // and about two
	Points int    `json:"points" want:"0 to 50"`
}

const (
	suitCount  = 4
	mostNumber = 12
	mostPoints = 50
)

var (
	suitNames = []string{"suns", "moons", "stars", "waves", "leaves", "stones", "bells", "keys"}

	// cardRules are the kinds of rules. The last one comes last in a game.
	cardRules = []string{"factor", "pairs", "all_suits", "odd", "highest", "single", "runs", "more", "double"}
)

// drawCards draws rules of different kinds, and a hand of different cards.
func drawCards(p newRulesParams, r *rng.Rand) *cards {
	c := &cards{Suits: rng.Sample(r, suitNames, suitCount)}
	names := rng.Sample(r, cardRules, p.Rules)
	slices.SortStableFunc(names, func(a, b string) int { return task.Bit(a == "double") - task.Bit(b == "double") })
	for _, name := range names {
		suits := rng.Sample(r, []int{0, 1, 2, 3}, 2)
		rule := cardRule{Kind: name, Suit: suits[0], Other: suits[1], Points: r.Between(2, 15)}
		if name == "factor" || name == "highest" {
			rule.Points = r.Between(2, 4)
		}
		c.Rules = append(c.Rules, rule.plain())
	}
	for _, n := range rng.Different(r, p.Length, 0, suitCount*mostNumber-1) {
		c.Hand = append(c.Hand, card{int(n)%mostNumber + 1, int(n) / mostNumber})
	}
	return c
}

// plain returns a rule without the fields that its kind does not use.
func (u cardRule) plain() cardRule {
	switch u.Kind {
	case "pairs", "all_suits", "runs", "highest":
		u.Suit, u.Other = 0, 0
	case "factor", "odd", "single":
		u.Other = 0
	case "double":
		u = cardRule{Kind: u.Kind}
	}
	return u
}

// text writes a rule.
func (c *cards) text(u cardRule) string {
	suit, other := c.Suits[u.Suit], c.Suits[u.Other]
	switch u.Kind {
	case "factor":
		return fmt.Sprintf("A card of the %s counts %d times its number.", suit, u.Points)
	case "pairs":
		return fmt.Sprintf("Any two cards with the same number are a pair, so that three such cards are three pairs. Every pair adds %d points.", u.Points)
	case "all_suits":
		return fmt.Sprintf("A hand with cards of all four suits gets %d points more.", u.Points)
	case "odd":
		return fmt.Sprintf("Every card of the %s with an odd number takes away %d points.", suit, u.Points)
	case "highest":
		return fmt.Sprintf("The highest number in the hand is added %d more times.", u.Points)
	case "single":
		return fmt.Sprintf("If the hand has exactly one card of the %s, %d points are taken away.", suit, u.Points)
	case "runs":
		return fmt.Sprintf("For every number n such that n, n+1 and n+2 are all in the hand, there are %d points more.", u.Points)
	case "more":
		return fmt.Sprintf("If there are more cards of the %s than of the %s, %d points are added.", suit, other, u.Points)
	}
	return "At the very end, an odd total is doubled."
}

// total counts the hand.
func (c *cards) total() (total int) {
	var bySuit [suitCount]int
	var byNumber [mostNumber + 3]int
	highest := 0
	for _, one := range c.Hand {
		bySuit[one.Suit]++
		byNumber[one.Number]++
		highest = max(highest, one.Number)
		total += one.Number
	}
	for _, u := range c.Rules {
		total += c.extra(u, bySuit, byNumber, highest)
	}
	if last := c.Rules[len(c.Rules)-1]; last.Kind == "double" && total%2 != 0 {
		total *= 2
	}
	return total
}

// extra returns the points that a rule adds.
func (c *cards) extra(u cardRule, bySuit [suitCount]int, byNumber [mostNumber + 3]int, highest int) (points int) {
	switch u.Kind {
	case "factor", "odd":
		for _, one := range c.Hand {
			if one.Suit == u.Suit && u.Kind == "factor" {
				points += (u.Points - 1) * one.Number
			} else if one.Suit == u.Suit && one.Number%2 == 1 {
				points -= u.Points
			}
		}
	case "pairs":
		for _, n := range byNumber {
			points += u.Points * n * (n - 1) / 2
		}
	case "all_suits":
		points = u.Points * task.Bit(!slices.Contains(bySuit[:], 0))
	case "highest":
		points = u.Points * highest
	case "single":
		points = -u.Points * task.Bit(bySuit[u.Suit] == 1)
	case "runs":
		for n := 1; n <= mostNumber-2; n++ {
			points += u.Points * task.Bit(byNumber[n] > 0 && byNumber[n+1] > 0 && byNumber[n+2] > 0)
		}
	case "more":
		points = u.Points * task.Bit(bySuit[u.Suit] > bySuit[u.Other])
	}
	return points
}

// cardPhrasings are the wordings of the question: before the rules, and before the hand. %s lists the
// suits.
var cardPhrasings = [wordings][2]string{
	{"In a card game that was invented yesterday, the suits are %s, with the numbers 1 to 12 in each. A hand is counted like this:", "How many points is this hand worth?"},
	{"Cards have a number from 1 to 12 and one of the suits %s. Here is how the points of a hand are found.", "Count this hand:"},
	{"These are the rules of a new game with cards of four suits, %s, each numbered from 1 to 12.", "What does the following hand score?"},
	{"You play with a deck of four suits, %s, in which every suit has the numbers 1 to 12. Points are given by these rules:", "You hold the cards below. What is your score?"},
	{"The suits of an unusual deck are %s; the numbers go from 1 to 12. Add up points as follows.", "What is the total of this hand?"},
	{"A club plays with cards of the suits %s, numbered from 1 to 12, and has its own way of scoring.", "A player lays down the cards below. How many points are they?"},
}

func (c *cards) appendPrompt(b []byte, phrasing int) []byte {
	words := cardPhrasings[phrasing]
	b = task.AppendFilled(b, words[0], func(byte) string {
		return strings.Join(c.Suits[:suitCount-1], ", ") + " and " + c.Suits[suitCount-1]
	})
	b = append(b, "\n- Every card counts its number, unless a rule says otherwise."...)
	for _, u := range c.Rules {
		b = append(append(b, "\n- "...), c.text(u)...)
	}
	b = append(append(append(b, "\nAll rules that apply are applied.\n"...), words[1]...), '\n')
	for i, one := range c.Hand {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(one.Number), 10)
		b = append(append(b, " of "...), c.Suits[one.Suit]...)
	}
	return append(b, "\nAnswer with one whole number."...)
}

func (c *cards) result() string { return strconv.Itoa(c.total()) }

func (c *cards) score(answer string) quintain.Verdict {
	return task.MatchWhole(answer, c.result())
}

// canonical leaves out the names of the suits, and the order of rules and cards.
func (c *cards) canonical() string {
	best := ""
	for number := range 256 {
		to := [suitCount]int{number >> 6, number >> 4 & 3, number >> 2 & 3, number & 3}
		if sorted := to; !slices.Equal(slices.Compact(slices.Sorted(slices.Values(sorted[:]))), []int{0, 1, 2, 3}) {
			continue
		}
		if text := c.named(to); best == "" || text < best {
			best = text
		}
	}
	return best
}

// named writes the rules and the hand in order, with these numbers of the suits.
func (c *cards) named(to [suitCount]int) string {
	parts := make([]string, 0, len(c.Rules)+len(c.Hand))
	for _, u := range c.Rules {
		u.Suit, u.Other = to[u.Suit], to[u.Other]
		u = u.plain()
		parts = append(parts, u.Kind+" "+strconv.Itoa((u.Suit*suitCount+u.Other)*(mostPoints+1)+u.Points))
	}
	for _, one := range c.Hand {
		parts = append(parts, strconv.Itoa(to[one.Suit]*(mostNumber+1)+one.Number))
	}
	slices.Sort(parts)
	return strings.Join(parts, ",")
}

func (c *cards) check() error {
	for i, u := range c.Rules {
		if u.Kind == "double" && i < len(c.Rules)-1 {
			return fmt.Errorf("cards: the rule %q comes before another", u.Kind)
		}
	}
	for i, one := range c.Hand {
		if slices.Contains(c.Hand[:i], one) {
			return fmt.Errorf("cards: %+v occurs twice", one)
		}
	}
	return nil
}
