package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/openai"
	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/policy/tiny"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/starter"
	"github.com/quintain-rl/quintain/transformer"
)

// A policySource is the policy of a run. It knows the problems that are under way,
// for the script that solves them.
type policySource struct {
	quintain.Policy
	problems sync.Map                    // ID → rollout.Job
	run      func(context.Context) error // what the policy does beside its replies, until ctx is done
	close    func()
}

// openPolicy returns the policy that s describes. Version tells the version of its
// weights.
func openPolicy(s settings, version func() int32) (*policySource, error) {
	p := &policySource{close: func() {}, run: func(ctx context.Context) error { <-ctx.Done(); return nil }}
	switch s.Policy.Kind {
	case kindOpenAI:
		key, err := readKey(s.Policy.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("policy.key_file: %w", err)
		}
		retries := s.Policy.Retries
		if retries == 0 {
			retries = -1 // openai takes 0 for its default
		}
		client, err := openai.New(openai.Config{
			URL: s.Policy.URL, Model: s.Policy.Model, APIKey: key, TokenIDs: s.Policy.TokenIDs,
			ExtraBody: s.Policy.Extra, Timeout: s.Policy.Timeout, Retries: retries, MaxInFlight: s.Run.Parallel, Version: version,
		})
		if err != nil {
			return nil, usageError{err}
		}
		p.Policy, p.close = client, client.CloseIdle
	default:
		p.Policy = &script.Solver{
			Answer: p.answer, Accuracy: s.Policy.Accuracy, Seed: s.Run.Seed, Delay: s.Policy.Delay, Version: version,
		}
	}
	return p, nil
}

// tinySource returns the tiny policy as that of a run.
func tinySource(p *tiny.Policy) *policySource {
	return &policySource{Policy: p, run: p.Run, close: func() {}}
}

// openEvalPolicy returns the policy of an examination, which no one trains, and
// says which weights it has.
func openEvalPolicy(w *world, s settings) (*policySource, error) {
	if s.Policy.Kind != kindTiny {
		return openPolicy(s, func() int32 { return 0 })
	}
	saved, path, err := evalWeights(s)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(w.stderr, "quintain eval: weights of %s\n", path)
	p, err := tiny.New(saved.Model, 0, tiny.Options{MaxSequences: s.Run.Parallel, Seed: s.Run.Seed})
	if err != nil {
		return nil, err
	}
	return tinySource(p), nil
}

// evalWeights reads the weights to examine, and names them: those of the data
// folder's checkpoint, unless the settings name others or there is none.
func evalWeights(s settings) (saved *transformer.Checkpoint, name string, err error) {
	if s.Policy.Weights == "" {
		path := filepath.Join(s.Data, checkpointName)
		if saved, err := readCheckpoint(path); !errors.Is(err, fs.ErrNotExist) {
			return saved, path, err
		}
	}
	return firstWeights(s)
}

// firstWeights reads the weights that a tiny policy begins with, and names them.
func firstWeights(s settings) (saved *transformer.Checkpoint, name string, err error) {
	if s.Policy.Weights == "" {
		saved, err = starter.Load()
		return saved, "the embedded starter", err
	}
	saved, err = readCheckpoint(s.Policy.Weights)
	return saved, s.Policy.Weights, err
}

// expect makes the problem of a job known, and forget unknown.
func (p *policySource) expect(job rollout.Job) { p.problems.Store(job.Problem.ID(), job) }

func (p *policySource) forget(job rollout.Job) { p.problems.Delete(job.Problem.ID()) }

// answer solves the problem that r is about.
func (p *policySource) answer(r quintain.Request) (string, error) {
	id, _, _ := strings.Cut(r.Key, "#")
	known, found := p.problems.Load(id)
	if !found {
		return "", fmt.Errorf("no problem %s is under way", id)
	}
	return solve(known.(rollout.Job))
}

// solve returns the solution of a job's problem, where its scenario knows it.
func solve(job rollout.Job) (string, error) {
	solver, can := job.Scenario.(interface {
		Solve(quintain.Problem) (string, error)
	})
	if !can {
		return "", fmt.Errorf("scenario %s has no solutions", job.Problem.Task)
	}
	return solver.Solve(job.Problem)
}

// readKey reads a key from a file, without the space around it; no file is no key.
func readKey(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(string(data))
	if key == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return key, nil
}
