package arithmetic

import (
	"slices"
	"strings"
)

// commuted sorts the numbers of an expression that only adds, or only multiplies, them: who
// knows 3 + 5 knows 5 + 3. It returns any other expression without its spaces.
func commuted(expression string) string {
	text := strings.ReplaceAll(expression, " ", "")
	for _, sign := range []string{"+", "*"} {
		numbers := strings.Split(text, sign)
		if len(numbers) > 1 && !strings.ContainsAny(strings.Join(numbers, ""), "+-*/()") {
			slices.Sort(numbers)
			return strings.Join(numbers, sign)
		}
	}
	return text
}
