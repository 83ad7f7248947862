package arithmetic

import "regexp"

// pairs are two numbers that are added or multiplied: a whole expression, or in brackets.
var pairs = regexp.MustCompile(`(^|\()([0-9a-fx.]+) ([+*]) ([0-9a-fx.]+)($|\))`)

// exchanged exchanges the two numbers of each sum and product that stands by itself.
func exchanged(expression string) string { return pairs.ReplaceAllString(expression, "$1$4 $3 $2$5") }

// plus are two numbers that are added at the end of a chain.
var plus = regexp.MustCompile(` \+ ([0-9.]+) \+ ([0-9.]+)$`)

// moved exchanges the last two numbers of a chain if both are added.
func moved(chain string) string { return plus.ReplaceAllString(chain, " + $2 + $1") }
