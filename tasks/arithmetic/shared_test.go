package arithmetic

import (
	"regexp"
	"strings"

	"github.com/quintain-rl/quintain/task"
)

// pairs are two numbers that are added or multiplied: a whole expression, or in brackets.
var pairs = regexp.MustCompile(`(^|\()([0-9a-fx.]+) ([+*]) ([0-9a-fx.]+)($|\))`)

// exchanged exchanges the two numbers of each sum and product that stands by itself.
func exchanged(expression string) string { return pairs.ReplaceAllString(expression, "$1$4 $3 $2$5") }

// plus are two numbers that are added at the end of a chain.
var plus = regexp.MustCompile(` \+ ([0-9.]+) \+ ([0-9.]+)$`)

// moved exchanges the last two numbers of a chain if both are added.
func moved(chain string) string { return plus.ReplaceAllString(chain, " + $2 + $1") }

// numerals are the decimal numbers of an expression.
var numerals = regexp.MustCompile(`[0-9]+(\.[0-9]+)?`)

// tenfold multiplies the numbers of a chain by ten, and appends a zero to a whole answer.
func tenfold(chain string) (tens string, translate func(string) string) {
	tens = numerals.ReplaceAllStringFunc(chain, func(n string) string {
		whole, fraction, some := strings.Cut(n, ".")
		switch {
		case len(fraction) > 1:
			return whole + fraction[:1] + "." + fraction[1:]
		case some:
			return whole + fraction
		}
		return n + "0"
	})
	return tens, func(sum string) string { return sum + strings.Repeat("0", task.Bit(sum != "0")) }
}

// opposed changes the signs of all terms of a chain, and of its sum.
func opposed(chain string) (turned string, translate func(string) string) {
	turned, negative := strings.CutPrefix(strings.NewReplacer(" + ", " - ", " - ", " + ").Replace(chain), "-")
	if !negative {
		turned = "-" + turned
	}
	return turned, func(sum string) string {
		if sum == "0" {
			return sum
		}
		return opposite(sum)
	}
}
