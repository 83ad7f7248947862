package doctor

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/tiny/transformer"
	"github.com/quintain-rl/quintain/trace"
)

// queues adds the queue of each run, and the small records in it.
func (r *DataReport) queues(ctx context.Context, dir string) {
	folders, err := files.Folders(dir)
	if err != nil {
		if _, none := os.Stat(filepath.Join(dir, datadir.Queue)); !errors.Is(none, fs.ErrNotExist) {
			r.add(DataPart{Path: datadir.Queue, Content: "groups", Fault: err.Error()})
		}
		return // with --nats-url, there is none
	}
	for _, folder := range folders {
		name, err := filepath.Rel(dir, folder)
		if err != nil {
			name = folder
		}
		p, records := DataPart{Path: filepath.ToSlash(name), Content: "groups"}, DataPart{Path: filepath.ToSlash(name), Content: "records"}
		p.Format, err = titled(filepath.Join(folder, "manifest"), "quintain queue, manifest ")
		found, looked := files.Look(ctx, folder, func(q *queue.Queue) error { return records.read(ctx, q) })
		p.Content = stats.Count(found.Stats.Waiting.Groups, "group")
		if err = errors.Join(err, looked); err != nil {
			p.Fault = err.Error()
		} else if !found.Sound() {
			p.Content += ", some damaged: see quintain hub queue check"
		}
		r.add(p)
		if records.Format != "" || records.Fault != "" {
			r.add(records)
		}
	}
}

// read reads the small records of hub and run in a queue.
func (p *DataPart) read(ctx context.Context, q *queue.Queue) error {
	var states []queue.State
	for letter := 'a'; letter <= 'z'; letter++ { // that a key begins with
		some, err := q.States(ctx, string(letter))
		if err != nil {
			return err
		}
		states = append(states, some...)
	}
	versions := map[string]int{}
	for _, s := range states {
		var head struct {
			Version int `json:"version"`
			Format  int `json:"format"`
		}
		if strictjson.Unmarshal(s.Value, &head) != nil {
			continue // its format has no version
		}
		switch {
		case s.Key == run.RecordKey:
			p.judgeRun(head.Format)
			fallthrough
		case s.Key == "checkpoint", s.Key == remote.VersionKey:
			versions[s.Key] = head.Format
		case strings.HasPrefix(s.Key, "hub-"):
			versions[strings.TrimRight(s.Key, "0123456789-")] = head.Version
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(versions)) {
		p.Format += fmt.Sprintf("%d of %s, ", versions[kind], kind)
	}
	p.Format = strings.TrimSuffix(p.Format, ", ")
	if _, err := hub.New(hub.Config{Queue: q}); err != nil {
		p.Fault = err.Error()
	}
	return nil
}

// judgeRun judges the format of a run's record.
func (p *DataPart) judgeRun(format int) {
	switch {
	case format > run.RecordFormat || format < run.OldestRecord:
		p.Fault = fmt.Sprintf("the record of the run has format %d, and this program reads formats %d to %d: use the program that wrote it, or a later one", format, run.OldestRecord, run.RecordFormat)
	case format < run.RecordFormat:
		p.Upgrade = fmt.Sprintf("the record of the run gets format %d", run.RecordFormat)
	}
}

// traces reads the index of the trace.
func traces(dir string) (p DataPart, err error) {
	dir = filepath.Join(dir, datadir.Trace)
	numbers, err := trace.Folder(dir).Segments()
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(numbers) == 0 {
		return p, nil
	}
	p = DataPart{Path: datadir.Trace, Content: "episodes"}
	if err != nil {
		return p, err
	}
	versions := map[string]bool{}
	for _, n := range numbers {
		b, fault := begin(filepath.Join(dir, trace.SegmentName(n)), 8)
		if fault != nil {
			return p, fault
		}
		if len(b) == 8 && bytes.HasPrefix(b, []byte("QNtrace")) {
			versions[fmt.Sprint(b[7])] = true
			if int(b[7]) != trace.Version() {
				err = fmt.Errorf("%s has format %d, and this program reads format %d: use the program that wrote it, or a later one", trace.SegmentName(n), b[7], trace.Version())
			}
		}
	}
	p.Format = strings.Join(slices.Sorted(maps.Keys(versions)), ", ")
	if err != nil {
		return p, err
	}
	r, err := trace.Open(dir)
	if err != nil {
		return p, err
	}
	p.Content = stats.Count(r.Len(), "group") + " of episodes"
	for _, what := range r.Damage() {
		p.Content += "; " + what
	}
	return p, nil
}

// sessions reads the journal of the sessions.
func sessions(dir string) (p DataPart, err error) {
	dir = filepath.Join(dir, datadir.Sessions)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	p = DataPart{Path: datadir.Sessions, Content: "sessions of agents"}
	if p.Format, err = titled(filepath.Join(dir, "manifest"), "quintain sessions, manifest "); err != nil {
		return p, err
	}
	n := 0
	err = journal.Check(dir, func(journal.Record) error {
		n++
		return nil
	})
	p.Content = stats.Count(n, "record") + " of agents' sessions"
	return p, err
}

// weights reads the checkpoint.
func weights(dir string) (p DataPart, err error) {
	data, err := os.ReadFile(filepath.Join(dir, datadir.Checkpoint))
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	p = DataPart{Path: datadir.Checkpoint, Content: "the trained model"}
	if err != nil {
		return p, err
	}
	if len(data) >= 12 {
		p.Format = fmt.Sprint(binary.LittleEndian.Uint32(data[8:]))
	}
	_, err = transformer.ReadCheckpoint(data, "") // of whichever model
	return p, err
}

// titled returns the version in the first line of a text file: a title, and a number. A missing
// file has none.
func titled(path, title string) (version string, err error) {
	b, err := begin(path, 64)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	line, _, _ := strings.Cut(string(b), "\n")
	version, ok := strings.CutPrefix(line, title)
	if !ok {
		return "", err
	}
	return version, err
}

// begin returns the first n bytes of a file, or all if it has fewer.
func begin(path string, n int64) (b []byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return io.ReadAll(io.LimitReader(f, n))
}
