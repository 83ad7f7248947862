package starter

import (
	"context"
	"errors"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/learn"
	"github.com/quintain-rl/quintain/policy/tiny"
	"github.com/quintain-rl/quintain/transformer"
)

// A WarmUp makes a model that knows the form of the answers, and some of them, by
// imitation of the tasks' own solutions.
type WarmUp struct {
	Sizes   transformer.Config
	Seed    uint64 // of the parameters at the beginning
	Updates int
	Batch   int // examples of an update
}

// DefaultWarmUp returns the warm-up that made the embedded weights.
func DefaultWarmUp() WarmUp { return WarmUp{Sizes: Sizes(), Seed: 1, Updates: 600, Batch: 96} }

// Make makes the model. Next gives the examples; told is called after every
// update with its number, from 1, and its loss. The same examples give the same
// model, bit for bit, in the same build of the program. When ctx is done, the
// error is its cause.
func (w WarmUp) Make(ctx context.Context, next func(context.Context) (learn.Sequence, error), told func(update int, loss float64)) (*transformer.Model, error) {
	model, err := transformer.New(w.Sizes, w.Seed)
	if err != nil {
		return nil, err
	}
	settings := learn.Default()
	settings.LearningRate, settings.WarmUp = 4e-3, 50
	learner, err := learn.New(model, nil, settings)
	if err != nil {
		return nil, err
	}
	batch := make([]learn.Sequence, w.Batch)
	for update := range w.Updates {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		for i := range batch {
			if batch[i], err = next(ctx); err != nil {
				return nil, err
			}
		}
		metrics, err := learner.Imitate(batch)
		if err != nil {
			return nil, err
		}
		told(update+1, metrics.Loss)
	}
	return model, nil
}

// Example returns the conversation that s opens about p as a sequence to imitate:
// the reply is the solution between answer tags, and it alone is trained on.
func Example(ctx context.Context, s quintain.Scenario, p quintain.Problem, solution string) (q learn.Sequence, err error) {
	env, err := s.Env(p)
	if err != nil {
		return q, err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	opening, err := env.Open(ctx)
	if err != nil {
		return q, err
	}
	prompt, err := tiny.Read(quintain.Request{Messages: opening, N: 1})
	if err != nil {
		return q, err
	}
	reply := append(tiny.Encode("<answer>"+solution+"</answer>"), tiny.End)
	q.Tokens = append(q.Tokens, prompt...)
	for range prompt {
		q.Masks = append(q.Masks, quintain.Untrained)
	}
	for _, token := range reply {
		q.Tokens, q.Masks = append(q.Tokens, token), append(q.Masks, int32(token))
	}
	return q, nil
}
