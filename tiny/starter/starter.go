// Package starter is the embedded model: its problems, its sizes, its warm-up, its
// weights, and its training, with a checkpoint file.
package starter

import (
	_ "embed" // the weights
	"encoding/json"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// A Choice is a task with its own parameters.
type Choice struct {
	Task   string
	Params json.RawMessage
	Weight float64 // share of the problems, relative to the others
}

// Ladder returns the problems of a run without tasks. For a game they are its levels; for
// the other scenarios there are six tasks, each at several adjacent levels, the easiest first. The levels of a task together have the weight 1. The first sums
// have one or two digits: only 155 questions have two terms of one digit, too few to learn
// more than the questions. Palindromes are among the lessons alone: it matters only how often each letter occurs, so of
// those with three to eight letters one question is held out.
func Ladder(scenario string) []Choice {
	if of, ok := games[scenario]; ok {
		return of.ladder
	}
	return slices.Concat(
		at("chain_sum", sum(2, 1, 2), sum(3, 1, 1), sum(2, 2, 2), sum(3, 1, 2), sum(2, 3, 3)),
		at("letter_counting", from(counting, 1, 5)...),
		at("number_sorting", from(sorting, 2, 8)...),
		at("rotate_matrix", rotation(2, 1), rotation(2, 3), rotation(3, 1), rotation(3, 3), rotation(4, 1), rotation(4, 3)),
		at("spell_backward", append(from(spelling, 3, 12), from(spelling, 14, 14)[0], from(spelling, 16, 16)[0])...),
		at("spiral_matrix", from(spiral, 2, 4)...),
	)
}

// Lessons returns the problems of the warm-up that made the embedded weights: easier ones
// of the same tasks, so that the run has something to teach.
func Lessons(scenario string) []Choice {
	if of, ok := games[scenario]; ok {
		return of.lessons
	}
	return slices.Concat(
		at("chain_sum", sum(2, 1, 1), sum(3, 1, 1), sum(2, 1, 2)),
		at("letter_counting", from(counting, 1, 3)...),
		at("number_sorting", from(sorting, 2, 6)...),
		at("palindrome_generation", from(palindrome, 3, 8)...),
		at("rotate_matrix", rotation(2, 1), rotation(2, 3), rotation(3, 1), rotation(3, 3)),
		at("spell_backward", from(spelling, 3, 12)...),
		at("spiral_matrix", from(spiral, 2, 3)...),
	)
}

// at returns a task at the levels, which together have the weight 1.
func at(task string, levels ...string) (all []Choice) {
	for _, params := range levels {
		all = append(all, Choice{task, json.RawMessage(params), 1 / float64(len(levels))})
	}
	return all
}

// sum returns the level of sums with so many terms of least to most digits.
func sum(terms, least, most int) string {
	return fmt.Sprintf(`{"min_terms":%d,"max_terms":%[1]d,"min_digits":%d,"max_digits":%d}`, terms, least, most)
}

// rotation returns the level of square matrices of a size with 1 to most rotations.
func rotation(size, most int) string {
	return fmt.Sprintf(`{"min_n":%d,"max_n":%[1]d,"min_rotations":1,"max_rotations":%d}`, size, most)
}

// Parameters of a level of one size.
const (
	counting   = `"min_words":%d,"max_words":%[1]d`
	sorting    = `"min_numbers":%d,"max_numbers":%[1]d,"min_decimals":0,"max_decimals":0,"min_value":0,"max_value":9`
	palindrome = `"min_length":%d,"max_length":%[1]d`
	spelling   = `"min_word_len":%d,"max_word_len":%[1]d`
	spiral     = `"min_n":%d,"max_n":%[1]d`
)

// from returns a level for each size from least to most, with the parameters of form.
func from(form string, least, most int) (levels []string) {
	for n := least; n <= most; n++ {
		levels = append(levels, "{"+fmt.Sprintf(form, n)+"}")
	}
	return levels
}

// weights is a file written by tiny/pretrain.
//
//go:embed starter.weights
var weights string

// Load returns the embedded starter of a scenario: that of the game, or of the default run.
// Each caller gets its own copy.
func Load(scenario string) (*transformer.Checkpoint, error) {
	if of, ok := games[scenario]; ok {
		return tiny.ReadWeights([]byte(of.weights), nil)
	}
	return tiny.ReadWeights([]byte(weights), nil)
}
