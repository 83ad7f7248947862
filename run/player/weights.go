package player

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/starter"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// Weights are those with which the tiny policy plays.
type Weights struct {
	Model *transformer.Model
	Base  *tiny.Base // of its adapters; nil: it is the starter
	Name  string     // for people
}

// policy returns the tiny policy with the weights of a version.
func (w *Weights) policy(version int32, how Start) (*tiny.Policy, error) {
	o := tiny.Options{MaxSequences: how.Parallel, Seed: how.Seed}
	if w.Base != nil {
		o.Vocabulary = w.Base.Vocabulary
	}
	return tiny.New(w.Model, version, o)
}

// FirstWeights reads the weights with which the tiny policy begins: those of the settings, or the
// embedded ones.
func (s *Settings) FirstWeights() (*Weights, error) {
	switch {
	case s.Weights == "":
		saved, err := starter.Load(s.Scenario)
		if err != nil {
			return nil, err
		}
		return &Weights{saved.Model, nil, "the embedded starter"}, nil
	case isBase(s.Weights):
		base, err := openBase(s.Weights, s.Adapters)
		if err != nil {
			return nil, err
		}
		return &Weights{base.Model.Clone(), base, base.Name + " of " + s.Weights}, nil
	}
	return s.readWeights(s.Weights)
}

// LastWeights reads the weights with which a run over the data folder would go on: those of the settings, of
// the checkpoint, or the embedded ones.
func (s *Settings) LastWeights(data string) (*Weights, error) {
	if s.Weights != "" {
		return s.FirstWeights()
	}
	read, err := s.readWeights(filepath.Join(data, datadir.Checkpoint))
	if errors.Is(err, fs.ErrNotExist) {
		return s.FirstWeights()
	}
	return read, err
}

// readWeights reads a weights file: of the starter, or of adapters, with their base.
func (s *Settings) readWeights(path string) (*Weights, error) {
	head, err := readHead(path)
	if err != nil {
		return nil, err
	}
	base, err := s.baseOf(path, head)
	if err != nil {
		return nil, err
	}
	saved, err := starter.ReadCheckpoint(path, base)
	if err != nil {
		return nil, err
	}
	return &Weights{saved.Model, base, path}, nil
}

// HasWeights reports whether the policy has weights of its own, or a data folder those of the tiny policy.
func (s *Settings) HasWeights(data string) bool {
	_, err := os.Stat(filepath.Join(data, datadir.Checkpoint))
	return s.Kind != Tiny || s.Weights != "" || err == nil
}

// Digest returns a JSON text that stands for the last weights.
func (s *Settings) Digest(data string) (json.RawMessage, error) {
	last, err := s.LastWeights(data)
	if err != nil {
		return nil, err
	}
	digest, err := starter.Digest(last.Model)
	if last.Base != nil {
		digest += " of " + last.Base.Digest + " in " + last.Base.Precision()
	}
	return fmt.Appendf(nil, "%q", digest), err
}

// checkFirst refuses weights of the settings that are not those with which a training began; first is
// their digest. Who began with a file and goes on by the same command needs it no more, so it may be gone.
func (s *Settings) checkFirst(first string, version int, say func(string)) error {
	if s.Weights == "" || isBase(s.Weights) || first == "" && version == 0 {
		return nil // of a base, the checkpoint has the digest
	}
	saved, err := readHead(s.Weights)
	if errors.Is(err, fs.ErrNotExist) || first == "" {
		if say != nil {
			say(fmt.Sprintf("the run goes on from its own weights, of version %d; those of --weights are for a new one (--data NEW-FOLDER)", version))
		}
		return nil
	}
	if err != nil {
		return err
	}
	given, err := starter.Digest(saved.Model)
	if err == nil && given != first {
		err = InvalidError{fmt.Errorf("--weights: the run in this folder began with other weights than those of %s, and is at version %d: leave --weights out to go on with it, or begin anew with --data NEW-FOLDER", s.Weights, version)}
	}
	return err
}

// FreshModel returns the model of a new run, in the sizes of the settings. A new model is
// warmed up by warm.
func (s *Settings) FreshModel(sizes transformer.Config, warm func() (*transformer.Model, error)) (*transformer.Model, error) {
	if s.FromScratch {
		return warm()
	}
	saved, err := s.FirstWeights()
	if err != nil {
		return nil, err
	}
	if have := saved.Model.Config(); have != sizes {
		return nil, fmt.Errorf("%s: %w: it has %+v, and the settings say %+v; set policy.from_scratch to make a model of these sizes", saved.Name, transformer.ErrSizes, have, sizes)
	}
	return saved.Model, nil
}

// errWarmUpCut is the error of a warm-up that ctx ended.
var errWarmUpCut = errors.New("interrupted during the warm-up, which is kept: run the same command again to go on")

// WarmUp makes a model from the solutions of streams' problems, without held-out ones. The
// error is an [InvalidError] if the streams give no examples. When ctx ends, it keeps the
// unfinished model.
func WarmUp(ctx context.Context, warm starter.WarmUp, streams []rollout.Stream) (*transformer.Model, error) {
	trained := slices.Clone(streams)
	for i, s := range trained {
		trained[i].Skip = exam.Skip(s.Scenario)
	}
	var err error
	if warm.Next, err = starter.Solutions(trained, warm.Sizes.Context); err != nil {
		return nil, InvalidError{err}
	}
	model, err := warm.Make(ctx)
	if ctx.Err() != nil {
		return nil, errWarmUpCut
	}
	return model, err
}
