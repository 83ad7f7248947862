package starter

import (
	"fmt"
	"slices"
)

// LanguageLadder returns the problems of a run of a language model without tasks: sums of short numbers, which a small model
// begins to learn at once, and words in reverse. Each task has the weight 1, and its levels begin with the easiest. A
// level has more than a thousand questions to train on and more than 64 that are held out, so that it is not learned by
// heart; and no answer is right for a tenth of them, since a model learns to give such an answer to everything.
func LanguageLadder() []Choice {
	return slices.Concat(
		at("basic_arithmetic", calculation),
		at("chain_sum", chain(2, 4, 1), chain(2, 3, 2)),
		at("word_sequence_reversal", from(`"min_words":%d,"max_words":%[1]d`, 2, 4)...),
	)
}

// calculation is the level of expressions with + - * and two or three numbers of one digit.
const calculation = `{"min_terms":2,"max_terms":3,"min_digits":1,"max_digits":1,"operators":["+","-","*"],` +
	`"allow_parentheses":false,"allow_negation":false,"format_style":"simple","whitespace":"single"}`

// chain returns the level of sums with least to most terms, of up to so many digits.
func chain(least, most, digits int) string {
	return fmt.Sprintf(`{"min_terms":%d,"max_terms":%d,"min_digits":1,"max_digits":%d}`, least, most, digits)
}
