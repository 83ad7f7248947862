package codegrade

import (
	"context"
	"errors"
)

// asserts judges the program by tests that call it.
func (j *judgement) asserts(context.Context, int) (Outcome, error) {
	return Outcome{}, errors.New("asserts: not yet")
}
