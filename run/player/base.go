package player

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/tiny"
	"github.com/quintain-rl/quintain/tiny/starter"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// isBase reports whether a path is that of a language model: a folder, or a GGUF file.
func isBase(path string) bool {
	if path == "" {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	magic := make([]byte, 4)
	_, err = io.ReadFull(f, magic)
	info, fault := f.Stat()
	return fault == nil && info.IsDir() || err == nil && string(magic) == "GGUF"
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

// readHead reads a weights file of any vocabulary, without the base.
func readHead(path string) (*transformer.Checkpoint, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	saved, err := transformer.ReadCheckpoint(data, "")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return saved, nil
}

// Adapters are what a language model is trained by.
type Adapters struct {
	Context int // most tokens of a conversation; 0: as many as the model can read
	Rank    int
	Alpha   float64
}

// baseOf opens the base of the adapters in a weights file, from the path in the file; nil: it has the starter.
func baseOf(path string) (*tiny.Base, error) {
	saved, err := readHead(path)
	if err != nil {
		return nil, err
	}
	of := saved.Model.Config()
	if of.Rank == 0 {
		return nil, nil
	}
	base, err := openBase(saved.Notes[tiny.NotePath], Adapters{of.Context, of.Rank, of.Alpha})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s has adapters of %s, which is not at %s any more: put it back, or go on with the run by --weights and its new path, which is then noted",
			path, saved.Notes[tiny.NoteBase], saved.Notes[tiny.NotePath])
	}
	return base, err
}

// trained opens the language model that a run over the data folder trains; nil: it trains the starter. A
// checkpoint there names it if the settings do not.
func (s *Settings) trained(data string) (*tiny.Base, error) {
	switch {
	case s.FromScratch:
		return nil, nil
	case isBase(s.Weights):
		return openBase(s.Weights, s.Adapters)
	}
	path := filepath.Join(data, datadir.Checkpoint)
	if _, err := os.Stat(path); err != nil && s.Weights != "" {
		path = s.Weights
	}
	if _, err := readHead(path); err != nil {
		return nil, nil // who opens the checkpoint, or the weights, tells why
	}
	return baseOf(path)
}

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

// openBase opens a language model, from a GGUF file or a Hugging Face folder.
func openBase(path string, how Adapters) (*tiny.Base, error) {
	return nil, fmt.Errorf("%s: GGUF files and Hugging Face folders are not read yet", path)
}
