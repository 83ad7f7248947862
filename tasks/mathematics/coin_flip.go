package mathematics

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
)

// coinFlip asks for the probability of a number of heads.
var coinFlip = task.Spec[coinFlipParams, coinFlipItem]{
	Name:     "coin_flip",
	Category: "probability",
	Doc: "Give the probability of exactly k heads, at least k heads, or a range of heads in several flips of a coin, which may be biased, " +
		"or that probability given a least number of heads. No question has the answer 0 or 1.",
	Source:  "The binomial distribution; the settings are those of reasoning-gym, except for max_denominator, allow_between and conditional.",
	Version: 6,
	Default: coinFlipParams{MinTrials: 3, MaxTrials: 15, AllowExact: true, AllowAtLeast: true, MaxDenominator: 2},
	Levels: []coinFlipParams{
		{MinTrials: 2, MaxTrials: 6, AllowExact: true, AllowAtLeast: true, MaxDenominator: 2},
		{MinTrials: 2, MaxTrials: 5, AllowExact: true, AllowAtLeast: true, MaxDenominator: 6},
		{MinTrials: 3, MaxTrials: 8, AllowExact: true, AllowAtLeast: true, AllowBetween: true, MaxDenominator: 20},
		{MinTrials: 6, MaxTrials: 12, AllowExact: true, AllowAtLeast: true, AllowBetween: true, MaxDenominator: 20},
		{MinTrials: 10, MaxTrials: 14, AllowAtLeast: true, AllowBetween: true, MaxDenominator: 20},
		{MinTrials: 20, MaxTrials: 23, AllowAtLeast: true, AllowBetween: true, MaxDenominator: 6},
		{MinTrials: 20, MaxTrials: 23, AllowAtLeast: true, AllowBetween: true, MaxDenominator: 6, Conditional: true},
		{MinTrials: 35, MaxTrials: 39, AllowAtLeast: true, AllowBetween: true, MaxDenominator: 3, Conditional: true},
	},
	Few: []string{
		"There are few questions about few flips of coins with simple probabilities.",
		"There are few questions about few flips of coins with simple probabilities.",
		"There are few questions about few flips of coins with simple probabilities.",
		"There are few questions about few flips of coins with simple probabilities.",
		"There are few questions about few flips of coins with simple probabilities.",
		"There are few questions about few flips of coins with simple probabilities.",
		"There are few questions about coins with simple probabilities.",
		"There are few questions about coins with simple probabilities.",
	},
	Make: makeCoinFlip,
}

// coinFlipParams are the settings of one difficulty.
type coinFlipParams struct {
	MinTrials      int  `json:"min_trials" want:"1 or more"` // flips
	MaxTrials      int  `json:"max_trials" want:"min_trials or more"`
	AllowExact     bool `json:"allow_exact"`                     // ask for exactly k heads
	AllowAtLeast   bool `json:"allow_at_least"`                  // ask for at least k heads
	AllowBetween   bool `json:"allow_between"`                   // ask for k to m heads
	MaxDenominator int  `json:"max_denominator" want:"2 to 100"` // of the probability of heads; 2: all coins are fair
	Conditional    bool `json:"conditional"`                     // ask for a probability given at least g heads
}

// maxWays bounds the denominator of a probability, so that it is an int64.
const maxWays = 1 << 62

// Check refuses what no tag does.
func (p coinFlipParams) Check() error {
	switch {
	case !p.AllowExact && !p.AllowAtLeast && !p.AllowBetween:
		return errors.New("allow_exact, allow_at_least and allow_between are all false, want one of them")
	case p.AllowBetween && p.MinTrials < 2:
		return fmt.Errorf("min_trials is %d, want 2 or more for allow_between", p.MinTrials)
	case p.Conditional && p.MinTrials < 3:
		return fmt.Errorf("min_trials is %d, want 3 or more with conditional", p.MinTrials)
	}
	if _, ok := power(int64(p.MaxDenominator), p.MaxTrials); !ok {
		return fmt.Errorf("max_trials is %d, want less with max_denominator %d: the denominator of the answer may be 2^62", p.MaxTrials, p.MaxDenominator)
	}
	return nil
}

// power returns base to the power of exponent; ok is false if the result exceeds maxWays.
func power(base int64, exponent int) (n int64, ok bool) {
	n = 1
	for range exponent {
		if n > maxWays/base {
			return 0, false
		}
		n *= base
	}
	return n, true
}

// coinFlipItem is one question.
type coinFlipItem struct {
	NumTrials   int      `json:"num_trials"`                                  // flips
	KHeads      int      `json:"k_heads" want:"0 to num_trials"`              // 0 to NumTrials
	KMost       int      `json:"k_most,omitempty"`                            // with "between": above KHeads, to NumTrials
	ProblemType string   `json:"problem_type" oneof:"exact at_least between"` // "exact", "at_least" or "between"
	Given       int      `json:"given,omitempty" want:"0 to num_trials"`      // the flips are known to show at least as many heads
	Heads       rational `json:"heads,omitzero"`                              // probability of heads, in lowest terms; zero: 1/2
	Rational    rational `json:"rational"`                                    // the probability
	Phrasing    int      `json:"phrasing,omitempty" want:"0 to 5"`
}

// The kinds of question.
const (
	exact   = "exact"
	atLeast = "at_least"
	between = "between"
)

// A rational is a probability, not always in lowest terms.
type rational struct {
	Numerator   int64 `json:"numerator"`
	Denominator int64 `json:"denominator"`
}

// makeCoinFlip draws the coin, the kind, the flips and the heads, until the answer is not
// close to 1.
func makeCoinFlip(p coinFlipParams, r *rng.Rand) (coinFlipItem, error) {
	const tries, certain = 20, 0.9999
	item := coinFlipItem{NumTrials: r.Between(p.MinTrials, p.MaxTrials), Phrasing: r.Between(0, len(coinFlipPhrasings)-1)}
	if p.MaxDenominator > 2 {
		item.Heads = drawHeads(p.MaxDenominator, r)
	}
	kinds := make([]string, 0, 3)
	if p.AllowExact {
		kinds = append(kinds, exact)
	}
	if p.AllowAtLeast {
		kinds = append(kinds, atLeast)
	}
	if p.AllowBetween {
		kinds = append(kinds, between)
	}
	item.ProblemType = rng.Pick(r, kinds)
	if p.Conditional {
		item.drawGiven(r)
	}
	for range tries {
		item.drawEvent(r)
		if item.Rational = probability(item); item.Rational.float() < certain {
			return item, nil
		}
	}
	item.KHeads, item.KMost = item.NumTrials, 0 // all heads, the least likely event
	if item.ProblemType == between {
		item.KHeads, item.KMost = item.NumTrials-1, item.NumTrials
	}
	item.Rational = probability(item)
	return item, nil
}

// drawHeads draws a probability of heads. For a fair coin it is zero.
func drawHeads(most int, r *rng.Rand) rational {
	parts := r.Between64(2, int64(most))
	heads := r.Between64(1, parts-1)
	a, b := parts, heads
	for b != 0 {
		a, b = b, a%b
	}
	if parts == 2*heads {
		return rational{}
	}
	return rational{heads / a, parts / a}
}

// drawGiven draws a least number of heads, so that knowing it matters: it is neither nearly
// certain nor rare, if there is such a number. It leaves room for a range that is not certain.
func (c *coinFlipItem) drawGiven(r *rng.Rand) {
	const tries, rare, nearlyCertain = 20, 0.01, 0.99
	all := c.ways(0, c.NumTrials)
	for range tries {
		c.Given = r.Between(1, c.NumTrials-2)
		if chance := (rational{c.ways(c.Given, c.NumTrials), all}).float(); rare < chance && chance < nearlyCertain {
			return
		}
	}
}

// drawEvent draws the numbers of heads in the question, none below what is given.
func (c *coinFlipItem) drawEvent(r *rng.Rand) {
	switch c.ProblemType {
	case exact:
		c.KHeads = r.Between(c.Given, c.NumTrials)
	case atLeast:
		c.KHeads = r.Between(c.Given+1, c.NumTrials)
	case between:
		c.KHeads = r.Between(c.Given, c.NumTrials-1)
		c.KMost = r.Between(c.KHeads+1, c.NumTrials)
	}
}

// heads returns the probability of heads.
func (c coinFlipItem) heads() rational {
	if c.Heads == (rational{}) {
		return rational{1, 2}
	}
	return c.Heads
}

// probability counts the ways to reach the event, among those of what is given.
func probability(c coinFlipItem) rational {
	most := c.KHeads
	switch c.ProblemType {
	case atLeast:
		most = c.NumTrials
	case between:
		most = c.KMost
	}
	return rational{c.ways(max(c.KHeads, c.Given), most), c.ways(c.Given, c.NumTrials)}
}

// ways counts the ways to get from least to most heads: a coin that shows heads a times in
// b has b ways to fall, a of them heads.
func (c coinFlipItem) ways(least, most int) (sum int64) {
	coin := c.heads()
	if least == 0 && most == c.NumTrials {
		all, _ := power(coin.Denominator, c.NumTrials)
		return all
	}
	sequences := int64(1) // with k heads
	for k := 0; k <= most; k++ {
		if k >= least {
			up, _ := power(coin.Numerator, k)
			down, _ := power(coin.Denominator-coin.Numerator, c.NumTrials-k)
			sum += sequences * up * down
		}
		hi, lo := bits.Mul64(uint64(sequences), uint64(c.NumTrials-k)) // may exceed 64 bits
		next, _ := bits.Div64(hi, lo, uint64(k+1))
		sequences = int64(next)
	}
	return sum
}

// coinFlipPhrasings are the wordings of the question; %c or %C, %f and %h stand for the
// coin, the flips and the event, %g or %w for what is given.
var coinFlipPhrasings = []string{
	"%C is flipped %f. What is the probability of %h%g?",
	"Someone tosses %c %f. What is the chance of getting %h%g?",
	"You flip %c %f and count the heads. Find the probability of counting %h%g.",
	"How likely is it to see %h when %c is tossed %f%g?",
	"For a game, %c is thrown %f in a row. The player wins with %h, and loses otherwise. With what probability does the player win%g?",
	"In each of many series, %c is flipped %f. In the long run, what fraction of the series%w have %h?",
}

func (c coinFlipItem) Prompt() string {
	b, coin := make([]byte, 0, task.PromptRoom), [2]string{"A fair coin", "a fair coin"}
	if h := c.Heads; h != (rational{}) {
		coin = [2]string{"This coin", "this coin"}
		b = append(b, "A biased coin shows heads with probability "...)
		b = strconv.AppendInt(append(strconv.AppendInt(b, h.Numerator, 10), '/'), h.Denominator, 10)
		b = append(b, ". "...)
	}
	b = task.AppendFilled(b, coinFlipPhrasings[c.Phrasing], func(gap byte) string {
		switch gap {
		case 'C':
			return coin[0]
		case 'c':
			return coin[1]
		case 'f':
			return count(c.NumTrials, "time")
		case 'g':
			return c.given(", given that the coin shows")
		case 'w':
			return c.given(" with")
		}
		return c.event()
	})
	return string(append(b, " Answer with a fraction, for example 3/8, or with a decimal number, exact or rounded to at least six significant digits."...))
}

// event describes the heads in question.
func (c coinFlipItem) event() string {
	switch c.ProblemType {
	case atLeast:
		return "at least " + count(c.KHeads, "head")
	case between:
		return "from " + strconv.Itoa(c.KHeads) + " to " + count(c.KMost, "head")
	}
	return "exactly " + count(c.KHeads, "head")
}

// given writes what is given after the words that introduce it, if anything is.
func (c coinFlipItem) given(after string) string {
	if c.Given == 0 {
		return ""
	}
	return after + " at least " + count(c.Given, "head")
}

// count writes a number of things.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

func (c coinFlipItem) Short() string {
	coin := ""
	if h := c.Heads; h != (rational{}) {
		coin = fmt.Sprintf(", P(heads) = %d/%d", h.Numerator, h.Denominator)
	}
	return "P(" + c.event() + " in " + strconv.Itoa(c.NumTrials) + " flips" + c.given(" |") + ")" + coin
}

// Canonical implements [task.Canonicalizer]. Heads may be tails, with the probability of tails; a range of
// heads may be written in any way, and may be all others, if they are one range.
func (c coinFlipItem) Canonical() string {
	least, most := max(c.KHeads, c.Given), c.KHeads
	switch c.ProblemType {
	case atLeast:
		most = c.NumTrials
	case between:
		most = c.KMost
	}
	if most == c.NumTrials { // at least so many: not fewer
		least, most = c.Given, least-1
	}
	coin := c.heads()
	text := fmt.Sprint(c.NumTrials, least, most, c.Given, coin.Numerator, coin.Denominator)
	if c.Given > 0 { // at least so many heads are at most so many tails
		return text
	}
	least, most = c.NumTrials-most, c.NumTrials-least
	if most == c.NumTrials {
		least, most = 0, least-1
	}
	return min(text, fmt.Sprint(c.NumTrials, least, most, c.Given, coin.Denominator-coin.Numerator, coin.Denominator))
}

// Check refuses a record with a wrong probability.
func (c coinFlipItem) Check() error {
	coin := c.heads()
	_, countable := power(max(coin.Denominator, 2), max(c.NumTrials, 0))
	switch {
	case coin.Numerator < 1 || coin.Denominator <= coin.Numerator:
		return fmt.Errorf("heads is %v, want more than 0 and less than 1", coin)
	case c.NumTrials < 1 || !countable:
		return fmt.Errorf("num_trials is %d, want 1 or more, and few enough for a denominator of 62 bits", c.NumTrials)
	case c.ProblemType == between && (c.KMost <= c.KHeads || c.KMost > c.NumTrials):
		return fmt.Errorf("k_most is %d, want more than k_heads (%d), to num_trials (%d)", c.KMost, c.KHeads, c.NumTrials)
	}
	return task.Want("rational", c.Rational, probability(c))
}

// Solve implements [task.Instance]. It gives ten digits, as reasoning-gym does.
func (c coinFlipItem) Solve() string { return strconv.FormatFloat(c.Rational.float(), 'g', 10, 64) }

// float returns the nearest float64.
func (r rational) float() float64 { return float64(r.Numerator) / float64(r.Denominator) }

// Score implements [task.Scorer]. A fraction must be exact, in lowest terms or not. A
// decimal number must be rounded correctly, to at least six significant digits.
func (c coinFlipItem) Score(text string) quintain.Verdict {
	text = strings.ReplaceAll(answer.Trim(text), ",", "")
	right, readable := c.Rational.equals(text)
	switch {
	case !readable:
		return quintain.Malformed("the answer is neither a fraction nor a decimal number")
	case right:
		return quintain.Right()
	}
	return quintain.Wrong("want " + c.Solve())
}

// equals reports whether text is the probability r. readable is false if it is neither a
// decimal number nor two whole numbers separated by a slash.
func (r rational) equals(text string) (right, readable bool) {
	over, under, isFraction := strings.Cut(text, "/")
	if isFraction {
		n, ok := answer.ReadInteger(over)
		d, is := answer.ReadInteger(under)
		if !ok || !is || d.Sign() <= 0 {
			return false, false
		}
		return n.Mul(n, big.NewInt(r.Denominator)).Cmp(d.Mul(d, big.NewInt(r.Numerator))) == 0, true
	}
	got, ok := answer.ReadDecimal(text)
	value, is := answer.ReadFloat(text)
	if !ok || !is {
		return false, false
	}
	const sixDigits, inexact, halfway = 5e-6, 1e-15, 1e-5 // tolerance of six digits, and of a float64
	want := r.float()
	most := sixDigits * want
	if got.Exp > -20 {
		most = min(most, math.Pow10(int(got.Exp))/2)
	}
	return math.Abs(value-want) <= max(most*(1+halfway), inexact*want), true
}
