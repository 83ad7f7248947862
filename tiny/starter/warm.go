package starter

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// A WarmUp builds a model by imitating the tasks' own solutions. The model learns the
// form of the answers, and some right answers.
type WarmUp struct {
	Sizes   transformer.Config
	Seed    uint64 // seed of the initial parameters
	Updates int
	Batch   int // examples per update

	// Path is a file for an unfinished warm-up, so that the next one continues it; Make
	// removes it at the end. Empty: an interruption loses the warm-up.
	Path string

	// Next returns the next example. Every warm-up must get the same examples in the
	// same order.
	Next func(context.Context) (tiny.Sequence, error)

	// Told is called after every update with its number, from 1, and its loss. Nil: not
	// called.
	Told func(update int, loss float64)
}

// DefaultWarmUp returns the warm-up of the embedded weights for a scenario, without examples.
func DefaultWarmUp(scenario string) WarmUp {
	sizes := DefaultSizes()
	warm := WarmUp{Sizes: sizes.Config(), Seed: 1, Updates: 800, Batch: 96}
	if of, ok := games[scenario]; ok {
		warm.Sizes.Context, warm.Updates, warm.Batch = of.context, of.updates, 48
	}
	return warm
}

// updateNote is the note of an unfinished warm-up with the number of updates done.
const updateNote = "warm_up.updates"

// Make builds the model. The same examples give the same model, bit for bit, in the same
// build of the program, with or without interruptions. When ctx ends, Make saves the
// unfinished model and returns the cause of ctx.
func (w WarmUp) Make(ctx context.Context) (*transformer.Model, error) {
	learner, done, err := w.open()
	if err != nil {
		return nil, err
	}
	if err := w.skip(ctx, done); err != nil {
		return nil, err
	}
	batch := make([]tiny.Sequence, w.Batch)
	for ; done < w.Updates; done++ {
		if ctx.Err() != nil {
			return nil, errors.Join(context.Cause(ctx), w.keep(learner, done))
		}
		for i := range batch {
			if batch[i], err = w.Next(context.WithoutCancel(ctx)); err != nil {
				return nil, err
			}
		}
		metrics, err := learner.Imitate(batch)
		if err != nil {
			return nil, err
		}
		if w.Told != nil {
			w.Told(done+1, metrics.Loss)
		}
	}
	return learner.Model(), w.remove()
}

// open returns a learner and its number of updates so far.
func (w WarmUp) open() (*tiny.Learner, int, error) {
	how := tiny.Default()
	how.LearningRate, how.WarmUp = 4e-3, 50
	saved, err := w.saved()
	if err != nil {
		return nil, 0, err
	}
	if saved != nil && saved.Model.Config() == w.Sizes {
		return resumeWarmUp(saved, how)
	}
	model, err := transformer.New(w.Sizes, w.Seed)
	if err != nil {
		return nil, 0, err
	}
	learner, err := tiny.NewLearner(model, nil, how)
	return learner, 0, err
}

// saved returns the checkpoint of an unfinished warm-up; nil: none.
func (w WarmUp) saved() (*transformer.Checkpoint, error) {
	if w.Path == "" {
		return nil, nil
	}
	saved, err := ReadCheckpoint(w.Path, nil)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return saved, err
}

// resumeWarmUp continues an unfinished warm-up.
func resumeWarmUp(saved *transformer.Checkpoint, how tiny.Settings) (*tiny.Learner, int, error) {
	done, err := strconv.Atoi(saved.Notes[updateNote])
	if err != nil {
		return nil, 0, fmt.Errorf("unfinished warm-up: note %q: %w", updateNote, err)
	}
	learner, err := tiny.Resume(saved, nil, how)
	return learner, done, err
}

// skip skips the examples of past updates.
func (w WarmUp) skip(ctx context.Context, updates int) error {
	for range updates * w.Batch {
		if _, err := w.Next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// keep saves an unfinished warm-up.
func (w WarmUp) keep(l *tiny.Learner, done int) error {
	if w.Path == "" || done == 0 {
		return nil
	}
	return writeCheckpoint(file(w.Path), nil, l, map[string]string{updateNote: strconv.Itoa(done)})
}

func (w WarmUp) remove() error {
	if w.Path == "" {
		return nil
	}
	if err := os.Remove(w.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Example returns a sequence to imitate: the conversation that s opens for p, and as the
// reply the solution between answer tags. Only the reply is trained on.
func Example(ctx context.Context, s quintain.Scenario, p quintain.Problem, solution string) (q tiny.Sequence, err error) {
	messages, err := opening(ctx, s, p)
	if err != nil {
		return q, err
	}
	if err := read(&q, messages); err != nil {
		return q, err
	}
	write(&q, "<answer>"+solution+"</answer>")
	return q, nil
}

// opening returns the messages that s opens with for p.
func opening(ctx context.Context, s quintain.Scenario, p quintain.Problem) (messages []quintain.Message, err error) {
	env, err := s.Env(p)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	return env.Open(ctx)
}

// read appends messages, and the opening of the reply to them.
func read(q *tiny.Sequence, fresh []quintain.Message) error {
	tokens, err := tiny.Read(quintain.Request{Messages: fresh, N: 1})
	if err != nil {
		return err
	}
	for _, token := range tokens {
		q.Tokens, q.Masks = append(q.Tokens, token), append(q.Masks, quintain.Untrained)
	}
	return nil
}

// write appends a reply, to train on.
func write(q *tiny.Sequence, reply string) {
	for _, token := range append(tiny.Encode(reply), tiny.End) {
		q.Tokens, q.Masks = append(q.Tokens, token), append(q.Masks, int32(token))
	}
}
