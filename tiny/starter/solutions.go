package starter

import (
	"context"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tiny"
)

// warmUpSeed is the seed of the problems that a warm-up imitates.
const warmUpSeed = 0x7761726d_75702121

// Solutions returns a function that makes the examples of a [WarmUp]: problems of streams
// with their solutions. It ignores the seeds of the streams, and omits the problems that
// they skip. An example of more than limit tokens is an error. The error of Solutions is
// that of [rollout.NewMix].
func Solutions(streams []rollout.Stream, limit int) (func(context.Context) (tiny.Sequence, error), error) {
	own := slices.Clone(streams)
	for i := range own {
		own[i].Seed = warmUpSeed
	}
	mix, err := rollout.NewMix(own)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (tiny.Sequence, error) {
		job, err := mix.Next()
		if err != nil {
			return tiny.Sequence{}, err
		}
		mix.Done(job, nil)
		return example(ctx, job, limit)
	}, nil
}

// example returns the problem of a job with its solution, or an episode of it.
func example(ctx context.Context, job rollout.Job, limit int) (q tiny.Sequence, err error) {
	solver, solves := job.Scenario.(quintain.Solver)
	adviser, advises := job.Scenario.(quintain.Adviser)
	switch {
	case advises:
		q, err = Episode(ctx, job.Scenario, adviser, job.Problem)
	case solves:
		q, err = solved(ctx, job, solver)
	default:
		err = fmt.Errorf("scenario %s has no solutions", job.Scenario.Info().Name)
	}
	if err == nil && len(q.Tokens) > limit {
		err = fmt.Errorf("problem %s and its solution have %d tokens, but the model's context is %d: choose easier tasks, or a larger model.context",
			job.Problem.ID(), len(q.Tokens), limit)
	}
	return q, err
}

// solved returns the problem of a job with its solution.
func solved(ctx context.Context, job rollout.Job, solver quintain.Solver) (tiny.Sequence, error) {
	solution, err := solver.Solve(job.Problem)
	if err != nil {
		return tiny.Sequence{}, err
	}
	return Example(ctx, job.Scenario, job.Problem, solution)
}

// Readable checks that a model with a vocabulary and a context of limit tokens can read the first problem
// of each stream, and close an answer to it.
func Readable(ctx context.Context, streams []rollout.Stream, by tiny.Vocabulary, limit int) error {
	for _, s := range streams {
		p, err := s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level})
		if err != nil {
			return err
		}
		messages, err := opening(ctx, s.Scenario, p)
		if err != nil {
			return err
		}
		prompt, err := by.Render(quintain.Request{Messages: messages, N: 1})
		if err != nil {
			return err
		}
		if n := len(prompt.Tokens) + len("<>."); n > limit {
			return tooLong(p.Task, n, by, limit)
		}
	}
	return nil
}

// tooLong is the error of a question that does not fit the context of a model.
func tooLong(task string, n int, by tiny.Vocabulary, limit int) error {
	if _, own := by.(tiny.Own); !own {
		return fmt.Errorf("a question of task %s has %d tokens, but the model's context is %d: set model.context higher, or ask with fewer examples", task, n, limit)
	}
	return fmt.Errorf("a question of task %s has %d tokens, but the tiny policy's context is %d: omit --tasks for the tasks that it is made for, or choose --policy script or openai",
		task, n, limit)
}
