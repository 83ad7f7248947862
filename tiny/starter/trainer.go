package starter

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// Notes of a checkpoint: the step that made it, as a [tiny.Step]; and the digest of the model with which
// the training began, which older programs did not note.
const (
	stepNote  = "step"
	firstNote = "first"
	bitsNote  = "kernels" // see kernels
)

// Training configures a [Trainer].
type Training struct {
	Path     string                             // path of the checkpoint
	Keep     Keeper                             // has the checkpoint, and the file at Path is its copy; nil: the file is all
	Base     *tiny.Base                         // of the adapters that are trained; nil: the starter is
	Sizes    transformer.Config                 // required sizes of the model
	Learn    tiny.Settings                      // settings of the steps from now on
	Sampling tiny.Options                       // options of the policy
	Fresh    func() (*transformer.Model, error) // makes the first model if there is no checkpoint

	// Version is that of the run: above 0, a missing checkpoint is lost, and weights without the state
	// of the training, put in its place, go on from there. Say hears of these; nil: nobody does.
	Version int
	Say     func(string)
}

// A Keeper keeps a checkpoint: the content of a weights file.
type Keeper interface {
	// Read returns the last checkpoint written. Without one, the error is [fs.ErrNotExist].
	Read() ([]byte, error)

	// Write replaces the checkpoint, completely or not at all, and returns when that is durable.
	Write(data []byte) error
}

// A file is the path of a file that is a Keeper.
type file string

func (f file) Read() ([]byte, error) { return os.ReadFile(string(f)) }

func (f file) Write(data []byte) error { return datadir.WriteFile(string(f), data) }

// A Trainer trains the embedded model, or the adapters of a language model, and keeps all its state in one file: parameters,
// optimiser, version, and the step that made them. Only one goroutine may use it at a
// time; its policy is safe for concurrent use.
type Trainer struct {
	learner *tiny.Learner
	policy  *tiny.Policy
	path    string
	keep    Keeper
	base    *tiny.Base // nil: the starter is trained
	last    tiny.Step
	first   string    // digest of the first model; empty: unknown
	start   time.Time // start of this process, moved back by the training time of earlier ones
}

// OpenTrainer returns a trainer that resumes from the checkpoint at the path. Without
// one, it begins with the model of Fresh and saves that as version 0.
func OpenTrainer(o Training) (*Trainer, error) {
	t := &Trainer{path: o.Path, keep: o.Keep, base: o.Base}
	if t.keep == nil {
		t.keep = file(o.Path)
	}
	if err := t.open(o); err != nil {
		return nil, err
	}
	t.start = time.Now().Add(-time.Duration(t.last.Seconds * float64(time.Second)))
	var err error
	if o.Base != nil {
		o.Sampling.Vocabulary = o.Base.Vocabulary
	}
	t.policy, err = tiny.New(t.learner.Model(), int32(t.last.Version), o.Sampling)
	return t, err
}

// open resumes from the checkpoint, or begins without one.
func (t *Trainer) open(o Training) error {
	saved, err := readCheckpoint(t.keep, t.path, t.base)
	missing := errors.Is(err, fs.ErrNotExist)
	if missing && o.Version == 0 {
		model, err := o.Fresh()
		if err != nil {
			return err
		}
		if t.first, err = Digest(model); err != nil {
			return err
		}
		return t.begin(o, model)
	}
	if missing {
		err = fmt.Errorf("%s: is missing", t.path)
	}
	if errors.Is(err, transformer.ErrVocabulary) {
		return fmt.Errorf("%w: a run of another model is in this folder: go on with that one, or choose another folder with --data", err)
	}
	if err != nil {
		return &LostError{o.Version, err}
	}
	if was := cmp.Or(saved.Notes[tiny.NotePrecision], tiny.Float32); t.base != nil && o.Say != nil && was != t.base.Precision() {
		o.Say(fmt.Sprintf("%s was trained with products in %s, and goes on with %s; --with model.precision=%s keeps them", t.path, was, t.base.Precision(), was))
	}
	if _, whole := saved.Notes[stepNote]; whole {
		return t.resume(o, saved)
	}
	if err := t.fits(o, saved); err != nil {
		return err
	}
	if o.Say != nil {
		o.Say(fmt.Sprintf("%s has the weights of version %q without the state of the training: it goes on from them as version %d, and what was trained in between is lost",
			t.path, saved.Notes["version"], o.Version))
	}
	return t.begin(o, saved.Model)
}

// A LostError says why the checkpoint of a run at a version cannot be read.
type LostError struct {
	Version int
	Why     error
}

// Error implements error.
func (e *LostError) Error() string { return e.Why.Error() }

// Unwrap returns why.
func (e *LostError) Unwrap() error { return e.Why }

// begin starts training at the version of the run.
func (t *Trainer) begin(o Training, model *transformer.Model) (err error) {
	if t.learner, err = tiny.NewLearner(model, o.reference(), o.Learn); err != nil {
		return err
	}
	t.learner.Renumber(o.Version)
	t.last.Version = o.Version
	return t.save()
}

// reference returns the model of the KL term: the language model without adapters; nil: the groups have
// the log-probabilities of theirs.
func (o *Training) reference() *transformer.Model {
	if o.Base == nil {
		return nil
	}
	return o.Base.Model
}

// resume continues from a checkpoint.
func (t *Trainer) resume(o Training, saved *transformer.Checkpoint) error {
	if err := strictjson.Unmarshal([]byte(saved.Notes[stepNote]), &t.last); err != nil {
		return fmt.Errorf("%s: not the checkpoint of a run: note %q: %w", t.path, stepNote, err)
	}
	if err := t.fits(o, saved); err != nil {
		return err
	}
	t.first = saved.Notes[firstNote]
	if was := cmp.Or(saved.Notes[bitsNote], kernels()); was != kernels() && o.Say != nil {
		o.Say(fmt.Sprintf("%s was trained with %s kernels, and goes on with %s: the last bits of its numbers differ from here on", t.path, was, kernels()))
	}
	var err error
	if t.learner, err = tiny.Resume(saved, o.reference(), o.Learn); err != nil {
		return fmt.Errorf("%s: %w", t.path, err)
	}
	if version := t.learner.Version(); version != t.last.Version {
		return fmt.Errorf("%s: the weights have version %d, but the last step made version %d", t.path, version, t.last.Version)
	}
	return nil
}

// fits refuses weights of other sizes.
func (t *Trainer) fits(o Training, saved *transformer.Checkpoint) error {
	if have := saved.Model.Config(); have != o.Sizes {
		return fmt.Errorf("%s: %w: the checkpoint has %+v, but the settings say %+v: change the settings under model, or choose another folder with --data", t.path, transformer.ErrSizes, have, o.Sizes)
	}
	return nil
}

// ReadCheckpoint reads a weights file of the tiny policy: of the starter, or of the adapters of a base. A
// missing one is [fs.ErrNotExist].
func ReadCheckpoint(path string, base *tiny.Base) (*transformer.Checkpoint, error) {
	saved, err := readCheckpoint(file(path), path, base)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w: put back a copy, or name other weights with --weights", err)
	}
	return saved, err
}

func readCheckpoint(from Keeper, path string, base *tiny.Base) (*transformer.Checkpoint, error) {
	data, err := from.Read()
	if err != nil {
		return nil, err
	}
	saved, err := tiny.ReadWeights(data, base)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return saved, nil
}

// Policy returns the policy in training. Its Sample works only while its Run is running.
func (t *Trainer) Policy() *tiny.Policy { return t.policy }

// Context returns the largest number of tokens in a conversation.
func (t *Trainer) Context() int { return t.learner.Model().Config().Context }

// Last returns the step recorded in the checkpoint; its Version is 0 before the first
// step.
func (t *Trainer) Last() tiny.Step { return t.last }

// Step trains on the groups of a batch and returns when the result is kept. ids are
// the IDs of the groups. After a [*tiny.GroupError], nothing has changed.
func (t *Trainer) Step(ids []string, groups []*quintain.Group) (tiny.Step, error) {
	metrics, err := t.learner.Step(groups)
	if err != nil {
		return tiny.Step{Metrics: metrics}, err
	}
	t.last = tiny.Step{Version: t.learner.Version(), Seconds: time.Since(t.start).Seconds(), Batch: ids, Metrics: metrics}
	return t.last, t.save()
}

// kernels names those of this processor, by one name for all that give the same bits.
func kernels() string {
	if name := transformer.Kernels(); name != "AVX-512" {
		return name
	}
	return "AVX2"
}

func (t *Trainer) save() error {
	note, err := json.Marshal(t.last)
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if err := writeCheckpoint(t.keep, t.base, t.learner, map[string]string{stepNote: string(note), firstNote: t.first, bitsNote: kernels()}); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// writeCheckpoint writes the state of a learner, with notes.
func writeCheckpoint(to Keeper, base *tiny.Base, l *tiny.Learner, notes map[string]string) error {
	c := l.Checkpoint()
	maps.Copy(c.Notes, notes)
	data, err := tiny.WriteWeights(*c, base, transformer.Float32)
	if err != nil {
		return err
	}
	return to.Write(data)
}

// First returns the [Digest] of the model with which the training began; empty: an older program began it,
// or its checkpoint was lost and it went on from weights alone.
func (t *Trainer) First() string { return t.first }

// Digest returns a text that stands for the trained parameters of a model. The error is that of numbers that
// are not finite.
func Digest(m *transformer.Model) (string, error) {
	of := transformer.Checkpoint{Model: m, Vocabulary: tiny.OwnName} // whichever it is
	text, err := of.Bytes(transformer.Float32)
	return fmt.Sprintf("%.16x", sha256.Sum256(text)), err
}

// Publish gives the policy the weights from the last step.
func (t *Trainer) Publish() error {
	return t.policy.SetWeights(t.learner.Model(), int32(t.last.Version))
}

// Weights encodes the weights of the last step, which Publish gives the policy, for
// [tiny.ReadVersion].
func (t *Trainer) Weights() ([]byte, error) {
	return tiny.WriteVersion(t.learner.Model(), t.base, int32(t.last.Version))
}
