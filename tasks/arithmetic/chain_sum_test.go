package arithmetic

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestChainSumScore(t *testing.T) {
	item := chainSumItem{NumTerms: 2, NumDigits: 4, Expression: "1000 + 234"}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"1234", 1, ""},
		{" 1234\n", 1, "space around a number is free"},
		{"1,234", 1, "so are commas"},
		{"+1234.00", 1, "and other spellings of the same number"},
		{"1.234e3", 1, ""},
		{"1235", 0, "off by one"},
		{"-1234", 0.8, "reasoning-gym pays for a text that contains the answer"},
		{"1234.5", 4. / 6, ""},
		{"the sum is 1234", 4. / 15, ""},
		{"1234 or 1235", 4. / 12, "two answers"},
		{"", 0, "nothing"},
		{"nan", 0, "no number"},
		{"1000 + 234", 0, "the question itself"},
	})
}

func TestChainSumParams(t *testing.T) {
	tasktest.Refused(t, chainSum, map[string]string{
		`{"min_terms":0}`:                 "min_terms",
		`{"min_terms":5,"max_terms":4}`:   "max_terms",
		`{"min_digits":0}`:                "min_digits",
		`{"max_digits":19}`:               "max_digits",
		`{"min_digits":3,"max_digits":2}`: "max_digits",
		`{"allow_negation":1}`:            "allow_negation",
	})
}

var termRE = regexp.MustCompile(`([+-]?) ?(-?\d+)(?:[ .?])`)

// The second way reads the prompt and adds machine integers.
func TestChainSumSecond(t *testing.T) {
	tasktest.Second(t, chainSum, 1200, func(item chainSumItem, prompt, got string) error {
		sum := 0
		for _, term := range termRE.FindAllStringSubmatch(prompt, -1) {
			n, err := strconv.Atoi(term[2])
			if err != nil {
				return err
			}
			if term[1] == "-" {
				n = -n
			}
			sum += n
		}
		if want := strconv.Itoa(sum); got != want {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		return nil
	})
}
