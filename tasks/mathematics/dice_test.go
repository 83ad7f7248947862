package mathematics

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestDiceScore(t *testing.T) {
	item := diceItem{Puzzle: dicePuzzle{DiceStr: "2d6", Target: 10, Num: 1, Den: 6}}
	if err := task.Check(item); err != nil {
		t.Error(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"1/6", 1, ""},
		{"\n1/\n6\n", 1, "line feeds are free"},
		{" 1/6", 0, "other space is not"},
		{"6/36", 0, "not in lowest terms"},
		{"0.1667", 0, "no fraction"},
		{"5/6", 0, "the complement"},
		{"1/12", 0, "exactly 10, not 10 or more"},
		{"1/6 or 5/6", 0, "two answers"},
		{"1/6.", 0, ""},
	})
	for why, bad := range map[string]dicePuzzle{
		"nothing":             {},
		"another probability": {DiceStr: "2d6", Target: 10, Num: 1, Den: 5},
		"not in lowest terms": {DiceStr: "2d6", Target: 10, Num: 6, Den: 36},
		"no number":           {DiceStr: "xd6", Target: 1, Num: 1, Den: 1},
		"no sides":            {DiceStr: "2", Target: 1, Num: 1, Den: 1},
		"one side":            {DiceStr: "2d1", Target: 1, Num: 1, Den: 1},
		"no dice":             {DiceStr: "0d6", Target: 1, Num: 1, Den: 1},
		"too many rolls":      {DiceStr: "63d2", Target: 1, Num: 1, Den: 1},
		"too many sides":      {DiceStr: "1d100001", Target: 1, Num: 1, Den: 1},
		"endless dice":        {DiceStr: "999999999999d9", Target: 1, Num: 1, Den: 1},
	} {
		if task.Check(diceItem{Puzzle: bad}) == nil {
			t.Errorf("a record is accepted: %s", why)
		}
	}
}

func TestDiceParams(t *testing.T) {
	tasktest.Refused(t, dice.Task(), map[string]string{
		`{"num_dice":0}`:                    "num_dice",
		`{"max_dice_size":1}`:               "max_dice_size",
		`{"max_dice_size":1001}`:            "max_dice_size",
		`{"num_dice":15}`:                   "num_dice",
		`{"num_dice":63,"max_dice_size":2}`: "num_dice",
		`{"num_dice":"four"}`:               "num_dice",
	})
}

func TestDiceChance(t *testing.T) {
	for _, test := range []struct {
		sides    []int
		target   int
		num, den int64
		why      string
	}{
		{[]int{6}, 1, 1, 1, "sure"},
		{[]int{6}, 7, 0, 1, "impossible"},
		{[]int{6}, -5, 1, 1, ""},
		{[]int{2, 2}, 4, 1, 4, ""},
		{[]int{20, 13, 12, 5}, 23, 733, 1040, "from reasoning-gym's entries"},
	} {
		if num, den := diceChance(test.sides, test.target); num != test.num || den != test.den {
			t.Errorf("diceChance(%v, %d) = %d/%d, want %d/%d (%s)", test.sides, test.target, num, den, test.num, test.den, test.why)
		}
	}
	const heads = 62
	coins := make([]int, heads)
	for i := range coins {
		coins[i] = 2
	}
	if num, den := diceChance(coins, 2*heads); num != 1 || den != maxRolls {
		t.Errorf("62 coins: %d/%d", num, den)
	}
}

var (
	dieRE   = regexp.MustCompile(`(\d+)d(\d+)`)
	totalRE = regexp.MustCompile(`(?:total of|at least|sum of|no less than) (\d+)`)
)

// The second solver reads the prompt and multiplies polynomials: the coefficients of the
// product of x + x^2 + … + x^sides over all dice count the ways to each total. Up to 10,000
// rolls, it also tries them all.
func TestDiceSecond(t *testing.T) {
	tasktest.Second(t, dice.Task(), 1200, func(_ diceItem, prompt, got string) error {
		question, _, _ := strings.Cut(prompt, " (2d6 stands")
		total := totalRE.FindStringSubmatch(question)
		if total == nil {
			return fmt.Errorf("the prompt is %q", prompt)
		}
		target, _ := strconv.Atoi(total[1])
		product, rolls, sides := []*big.Int{big.NewInt(1)}, big.NewInt(1), []int(nil)
		for _, die := range dieRE.FindAllStringSubmatch(question, -1) {
			n, _ := strconv.Atoi(die[1])
			m, _ := strconv.Atoi(die[2])
			for range n {
				product = timesDie(product, m)
				rolls.Mul(rolls, big.NewInt(int64(m)))
				sides = append(sides, m)
			}
		}
		ways := new(big.Int)
		for i := target; i < len(product); i++ {
			ways.Add(ways, product[i])
		}
		if rolls.IsInt64() && rolls.Int64() <= 10_000 && ways.Int64() != int64(countRolls(sides, target)) {
			return fmt.Errorf("%v ways by polynomials, %d by trying", ways, countRolls(sides, target))
		}
		if want := new(big.Rat).SetFrac(ways, rolls); got != want.RatString() || want.IsInt() {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		return nil
	})
}

// timesDie multiplies a polynomial by x + x^2 + … + x^sides.
func timesDie(p []*big.Int, sides int) []*big.Int {
	product := make([]*big.Int, len(p)+sides)
	for i := range product {
		product[i] = new(big.Int)
	}
	for i, c := range p {
		for x := 1; x <= sides; x++ {
			product[i+x].Add(product[i+x], c)
		}
	}
	return product
}

// countRolls counts the rolls that show target or more.
func countRolls(sides []int, target int) int {
	if len(sides) == 0 {
		if target <= 0 {
			return 1
		}
		return 0
	}
	count := 0
	for x := 1; x <= sides[0]; x++ {
		count += countRolls(sides[1:], target-x)
	}
	return count
}

func TestDiceKeys(t *testing.T) {
	complement := func(p string) string {
		over, under, _ := strings.Cut(p, "/")
		a, _ := strconv.Atoi(over)
		b, _ := strconv.Atoi(under)
		return fmt.Sprint(b-a, "/", b)
	}
	tasktest.Variant(t, dice.Task(), "the numbers of the dice counted from the other end", func(d *diceItem, _ *rng.Rand) func(string) string {
		sides, _ := readDice(d.Puzzle.DiceStr)
		d.Puzzle.Target = len(sides) + 1 - d.Puzzle.Target
		for _, n := range sides {
			d.Puzzle.Target += n
		}
		d.Puzzle.Num, d.Puzzle.Den = diceChance(sides, d.Puzzle.Target)
		return complement
	})
	tasktest.Translated(t, dice.Task(), func(solution string, from, to diceItem) string {
		if from.Puzzle.Target != to.Puzzle.Target {
			return complement(solution)
		}
		return solution
	})
	tasktest.Variant(t, dice.Task(), "the dice in another order", func(d *diceItem, r *rng.Rand) func(string) string {
		parts := strings.Split(d.Puzzle.DiceStr, ", ")
		rng.Shuffle(r, parts)
		d.Puzzle.DiceStr = strings.Join(parts, ", ")
		return nil
	})
}
