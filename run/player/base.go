package player

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/text/tokenizer"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/gguf"
	"github.com/quintain-rl/quintain/tiny/pretrained"
	"github.com/quintain-rl/quintain/tiny/starter"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// isBase reports whether a path is that of a language model: a folder, or a GGUF file.
func isBase(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir() || gguf.Is(path)
}

// Language reports whether the tiny policy is a language model, by the weights of the settings, or else of the
// checkpoint in a data folder.
func (s *Settings) Language(data string) bool {
	if s.Kind != Tiny || s.FromScratch {
		return false
	}
	if isBase(s.Weights) {
		return true
	}
	saved, err := readHead(cmp.Or(s.Weights, filepath.Join(data, datadir.Checkpoint)))
	return err == nil && saved.Model.Config().Rank > 0
}

// Trained reports whether a tiny policy that is a language model has adapters of a run.
func (s *Settings) Trained() bool { return !isBase(s.Weights) }

// Tokenizer loads the tokenizer of the settings, or else of the language model that they name or that the checkpoint in a
// data folder belongs to; nil: there is none.
func (s *Settings) Tokenizer(data string) (*tokenizer.Tokenizer, error) {
	files := s.Server.Files
	if files.Tokenizer != "" || s.Remote() {
		return files.Load()
	}
	if isBase(s.Weights) {
		files = exact.Files{Tokenizer: s.Weights}
	} else if saved, err := readHead(filepath.Join(data, datadir.Checkpoint)); err == nil && saved.Notes[tiny.NotePath] != "" {
		files = exact.Files{Tokenizer: saved.Notes[tiny.NotePath]}
	}
	return files.Load()
}

// readHead reads a weights file of any vocabulary, without the base.
func readHead(path string) (*transformer.Checkpoint, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	saved, err := transformer.ReadCheckpoint(data, "")
	if err != nil {
		return nil, fmt.Errorf("%s: %w: put back a copy, or name other weights with --weights: a GGUF file, a folder of Hugging Face, or a weights file", path, err)
	}
	return saved, nil
}

// Adapters are what a language model is trained by.
type Adapters struct {
	Context int // most tokens of a conversation; 0: as many as the model can read
	Rank    int
	Alpha   float64

	Precision string // of the products with the model: [starter.Auto], [tiny.Float32] or [tiny.BFloat16]
}

// baseOf opens the base of the adapters in a weights file, from the path in what was read of it; nil: it has the starter.
func (s *Settings) baseOf(path string, saved *transformer.Checkpoint) (*tiny.Base, error) {
	of := saved.Model.Config()
	if of.Rank == 0 {
		return nil, nil
	}
	m, err := openOf(path, saved)
	if err != nil {
		return nil, err
	}
	return newBase(m, Adapters{of.Context, of.Rank, of.Alpha, s.Adapters.Precision})
}

// trained opens the language model that a run over the data folder trains; nil: it trains the starter. A
// checkpoint there names it if the settings do not.
func (s *Settings) trained(data string) (*tiny.Base, error) {
	path := filepath.Join(data, datadir.Checkpoint)
	switch {
	case s.FromScratch:
		return nil, nil
	case isBase(s.Weights):
		base, err := openBase(s.Weights, s.Adapters)
		if saved, fault := readHead(path); err == nil && fault == nil && saved.Notes[tiny.NoteDigest] == base.Digest {
			base.Name = saved.Notes[tiny.NoteBase] // the file has another now
			base.Vocabulary.(tiny.Chat).Model = saved.Vocabulary
		}
		return base, err
	}
	if _, err := os.Stat(path); err != nil && s.Weights != "" {
		path = s.Weights
	}
	saved, _ := readHead(path)
	if saved == nil {
		return nil, nil // who opens the checkpoint, or the weights, tells why
	}
	return s.baseOf(path, saved)
}

// A budget is the memory that the training of a language model takes, in bytes.
type budget struct {
	params   int64 // of the model; not bytes
	frozen   int64 // the model, and for the way back its transpose or, in float32, that of the largest matrix
	adapters int64 // with gradients, means and copies
	batch    int64 // learn.micro_tokens
	samples  int64 // run.parallel, with the longest replies
}

// all returns the whole, with garbage.
func (b budget) all() int64 { return (b.frozen + b.adapters + b.batch + b.samples) * 9 / 8 }

// need returns the memory that a run takes: what docs and comments of package transformer say.
func need(base *tiny.Base, to *run.Config, how *Training) (b budget) {
	c := base.Model.Config()
	for _, t := range c.Frozen() {
		b.params += int64(t.Rows * t.Cols)
	}
	if b.frozen = 4 * (b.params + int64(c.Vocab*c.Width)); c.BFloat16 {
		b.frozen = 4 * b.params
	}
	b.adapters = 12 * 4 * int64(c.Params())
	b.batch = int64(how.Learn.MicroTokens) * int64(4*(5*c.Width+2*c.Hidden+c.Heads*c.Context/4)*c.Layers+4*c.Vocab)
	kv := 8 * int64(c.Layers*cmp.Or(c.KVHeads, c.Heads)*cmp.Or(c.HeadWidth, c.Width/c.Heads))
	b.samples = int64(to.Settings.Parallel) * (kv*int64(to.Sampling.MaxTokens+c.Context/8) + 4*int64(c.Vocab))
	return b
}

// fits refuses a language model that needs more memory than the machine has, and says what another is and how fast.
func fits(base *tiny.Base, to *run.Config, how *Training, has int64) error {
	b := need(base, to, how)
	if b.all() <= has {
		speed, err := expect(base.Model, to)
		if err == nil {
			how.Say(describe(base, b))
			how.Say(speed)
		}
		return err
	}
	less, micro, parallel := b, how.Learn.MicroTokens, to.Settings.Parallel
	for less.all() > has && micro > 1 && parallel > 1 {
		if less.batch > less.samples {
			less.batch, micro = less.batch/2, micro/2
		} else {
			less.samples, parallel = less.samples/2, parallel/2
		}
	}
	advice := "a smaller model is what fits"
	if less.all() <= has {
		advice = fmt.Sprintf("--with learn.micro_tokens=%d --with run.parallel=%d fit", micro, parallel)
	}
	return InvalidError{fmt.Errorf("--weights: training %s takes %s of memory (%s for the model, %s for its adapters, %s for learn.micro_tokens=%d, %s for run.parallel=%d), and this program may take %s: %s",
		base.Name, gigabytes(b.all()), gigabytes(b.frozen), gigabytes(b.adapters), gigabytes(b.batch), how.Learn.MicroTokens, gigabytes(b.samples), to.Settings.Parallel, gigabytes(has), advice)}
}

// describe says what is trained, for people.
func describe(base *tiny.Base, b budget) string {
	c := base.Model.Config()
	return fmt.Sprintf("%s (%s): %.0f million parameters, of which %.1f million in adapters of rank %d learn; about %s of memory; %s kernels, products in %s",
		base.Name, base.Format, float64(b.params)/1e6, float64(c.Params())/1e6, c.Rank, gigabytes(b.all()), transformer.Kernels(), base.Precision())
}

// expect says how fast a run over a language model will be, for people: it measures how long a token takes among 64, forwards.
// A token of a reply takes about four times that, with its training; one of a prompt, twice for each group.
func expect(of *transformer.Model, to *run.Config) (string, error) {
	s, context := to.Settings, of.Config().Context
	tokens, pass := make([]int32, min(64, context)), transformer.NewPass(of)
	var begun time.Time
	for range 2 { // the first makes room
		begun = time.Now()
		if _, err := pass.Forward([][]int32{tokens}, nil); err != nil {
			return "", err
		}
	}
	each := time.Since(begun).Seconds() / float64(len(tokens))
	step := each * float64(4*s.BatchSize*to.Sampling.MaxTokens+2*s.BatchSize/s.GroupSize*context/8)
	text := fmt.Sprintf("about %.0f tokens a second; a step with the longest replies takes up to %.0f s", 1/each, step)
	if s.Steps > 0 {
		text += fmt.Sprintf(", and %d of them %.1f minutes", s.Steps, float64(s.Steps)*step/60)
	}
	if s.Minutes > 0 {
		text += fmt.Sprintf("; %g minutes have room for %.0f or more", s.Minutes, 60*s.Minutes/step)
	}
	return text, nil
}

// gigabytes is a number of bytes for people.
func gigabytes(n int64) string { return fmt.Sprintf("%.1f GB", float64(n)/1e9) }

// freshAdapters returns the model with which the training of a language model begins.
func (s *Settings) freshAdapters(base *tiny.Base) (*transformer.Model, error) {
	if isBase(s.Weights) {
		return base.Model.Clone(), nil
	}
	saved, err := starter.ReadCheckpoint(s.Weights, base)
	if err != nil {
		return nil, err
	}
	return saved.Model, nil
}

// openBase opens a language model, from a GGUF file or a Hugging Face folder. Its vocabulary is named after it and the
// hash of its tokenizer.
func openBase(path string, how Adapters) (*tiny.Base, error) {
	m, err := pretrained.Open(path)
	if err != nil {
		return nil, err
	}
	return newBase(m, how)
}

// newBase reads a language model, and closes it.
func newBase(m *pretrained.Model, how Adapters) (base *tiny.Base, err error) {
	defer func() { err = errors.Join(err, m.Close()) }()
	base = &tiny.Base{Name: m.Name, Path: m.Path, Format: fmt.Sprintf("%s, %.0f MB", m.Format(), float64(m.Size())/1e6)}
	if all, err := filepath.Abs(m.Path); err == nil {
		base.Path = all
	}
	if base.Digest, err = m.Digest(); err != nil {
		return nil, err
	}
	c := m.Config
	c.Rank, c.Alpha = how.Rank, how.Alpha
	c.BFloat16 = how.Precision == tiny.BFloat16 || how.Precision == starter.Auto && transformer.BFloat16()
	if how.Context > 0 {
		c.Context = min(c.Context, how.Context)
	}
	if base.Model, err = transformer.Adapt(c, 1, m.Read); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Path, err)
	}
	files := exact.Files{Tokenizer: m.Path}
	by, err := files.Renderer(fmt.Sprintf("%s:%.19s", m.Name, files.Hashes()["policy.tokenizer"]), time.Now())
	if err != nil {
		return nil, err
	}
	chat := tiny.Chat{Chat: by.(*exact.Chat)}
	for _, id := range m.Ends {
		chat.Closing = append(chat.Closing, quintain.Token(id))
	}
	base.Vocabulary = chat
	return base, nil
}

// ExportModel writes the language model that a run over the data folder trained into a folder, as others load it: its weights
// with the adapters merged, and in the folder adapter below it the adapters alone. It returns the version of the weights.
func ExportModel(data, folder string) (version string, err error) {
	path := filepath.Join(data, datadir.Checkpoint)
	saved, err := readHead(path)
	if err != nil {
		return "", err
	}
	if saved.Model.Config().Rank == 0 {
		return "", Invalid(fmt.Errorf("%s: the run trains the embedded model, which no other program loads", path))
	}
	m, err := openOf(path, saved)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if digest, err := m.Digest(); err != nil || digest != saved.Notes[tiny.NoteDigest] {
		return "", cmp.Or(err, fmt.Errorf("%s has adapters of %s, and %s is another model now", path, saved.Notes[tiny.NoteBase], m.Path))
	}
	if err := m.WriteMerged(folder, saved.Model); err != nil {
		return "", err
	}
	return saved.Notes[tiny.NoteVersion], m.WriteAdapter(filepath.Join(folder, "adapter"), saved.Model)
}

// openOf opens the language model that the adapters of a weights file belong to.
func openOf(path string, saved *transformer.Checkpoint) (*pretrained.Model, error) {
	at := saved.Notes[tiny.NotePath]
	m, err := pretrained.Open(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has adapters of %s, which is not at %s any more: put it back, or go on with the run by --weights and its new path, which is then noted",
			path, saved.Notes[tiny.NoteBase], at)
	}
	return m, err
}
