package arithmetic

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestChainSumScore(t *testing.T) {
	item := chainSumItem{NumTerms: 2, NumDigits: 4, Expression: "1000 + 234"}
	tasktest.Nears(t, chainSum.Scorer(item), []tasktest.Near{
		{"1234", 1, ""},
		{" 1234\n", 1, "space around a number is free"},
		{"1,234", 1, "so are commas"},
		{"+1234.00", 1, "and other spellings of the same number"},
		{"1.234e3", 1, ""},
		{"1235", 0, "off by one"},
		{"-1234", 0, "reasoning-gym pays for any text that contains the answer"},
		{"1234.5", 0, ""},
		{"the sum is 1234", 4. / 15, ""},
		{"1234 or 1235", 0, "two answers"},
		{"1000 + 234", 0, "the question itself"},
	})
}

func TestSumChain(t *testing.T) {
	for _, test := range []struct {
		chain, want string
		why         string
	}{
		{"7", "7", "one term"},
		{"7 - -8 + -9", "6", "negative terms"},
		{"999999999999999 + 1", "1000000000000000", "15 digits, the most that are small"},
		{"9999999999999999 + 9999999999999999", "19999999999999998", "16 digits"},
		{"99999999999999999999 - 1", "99999999999999999998", "more than a machine word"},
		{strings.Repeat("1 + ", 2000) + "1", "2001", "many terms"},
		{"", "", "nothing"},
		{"1 +", "", "a term is missing"},
		{"1 + ", "", ""},
		{"1 2", "", "a sign is missing"},
		{"1 * 2", "", "another sign"},
		{"+ 1", "", ""},
		{"1e3", "", ""},
	} {
		if got, ok := (chainSumItem{Expression: test.chain}).sum(); ok != (test.want != "") || ok && got.String() != test.want {
			t.Errorf("%.40q sums up to %s, %v; want %q (%s)", test.chain, got, ok, test.want, test.why)
		}
	}
}

var termRE = regexp.MustCompile(`([+-]?) ?(-?\d+)(?:[ .?])`)

// The second solver reads the prompt and adds machine integers.
func TestChainSumSecond(t *testing.T) {
	tasktest.Second(t, chainSum.Task(), 1200, func(item chainSumItem, prompt, got string) error {
		sum := int64(0)
		for _, term := range termRE.FindAllStringSubmatch(prompt, -1) {
			n, err := strconv.ParseInt(term[2], 10, 64)
			if err != nil {
				return err
			}
			if term[1] == "-" {
				n = -n
			}
			sum += n
		}
		if want := strconv.FormatInt(sum, 10); got != want {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		return nil
	})
}

func TestChainSumKeys(t *testing.T) {
	tasktest.Variant(t, chainSum.Task(), "the last terms exchanged", func(p *chainSumItem, _ *rng.Rand) func(string) string {
		p.Expression = moved(p.Expression)
		return nil
	})
	tasktest.Variant(t, chainSum.Task(), "two terms exchanged", func(p *chainSumItem, _ *rng.Rand) func(string) string {
		p.Expression = exchanged(p.Expression)
		return nil
	})
	reversed := func(c *chainSumItem) {
		terms := strings.Fields(c.Expression)
		slices.Reverse(terms)
		c.Expression = strings.Join(terms, " ")
	}
	tasktest.Same(t, chainSum.Task(), "who knows a sum knows it with its numbers in another order", func(c *chainSumItem) {
		if !strings.Contains(c.Expression, "-") {
			reversed(c)
		}
	})
	tasktest.Same(t, chainSum.Task(), "who knows a difference knows it the other way round", func(c *chainSumItem) {
		if strings.Contains(c.Expression, " - ") && c.NumTerms == 2 && !strings.Contains(" "+c.Expression, " -"+c.Expression[:1]) {
			reversed(c)
		}
	})
	tasktest.Other(t, chainSum.Task(), "a sum is no difference", func(c *chainSumItem) {
		if c.NumTerms == 2 && !strings.HasSuffix(c.Expression, " 0") && !strings.HasPrefix(c.Expression, "0 ") {
			c.Expression = strings.Replace(c.Expression, " + ", " - ", 1)
		}
	})
	tasktest.Variant(t, chainSum.Task(), "all signs changed", func(p *chainSumItem, _ *rng.Rand) (translate func(string) string) {
		p.Expression, translate = opposed(p.Expression)
		return translate
	})
	tasktest.Variant(t, chainSum.Task(), "ten times all numbers", func(p *chainSumItem, _ *rng.Rand) (translate func(string) string) {
		p.Expression, translate = tenfold(p.Expression)
		return translate
	})
}
