package arithmetic

import (
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestProductsScore(t *testing.T) {
	item := productsItem{NumTerms: 2, NumDigits: 2, Expression: "-45 * 37"}
	tasktest.Nears(t, products.Scorer(item), []tasktest.Near{
		{"-1665", 1, ""},
		{" -1,665\n", 1, "space and commas are free"},
		{"-1665.0", 1, "and other spellings of the same number"},
		{"-1.665e3", 1, ""},
		{"1665", 0, "the sign is lost"},
		{"-1664", 0, "off by one"},
		{"-166", 0, "a digit short"},
		{"-45 * 37 = -1665", 0, "reasoning-gym pays for any text that contains the answer"},
		{"-45 * 37", 0, "the question itself"},
		{"-8", 0, "the sum"},
	})
	for _, bad := range []productsItem{
		{Expression: ""}, {Expression: "2 *"}, {Expression: "2 * "}, {Expression: "2 ** 3"}, {Expression: "+2 * 3"},
		{Expression: "2 * 3 + 4"}, {Expression: "0x2 * 3"}, {Expression: "1_0 * 3"},
		{Expression: strings.Repeat("2 * ", 10_000) + "2"},
	} {
		if task.Check(bad) == nil {
			t.Errorf("%+.60v is accepted", bad)
		}
	}
}

func TestMultiply(t *testing.T) {
	for _, test := range []struct{ text, want, why string }{
		{"7", "7", "one factor"},
		{"0 * 5", "0", "reasoning-gym has zeros"},
		{"2147483647 * 2147483647", "4611686014132420609", "as large as machine numbers get"},
		{"2147483648 * -2147483648 * 2", "-9223372036854775808", "one more"},
		{"99999999999999999999 * -10", "-999999999999999999990", "a factor beyond 64 bits"},
		{"9223372036854775807 * 1", "9223372036854775807", ""},
	} {
		if got, ok := (productsItem{Expression: test.text}).product(); got.String() != test.want || !ok {
			t.Errorf("%s = %s, %v; want %s (%s)", test.text, got, ok, test.want, test.why)
		}
	}
}

var factorRE = regexp.MustCompile(`-?\d+`)

// The second solver reads the prompt and multiplies in another order.
func TestProductsSecond(t *testing.T) {
	tasktest.Second(t, products.Task(), 1200, func(item productsItem, prompt, got string) error {
		product, factors := big.NewInt(1), factorRE.FindAllString(prompt, -1)
		for i := range factors {
			n, ok := new(big.Int).SetString(factors[len(factors)-1-i], 10)
			if !ok || n.IsInt64() && n.Int64() >= -1 && n.Int64() <= 1 {
				return fmt.Errorf("factor %s", n)
			}
			product.Mul(n, product)
		}
		if want := product.String(); got != want || len(factors) != item.NumTerms {
			return fmt.Errorf("solution %s, want %s", got, want)
		}
		return nil
	})
}

func TestProductsKeys(t *testing.T) {
	tasktest.Variant(t, products.Task(), "ten times the first factor", func(p *productsItem, _ *rng.Rand) func(string) string {
		p.Expression = strings.Replace(p.Expression, " * ", "0 * ", 1)
		return func(product string) string { return product + "0" }
	})
	tasktest.Variant(t, products.Task(), "two factors exchanged", func(p *productsItem, _ *rng.Rand) func(string) string {
		p.Expression = exchanged(p.Expression)
		return nil
	})
	tasktest.Same(t, products.Task(), "the order of the factors is free", func(p *productsItem) {
		if factors := strings.Split(p.Expression, " * "); !strings.Contains(p.Expression, "-") {
			slices.Reverse(factors)
			p.Expression = strings.Join(factors, " * ")
		}
	})
}
