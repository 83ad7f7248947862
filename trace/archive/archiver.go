package archive

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/trace"
)

// Times of an archiver.
const (
	lookEvery = 10 * time.Second // for closed files
	firstWait = time.Second      // after a failure; it doubles
	longest   = 5 * time.Minute  // such wait
	lastTime  = time.Minute      // for what is left when the run has ended
)

// An Archiver copies the closed segments of a folder to an archive, the oldest first, one at a
// time. It never stops the run: failures are logged, counted, and tried again, and what a process
// has not copied, the next one copies.
type Archiver struct {
	bucket *Bucket
	folder trace.Folder
	run    string // name of the run in the archive
	log    *slog.Logger

	sweeping sync.Mutex // guards the rest
	name     string     // of the folder in the archive; empty: not read yet
	there    map[int]bool
	waiting  map[int]bool // seen, but not copied yet; nil: the archive is not listed yet

	files, bytes, failures, lost prometheus.Counter
	left                         prometheus.Gauge
}

// New returns the archiver of the trace of a run in a folder.
func New(b *Bucket, folder, run string, log *slog.Logger) *Archiver {
	count := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Name: "quintain_archive_" + name, Help: help})
	}
	return &Archiver{
		bucket: b, folder: trace.Folder(folder), run: strings.ReplaceAll(run, "/", "_"), log: log,
		files: count("files_total", "Trace files copied to the archive."), bytes: count("bytes_total", "Bytes of trace files copied to the archive."),
		failures: count("failures_total", "Failed requests to the archive."), lost: count("lost_total", "Trace files that were removed before they could be archived."),
		left: prometheus.NewGauge(prometheus.GaugeOpts{Name: "quintain_archive_waiting", Help: "Closed trace files that are not in the archive yet."}),
	}
}

// Describe implements [prometheus.Collector].
func (a *Archiver) Describe(to chan<- *prometheus.Desc) { prometheus.DescribeByCollect(a, to) }

// Collect implements [prometheus.Collector].
func (a *Archiver) Collect(to chan<- prometheus.Metric) {
	for _, m := range []prometheus.Metric{a.files, a.bytes, a.failures, a.lost, a.left} {
		to <- m
	}
}

// Run copies what is closed until ctx ends. The error is nil.
func (a *Archiver) Run(ctx context.Context) error {
	wait := firstWait
	for {
		next := lookEvery
		if err := a.sweep(ctx); err != nil && ctx.Err() == nil {
			next, wait = wait, min(2*wait, longest)
			a.log.Warn("the trace cannot be archived", "error", err, "again_in", next)
		} else {
			wait = firstWait
		}
		if !pause.For(ctx, next) {
			return nil
		}
	}
}

// Close copies what was closed since, for a minute at most. Call it after Run has returned and
// the trace is closed. The error is nil.
func (a *Archiver) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), lastTime)
	defer cancel()
	if err := a.sweep(ctx); err != nil {
		a.log.Warn("the end of the trace is not archived; the next process of the run tries again", "error", err)
	}
	return nil
}

// sweep copies the closed segments that the archive lacks.
func (a *Archiver) sweep(ctx context.Context) (err error) {
	a.sweeping.Lock()
	defer a.sweeping.Unlock()
	defer func() {
		a.left.Set(float64(len(a.waiting)))
		if err != nil {
			a.failures.Inc()
		}
	}()
	closed, err := a.closed()
	if err != nil {
		return err
	}
	if a.there == nil {
		if err := a.begin(ctx, closed); err != nil {
			return err
		}
	}
	for _, n := range closed {
		if a.there[n] {
			continue
		}
		if err := a.copy(ctx, n); errors.Is(err, errOther) {
			return a.rename(err)
		} else if err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s: %w", a.folder.Name(n), err)
		}
	}
	return nil
}

// closed lists the closed segments of the folder. One that waited and is gone is lost.
func (a *Archiver) closed() (closed []int, err error) {
	numbers, err := a.folder.Segments()
	if err != nil {
		return nil, err
	}
	for n := range a.waiting {
		if !slices.Contains(numbers, n) {
			a.lost.Inc()
			a.log.Warn("a trace file was removed before it could be archived; trace.max_bytes keeps more", "file", a.folder.Name(n))
		}
	}
	a.waiting = map[int]bool{}
	for _, n := range numbers {
		if a.there[n] {
			continue
		}
		f, err := a.folder.Open(n)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		is, err := trace.Closed(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
		if is {
			closed, a.waiting[n] = append(closed, n), true
		}
	}
	return closed, nil
}

// begin reads the name of the folder, and what the archive has of it.
func (a *Archiver) begin(ctx context.Context, closed []int) error {
	if err := a.readMark(); err != nil {
		return err
	}
	sizes, err := a.bucket.list(ctx, a.key(""))
	if err != nil {
		return err
	}
	there := map[int]bool{}
	for _, n := range closed {
		size, has := sizes[trace.SegmentName(n)]
		if !has {
			continue
		}
		info, err := os.Stat(a.folder.Name(n))
		if err == nil && info.Size() != size {
			return a.rename(errOther)
		}
		there[n] = err == nil
		delete(a.waiting, n)
	}
	a.there = there
	return nil
}

// key is the name of a file in the archive.
func (a *Archiver) key(file string) string { return a.run + "/" + a.name + "/" + file }

// copy copies a segment.
func (a *Archiver) copy(ctx context.Context, n int) error {
	f, err := a.folder.Open(n)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := a.bucket.put(ctx, a.key(trace.SegmentName(n)), f); err != nil {
		return err
	}
	a.there[n] = true
	delete(a.waiting, n)
	a.files.Inc()
	a.bytes.Add(float64(f.Size()))
	a.log.Info("a trace file is archived", "file", a.bucket.url(a.key(trace.SegmentName(n))), "bytes", f.Size())
	return nil
}

// A mark names the folder in the archive. It lies beside the segments.
type mark struct {
	Folder string `json:"folder"`
}

// markPath is the path of the mark.
func (a *Archiver) markPath() string { return filepath.Join(string(a.folder), "archive.json") }

// readMark reads the mark, or makes it.
func (a *Archiver) readMark() error {
	text, err := os.ReadFile(a.markPath())
	if errors.Is(err, fs.ErrNotExist) {
		return a.writeMark()
	}
	if err != nil {
		return err
	}
	var m mark
	if err := jsonform.Unmarshal(text, &m); err != nil || m.Folder == "" || strings.Contains(m.Folder, "/") {
		return a.writeMark()
	}
	a.name = m.Folder
	return nil
}

// writeMark gives the folder a new name.
func (a *Archiver) writeMark() error {
	var b [8]byte
	rand.Read(b[:]) // never fails
	name := hex.EncodeToString(b[:])
	text, err := jsonform.Marshal(mark{name})
	if err != nil {
		return err
	}
	if err := datadir.WriteFile(a.markPath(), text); err != nil {
		return err
	}
	a.name = name
	return nil
}

// rename gives the folder a new name, since the archive has files of a copy of it, and returns why.
func (a *Archiver) rename(why error) error {
	a.there = nil
	if err := a.writeMark(); err != nil {
		return err
	}
	return fmt.Errorf("%w, from a copy of this folder; this one goes on as %s", why, a.bucket.url(a.key("")))
}
