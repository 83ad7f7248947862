// Package datadir manages the folder with all state of a process. A process locks its
// folder, which records the version of its layout. A crash leaves every file either old
// or new.
package datadir

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Format is the version of the layout of a folder. Open rejects a folder of another
// version. The layout:
//
//	format.json          version of this layout
//	lock                 held while a process uses the folder, as the folder itself is; the URL of a hub that does
//	queue/               groups, and the records of run and hub
//	runs/                the same for each further run of the hub
//	marks/               how far queues, trace and sessions came
//	trace/               every episode
//	sessions/            what the session gateway must not lose
//	dumps/               rollouts as JSON lines
//	records/             episodes in the forms of AReaL
//	checkpoint.weights   model and optimiser of the tiny policy
//	weights/             weights of single versions of it
//	training.jsonl       the training steps of the tiny policy
//	examinations.jsonl   its results on held-out problems
//	metrics.jsonl        the numbers of the run, step by step
const Format = 2

// Names in a folder.
const (
	Queue       = "queue"
	Runs        = "runs"
	marks       = "marks"
	Trace       = "trace"
	Sessions    = "sessions" // of agents elsewhere
	Dumps       = "dumps"
	Records     = "records"
	Checkpoint  = "checkpoint.weights"
	Weights     = "weights" // of single versions
	Training    = "training.jsonl"
	Evaluations = "examinations.jsonl"
	Metrics     = "metrics.jsonl"
)

// A Folder is an open data folder. It does not change, and is safe for concurrent use.
type Folder struct {
	path string
	lock io.Closer
}

// Open opens the folder at path for this process alone, and creates a missing one. Writer
// is the version of the program; a new folder records it. The caller closes the folder.
func Open(path, writer string) (*Folder, error) {
	if err := MakeFolder(path); err != nil {
		return nil, fmt.Errorf("data folder: %w", err)
	}
	lock, err := Lock(path)
	if errors.Is(err, ErrInUse) {
		err = fmt.Errorf("%w%s; stop that one, or choose another folder with --data", err, heldAt(path))
	}
	if err != nil {
		return nil, fmt.Errorf("data folder %s: %w", path, err)
	}
	f := &Folder{path, lock}
	if err := f.checkFormat(writer); err != nil {
		return nil, errors.Join(fmt.Errorf("data folder %s: %w", path, err), f.Close())
	}
	return f, nil
}

// Tell tells others who want the folder the URL of this process.
func (f *Folder) Tell(url string) error {
	return os.WriteFile(f.Join(lockName), []byte(url+"\n"), 0o644)
}

// heldAt says where the process that uses a folder is; empty: it has not told, or the file has something else.
func heldAt(path string) string {
	data, err := os.ReadFile(filepath.Join(path, lockName))
	if url := strings.TrimSuffix(string(data), "\n"); err == nil && len(url) < 200 && strings.HasPrefix(url, "http://") && !strings.ContainsAny(url, " \n\x1b") {
		return ", on " + url
	}
	return ""
}

// Root returns the data folder around path, as for the path of a queue, or path itself
// outside any.
func Root(path string) string {
	full, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	for _, dir := range []string{filepath.Dir(full), filepath.Dir(filepath.Dir(full))} { // runs/NAME is two below
		if _, err := os.Stat(filepath.Join(dir, "format.json")); err == nil {
			return dir
		}
	}
	return path
}

// Path returns the path of the folder.
func (f *Folder) Path() string { return f.path }

// Join returns the path of name in the folder.
func (f *Folder) Join(name string) string { return filepath.Join(f.path, name) }

// Mark returns the path of the mark of the queue in a folder below this one.
func (f *Folder) Mark(queue string) string { return MarkOf(f.path, queue) }

// Close unlocks the folder for other processes.
func (f *Folder) Close() error { return f.lock.Close() }

// checkFormat checks the format of the folder, or records it in a new one.
func (f *Folder) checkFormat(writer string) error {
	var kept struct {
		Format int    `json:"format"`
		Writer string `json:"writer"`
	}
	data, err := os.ReadFile(f.Join("format.json"))
	if errors.Is(err, fs.ErrNotExist) {
		kept.Format, kept.Writer = Format, writer
		if data, err = json.Marshal(kept); err != nil {
			return err
		}
		return WriteFile(f.Join("format.json"), append(data, '\n'))
	}
	if err != nil {
		return err
	}
	if err := strictjson.Unmarshal(data, &kept); err != nil {
		return fmt.Errorf("format.json is damaged: put back a copy, or write {\"format\":%d} into it if this program, or one of its format, wrote the folder", Format)
	}
	if kept.Format != Format {
		return fmt.Errorf("it has format %d (written by quintain %s), and this program reads format %d: use the program that wrote it, or another folder with --data", kept.Format, kept.Writer, Format)
	}
	return nil
}

// WriteFile writes a file durably, completely or not at all.
func WriteFile(path string, data []byte) error {
	return WriteTo(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// WriteTo is [WriteFile] with the output of write, which may exceed memory.
func WriteTo(path string, write func(io.Writer) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	if err := finish(f, path, write); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncFolder(filepath.Dir(path))
}

// WriteOut has write fill the file at path, completely or not at all, or stdout if path is
// empty. The output is buffered.
func WriteOut(path string, stdout io.Writer, write func(io.Writer) error) error {
	buffered := func(to io.Writer) error {
		out := bufio.NewWriterSize(to, 1<<20)
		return errors.Join(write(out), out.Flush())
	}
	if path == "" {
		return buffered(stdout)
	}
	if err := WriteTo(path, buffered); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// finish fills and closes f, and moves it to path.
func finish(f *os.File, path string, write func(io.Writer) error) error {
	if err := write(f); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Chmod(f.Name(), 0o644); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// doomed ends the name of a folder that is being removed. No run has a dot in its name.
const doomed = ".removed"

// Remove removes a folder with its content. A crash leaves the folder, or nothing of this name:
// it is renamed first, and [Sweep] removes the rest.
func Remove(path string) error {
	gone := path + doomed
	if err := os.RemoveAll(gone); err != nil { // the rest of an earlier one
		return err
	}
	if err := os.Rename(path, gone); err != nil {
		return err
	}
	if err := SyncFolder(filepath.Dir(path)); err != nil {
		return err
	}
	return os.RemoveAll(gone)
}

// Sweep removes what a crash left of folders in dir that were being removed. There may be no
// dir.
func Sweep(dir string) error {
	list, err := filepath.Glob(filepath.Join(dir, "*"+doomed))
	errs := []error{err}
	for _, path := range list {
		errs = append(errs, os.RemoveAll(path))
	}
	return errors.Join(errs...)
}

// MakeFolder makes a folder, and those above that are missing. All these names are durable once
// it returns, unless the system cannot sync the folder that has them, or this process may not
// read it.
func MakeFolder(path string) error { return makeFolder(path, SyncFolder) }

func makeFolder(path string, sync func(string) error) error {
	above := filepath.Dir(path)
	if _, err := os.Stat(above); errors.Is(err, fs.ErrNotExist) {
		if err := makeFolder(above, sync); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	err := sync(above)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) {
		return nil
	}
	return err
}

// SyncFolder makes the names in a folder durable. Before that, a power cut may undo
// creating, renaming or removing a file.
func SyncFolder(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
