package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/learn"
	"github.com/quintain-rl/quintain/policy/tiny"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/transformer"
)

// checkpointName is the file in the data folder with all that training needs to go
// on: parameters, optimiser, version, and the step that made them.
const checkpointName = "checkpoint.weights"

// trainingLogName is the file in the data folder with a line for each version.
const trainingLogName = "training.jsonl"

// stepNote is the note of a checkpoint with the step that made it, a trainedStep.
const stepNote = "step"

// A trainedStep is a line of the training log.
type trainedStep struct {
	Version int           `json:"version"` // of the weights that the step made
	Seconds float64       `json:"seconds"` // that the processes on this data folder have run until then
	Batch   []string      `json:"batch"`   // IDs of the groups trained on
	Metrics learn.Metrics `json:"metrics"`
}

// A trainer makes the built-in consumer's steps: it trains the tiny policy.
type trainer struct {
	learner *learn.Learner
	policy  *tiny.Policy
	path    string // of the checkpoint
	log     *lineLog[trainedStep]
	last    trainedStep
	start   time.Time // of this process, less the time of the earlier ones
}

// openTrainer returns a trainer that goes on from the data folder's checkpoint, or
// begins with the model that fresh returns where there is none yet. Every
// checkpoint belongs to the record of a run: one that is a step ahead was written
// just before the process was killed, and the record follows it.
func openTrainer(s settings, data *dataFolder, k *keeper, fresh func() (*transformer.Model, error)) (*trainer, error) {
	t := &trainer{path: data.join(checkpointName)}
	version, _ := k.version()
	saved, err := readCheckpoint(t.path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && version > 0:
		return nil, fmt.Errorf("the run in %s is at version %d and has no checkpoint: another policy made it; choose another folder with --data", s.Data, version)
	case errors.Is(err, fs.ErrNotExist):
		err = t.begin(s, fresh)
	case err == nil:
		err = t.resume(s, saved)
	}
	if err != nil {
		return nil, err
	}
	if err := k.follow(t.last.Version, t.last.Batch); err != nil {
		return nil, fmt.Errorf("data folder %s: %s: %w", s.Data, checkpointName, err)
	}
	t.start = time.Now().Add(-time.Duration(t.last.Seconds * float64(time.Second)))
	if t.log, err = openTrainingLog(data.join(trainingLogName), t.last); err != nil {
		return nil, fmt.Errorf("training log: %w", err)
	}
	t.policy, err = tiny.New(t.learner.Model(), int32(t.last.Version), tiny.Options{MaxSequences: s.Run.Parallel, Seed: s.Run.Seed})
	return t, err
}

// openTrainingLog opens the log of training, which has each version once: the line
// that a killed process could not write any more is written now.
func openTrainingLog(path string, last trainedStep) (*lineLog[trainedStep], error) {
	l, written, err := openLineLog[trainedStep](path)
	if err != nil {
		return nil, err
	}
	if last.Version > 0 && (written == nil || written.Version < last.Version) {
		if err := l.add(last); err != nil {
			return nil, errors.Join(err, l.Close())
		}
	}
	return l, nil
}

// begin starts training at version 0, and keeps the model it starts with.
func (t *trainer) begin(s settings, fresh func() (*transformer.Model, error)) error {
	model, err := fresh()
	if err != nil {
		return err
	}
	if t.learner, err = learn.New(model, nil, s.Learn); err != nil {
		return err
	}
	return t.save()
}

// resume goes on from a checkpoint.
func (t *trainer) resume(s settings, saved *transformer.Checkpoint) error {
	if err := json.Unmarshal([]byte(saved.Notes[stepNote]), &t.last); err != nil {
		return fmt.Errorf("%s: it is no checkpoint of a run: note %q: %w", t.path, stepNote, err)
	}
	if have, want := saved.Model.Config(), s.Model.config(); have != want {
		return fmt.Errorf("%s: %w: it has %+v, and the settings say %+v; set model to the former, or choose another folder with --data", t.path, transformer.ErrSizes, have, want)
	}
	var err error
	t.learner, err = learn.Resume(saved, nil, s.Learn)
	if err == nil && t.learner.Version() != t.last.Version {
		err = fmt.Errorf("its weights have version %d and its step %d", t.learner.Version(), t.last.Version)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	return nil
}

// readCheckpoint reads a weights file of the tiny policy.
func readCheckpoint(path string) (*transformer.Checkpoint, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	saved, err := tiny.ReadWeights(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return saved, nil
}

// step trains on a batch and keeps the result. A *learn.GroupError leaves all as
// it was.
func (t *trainer) step(batch []queue.Delivery) (learn.Metrics, error) {
	groups := make([]*quintain.Group, len(batch))
	for i, d := range batch {
		groups[i] = d.Group
	}
	metrics, err := t.learner.Step(groups)
	if err != nil {
		return metrics, err
	}
	t.last = trainedStep{t.learner.Version(), time.Since(t.start).Seconds(), ids(batch), metrics}
	if err := t.save(); err != nil {
		return metrics, err
	}
	return metrics, t.log.add(t.last)
}

// save writes the checkpoint.
func (t *trainer) save() error {
	note, err := json.Marshal(t.last)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	c := t.learner.Checkpoint()
	if c.Notes == nil {
		c.Notes = map[string]string{}
	}
	c.Notes[stepNote] = string(note)
	data, err := tiny.WriteWeights(*c, transformer.Float32)
	if err == nil {
		err = writeFile(t.path, data)
	}
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// publish gives the policy the weights that the last step made.
func (t *trainer) publish() error {
	return t.policy.SetWeights(t.learner.Model(), int32(t.last.Version))
}

// close closes the training log. There may be no trainer.
func (t *trainer) close() error {
	if t == nil {
		return nil
	}
	return t.log.Close()
}
