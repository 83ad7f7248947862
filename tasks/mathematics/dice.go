package mathematics

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// dice asks for the probability of a total.
var dice = task.Spec[diceParams, diceItem]{
	Name:     "dice",
	Category: "arithmetic",
	Doc: "Give the probability that the numbers of several dice add up to a total or more. " +
		"The answer is never 0 or 1, and 1/2 only if no other total is possible.",
	Source:  "Elementary probability; the settings are those of reasoning-gym.",
	Version: 5,
	Default: diceParams{NumDice: 4, MaxDiceSize: 20},
	Levels: []diceParams{
		{NumDice: 1, MaxDiceSize: 100},
		{NumDice: 2, MaxDiceSize: 20},
		{NumDice: 3, MaxDiceSize: 20},
		{NumDice: 3, MaxDiceSize: 40},
		{NumDice: 4, MaxDiceSize: 20},
		{NumDice: 5, MaxDiceSize: 16},
	},
	Few: []string{
		"There are few questions about one die.",
		"There are few questions about two dice of up to 20 faces.",
	},
	Make: makeDice,
	Ask: []string{
		"These dice are rolled together: {puzzle.dice_str}. How likely is a total of {puzzle.target} or more?",
		"Someone rolls the dice {puzzle.dice_str} and adds up the numbers. What is the probability that the sum is at least {puzzle.target}?",
		"With the dice {puzzle.dice_str}, what is the chance of rolling a total of {puzzle.target} or more?",
		"A player throws {puzzle.dice_str} and wins with a sum of {puzzle.target} or more. What is the probability of winning?",
		"Of all the ways in which the dice {puzzle.dice_str} can fall, what fraction adds up to at least {puzzle.target}?",
		"Find the probability that the dice {puzzle.dice_str} together show no less than {puzzle.target}.",
	},
	Form:  " (2d6 stands for two dice, each with the numbers 1 to 6.) Answer with a fraction in lowest terms, for example 5/12.",
	Short: "P({puzzle.dice_str} >= {puzzle.target})",
}

// diceParams are the settings of one difficulty.
type diceParams struct {
	NumDice     int `json:"num_dice" want:"1 or more"`
	MaxDiceSize int `json:"max_dice_size" want:"2 to 1000"` // limit of the sides of a die
}

// maxRolls limits the number of possible rolls, so that it is an int64.
const maxRolls = 1 << 62

// Check refuses what no tag does.
func (p diceParams) Check() error {
	if float64(p.NumDice)*math.Log2(float64(p.MaxDiceSize)) > 62 {
		return fmt.Errorf("num_dice is %d, want less for dice with %d sides: there may be 2^62 rolls", p.NumDice, p.MaxDiceSize)
	}
	return nil
}

// diceItem is one question.
type diceItem struct {
	Puzzle   dicePuzzle `json:"puzzle"`
	Phrasing int        `json:"phrasing,omitempty"`
}

// A dicePuzzle is the dice, the total and the probability, Num/Den in lowest terms.
type dicePuzzle struct {
	DiceStr     string  `json:"dice_str"` // "2d20, 1d6" means two dice with 20 sides and one with 6
	Target      int     `json:"target"`   // the total
	Num         int64   `json:"num"`
	Den         int64   `json:"den"`
	Probability float64 `json:"probability"`
}

// makeDice draws the dice and the total.
func makeDice(p diceParams, r *rng.Rand) (diceItem, error) {
	var room [64]int // room for the largest number of dice, without a heap allocation
	sides, most := room[:p.NumDice], 0
	for i := range sides {
		sides[i] = r.Between(2, p.MaxDiceSize)
		most += sides[i]
	}
	slices.SortFunc(sides, func(a, b int) int { return b - a })
	item := diceItem{
		Puzzle:   dicePuzzle{DiceStr: diceNotation(sides), Target: r.Between(p.NumDice+1, most)},
		Phrasing: r.Between(0, 5),
	}
	if even := 2*item.Puzzle.Target == p.NumDice+most+1; even { // the total with probability 1/2, by symmetry
		item.Puzzle.Target = min(item.Puzzle.Target+1, most)
	}
	item.Puzzle.Num, item.Puzzle.Den = diceChance(sides, item.Puzzle.Target)
	item.Puzzle.Probability = float64(item.Puzzle.Num) / float64(item.Puzzle.Den)
	return item, nil
}

// diceNotation writes dice in the usual notation, equal ones together.
func diceNotation(sides []int) string {
	b := make([]byte, 0, 128)
	for i := 0; i < len(sides); {
		same := 1
		for i+same < len(sides) && sides[i+same] == sides[i] {
			same++
		}
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(same), 10)
		b = strconv.AppendInt(append(b, 'd'), int64(sides[i]), 10)
		i += same
	}
	return string(b)
}

// readDice reads the output of diceNotation. ok is false if there are more than maxRolls
// rolls.
func readDice(text string) (sides []int, ok bool) {
	rolls := int64(1)
	for part := range strings.SplitSeq(text, ", ") {
		count, size, _ := strings.Cut(part, "d")
		n, err := strconv.Atoi(count)
		if err != nil || n < 1 {
			return nil, false
		}
		m, err := strconv.Atoi(size)
		if err != nil || m < 2 {
			return nil, false
		}
		for range n {
			if rolls > maxRolls/int64(m) {
				return nil, false
			}
			rolls *= int64(m)
			sides = append(sides, m)
		}
	}
	return sides, true
}

// diceChance returns the probability of target or more, in lowest terms. It adds one die
// after the other: the ways to a total are the sum of the ways to the totals smaller by 1
// to sides. Neighbouring sums differ in two terms.
func diceChance(sides []int, target int) (num, den int64) {
	most := 0
	for _, n := range sides {
		most += n
	}
	ways, next := make([]int64, most+1), make([]int64, most+1)
	ways[0], den = 1, 1
	reach := 0
	for _, n := range sides {
		reach += n
		den *= int64(n)
		next[0] = 0
		for total := 1; total <= reach; total++ {
			next[total] = next[total-1] + ways[total-1]
			if total > n {
				next[total] -= ways[total-1-n]
			}
		}
		ways, next = next, ways
	}
	for total := max(target, 0); total <= most; total++ {
		num += ways[total]
	}
	a, b := num, den
	for b != 0 {
		a, b = b, a%b
	}
	return num / a, den / a
}

// Canonical implements [task.Canonicalizer]. The order of the dice does not matter, nor whether a total of
// at least so much is asked for or, counted from the highest numbers down, of less.
func (d diceItem) Canonical() string {
	sides, _ := readDice(d.Puzzle.DiceStr) // Check has already read them
	slices.Sort(sides)
	mirrored := len(sides) + 1 - d.Puzzle.Target
	for _, n := range sides {
		mirrored += n
	}
	return fmt.Sprint(sides, " >= ", min(d.Puzzle.Target, mirrored))
}

// Check refuses a record with a wrong probability.
func (d diceItem) Check() error {
	const mostSides = 100_000 // of all dice
	sides, ok := readDice(d.Puzzle.DiceStr)
	total := 0
	for _, n := range sides {
		total = min(total+min(n, mostSides+1), mostSides+1)
	}
	if !ok || total > mostSides {
		return fmt.Errorf("dice_str %.80q does not name dice like 1d20, 2d6 with up to 2^62 rolls", d.Puzzle.DiceStr)
	}
	if num, den := diceChance(sides, d.Puzzle.Target); num != d.Puzzle.Num || den != d.Puzzle.Den {
		return fmt.Errorf("num and den are %d and %d, want %d and %d", d.Puzzle.Num, d.Puzzle.Den, num, den)
	}
	return nil
}

func (d diceItem) Solve() string {
	return strconv.FormatInt(d.Puzzle.Num, 10) + "/" + strconv.FormatInt(d.Puzzle.Den, 10)
}

// Score implements [task.Scorer]. It ignores line feeds.
func (d diceItem) Score(answer string) quintain.Verdict {
	switch strings.ReplaceAll(answer, "\n", "") {
	case "":
		return quintain.Malformed("the answer is empty")
	case d.Solve():
		return quintain.Right()
	}
	return quintain.Wrong("want " + d.Solve())
}
