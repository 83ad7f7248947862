package arithmetic

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestDecimalChainSumScore(t *testing.T) {
	item := decimalChainSumItem{NumTerms: 3, NumDigits: 1, Expression: "3.147 - 3.4 - 3.867"}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"-4.12", 1, ""},
		{" -4.120\n", 1, "space around it and zeros at the end are free"},
		{"-0.412e1", 1, "other spellings of the same number"},
		{"4.12", 0, "the sign is lost"},
		{"-4.121", 0, "off in the last place"},
		{"-4.1", 0, "rounded"},
		{"-4.12 ± 0", 0, "not a number alone"},
		{"the sum is -4.12", 0, "reasoning-gym pays nothing here"},
		{"-4,12", 0, "a comma for the point"},
		{"-412", 0, "the point is lost"},
		{"3.147 - 3.4 - 3.867", 0, "the question itself"},
	})
	if v := item.Score("four"); !v.Malformed {
		t.Errorf("four: %+v", v)
	}
	for _, bad := range []decimalChainSumItem{{Expression: "1.5 +"}} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestSumDecimals(t *testing.T) {
	for _, test := range []struct{ chain, want, why string }{
		{"7", "7", "one term"},
		{"1.50", "1.5", "a zero at the end"},
		{"0.5 + 0.5", "1", "a whole sum"},
		{"0.5 - 0.50", "0", "nothing is left"},
		{"10 + 20", "30", "no places, and a zero that counts"},
		{"0.001 - 0.002", "-0.001", "zeros behind the point"},
		{"-0.5 + 0.25", "-0.25", "a negative term that begins with 0"},
		{"999999999999.999 + 0.001", "1000000000000", ""},
		{"999999999999999999.999999999999999999 + 1.5", "1000000000000000001.499999999999999999", "more than a machine word"},
		{strings.Repeat("0.1 + ", 999) + "0.1", "100", "many terms"},
		{"1." + strings.Repeat("3", 100), "1." + strings.Repeat("3", 100), "many places"},
	} {
		if got, ok := (decimalChainSumItem{Expression: test.chain}).sum(); !ok || got.String() != test.want {
			t.Errorf("%.40q sums up to %s, %v; want %q (%s)", test.chain, got, ok, test.want, test.why)
		}
	}
	for _, chain := range []string{"", ".", "1.2.3", "1. 5", "1.5 +", "1.5 + ", "1.5 * 2", "+ 1", "1e3", "1,5"} {
		if got, ok := (decimalChainSumItem{Expression: chain}).sum(); ok {
			t.Errorf("%q sums up to %s", chain, got)
		}
	}
}

var decimalTermRE = regexp.MustCompile(`([+-]?) ?(-?\d+(?:\.\d+)?)(?:[ ?]|\. )`)

// The second solver reads the prompt and adds fractions.
func TestDecimalChainSumSecond(t *testing.T) {
	tasktest.Second(t, decimalChainSum.Task(), 1200, func(item decimalChainSumItem, prompt, got string) error {
		sum, terms := new(big.Rat), decimalTermRE.FindAllStringSubmatch(prompt, -1)
		for _, term := range terms {
			n, ok := new(big.Rat).SetString(term[2])
			if !ok {
				return fmt.Errorf("term %s", term[2])
			}
			if term[1] == "-" {
				n.Neg(n)
			}
			sum.Add(sum, n)
		}
		value, ok := new(big.Rat).SetString(got)
		if !ok || value.Cmp(sum) != 0 || len(terms) != item.NumTerms {
			return fmt.Errorf("solution %s of %q, want %s", got, terms, sum.FloatString(20))
		}
		return nil
	})
}

func TestDecimalChainSumKeys(t *testing.T) {
	tasktest.Variant(t, decimalChainSum.Task(), "all signs changed", func(p *decimalChainSumItem, _ *rng.Rand) (translate func(string) string) {
		p.Expression, translate = opposed(p.Expression)
		return translate
	})
	tasktest.Variant(t, decimalChainSum.Task(), "the last terms exchanged", func(p *decimalChainSumItem, _ *rng.Rand) func(string) string {
		p.Expression = moved(p.Expression)
		return nil
	})
	tasktest.Variant(t, decimalChainSum.Task(), "two terms exchanged", func(p *decimalChainSumItem, _ *rng.Rand) func(string) string {
		p.Expression = exchanged(p.Expression)
		return nil
	})
}
