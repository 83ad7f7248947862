package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/quintain-rl/quintain/rollout"
)

// runKey names the record of a run among the small records of the queue.
const runKey = "run"

// runFormat is the version of the form of that record.
const runFormat = 1

// A runRecord is what a run keeps beside its groups, so that the next process
// continues where this one was.
type runRecord struct {
	Format  int          `json:"format"`
	RunID   string       `json:"run_id"` // names the run's dump files
	Version int          `json:"version"`
	Batch   []string     `json:"batch"` // IDs of the groups that the step to Version consumed
	Streams *rollout.Mix `json:"streams"`
}

// A stateStore keeps small records.
type stateStore interface {
	State(ctx context.Context, key string) ([]byte, error)
	SetState(ctx context.Context, key string, value []byte) error
}

// A keeper keeps the record of a run. Many goroutines may use it.
type keeper struct {
	store stateStore
	dirty chan struct{} // has an element where the record is out of date

	mu     sync.Mutex
	record runRecord
}

// openKeeper reads the record of a run into mix and the keeper. Where there is
// none, the run is new and has the given ID.
func openKeeper(ctx context.Context, store stateStore, mix *rollout.Mix, newID string) (*keeper, error) {
	k := &keeper{store: store, dirty: make(chan struct{}, 1), record: runRecord{Format: runFormat, RunID: newID, Streams: mix}}
	data, err := store.State(ctx, runKey)
	if err != nil || data == nil {
		return k, err
	}
	var format struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &format); err != nil {
		return nil, fmt.Errorf("record of the run: %w", err)
	}
	if format.Format != runFormat {
		return nil, fmt.Errorf("record of the run: it has format %d, and this binary knows %d; use the quintain that wrote it, or another folder with --data", format.Format, runFormat)
	}
	if err := json.Unmarshal(data, &k.record); err != nil {
		return nil, fmt.Errorf("record of the run: %w", err)
	}
	return k, nil
}

// version returns the version that was kept last, and the batch that made it.
func (k *keeper) version() (int, []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.record.Version, k.record.Batch
}

// touch says that the positions have changed. They are kept soon.
func (k *keeper) touch() {
	select {
	case k.dirty <- struct{}{}:
	default:
	}
}

// advance keeps a version and the IDs of the groups that were consumed for it. It
// returns when they are durable, before the groups may be acknowledged: a process
// that finds them still waiting knows that they were consumed.
func (k *keeper) advance(ctx context.Context, version int, batch []string) error {
	k.mu.Lock()
	k.record.Version, k.record.Batch = version, batch
	k.mu.Unlock()
	return k.save(ctx)
}

// follow brings the record to the version of a checkpoint, where that was kept and
// the process then killed. A checkpoint that is not of this record is an error.
func (k *keeper) follow(version int, batch []string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if version != k.record.Version && version != k.record.Version+1 {
		return fmt.Errorf("it has version %d, and the run is at version %d: they do not belong together", version, k.record.Version)
	}
	k.record.Version, k.record.Batch = version, batch
	return nil
}

// save keeps the record as it is now.
func (k *keeper) save(ctx context.Context) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	data, err := json.Marshal(k.record)
	if err != nil {
		return fmt.Errorf("record of the run: %w", err)
	}
	if err := k.store.SetState(ctx, runKey, data); err != nil {
		return fmt.Errorf("record of the run: %w", err)
	}
	return nil
}

// Run keeps the record whenever it has changed, until ctx is done, and once more
// then.
func (k *keeper) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return k.save(context.WithoutCancel(ctx))
		case <-k.dirty:
			if err := k.save(context.WithoutCancel(ctx)); err != nil {
				return err
			}
		}
	}
}
