package chance

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/answer"
	"github.com/quintain-rl/quintain/rng"
	"github.com/quintain-rl/quintain/task"
)

// coinFlip asks for the probability of a number of heads.
var coinFlip = task.Spec[coinFlipParams, coinFlipItem]{
	Name:     "coin_flip",
	Category: "probability",
	Doc: "Give the probability of exactly, or of at least, a given number of heads in several flips of a fair coin. " +
		"No question has the answer 0 or 1.",
	Source:  "The binomial distribution; the settings are those of reasoning-gym.",
	Version: 2,
	Default: coinFlipParams{MinTrials: 3, MaxTrials: 15, AllowExact: true, AllowAtLeast: true},
	Levels: []coinFlipParams{
		{MinTrials: 2, MaxTrials: 5, AllowExact: true},
		{MinTrials: 3, MaxTrials: 8, AllowExact: true, AllowAtLeast: true},
		{MinTrials: 6, MaxTrials: 12, AllowExact: true, AllowAtLeast: true},
		{MinTrials: 12, MaxTrials: 20, AllowExact: true, AllowAtLeast: true},
		{MinTrials: 20, MaxTrials: 35, AllowAtLeast: true},
		{MinTrials: 36, MaxTrials: 60, AllowAtLeast: true},
	},
	Make: makeCoinFlip,
}

// coinFlipParams are the settings of one difficulty.
type coinFlipParams struct {
	MinTrials    int  `json:"min_trials"` // flips
	MaxTrials    int  `json:"max_trials"`
	AllowExact   bool `json:"allow_exact"`    // ask for exactly k heads
	AllowAtLeast bool `json:"allow_at_least"` // ask for at least k heads
}

// maxTrials is the number of flips up to which 2^flips is an int64.
const maxTrials = 62

// Check implements [task.Params].
func (p coinFlipParams) Check() error {
	switch {
	case p.MinTrials < 1:
		return fmt.Errorf("min_trials is %d, want 1 or more", p.MinTrials)
	case p.MaxTrials < p.MinTrials || p.MaxTrials > maxTrials:
		return fmt.Errorf("max_trials is %d, want min_trials (%d) to %d", p.MaxTrials, p.MinTrials, maxTrials)
	case !p.AllowExact && !p.AllowAtLeast:
		return errors.New("allow_exact and allow_at_least are both false, want one of them")
	}
	return nil
}

// coinFlipItem is one question.
type coinFlipItem struct {
	NumTrials   int      `json:"num_trials"`   // flips, 1 to maxTrials
	KHeads      int      `json:"k_heads"`      // 0 to NumTrials
	ProblemType string   `json:"problem_type"` // "exact" or "at_least"
	Rational    rational `json:"rational"`     // the probability
	Phrasing    int      `json:"phrasing,omitempty"`
}

// The kinds of question.
const (
	exact   = "exact"
	atLeast = "at_least"
)

// A rational is a probability, not always in lowest terms.
type rational struct {
	Numerator   int64 `json:"numerator"`
	Denominator int64 `json:"denominator"` // a power of two
}

// makeCoinFlip draws the kind, the flips and the heads. If "at least" is asked, the
// heads are a third of the flips or more: for fewer, 1 is nearly right.
func makeCoinFlip(p coinFlipParams, r *rng.Rand) (coinFlipItem, error) {
	item := coinFlipItem{
		NumTrials:   r.Between(p.MinTrials, p.MaxTrials),
		ProblemType: exact,
		Phrasing:    r.Between(0, len(coinFlipPhrasings)-1),
	}
	if !p.AllowExact || p.AllowAtLeast && r.Chance(0.5) {
		item.ProblemType = atLeast
	}
	least := 0
	if item.ProblemType == atLeast {
		least = (item.NumTrials + 2) / 3
	}
	item.KHeads = r.Between(least, item.NumTrials)
	item.Rational = probability(item)
	return item, nil
}

// probability counts the sequences of flips that have the heads asked for.
func probability(c coinFlipItem) rational {
	most := c.KHeads
	if c.ProblemType == atLeast {
		most = c.NumTrials
	}
	ways, sum := int64(1), int64(0) // sequences with k heads, and with KHeads to k
	for k := 0; k <= most; k++ {
		if k >= c.KHeads {
			sum += ways
		}
		hi, lo := bits.Mul64(uint64(ways), uint64(c.NumTrials-k)) // ways*(flips-k) may be over 64 bits
		next, _ := bits.Div64(hi, lo, uint64(k+1))
		ways = int64(next)
	}
	return rational{sum, 1 << c.NumTrials}
}

// coinFlipPhrasings are the wordings of the question, around the flips and the heads.
var coinFlipPhrasings = [][3]string{
	{"A fair coin is flipped ", ". What is the probability of ", "?"},
	{"Someone tosses a fair coin ", ". What is the chance of getting ", "?"},
	{"You flip a fair coin ", " and count the heads. Find the probability of counting ", "."},
}

// Prompt implements [task.Instance].
func (c coinFlipItem) Prompt() string {
	words := coinFlipPhrasings[c.Phrasing]
	return words[0] + count(c.NumTrials, "time") + words[1] + c.event() + words[2] +
		" Answer with a fraction, for example 3/8, or with a decimal number, exact or rounded to at least six significant digits."
}

// event names what is asked for.
func (c coinFlipItem) event() string {
	if c.ProblemType == atLeast {
		return "at least " + count(c.KHeads, "head")
	}
	return "exactly " + count(c.KHeads, "head")
}

// count writes how many there are of a noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}

// Short implements [task.Shortener].
func (c coinFlipItem) Short() string {
	return "P(" + c.event() + " in " + strconv.Itoa(c.NumTrials) + " flips)"
}

// Check refuses a record whose probability is another.
func (c coinFlipItem) Check() error {
	switch {
	case c.NumTrials < 1 || c.NumTrials > maxTrials:
		return fmt.Errorf("num_trials is %d, want 1 to %d", c.NumTrials, maxTrials)
	case c.KHeads < 0 || c.KHeads > c.NumTrials:
		return fmt.Errorf("k_heads is %d, want 0 to num_trials (%d)", c.KHeads, c.NumTrials)
	case c.ProblemType != exact && c.ProblemType != atLeast:
		return fmt.Errorf("problem_type is %q, want %s or %s", c.ProblemType, exact, atLeast)
	}
	if err := task.CheckPhrasing(c.Phrasing, len(coinFlipPhrasings)); err != nil {
		return err
	}
	if want := probability(c); c.Rational != want {
		return fmt.Errorf("rational is %v, want %v", c.Rational, want)
	}
	return nil
}

// Solve implements [task.Instance]: ten digits, as reasoning-gym has them.
func (c coinFlipItem) Solve() string { return strconv.FormatFloat(c.Rational.float(), 'g', 10, 64) }

// float returns the nearest float64.
func (r rational) float() float64 { return float64(r.Numerator) / float64(r.Denominator) }

// Score implements [task.Instance]. The value may be off by 0.0001, and by a
// hundredth of the probability if that is less.
func (c coinFlipItem) Score(text string) quintain.Verdict {
	const absolute, relative = 1e-4, 1e-2
	want := c.Rational.float()
	got, ok := readProbability(strings.ReplaceAll(text, ",", ""))
	switch {
	case !ok:
		return quintain.Malformed("the answer is neither a fraction nor a decimal number")
	case math.Abs(got-want) <= min(absolute, relative*want):
		return quintain.Right()
	}
	return quintain.Wrong("want " + c.Solve())
}

// readProbability reads a number that is not negative as Python's Fraction does: a
// decimal number, or two whole ones with a slash between them and no space.
func readProbability(text string) (v float64, ok bool) {
	over, under, isFraction := strings.Cut(answer.Trim(text), "/")
	if isFraction && (strings.ContainsAny(over, ".eE") || strings.ContainsFunc(over+under, answer.Space) || strings.ContainsAny(under, ".eE+-")) {
		return 0, false
	}
	v, ok = answer.ReadFloat(over)
	if !isFraction || !ok {
		return v, ok && v >= 0
	}
	parts, ok := answer.ReadFloat(under)
	return v / parts, ok && v >= 0 && parts > 0
}
