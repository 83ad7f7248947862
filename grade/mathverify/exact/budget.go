package exact

import (
	"context"
	"errors"
)

// The errors of this package and of its fellow users of a [Budget].
var (
	ErrBudget    = errors.New("it takes too many steps")
	ErrUndefined = errors.New("it has no value")
	ErrForm      = errors.New("it has no normal form")
)

// Ended reports whether an error says that a [Budget] ran out or its context ended.
func Ended(err error) bool {
	return errors.Is(err, ErrBudget) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// A Budget bounds the work on one question. A step is a small operation of about 0.1 to 1
// µs. It is not safe for concurrent use.
type Budget struct {
	ctx  context.Context //nolint:containedctx // a budget lives as long as the call it is for
	left int
}

// NewBudget returns a budget of steps that also ends with ctx.
func NewBudget(ctx context.Context, steps int) *Budget { return &Budget{ctx, steps} }

// checkEvery is how many steps pass between two checks of the context.
const checkEvery = 1 << 12

// Spend takes steps from the budget. It returns ErrBudget if too few are left, and the
// context's error once that ends.
func (b *Budget) Spend(steps int) error {
	before := b.left
	if b.left -= max(steps, 1); b.left < 0 {
		b.left = 0
		return ErrBudget
	}
	if before/checkEvery != b.left/checkEvery {
		return b.ctx.Err()
	}
	return nil
}

// Part returns a budget of at most steps from the remainder, and a function that charges
// its spending to b.
func (b *Budget) Part(steps int) (part *Budget, done func()) {
	steps = min(steps, b.left)
	part = &Budget{b.ctx, steps}
	return part, func() { b.left -= steps - part.left }
}
