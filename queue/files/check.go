package files

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/queue"
)

// A Report says what a folder holds, and what is wrong with it.
type Report struct {
	Findings []string    // a sentence each: what opening it would report
	Stats    queue.Stats // of the queue, with every group that waits read once
	Damaged  uint64      // places that are not as they were written
	Cut      uint64      // writes that were not finished, which opening it cuts off
}

// Sound reports whether nothing is damaged or missing. A write that a crash has left
// unfinished was never acknowledged, and is no damage.
func (r Report) Sound() bool {
	return r.Damaged == 0 && r.Stats.Lost == 0 && r.Stats.Corrupt == 0
}

// Check opens the folder dir as [Open] does, reads every group that waits, and tells what
// it found. It changes nothing on disk. The folder must not be in use.
func Check(ctx context.Context, dir string) (Report, error) {
	return Dump(ctx, dir, func(queue.Delivery) error { return nil })
}

// Dump shows every group that waits and can be read, oldest first, and tells what it
// found. It changes nothing on disk. The folder must not be in use.
func Dump(ctx context.Context, dir string, show func(queue.Delivery) error) (r Report, err error) {
	lock, err := lockedBy(datadir.LockToRead, dir)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	over, err := newOverlay(dir)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, over.close()) }()
	heard := &collector{}
	log := slog.New(heard)
	s, err := openFolder(over, Options{MinFree: -1, Log: log})
	if err != nil {
		r.Findings = heard.sentences
		return r, fmt.Errorf("%s: %w", dir, err)
	}
	q, err := queue.Open(ctx, s, queue.Options{Log: log})
	if err == nil {
		err = showAll(ctx, q, show)
		r.Stats = q.Stats()
		err = errors.Join(err, q.Close())
	}
	c := s.Condition()
	r.Findings, r.Damaged, r.Cut = heard.sentences, c.Damaged, c.Cut
	return r, err
}

// showAll shows the groups that wait. Those that cannot be read are set aside.
func showAll(ctx context.Context, q *queue.Queue, show func(queue.Delivery) error) error {
	var seqs []uint64
	q.View(func(waiting []queue.Entry) {
		for _, e := range waiting {
			seqs = append(seqs, e.Seq)
		}
	})
	for _, seq := range seqs {
		d, err := q.Read(ctx, seq)
		if errors.As(err, new(*queue.CorruptError)) {
			continue
		}
		if err == nil {
			err = show(d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// A collector keeps what is logged as warnings and errors, a sentence each.
type collector struct {
	mu        sync.Mutex
	sentences []string
}

// Enabled implements [slog.Handler].
func (w *collector) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle implements [slog.Handler].
func (w *collector) Handle(_ context.Context, r slog.Record) error {
	var about []string
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "kept" && a.Key != "again" { // nothing is kept, and nothing is tried again
			about = append(about, a.Key+" "+a.Value.String())
		}
		return true
	})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sentences = append(w.sentences, r.Message+": "+strings.Join(about, ", "))
	return nil
}

// WithAttrs implements [slog.Handler]; nothing here uses it.
func (w *collector) WithAttrs([]slog.Attr) slog.Handler { return w }

// WithGroup implements [slog.Handler]; nothing here uses it.
func (w *collector) WithGroup(string) slog.Handler { return w }
