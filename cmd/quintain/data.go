package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
)

// dataFormat is the version of the layout of a data folder. A folder of a newer
// one is refused.
const dataFormat = 1

// A dataFolder is the folder that keeps all state of a process:
//
//	format.json          version of this layout
//	lock                 held while a process uses the folder
//	queue/               groups, and the records of run and hub
//	runs/                the same for each further run of the hub
//	dumps/               rollouts as JSON lines
//	checkpoint.weights   model and optimiser of the tiny policy
//	training.jsonl       its steps
//	examinations.jsonl   how it did on held-out problems
type dataFolder struct {
	path string
	lock *os.File
}

// openData opens a data folder, makes it where it is missing, and locks it. Close
// frees it.
func openData(path string) (*dataFolder, error) {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	lock, err := lockFile(filepath.Join(path, "lock"))
	if err != nil {
		return nil, fmt.Errorf("data folder %s: %w", path, err)
	}
	d := &dataFolder{path, lock}
	if err := d.checkFormat(); err != nil {
		return nil, errors.Join(fmt.Errorf("data folder %s: %w", path, err), d.Close())
	}
	return d, nil
}

// Close frees the folder for other processes.
func (d *dataFolder) Close() error { return d.lock.Close() }

// join returns the path of something in the folder.
func (d *dataFolder) join(name string) string { return filepath.Join(d.path, name) }

// checkFormat reads the folder's format, or writes it where it is new.
func (d *dataFolder) checkFormat() error {
	var kept struct {
		Format int    `json:"format"`
		Writer string `json:"writer"`
	}
	path := d.join("format.json")
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		kept.Format, kept.Writer = dataFormat, version()
		if data, err = json.Marshal(kept); err != nil {
			return err
		}
		return writeFile(path, append(data, '\n'))
	case err != nil:
		return err
	}
	if err := json.Unmarshal(data, &kept); err != nil {
		return fmt.Errorf("format.json: %w", err)
	}
	if kept.Format < 1 || kept.Format > dataFormat {
		return fmt.Errorf("it has format %d (written by quintain %s), and this binary knows up to %d; use a newer quintain, or another folder with --data", kept.Format, kept.Writer, dataFormat)
	}
	return nil
}

// writeFile writes a file whole or not at all, and durably.
func writeFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return syncFolder(filepath.Dir(path))
}

// syncFolder makes the names in a folder durable: a power cut may undo a rename
// before that.
func syncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// newLogger returns the log of a process.
func newLogger(w *world, s logSettings) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.Level)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if s.Format == "json" {
		return slog.New(slog.NewJSONHandler(w.stderr, options))
	}
	return slog.New(slog.NewTextHandler(w.stderr, options))
}
