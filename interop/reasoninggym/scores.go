package reasoninggym

import (
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Score returns the score of an answer to e, 0 to 1; nil is no answer. Where reasoning-gym
// raises an exception, it is 0. An error means that e is unreadable, or of an unknown family.
func Score(e Entry, answer *string) (float64, error) {
	var source struct {
		Name string `json:"source_dataset"`
	}
	if err := strictjson.Unmarshal(e.Metadata, &source); err != nil {
		return 0, fmt.Errorf("metadata: %w", err)
	}
	f, known := families(source.Name)
	if !known {
		return 0, fmt.Errorf("metadata.source_dataset: reasoning-gym has no %q", source.Name)
	}
	if answer == nil {
		return f.none, nil
	}
	of := &item{metadata: e.Metadata, solved: e.Answer != nil}
	if of.solved {
		of.oracle = *e.Answer
	}
	score := f.score(of, *answer)
	if of.fault != nil {
		return 0, of.fault
	}
	return max(0, min(score, 1)), nil
}

// Known reports whether reasoning-gym has the family.
func Known(family string) bool {
	_, known := families(family)
	return known
}

// A family is how the answers to its entries are scored.
type family struct {
	score func(of *item, answer string) float64
	none  float64 // the score of no answer
}

// An item is an entry as its scorer sees it.
type item struct {
	oracle   string // the stored answer
	solved   bool   // there is one
	metadata []byte
	fault    error
}

// read decodes the metadata into v, and reports whether they fit.
func (of *item) read(v any) bool {
	if err := strictjson.Unmarshal(of.metadata, v); err != nil {
		of.fault = fmt.Errorf("metadata: %w", err)
		return false
	}
	return true
}

// spoil says that the metadata make no sense.
func (of *item) spoil(text string) float64 {
	of.fault = errors.New("metadata: " + text)
	return 0
}

// oneIf returns 1 if right, else rest.
func oneIf(right bool, rest float64) float64 {
	if right {
		return 1
	}
	return rest
}

// part returns share if is.
func part(is bool, share float64) float64 {
	if is {
		return share
	}
	return 0
}
