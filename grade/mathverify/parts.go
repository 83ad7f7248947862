package mathverify

import (
	"math/big"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/grade/mathverify/expr"
	"github.com/quintain-rl/quintain/internal/compiled"
)

// A part is a value with what it is of, as in "Paolo: 18" or "7 goats".
type part struct {
	label, value string
	counted      bool // the label stands behind the value
}

var (
	labelled = compiled.Regexp(`^([A-Za-z][A-Za-z'’ ]{0,30}?(?: \d{1,2})? ?:|[A-Z][a-z]+ (?:has|gets|got|is) ) ?(.*)$`)
	suffix   = compiled.Regexp(` ?:$| [a-z]+ $`)
	counted  = compiled.Regexp(`^(\d[\d.,/]*) ([a-z][a-z -]{2,40})$`)
	setApart = compiled.Regexp(`\\(?:text|textbf|textit|textrm|mathrm|mbox)\s*\{([^{}]*)\}|\\[ ,;:!]|\\q?quad\b`)
	concerns = compiled.Regexp(`(?i)\b(?:answer|solution|result|value)$`)
)

// partsOf returns the parts of an answer if each has a name of its own; nil for anything else.
func partsOf(text string) (parts []part) {
	worded := strings.Contains(text, `\text`) || strings.Contains(text, ":") || strings.IndexByte(text, '\\') < 0 && strings.ContainsAny(text, "eghist")
	if len(text) > maxNormal || !worded || !strings.ContainsAny(text, ":,;") && !strings.Contains(text, "and") {
		return nil
	}
	plain := strings.NewReplacer("$", "", "*", "", "~", " ").Replace(setApart().ReplaceAllString(text, " $1 "))
	all := pieces(strings.Join(strings.Fields(strings.ReplaceAll(plain, ";", ", ")), " "))
	for i, piece := range all {
		if m := labelled().FindStringSubmatch(piece); m != nil && !concerns().MatchString(suffix().ReplaceAllString(m[1], "")) {
			parts = append(parts, part{label: strings.ToLower(suffix().ReplaceAllString(m[1], "")), value: m[2]})
		} else if m := counted().FindStringSubmatch(piece); m != nil && !mayHaveUnit(text) {
			parts = append(parts, part{m[2], m[1], true})
		} else if i > 0 && !parts[len(parts)-1].counted {
			parts[len(parts)-1].value += ", " + piece
		} else {
			return nil
		}
	}
	return parts
}

// sameParts compares answers of which at least one has named parts: part by part if both have names, else in
// their order. The order does not count for a reference of three numbers or more that are sorted.
func sameParts(c *comparison) (same, sure bool) {
	g, a := partsOf(c.goldText), partsOf(c.answerText)
	if len(g) < 2 && len(a) < 2 {
		return false, false
	}
	if len(g) > 1 && len(a) > 1 {
		if len(g) != len(a) || slices.ContainsFunc(g, func(p part) bool { return !slices.ContainsFunc(a, func(q part) bool { return q.label == p.label }) }) {
			return false, false
		}
		slices.SortStableFunc(g, func(p, q part) int { return strings.Compare(p.label, q.label) })
		slices.SortStableFunc(a, func(p, q part) int { return strings.Compare(p.label, q.label) })
	}
	x, sorted := valuesOf(g, c.goldText)
	y, _ := valuesOf(a, c.answerText)
	if all := flat(expr.New(expr.List, y...)); len(g) == 0 && len(all.Args) > len(y) { // lists in parts
		c.reason = SameExact
		return c.sameMembers(expr.New(expr.List, x...), all), len(x) == len(all.Args)
	}
	if len(x) != len(y) || len(x) < 2 {
		return false, false
	}
	c.reason = SameExact
	if sorted && len(a) > 2 && !a[0].counted {
		return paired(x, y, c.same), true
	}
	for i := range x {
		if !c.same(sameNames(x[i], y[i])) {
			return false, true
		}
	}
	return true, true
}

// valuesOf returns the values of parts, or else the members of a list or a tuple; sorted reports that those are
// numbers in ascending or descending order.
func valuesOf(parts []part, text string) (values []*expr.Node, sorted bool) {
	for _, p := range parts {
		n, err := read(p.value)
		if err != nil {
			return nil, false
		}
		values = append(values, n)
	}
	if parts != nil {
		return values, false
	}
	n, err := read(text)
	if err != nil || n.Op != expr.List && n.Op != expr.Tuple {
		return nil, false
	}
	var numbers []*big.Rat
	for _, m := range n.Args {
		text, _ := rationalText(m)
		value, ok := new(big.Rat).SetString(text)
		if !ok {
			return n.Args, false
		}
		numbers = append(numbers, value)
	}
	up := slices.IsSortedFunc(numbers, (*big.Rat).Cmp)
	return n.Args, up || slices.IsSortedFunc(numbers, func(x, y *big.Rat) int { return y.Cmp(x) })
}
