// Package starter is the embedded model: the problems that it is made for, its sizes,
// its warm-up, its weights, and its training, which is kept in a checkpoint file.
package starter

import (
	_ "embed" // the weights
	"encoding/json"

	"github.com/quintain-rl/quintain/policy/tiny"
	"github.com/quintain-rl/quintain/transformer"
)

// A Choice is a task with its own parameters.
type Choice struct {
	Task   string
	Params json.RawMessage
}

// Mix returns the problems that the starter is made for: seven tasks, easy enough for a
// model of its size to learn in minutes, except for the sums, which stay hard.
func Mix() []Choice {
	return []Choice{
		{"chain_sum", json.RawMessage(`{"min_terms":2,"max_terms":2,"min_digits":1,"max_digits":2}`)},
		{"letter_counting", json.RawMessage(`{"min_words":1,"max_words":1}`)},
		{"number_sorting", json.RawMessage(`{"min_numbers":3,"max_numbers":3,"min_decimals":0,"max_decimals":0,"min_value":0,"max_value":9}`)},
		{"palindrome_generation", json.RawMessage(`{"min_length":3,"max_length":5}`)},
		{"rotate_matrix", json.RawMessage(`{"min_n":2,"max_n":2,"min_rotations":1,"max_rotations":3}`)},
		{"spell_backward", json.RawMessage(`{"min_word_len":3,"max_word_len":5}`)},
		{"spiral_matrix", json.RawMessage(`{"min_n":2,"max_n":3}`)},
	}
}

// Ladder returns the problems that the starter is trained on: the tasks of [Mix], each at
// several levels, which stand next to each other, the easiest first. Together the levels
// are those of the mix and some that are harder.
func Ladder() (all []Choice) {
	add := func(task string, levels ...string) {
		for _, params := range levels {
			all = append(all, Choice{task, json.RawMessage(params)})
		}
	}
	add("chain_sum",
		`{"min_terms":2,"max_terms":2,"min_digits":1,"max_digits":1}`,
		`{"min_terms":2,"max_terms":2,"min_digits":1,"max_digits":2}`)
	add("letter_counting",
		`{"min_words":1,"max_words":1}`,
		`{"min_words":2,"max_words":2}`)
	add("number_sorting",
		`{"min_numbers":3,"max_numbers":3,"min_decimals":0,"max_decimals":0,"min_value":0,"max_value":9}`,
		`{"min_numbers":4,"max_numbers":4,"min_decimals":0,"max_decimals":0,"min_value":0,"max_value":9}`)
	add("palindrome_generation",
		`{"min_length":3,"max_length":3}`,
		`{"min_length":4,"max_length":4}`,
		`{"min_length":5,"max_length":5}`,
		`{"min_length":6,"max_length":6}`)
	add("rotate_matrix",
		`{"min_n":2,"max_n":2,"min_rotations":1,"max_rotations":1}`,
		`{"min_n":2,"max_n":2,"min_rotations":1,"max_rotations":3}`,
		`{"min_n":3,"max_n":3,"min_rotations":1,"max_rotations":1}`)
	add("spell_backward",
		`{"min_word_len":3,"max_word_len":3}`,
		`{"min_word_len":4,"max_word_len":4}`,
		`{"min_word_len":5,"max_word_len":5}`,
		`{"min_word_len":6,"max_word_len":6}`)
	add("spiral_matrix",
		`{"min_n":2,"max_n":2}`,
		`{"min_n":3,"max_n":3}`)
	return all
}

// weights is a file written by quintain pretrain.
//
//go:embed starter.weights
var weights string

// Load returns the embedded starter. Each caller gets its own copy.
func Load() (*transformer.Checkpoint, error) { return tiny.ReadWeights([]byte(weights)) }
