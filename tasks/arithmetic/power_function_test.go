package arithmetic

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/answer"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestPowerFunctionScore(t *testing.T) {
	item := powerFunctionItem{Base: -765.0902, Exponent: 5, Solution: -262158048630819.06}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"-2.62e+14", 1, ""},
		{"-2.62E14", 1, ""},
		{" -262158048630819.06\n", 1, "more digits than were asked for"},
		{"-262000000000000", 1, "not in scientific notation"},
		{"-2.615e14", 1, "rounds to the same three digits, halves to even"},
		{"-2.625e14", 1, ""},
		{"-2.63e14", 0, "off by one in the last digit"},
		{"-2.6e14", 0, "two digits"},
		{"2.62e14", 0, "the sign is lost"},
		{"-2.62e13", 0, "the exponent is off; reasoning-gym pays 0.01 for any text"},
		{"-2.62", 0, "there is no exponent"},
		{"-2.62 * 10^14", 0, "another notation"},
		{"-765.0902^5", 0, "the question itself"},
		{"1e999999999999", 0, ""},
	})
	zero := powerFunctionItem{Base: 0, Exponent: 3}
	tasktest.Nears(t, zero.Score, []tasktest.Near{{"0", 1, ""}, {"-0.00e5", 1, ""}, {"1e-99", 0, ""}})
	if got := zero.Solve(); got != "0.00e+0" {
		t.Errorf("zero is written %s", got)
	}
	for _, bad := range []powerFunctionItem{
		{Base: 2, Exponent: 3, Solution: 9}, {Base: 0, Exponent: -1}, {Base: 1e300, Exponent: 3}, {Base: 1, Exponent: math.MaxInt32, Solution: 1}, {Base: 1, Solution: 1, Phrasing: 9},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestThreeDigits(t *testing.T) {
	for from, want := range map[string]string{
		"118.5": "118", "119.5": "120", "1.015": "1.02", "1.025": "1.02", "1.0251": "1.03", "999.5": "1000", "-0.0099951": "-0.01", "0": "0", "12": "12", "1.00499999999999999999": "1",
	} {
		d, _ := answer.ReadDecimal(from)
		if w, _ := answer.ReadDecimal(want); threeDigits(d) != w {
			t.Errorf("%s is %+v, want %s", from, threeDigits(d), want)
		}
	}
}

func TestHalfway(t *testing.T) {
	for x, want := range map[float64]bool{118.5: true, -0.001235: true, 1235: true, 123: false, 1234: false, 123.55: false, 1: false, 15: false, 0.1: false, 1e22: false, 123456: false, 1.2345: false, 1.2e-100: false} {
		if halfway(x) != want {
			t.Errorf("%v: want %v", x, want)
		}
	}
}

func TestPowerFunctionParams(t *testing.T) {
	tasktest.Refused(t, powerFunction.Task(), map[string]string{
		`{"min_base":-2e6}`:                    "min_base",
		`{"decimals":5}`:                       "decimals",
		`{"decimals":-1}`:                      "decimals",
		`{"min_base":5,"max_base":4}`:          "max_base",
		`{"max_base":1e7}`:                     "max_base",
		`{"min_base":0,"max_base":0.00001}`:    "max_base",
		`{"min_base":0.00001,"max_base":2e-5}`: "max_base",
		`{"min_exponent":-1}`:                  "min_exponent",
		`{"min_exponent":9}`:                   "max_exponent",
		`{"max_exponent":51}`:                  "max_exponent",
	})
	for _, extreme := range []string{`{"min_base":-1e6,"max_base":-1e6,"min_exponent":50,"max_exponent":50}`, `{"min_base":0,"max_base":0.0001,"min_exponent":50,"max_exponent":50}`} {
		own, err := powerFunction.Task().With([]byte(extreme))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			if item := tasktest.Made[powerFunctionItem](t, own, 0, i); task.Check(item) != nil || item.Score(item.Solve()).Score != 1 {
				t.Errorf("%+v", item)
			}
		}
	}
}

var powerRE = regexp.MustCompile(`([\d.]+|\(-[\d.]+\))\^(-?\d+)`)

// The second solver reads the prompt, computes with exact fractions, and demands that the
// answer is nearer than any other number of three digits.
func TestPowerFunctionSecond(t *testing.T) {
	tasktest.Second(t, powerFunction.Task(), 1200, func(_ powerFunctionItem, prompt, got string) error {
		asked := powerRE.FindStringSubmatch(prompt)
		base, ok := new(big.Rat).SetString(strings.Trim(asked[1], "()"))
		exponent, err := strconv.Atoi(asked[2])
		if err != nil || !ok {
			return fmt.Errorf("the prompt is %q", prompt)
		}
		if exponent < 0 {
			base.Inv(base)
			exponent = -exponent
		}
		want := big.NewRat(1, 1)
		for range exponent {
			want.Mul(want, base)
		}
		value, ok := new(big.Rat).SetString(got)
		if !ok || !regexp.MustCompile(`^-?[1-9]\.\d\de[+-]\d+$`).MatchString(got) {
			return fmt.Errorf("solution %s", got)
		}
		_, size, _ := strings.Cut(got, "e")
		unit, _ := new(big.Rat).SetString("0.005e" + size)
		if far := value.Sub(value, want); far.Abs(far).Cmp(unit) >= 0 {
			return fmt.Errorf("solution %s, want %s", got, want.FloatString(30))
		}
		return nil
	})
}

func TestPowerFunctionKeys(t *testing.T) {
	tasktest.Variant(t, powerFunction.Task(), "the opposite base", func(p *powerFunctionItem, _ *rng.Rand) func(string) string {
		p.Base = -p.Base
		if p.Exponent%2 == 0 {
			return nil
		}
		p.Solution = -p.Solution
		return opposite
	})
	tasktest.Translated(t, powerFunction.Task(), func(solution string, from, to powerFunctionItem) string {
		if from.Base*to.Base < 0 && from.Exponent%2 != 0 {
			solution = opposite(solution)
		}
		places := to.Exponent * int(math.Round(math.Log10(math.Abs(to.Base/from.Base))))
		digits, exponent, _ := strings.Cut(solution, "e")
		n, _ := strconv.Atoi(exponent)
		return fmt.Sprintf("%se%+d", digits, n+places)
	})
	tasktest.Other(t, powerFunction.Task(), "the reciprocal", func(p *powerFunctionItem) {
		p.Exponent = -p.Exponent
		p.Solution = power(p.Base, p.Exponent)
	})
}

// opposite changes the sign of a number.
func opposite(number string) string {
	if positive, negative := strings.CutPrefix(number, "-"); negative {
		return positive
	}
	return "-" + number
}
