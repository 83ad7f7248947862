package dataset

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/quintain-rl/quintain"
)

// packedPrompts is the column of a prompt's tokens, in the vocabulary of the policy's model
// and with its chat template, as in AReaL.
const packedPrompts = "packed_prompts"

// Tokens returns the tokens of the prompt of a problem of the set, which the caller must not
// change; nil: its row has none.
func (s *Set) Tokens(p quintain.Problem) []quintain.Token {
	r, err := readRecord(p)
	if err != nil {
		return nil
	}
	return r.Tokens
}

// tokens reads the tokens of a prompt; v is nil if the row has none.
func tokens(v any) (all []quintain.Token, err error) {
	if v == nil {
		return nil, nil
	}
	list, ok := v.([]any)
	if !ok || len(list) == 0 {
		return nil, fmt.Errorf("%s: want a list of tokens, one or more", packedPrompts)
	}
	for at, one := range list {
		number, ok := one.(json.Number)
		n, err := number.Int64()
		if !ok || err != nil || n < 0 || n > math.MaxInt32 {
			return nil, fmt.Errorf("%s: %.40v at %d is no token: want a whole number of 0 to %d", packedPrompts, one, at, math.MaxInt32)
		}
		all = append(all, quintain.Token(n))
	}
	return all, nil
}
