package files

import (
	"context"
	"io"
	"log/slog"

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
)

// Salvage is [Dump] that shows all that can be read: it does without a missing or unreadable log,
// and also shows the groups that it finds in damaged parts, last. They may have been acknowledged
// if a record of the log is damaged, or if they have no ID.
func Salvage(ctx context.Context, dir string, show func(queue.Delivery) error) (Report, error) {
	return dump(ctx, dir, true, show)
}

// ruined are the whole encoded groups in damaged parts of the files of groups. The queue, once
// opened, may rewrite the files without those parts.
func (s *store) ruined() (list [][]byte) {
	for _, seg := range s.bodies.list {
		for _, g := range seg.gaps {
			list = append(list, bodiesIn(seg.File, g)...)
		}
	}
	return list
}

// salvage puts groups found in damaged parts into q, unless it knows them.
func salvage(ctx context.Context, q *queue.Queue, list [][]byte, log *slog.Logger) error {
	found := 0
	for _, body := range list {
		fresh, err := q.PutEncoded(ctx, [][]byte{body}, nil)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err == nil && fresh[0] { // else it is no group, or a damaged one of a known ID
			found++
		}
	}
	if found > 0 {
		log.Warn("groups were found in damaged parts", "groups", found)
	}
	return nil
}

// bodiesIn are the whole encoded groups in a part of a file. They share its memory.
func bodiesIn(f io.ReaderAt, g wal.Gap) (list [][]byte) {
	b := make([]byte, g.To-g.From)
	n, _ := (&wal.Window{ReaderAt: f}).Around(b, g.From)
	b = b[:n]
	for {
		from, to, ok := groupform.Find(b)
		if !ok {
			return list
		}
		list, b = append(list, b[from:to:to]), b[to:]
	}
}
