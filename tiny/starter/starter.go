// Package starter is the embedded model: its problems, its sizes, its warm-up, its
// weights, and its training, with a checkpoint file.
package starter

import (
	_ "embed" // the weights
	"encoding/json"
	"fmt"
	"math"
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

// Ladder returns the starter's problems: seven tasks, each at several adjacent levels, the
// easiest first. The levels of a task together have the weight 1.
func Ladder() []Choice {
	sums := at(1, "chain_sum", sum(2, 1, 2), sum(3, 1, 1), sum(2, 2, 2), sum(3, 1, 2), sum(2, 3, 3))
	return append(sums, others()...)
}

// Lessons returns the problems of the starter's warm-up: those of the ladder, but other
// sums, which are three of four problems. Only 155 questions have two terms of one digit: a
// model learns them by heart if they are alone, and learns to add with the others.
func Lessons() []Choice {
	sums := at(18, "chain_sum", sum(2, 1, 1), sum(2, 1, 2), sum(3, 1, 1), sum(2, 2, 2), sum(3, 1, 2))
	all := slices.Concat(sums, others())
	for i := range all { // as a file of settings has them, so that a file repeats the warm-up
		all[i].Weight = math.Round(1e6*all[i].Weight) / 1e6
	}
	return all
}

// others returns the problems of all tasks but the sums.
func others() []Choice {
	return slices.Concat(
		at(1, "letter_counting", from(`"min_words":%d,"max_words":%[1]d`, 1, 5)...),
		at(1, "number_sorting", from(`"min_numbers":%d,"max_numbers":%[1]d,"min_decimals":0,"max_decimals":0,"min_value":0,"max_value":9`, 2, 8)...),
		at(1, "palindrome_generation", from(`"min_length":%d,"max_length":%[1]d`, 3, 8)...),
		at(1, "rotate_matrix", rotation(2, 1), rotation(2, 3), rotation(3, 1), rotation(3, 3), rotation(4, 1), rotation(4, 3)),
		at(1, "spell_backward", append(from(spelling, 3, 12), from(spelling, 14, 14)[0], from(spelling, 16, 16)[0])...),
		at(1, "spiral_matrix", from(`"min_n":%d,"max_n":%[1]d`, 2, 4)...),
	)
}

// at returns a task at the levels, which together have the weight.
func at(weight float64, task string, levels ...string) (all []Choice) {
	for _, params := range levels {
		all = append(all, Choice{task, json.RawMessage(params), weight / float64(len(levels))})
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

const spelling = `"min_word_len":%d,"max_word_len":%[1]d`

// from returns a level for each size from least to most, with the parameters of form.
func from(form string, least, most int) (levels []string) {
	for n := least; n <= most; n++ {
		levels = append(levels, "{"+fmt.Sprintf(form, n)+"}")
	}
	return levels
}

// weights is a file written by quintain pretrain.
//
//go:embed starter.weights
var weights string

// Load returns the embedded starter. Each caller gets its own copy.
func Load() (*transformer.Checkpoint, error) { return tiny.ReadWeights([]byte(weights)) }
