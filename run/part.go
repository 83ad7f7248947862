package run

import (
	"context"
	"encoding/json"
)

// A Part is kept in the record of a run, with the positions in its streams: what [Players] must
// know after a restart. Many goroutines may use it.
type Part interface {
	// Snapshot returns all of it as JSON, and begins its changes anew.
	Snapshot() (json.RawMessage, error)

	// Changes returns, as JSON, the changes since the last Changes or Snapshot; nil: none.
	Changes() json.RawMessage

	// Restore sets it to a snapshot of an earlier process.
	Restore(snapshot json.RawMessage) error

	// Replay makes changes of an earlier process, in their order.
	Replay(changes json.RawMessage) error
}

// A partRecord is the part of a record; one without a part is kept as nothing.
type partRecord struct{ of Part }

// UnmarshalJSON implements [json.Unmarshaler].
func (p *partRecord) UnmarshalJSON(data []byte) error {
	if p.of == nil {
		return nil
	}
	return p.of.Restore(data)
}

func (p *partRecord) snapshot() (json.RawMessage, error) {
	if p.of == nil {
		return nil, nil
	}
	return p.of.Snapshot()
}

func (p *partRecord) changes() json.RawMessage {
	if p.of == nil {
		return nil
	}
	return p.of.Changes()
}

func (p *partRecord) replay(changes json.RawMessage) error {
	if p.of == nil || changes == nil {
		return nil
	}
	return p.of.Replay(changes)
}

// A round is those who wait for the same save.
type round struct {
	done chan struct{} // closed when err is known
	err  error
}

// keep returns once all changes before it are saved. Those that come while a save is under way
// share the next one. When ctx ends, it may return its cause; the changes are saved all the same.
func (l *ledger) keep(ctx context.Context) error {
	l.mu.Lock()
	r, first := l.round, l.round == nil
	if first {
		r = &round{done: make(chan struct{})}
		l.round = r
	}
	l.mu.Unlock()
	if first {
		l.saveRound(context.WithoutCancel(ctx), r)
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// saveRound saves for all who came before it began.
func (l *ledger) saveRound(ctx context.Context, r *round) {
	l.saving.Lock()
	defer l.saving.Unlock()
	l.mu.Lock()
	l.round = nil
	l.mu.Unlock()
	r.err = l.saveNow(ctx)
	close(r.done)
}
