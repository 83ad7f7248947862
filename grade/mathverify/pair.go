package mathverify

import (
	"context"
	"errors"
)

// A Pair is an answer with its reference, in JSON.
type Pair struct {
	Gold   *string `json:"gold"`   // the reference, as datasets write it
	Answer *string `json:"answer"` // any text; its final answer counts; null: no answer
}

// Verify compares the pair. A missing gold is an error.
func (p Pair) Verify(ctx context.Context) (Verdict, error) {
	if p.Gold == nil {
		return Verdict{}, errors.New("gold is missing: give the reference answer as text")
	}
	if p.Answer == nil {
		return Verdict{Reason: NoAnswer}, nil
	}
	return Verify(ctx, *p.Gold, *p.Answer), nil
}
