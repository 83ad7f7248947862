// Package starter is the model in the box: which problems it is made for, its sizes,
// how it is warmed up, its weights, and how it is trained in a folder.
package starter

import (
	_ "embed" // the weights
	"encoding/json"

	"github.com/quintain-rl/quintain/policy/tiny"
	"github.com/quintain-rl/quintain/transformer"
)

// A Choice is a task at parameters of its own.
type Choice struct {
	Task   string
	Params json.RawMessage
}

// Mix returns the problems that the starter is made for: seven tasks, as easy as a
// model of its size can learn in minutes, but for the sums, which stay hard for it.
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

// weights is the file that quintain pretrain writes.
//
//go:embed starter.weights
var weights string

// Load returns the embedded starter, a copy of its own for each caller.
func Load() (*transformer.Checkpoint, error) { return tiny.ReadWeights([]byte(weights)) }
