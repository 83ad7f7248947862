// Package starter is the embedded model: its problems, its sizes, its warm-up, its
// weights, and its training, with a checkpoint file.
package starter

import (
	_ "embed" // the weights
	"encoding/json"
	"fmt"

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
func Ladder() (all []Choice) {
	add := func(task string, levels ...string) {
		for _, params := range levels {
			all = append(all, Choice{task, json.RawMessage(params), 1 / float64(len(levels))})
		}
	}
	add("chain_sum",
		`{"min_terms":2,"max_terms":2,"min_digits":1,"max_digits":1}`,
		`{"min_terms":3,"max_terms":3,"min_digits":1,"max_digits":1}`,
		`{"min_terms":2,"max_terms":2,"min_digits":1,"max_digits":2}`)
	add("letter_counting", from(`"min_words":%d,"max_words":%[1]d`, 1, 3)...)
	add("number_sorting", from(`"min_numbers":%d,"max_numbers":%[1]d,"min_decimals":0,"max_decimals":0,"min_value":0,"max_value":9`, 2, 6)...)
	add("palindrome_generation", from(`"min_length":%d,"max_length":%[1]d`, 3, 8)...)
	add("rotate_matrix",
		`{"min_n":2,"max_n":2,"min_rotations":1,"max_rotations":1}`,
		`{"min_n":2,"max_n":2,"min_rotations":1,"max_rotations":3}`,
		`{"min_n":3,"max_n":3,"min_rotations":1,"max_rotations":1}`,
		`{"min_n":3,"max_n":3,"min_rotations":1,"max_rotations":3}`)
	add("spell_backward", from(`"min_word_len":%d,"max_word_len":%[1]d`, 3, 12)...)
	add("spiral_matrix", from(`"min_n":%d,"max_n":%[1]d`, 2, 3)...)
	return all
}

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
