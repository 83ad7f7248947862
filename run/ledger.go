package run

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/rollout"
)

// recordKey names the record of a run among the small records of the queue.
const recordKey = "run"

// recordFormat is the version of the form of that record.
const recordFormat = 3

// A record is what a run keeps beside its groups, so that the next process continues
// where this one was.
type record struct {
	Format  int          `json:"format"`
	RunID   string       `json:"run_id"`  // names the run in traces and dumps
	Trained bool         `json:"trained"` // a learner of its own made its versions
	Version int          `json:"version"`
	Batch   []string     `json:"batch"` // IDs of the groups that the step to Version consumed
	Streams *rollout.Mix `json:"streams"`
}

// A stateStore keeps small records.
type stateStore interface {
	State(ctx context.Context, key string) ([]byte, error)
	SetState(ctx context.Context, key string, value []byte) error
}

// A ledger is the book of a run: the version of the policy, the batch that made it, the
// positions in the streams of problems, and the gate that opens with the version. It
// alone advances the version. Many goroutines may use it.
type ledger struct {
	store stateStore
	gate  *rollout.Admission
	dirty chan struct{} // has an element when the record is out of date

	saving    sync.Mutex // held while the record is written; taken before mu
	mu        sync.Mutex // of what follows; the store is never called under it
	record    record
	published int // the last version that was kept and published
}

// errTrained and errUntrained say that a folder is of another kind of run.
var (
	errTrained   = errors.New("it belongs to a model that is trained in this program: choose another folder with --data, or --policy tiny")
	errUntrained = errors.New("it belongs to another policy, which is not trained in this program: choose another folder with --data")
)

// openLedger reads the record of a run, or begins one with the given ID. Last is the
// step of the learner's checkpoint: if it is one ahead of the record, the process was
// killed between the two, and the record follows it. Nil: nothing is trained.
func openLedger(ctx context.Context, store stateStore, fresh record, last *checkpoint) (*ledger, error) {
	l := &ledger{store: store, dirty: make(chan struct{}, 1), record: fresh}
	l.record.Format, l.record.Trained = recordFormat, last != nil
	data, err := store.State(ctx, recordKey)
	if err == nil && data != nil {
		err = l.read(data)
	}
	if err != nil {
		return nil, fmt.Errorf("record of the run: %w", err)
	}
	if last == nil {
		l.published = l.record.Version
		return l, nil
	}
	if last.version != l.record.Version && last.version != l.record.Version+1 {
		return nil, fmt.Errorf("the checkpoint has version %d, and the run is at version %d: they do not belong together", last.version, l.record.Version)
	}
	l.record.Version, l.record.Batch, l.published = last.version, last.batch, last.version
	return l, nil
}

// A checkpoint is the last step that a learner keeps.
type checkpoint struct {
	version int
	batch   []string
}

// read reads what an earlier process kept.
func (l *ledger) read(data []byte) error {
	var head struct {
		Format  int  `json:"format"`
		Trained bool `json:"trained"`
		Version int  `json:"version"`
	}
	if err := jsonform.Unmarshal(data, &head); err != nil {
		return err
	}
	switch {
	case head.Format != recordFormat:
		return fmt.Errorf("it has format %d, and this program reads format %d: use the program that wrote it, or another folder with --data", head.Format, recordFormat)
	case head.Trained && !l.record.Trained:
		return errTrained
	case !head.Trained && l.record.Trained && head.Version > 0:
		return errUntrained
	}
	trained := l.record.Trained
	err := jsonform.Unmarshal(data, &l.record)
	l.record.Trained = trained
	return err
}

// version is that of the last step that was kept and published.
func (l *ledger) version() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.published
}

// consumed lists the batch that made the last version.
func (l *ledger) consumed() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.record.Batch
}

// touch says that the positions have changed. They are kept soon.
func (l *ledger) touch() {
	select {
	case l.dirty <- struct{}{}:
	default:
	}
}

// advance raises the version by one: it keeps the new version and the IDs of the batch
// that made it, then does what may be done only after that, and opens the gate. A
// process that finds groups of the batch still waiting knows that they were consumed.
func (l *ledger) advance(ctx context.Context, batch []queue.Delivery, then func() error) (version int, err error) {
	l.mu.Lock()
	l.record.Version++
	l.record.Batch = ids(batch)
	version = l.record.Version
	l.mu.Unlock()
	if err := l.save(ctx); err != nil {
		return version, err
	}
	if err := then(); err != nil {
		return version, err
	}
	l.publish(version)
	episodes := 0
	for i := range batch {
		episodes += int(batch[i].Episodes)
	}
	l.gate.Trained(episodes, 0)
	return version, nil
}

// publish says that the policy has the weights of a version. It does not fall.
func (l *ledger) publish(version int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.published = max(l.published, version)
}

// follow raises the version to the steps that a trainer outside has made.
func (l *ledger) follow(steps int) {
	l.mu.Lock()
	l.record.Version = max(l.record.Version, steps)
	l.mu.Unlock()
	l.publish(steps)
	l.touch()
}

// save keeps the record as it is now.
func (l *ledger) save(ctx context.Context) error {
	l.saving.Lock()
	defer l.saving.Unlock()
	l.mu.Lock()
	data, err := jsonform.Marshal(l.record)
	l.mu.Unlock()
	if err == nil {
		err = l.store.SetState(ctx, recordKey, data)
	}
	if err != nil {
		return fmt.Errorf("record of the run: %w", err)
	}
	return nil
}

// Run keeps the record whenever it has changed, until ctx ends, and once more then.
func (l *ledger) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return l.save(context.WithoutCancel(ctx))
		case <-l.dirty:
			if err := l.save(context.WithoutCancel(ctx)); err != nil {
				return err
			}
		}
	}
}
