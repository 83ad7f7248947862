// Package starter is the model in the box: which problems it is made for, its
// sizes, how it is warmed up, and its weights, ready to be trained on.
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

// Mix returns the problems that the starter is made for: six tasks, as easy as a
// model of its size can learn in minutes.
func Mix() []Choice {
	return []Choice{
		{"base_conversion", json.RawMessage(`{"min_base":2,"max_base":4,"min_value":0,"max_value":31}`)},
		{"caesar_cipher", json.RawMessage(`{"min_words":1,"max_words":1,"min_rotation":1,"max_rotation":1}`)},
		{"chain_sum", json.RawMessage(`{"min_terms":2,"max_terms":2,"min_digits":1,"max_digits":1}`)},
		{"letter_counting", json.RawMessage(`{"min_words":1,"max_words":1}`)},
		{"number_sorting", json.RawMessage(`{"min_numbers":3,"max_numbers":3,"min_decimals":0,"max_decimals":0,"min_value":0,"max_value":9}`)},
		{"spell_backward", json.RawMessage(`{"min_word_len":3,"max_word_len":4}`)},
	}
}

// Sizes returns the sizes of the starter.
func Sizes() transformer.Config {
	return transformer.Config{Vocab: tiny.Size, Context: 64, Layers: 2, Width: 64, Heads: 4, Hidden: 256}
}

// weights is the file that quintain pretrain writes.
//
//go:embed starter.weights
var weights string

// Load returns the embedded starter, a copy of its own for each caller.
func Load() (*transformer.Checkpoint, error) { return tiny.ReadWeights([]byte(weights)) }
