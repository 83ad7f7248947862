package files

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/queue"
)

// A Report describes the content and the damage of a folder.
type Report struct {
	Folder   string
	Err      error       // why it could not be read to the end; the counts are unknown then
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
func Dump(ctx context.Context, dir string, show func(queue.Delivery) error) (Report, error) {
	return dump(ctx, dir, false, show)
}

// Look opens the folder dir as [Open] does, and its queue, for look to see. Changes of the queue
// are kept in memory, and lost. The folder must not be in use.
func Look(ctx context.Context, dir string, look func(*queue.Queue) error) (Report, error) {
	return overlaid(ctx, dir, false, func(q *queue.Queue, _ [][]byte, _ *slog.Logger) error { return look(q) })
}

// CheckAll is [Check] for all folders of [Folders]. The error joins those of the reports.
func CheckAll(ctx context.Context, dir string) (list []Report, err error) {
	folders, err := Folders(dir)
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		r, fault := Check(ctx, folder)
		list, err = append(list, r), errors.Join(err, fault)
	}
	return list, err
}

// dump is [Salvage] or [Dump].
func dump(ctx context.Context, dir string, all bool, show func(queue.Delivery) error) (Report, error) {
	return overlaid(ctx, dir, all, func(q *queue.Queue, ruined [][]byte, log *slog.Logger) error {
		if err := salvage(ctx, q, ruined, log); err != nil {
			return err
		}
		return showAll(ctx, q, show)
	})
}

// overlaid opens a folder and its queue, and changes nothing on disk.
func overlaid(ctx context.Context, dir string, all bool, use func(q *queue.Queue, ruined [][]byte, log *slog.Logger) error) (r Report, err error) {
	r.Folder = dir
	defer func() { r.Err = err }()
	lock, err := lockedBy(datadir.LockToRead, dir)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	over, err := wal.NewOverlay(dir)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, over.Close()) }()
	heard := &collector{}
	log := slog.New(heard)
	s, err := openFolder(over, Options{MinFree: -1, Log: log, salvage: all})
	if err != nil {
		r.Findings = heard.findings()
		return r, fmt.Errorf("%s: %w", dir, err)
	}
	defer func() {
		c := s.Condition()
		r.Findings, r.Damaged, r.Cut = heard.findings(), c.Damaged, c.Cut
	}()
	var ruined [][]byte
	if all {
		ruined = s.ruined()
	}
	q, err := queue.Open(ctx, s, queue.Options{Log: log})
	if err != nil {
		return r, err
	}
	err = use(q, ruined, log)
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

// A collector is a log handler that collects warnings and errors as sentences: the first ones
// of each message, and a count of the others.
type collector struct {
	mu        sync.Mutex
	sentences []string
	counts    map[string]int // by message
}

// mostAlike is how many sentences of a message a collector keeps.
const mostAlike = 20

// findings are the sentences.
func (w *collector) findings() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	list := slices.Clone(w.sentences)
	for _, message := range slices.Sorted(maps.Keys(w.counts)) {
		if n := w.counts[message] - mostAlike; n > 0 {
			list = append(list, fmt.Sprintf("%s: %d more", message, n))
		}
	}
	return list
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
	if w.counts == nil {
		w.counts = make(map[string]int)
	}
	if w.counts[r.Message]++; w.counts[r.Message] <= mostAlike {
		w.sentences = append(w.sentences, r.Message+": "+strings.Join(about, ", "))
	}
	return nil
}

// WithAttrs implements [slog.Handler]; nothing here uses it.
func (w *collector) WithAttrs([]slog.Attr) slog.Handler { return w }

// WithGroup implements [slog.Handler]; nothing here uses it.
func (w *collector) WithGroup(string) slog.Handler { return w }
