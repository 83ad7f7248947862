package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/rollout"
)

// heldOutSeed is the seed of the problems that a policy is examined with.
const heldOutSeed = 0x68656c64_6f757421

// heldOutCount is the number of problems of each task in an examination.
const heldOutCount = 64

// examLogName is the file in the data folder with a line for each examination of a
// run.
const examLogName = "examinations.jsonl"

// heldOutShare is the share of all problems that is held out: one in so many.
const heldOutShare = 10

// mostSkips is the number of problems in a row after which a stream is taken to
// have no others.
const mostSkips = 10_000

// heldOut reports whether a problem is kept for examinations, so that nothing that
// is examined with it may train on it. It is a tenth of all problems, by a hash of
// what a policy reads first: two draws that ask the same are on the same side.
func heldOut(ctx context.Context, s quintain.Scenario, p quintain.Problem) (is bool, err error) {
	env, err := s.Env(p)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, env.Close()) }()
	messages, err := env.Open(ctx)
	if err != nil {
		return false, err
	}
	h := sha256.New()
	for _, m := range messages {
		fmt.Fprintf(h, "%s\n%s\n", m.Role, m.Content)
	}
	return int(h.Sum(nil)[0])%heldOutShare == 0, nil
}

// nextOf returns the next problem of mix that is held out, or that is not.
func nextOf(ctx context.Context, mix *rollout.Mix, wantHeldOut bool) (rollout.Job, error) {
	for range mostSkips {
		job, err := mix.Next()
		if err != nil {
			return job, err
		}
		is, err := heldOut(ctx, job.Scenario, job.Problem)
		if err != nil {
			mix.Redo(job)
			return job, err
		}
		if is == wantHeldOut {
			return job, nil
		}
		mix.Done(job)
	}
	return rollout.Job{}, usagef("%d problems in a row are all on one side of the examination: choose tasks and levels with more problems, or 0 for run.eval_problems", mostSkips)
}
