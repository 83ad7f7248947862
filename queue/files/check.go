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

// A Report describes the content and the damage of a folder.
type Report struct {
	Findings []string    // a sentence for each problem that opening it would log
	Stats    queue.Stats // of the queue, after reading every waiting group
	Damaged  uint64      // damaged places
	Cut      uint64      // unfinished writes, which opening it would cut off
}

// Sound reports whether nothing is damaged or missing. An unfinished write, from a crash,
// was never confirmed, and is no damage.
func (r Report) Sound() bool {
	return r.Damaged == 0 && r.Stats.Lost == 0 && r.Stats.Corrupt == 0
}

// Check opens the folder dir as [Open] does, reads every waiting group, and reports. It
// changes nothing on disk. The folder must not be in use.
func Check(ctx context.Context, dir string) (Report, error) {
	return Dump(ctx, dir, func(queue.Delivery) error { return nil })
}

// Dump is [Check] that also shows every readable waiting group, oldest first.
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
	defer func() {
		c := s.Condition()
		r.Findings, r.Damaged, r.Cut = heard.sentences, c.Damaged, c.Cut
	}()
	q, err := queue.Open(ctx, s, queue.Options{Log: log})
	if err != nil {
		return r, err
	}
	err = showAll(ctx, q, show)
	r.Stats = q.Stats()
	return r, errors.Join(err, q.Close())
}

// showAll shows the waiting groups. Unreadable ones are set aside.
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
		if err != nil {
			return err
		}
		if err := show(d); err != nil {
			return err
		}
	}
	return nil
}

// A collector is a log handler that collects warnings and errors as sentences.
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
		if a.Key != "kept" && a.Key != "again" { // a check saves no bytes and does not retry
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
