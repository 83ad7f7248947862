package graphs

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/answer"
)

// mostCredit is the score that a solution comes near to, the nearer it is to the best.
const mostCredit = 0.5

// graded scores a solution by its cost; less is better. The best scores 1. Any other earns
// the share of the way from the trivial solution to the best, at half the price. The trivial
// solution earns nothing, nor does any that is no better.
func graded(what string, cost, best int, trivial func() int) quintain.Verdict {
	if cost <= best {
		return quintain.Right()
	}
	reason := fmt.Sprintf("%s is %d, and %d is possible", what, cost, best)
	most := trivial()
	if cost >= most {
		return quintain.Wrong(reason)
	}
	return quintain.Partial(mostCredit*float64(most-cost)/float64(most-best), reason)
}

// mostTries limits the draws of a problem whose trivial solution is not the best.
const mostTries = 200

// readNames reads an answer that lists names of one letter, the first n of the alphabet, each at
// most once. They may be separated by space, commas, semicolons and arrows.
func readNames(text string, n int) (picked []int, fault string) {
	const longest = 1000
	if len(text) > longest {
		return nil, fmt.Sprintf("the answer has %d bytes, want at most %d", len(text), longest)
	}
	seen := make([]bool, n)
	text = strings.NewReplacer(",", " ", ";", " ", "->", " ", "→", " ", "-", " ").Replace(strings.TrimSuffix(answer.Trim(text), "."))
	for _, name := range answer.Fields(text) {
		if len(name) != 1 || name[0] < 'A' || int(name[0]-'A') >= n {
			return nil, fmt.Sprintf("%q is not one of the names A to %s", name, letter(n-1))
		}
		i := int(name[0] - 'A')
		if seen[i] {
			return nil, fmt.Sprintf("%s occurs twice", name)
		}
		seen[i] = true
		picked = append(picked, i)
	}
	if len(picked) == 0 {
		return nil, "the answer is empty"
	}
	return picked, ""
}

// letter returns the name of number i.
func letter(i int) string { return string(rune('A' + i)) }

// writeNames is the reverse of readNames.
func writeNames(picked []int) string {
	names := make([]string, len(picked))
	for i, p := range picked {
		names[i] = letter(p)
	}
	return strings.Join(names, " ")
}

// splitList returns the parts of a text between commas, semicolons and line breaks. A full stop may
// end it.
func splitList(text string) []string {
	text = strings.TrimSuffix(answer.Trim(text), ".")
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ';' || r == '\n' })
}
