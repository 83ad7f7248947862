package mathverify

import (
	"context"
	"errors"
)

// A Pair is an answer with its reference, as it comes in JSON.
type Pair struct {
	Gold   *string `json:"gold"`   // the reference, as data sets write it
	Answer *string `json:"answer"` // any text, in which the final answer is found; null: there is none
}

// Verify compares the pair. It is an error if there is no gold.
func (p Pair) Verify(ctx context.Context) (Verdict, error) {
	if p.Gold == nil {
		return Verdict{}, errors.New("gold is missing: give the reference answer as text")
	}
	if p.Answer == nil {
		return Verdict{Reason: NoAnswer}, nil
	}
	return Verify(ctx, *p.Gold, *p.Answer), nil
}
