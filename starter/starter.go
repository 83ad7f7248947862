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

// weights is a file written by quintain pretrain.
//
//go:embed starter.weights
var weights string

// Load returns the embedded starter. Each caller gets its own copy.
func Load() (*transformer.Checkpoint, error) { return tiny.ReadWeights([]byte(weights)) }
