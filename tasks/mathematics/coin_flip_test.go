package mathematics

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestCoinFlipScore(t *testing.T) {
	item := coinFlipItem{NumTrials: 4, KHeads: 2, ProblemType: atLeast, Rational: rational{11, 16}}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"11/16", 1, ""},
		{" 11/16\n", 1, "space around it is free"},
		{"22/32", 1, "not in lowest terms"},
		{"0.6875", 1, ""},
		{".6875", 1, ""},
		{"6.875e-1", 1, ""},
		{"0.687500", 1, ""},
		{"0.687501", 0, "the sixth digit"},
		{"0.68759", 0, "within 0.0001; enough for reasoning-gym"},
		{"0.6877", 0, "reasoning-gym pays 5/6: four digits are right"},
		{"12/16", 0, "one sequence too many"},
		{"0.69", 0, "two digits"},
		{"0", 0, "the first character of every probability; it pays 0.93"},
		{"0.", 0, ""},
		{"1", 0, ""},
		{"5/16", 0, "the complement"},
		{"16/11", 0, "upside down"},
		{"-11/16", 0, ""},
		{"11 / 16", 1, "space in the fraction; reasoning-gym refuses it"},
		{"11/16.0", 0, ""},
		{"11/0", 0, ""},
		{"0/0", 0, ""},
		{"11/16/1", 0, ""},
		{"1.1e1/16", 0, ""},
		{"68.75%", 0, ""},
		{"1e999", 0, ""},
		{"11/" + strings.Repeat("9", 1000), 0, ""},
		{strings.Repeat("9", 1000) + "/16", 0, ""},
		{"0.6875 or 0.3125", 0, "two answers"},
	})
	rare := coinFlipItem{NumTrials: 15, KHeads: 15, ProblemType: exact, Rational: rational{1, 32768}}
	tasktest.Nears(t, rare.Score, []tasktest.Near{
		{"3.051757812e-05", 1, "ten digits, as reasoning-gym writes it"},
		{"0.0000305176", 1, "six digits"},
		{"0.0000305175", 0, "cut off"},
		{"0.0000305", 0, "three digits"},
		{"2/32768", 0, "one sequence too many"},
		{"0.00003", 0, "one digit"},
		{"0", 0, "within 0.0001, but nothing is known of the answer"},
		{"0.0001", 0, ""},
	})
	common := coinFlipItem{NumTrials: 60, KHeads: 20, ProblemType: atLeast}
	common.Rational = probability(common)
	tasktest.Nears(t, common.Score, []tasktest.Near{
		{"1149337300700327757/1152921504606846976", 1, ""},
		{"1149337300700327758/1152921504606846976", 0, "one sequence too many"},
		{"0.9968911987", 1, "ten digits"},
		{"0.9968911988", 0, "the tenth is wrong"},
		{"0.996891", 1, "six digits"},
		{"0.996892", 0, "the last digit is wrong"},
	})
	known := coinFlipItem{NumTrials: 4, KHeads: 2, KMost: 3, ProblemType: between, Given: 1}
	known.Rational = probability(known)
	tasktest.Nears(t, known.Score, []tasktest.Near{
		{"10/15", 1, "(6 + 4) / (4 + 6 + 4 + 1)"},
		{"2/3", 1, "in lowest terms"},
		{"0.666667", 1, "six digits"},
		{"0.666666", 0, "cut off"},
		{"10/16", 0, "what is given is left out"},
		{"15/16", 0, "the probability of what is given"},
		{"1/3", 0, "the complement"},
		{"75/128", 0, "both probabilities multiplied"},
	})
	sure := coinFlipItem{NumTrials: 2, ProblemType: atLeast, Rational: rational{4, 4}}
	tasktest.Nears(t, sure.Score, []tasktest.Near{{"1", 1, "only foreign records ask for it"}})
}

func TestCoinFlipRecords(t *testing.T) {
	good := coinFlipItem{NumTrials: 4, KHeads: 2, ProblemType: atLeast, Rational: rational{11, 16}}
	if err := task.Check(good); err != nil {
		t.Error(err)
	}
	for why, spoil := range map[string]func(*coinFlipItem){
		"no flips":                    func(c *coinFlipItem) { c.NumTrials = 0 },
		"too many":                    func(c *coinFlipItem) { c.NumTrials = 63 },
		"too many ways":               func(c *coinFlipItem) { c.NumTrials, c.Heads = 40, rational{1, 3} },
		"a coin of one side":          func(c *coinFlipItem) { c.Heads = rational{1, 1} },
		"a coin of no heads":          func(c *coinFlipItem) { c.Heads = rational{0, 2} },
		"a range without end":         func(c *coinFlipItem) { c.ProblemType = between },
		"a range too far":             func(c *coinFlipItem) { c.ProblemType, c.KMost = between, 5 },
		"less than no heads":          func(c *coinFlipItem) { c.KHeads = -1 },
		"more than all":               func(c *coinFlipItem) { c.KHeads = 5 },
		"less than nothing known":     func(c *coinFlipItem) { c.Given = -1 },
		"more heads known than flips": func(c *coinFlipItem) { c.Given = 5 },
		"something known":             func(c *coinFlipItem) { c.Given = 1 },
		"another kind":                func(c *coinFlipItem) { c.ProblemType = "at_most" },
		"another probability":         func(c *coinFlipItem) { c.Rational.Numerator = 10 },
		"another wording":             func(c *coinFlipItem) { c.Phrasing = len(coinFlipPhrasings) },
	} {
		bad := good
		spoil(&bad)
		if task.Check(bad) == nil {
			t.Errorf("a record is accepted: %s", why)
		}
	}
}

func TestCoinFlipParams(t *testing.T) {
	tasktest.Refused(t, coinFlip.Task(), map[string]string{
		`{"min_trials":0}`:                             "min_trials",
		`{"min_trials":16}`:                            "max_trials",
		`{"max_trials":63}`:                            "max_trials",
		`{"max_trials":15,"max_denominator":50}`:       "max_trials",
		`{"max_denominator":1}`:                        "max_denominator",
		`{"allow_between":true,"min_trials":1}`:        "min_trials",
		`{"conditional":true,"min_trials":2}`:          "min_trials",
		`{"allow_exact":false,"allow_at_least":false}`: "allow_exact",
		`{"allow_exact":"yes"}`:                        "allow_exact",
	})
}

var (
	flipsRE = regexp.MustCompile(`(\d+) times?`)
	coinRE  = regexp.MustCompile(`heads with probability (\d+/\d+)`)
	givenRE = regexp.MustCompile(`(?:, given that the coin shows|series with) at least (\d+) heads?`)
	headsRE = regexp.MustCompile(`(exactly|at least|from) (\d+)(?: to (\d+))? heads?`)
)

// The second solver reads the prompt and follows the coin flip by flip. After each flip,
// the probability of k heads is that of k before and tails, plus that of k-1 before and
// heads. At the end, it drops the numbers of heads below what is given.
func TestCoinFlipSecond(t *testing.T) {
	tasktest.Second(t, coinFlip.Task(), 1200, func(_ coinFlipItem, prompt, got string) error {
		flips, heads := flipsRE.FindStringSubmatch(prompt), headsRE.FindStringSubmatch(givenRE.ReplaceAllString(prompt, ""))
		if flips == nil || heads == nil {
			return fmt.Errorf("the prompt is %q", prompt)
		}
		up := big.NewRat(1, 2)
		if coin := coinRE.FindStringSubmatch(prompt); coin != nil {
			up.SetString(coin[1])
		} else if !strings.Contains(prompt, "fair coin") {
			return fmt.Errorf("the prompt is %q", prompt)
		}
		down := new(big.Rat).Sub(big.NewRat(1, 1), up)
		n, _ := strconv.Atoi(flips[1])
		k, _ := strconv.Atoi(heads[2])
		chance := []*big.Rat{big.NewRat(1, 1)}
		for range n {
			next := make([]*big.Rat, len(chance)+1)
			for i := range next {
				next[i] = new(big.Rat)
			}
			for i, c := range chance {
				next[i].Add(next[i], new(big.Rat).Mul(c, down))
				next[i+1].Add(next[i+1], new(big.Rat).Mul(c, up))
			}
			chance = next
		}
		most := map[string]int{"exactly": k, "at least": n, "from": k}[heads[1]]
		if heads[3] != "" {
			most, _ = strconv.Atoi(heads[3])
		}
		least := 0
		if given := givenRE.FindStringSubmatch(prompt); given != nil {
			least, _ = strconv.Atoi(given[1])
		}
		want, known := new(big.Rat), new(big.Rat)
		for i := least; i <= n; i++ {
			known.Add(known, chance[i])
			if k <= i && i <= most {
				want.Add(want, chance[i])
			}
		}
		if chance, _ := known.Float64(); least > 0 && (chance < 0.01 || chance > 0.99) {
			return fmt.Errorf("at least %d heads have the probability %v", least, chance)
		}
		want.Quo(want, known)
		exact, _ := want.Float64()
		if got != fmt.Sprintf("%.10g", exact) || exact > 0.9999 || exact <= 0 {
			return fmt.Errorf("solution %s, want %v", got, exact)
		}
		return nil
	})
}

func TestCoinFlipKeys(t *testing.T) {
	tasktest.Variant(t, coinFlip.Task(), "heads are tails", func(c *coinFlipItem, _ *rng.Rand) func(string) string {
		if c.Given > 0 {
			return nil
		}
		switch c.ProblemType {
		case exact:
			c.KHeads = c.NumTrials - c.KHeads
		case between:
			c.KHeads, c.KMost = c.NumTrials-c.KMost, c.NumTrials-c.KHeads
		default:
			if c.KHeads == c.NumTrials {
				return nil
			}
			c.ProblemType, c.KHeads, c.KMost = between, 0, c.NumTrials-c.KHeads
		}
		if c.Heads != (rational{}) {
			c.Heads.Numerator = c.Heads.Denominator - c.Heads.Numerator
		}
		c.Rational = probability(*c)
		return nil
	})
	tasktest.Variant(t, coinFlip.Task(), "at least k is k to all", func(c *coinFlipItem, _ *rng.Rand) func(string) string {
		if c.ProblemType == atLeast && c.KHeads < c.NumTrials {
			c.ProblemType, c.KMost = between, c.NumTrials
		}
		return nil
	})
	tasktest.Variant(t, coinFlip.Task(), "at least so many are not fewer", func(c *coinFlipItem, _ *rng.Rand) func(string) string {
		if c.ProblemType != atLeast || c.KHeads < c.Given+2 {
			return nil
		}
		c.ProblemType, c.KMost, c.KHeads = between, c.KHeads-1, c.Given
		p := c.Rational.float()
		c.Rational = probability(*c)
		return func(string) string { return fmt.Sprintf("%.10f", 1-p) }
	})
	tasktest.Translated(t, coinFlip.Task(), func(solution string, from, to coinFlipItem) string {
		if p := from.Rational.float(); math.Abs(1-p-to.Rational.float()) < 1e-12 {
			return strconv.FormatFloat(1-p, 'g', 10, 64)
		}
		return solution
	})
	tasktest.Other(t, coinFlip.Task(), "a flip more", func(c *coinFlipItem) {
		if c.NumTrials < 12 {
			c.NumTrials++
			c.Rational = probability(*c)
		}
	})
}
