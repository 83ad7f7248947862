package artifacts

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/trace"
)

// spare is what the files of a run have in common: none of them stops the run. What the disk does not
// take is counted, and the first time told.
type spare struct {
	log  *slog.Logger
	lost *prometheus.CounterVec

	mu   sync.Mutex
	said map[string]bool
}

func newSpare(log *slog.Logger) *spare {
	return &spare{log: log, said: map[string]bool{}, lost: prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "quintain_artifacts_lost_total", Help: "Groups and lines that a full or broken disk did not take, by the file or folder that lacks them.",
	}, []string{"file"})}
}

// forgive returns err, or nil if it is the disk's.
func (s *spare) forgive(what string, err error) error {
	if _, disk := errors.AsType[*fs.PathError](err); !disk {
		return err
	}
	n := 1
	if lost, ok := errors.AsType[*trace.LostError](err); ok {
		n = lost.Groups
	}
	s.lost.WithLabelValues(what).Add(float64(n))
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.said[what] {
		s.log.Error("the disk does not take what the run writes beside its groups: the run goes on, and this lacks what comes until there is room; quintain_artifacts_lost_total counts it", "file", what, "err", err)
	}
	s.said[what] = true
	return nil
}

// sink is a sink whose disk may fail.
func (s *spare) sink(what string, of run.Sink) run.Sink { return &spared{s, what, of} }

type spared struct {
	*spare
	what string
	of   run.Sink
}

// Note implements [run.Sink].
func (s *spared) Note(e run.Event) error { return s.forgive(s.what, s.of.Note(e)) }

// flush runs a part that ends when the disk fails, again and again.
func (s *spare) flush(what string, part func(context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		for {
			err := s.forgive(what, part(ctx))
			if err != nil || !pause.For(ctx, time.Second) {
				return err
			}
		}
	}
}

// closer closes a file whose disk may fail.
func (s *spare) closer(what string, of io.Closer) io.Closer {
	return closing(func() error { return s.forgive(what, of.Close()) })
}

type closing func() error

// Close implements [io.Closer].
func (c closing) Close() error { return c() }
