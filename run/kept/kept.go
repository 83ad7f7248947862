// Package kept keeps what the next process of a run needs beside its record: the checkpoint of
// the weights, and the logs of steps and evaluations. They are files of the data folder. A run
// whose queue is elsewhere has them in the small records of that queue first, so that a process
// on another machine can go on, and the folder has a copy of them.
package kept

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/queue"
)

// A Store has small records by key, as a [queue.Queue] has. What it has stored is durable.
type Store interface {
	State(ctx context.Context, key string) ([]byte, error) // nil: no such record
	SetStates(ctx context.Context, list []queue.State) error
}

// A Place is where a run keeps its files.
type Place struct {
	Folder *datadir.Folder
	Store  Store        // has them first; nil: only the folder has them
	Log    *slog.Logger // nil: none
}

const (
	portion = 256 << 10 // of a checkpoint, in bytes: a server of NATS takes messages of 1 MiB by default
	lot     = 4 << 20   // of one write, in bytes: the owner of the streams must show itself between two
)

// put stores records in their order, some at a time.
func (p *Place) put(list []queue.State) error {
	for len(list) > 0 {
		n, bytes := 0, 0
		for n < len(list) && (n == 0 || bytes+len(list[n].Value) <= lot) {
			bytes += len(list[n].Value)
			n++
		}
		if err := p.Store.SetStates(context.Background(), list[:n]); err != nil {
			return err
		}
		list = list[n:]
	}
	return nil
}

// get returns a record; nil: there is none.
func (p *Place) get(key string) ([]byte, error) { return p.Store.State(context.Background(), key) }

// copied returns the file of a name in the folder; nil: there is none.
func (p *Place) copied(name string) ([]byte, error) {
	data, err := os.ReadFile(p.Folder.Join(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// aside renames a file of another run, so that it is not lost.
func (p *Place) aside(name string) error {
	for n := 1; ; n++ {
		to := p.Folder.Join(fmt.Sprintf("%s.%d", name, n))
		if _, err := os.Lstat(to); err == nil {
			continue
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if p.Log != nil {
			p.Log.Warn("the data folder had a file of another run, which has another name now", "file", name, "now", to)
		}
		return os.Rename(p.Folder.Join(name), to)
	}
}

// pieces cuts data into records of at most size bytes, with the keys that name gives them from
// number first on.
func pieces(data []byte, size, first int, name func(n int) string) (list []queue.State) {
	for piece := range slices.Chunk(data, size) {
		list = append(list, queue.State{Key: name(first + len(list)), Value: piece})
	}
	return list
}

// whole is the part of a text with complete lines.
func whole(text []byte) []byte { return text[:bytes.LastIndexByte(text, '\n')+1] }
