package run

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/run/kept"
	"github.com/quintain-rl/quintain/run/rollout"
)

// RecordKey is the key of the run's record in the queue's small state.
const RecordKey = kept.RunKey

// piecePrefix begins the keys of the pieces of a large part of the record.
const piecePrefix = "run-part-"

// RecordFormat is the version of that record's format, and OldestRecord that of the oldest one that
// is read, which had no changes. The next save is in the format RecordFormat.
const RecordFormat, OldestRecord = 4, 3

// A record is the state of a run beside its groups, from which the next process resumes.
type record struct {
	recordHead
	Streams *rollout.Mix `json:"streams"`
	Part    partRecord   `json:"part"`
}

// A recordHead is the part of a record without the streams.
type recordHead struct {
	Format  int      `json:"format"`
	RunID   string   `json:"run_id"`  // names the run in traces and dumps
	Trained bool     `json:"trained"` // a learner of its own made its versions
	Number  uint64   `json:"number"`  // of the last change in it: see recordChange
	Version int      `json:"version"`
	Batch   []string `json:"batch"` // IDs of the groups that the step to Version consumed
}

// A stateStore keeps small records by key.
type stateStore interface {
	State(ctx context.Context, key string) ([]byte, error)
	States(ctx context.Context, prefix string) ([]queue.State, error)
	SetStates(ctx context.Context, list []queue.State) error
}

// A ledger keeps the state of a run: the policy's version, the batch that made it, the
// positions in the streams of problems, and the gate that opens with the version. Only it
// advances the version. Many goroutines may use it.
type ledger struct {
	store stateStore
	gate  *rollout.Admission
	dirty chan struct{} // has an element when the saved record is out of date

	saving sync.Mutex // held while the record is written; taken before mu; guards the next six
	grown  int        // bytes of the changes since the last snapshot; below 0: there is none
	whole  int        // bytes of that snapshot
	since  uint64     // its number
	batch  []string   // of the last save
	shelf  *textPieces

	mu        sync.Mutex // guards the rest; the store is never called under it
	round     *round     // of those who wait for the next save; nil: nobody does
	record    record     // whose Trained never changes, and needs no lock
	published int        // the last version both kept and published
	behind    int        // versions that the record was behind the checkpoint at the opening
}

// errTrained and errUntrained refuse a folder of the other kind of run.
var (
	errTrained   = errors.New("the folder holds a run of the embedded model; use --data NEW-FOLDER for this one")
	errUntrained = errors.New("the folder holds a run of another policy than the embedded model; use --data NEW-FOLDER for this one")
)

// An ApartError refuses a checkpoint that is older than the run.
type ApartError struct{ Checkpoint, Run int }

// Error implements error.
func (e *ApartError) Error() string {
	return fmt.Sprintf("the checkpoint has version %d, and the run is at version %d: they do not belong together", e.Checkpoint, e.Run)
}

// openLedger reads the record of a run, or begins with fresh. Last is the learner's
// checkpoint; nil: nothing is trained. If it is ahead of the record, the record follows it: by one
// step, the process was killed between the two; by more, the record is an older one.
func openLedger(ctx context.Context, store stateStore, fresh record, last *checkpoint) (*ledger, error) {
	l := &ledger{store: store, dirty: make(chan struct{}, 1), grown: -1, record: fresh}
	l.record.Format, l.record.Trained = RecordFormat, last != nil
	data, err := store.State(ctx, RecordKey)
	if err != nil {
		return nil, fmt.Errorf("record of the run: %w", err)
	}
	if err := l.read(ctx, data); err != nil {
		return nil, fmt.Errorf("record of the run: %w", err)
	}
	if last == nil {
		l.published = l.record.Version
		return l, nil
	}
	if last.version < l.record.Version {
		return nil, &ApartError{last.version, l.record.Version}
	}
	if l.behind = last.version - l.record.Version; l.behind > 0 || last.batch != nil { // weights that were put back have no batch
		l.record.Batch = last.batch
	}
	l.record.Version, l.published = last.version, last.version
	return l, nil
}

// A checkpoint names the last step that a learner has kept.
type checkpoint struct {
	version int
	batch   []string
}

// read reads the record of an earlier process, given its snapshot; nil: there is none.
func (l *ledger) read(ctx context.Context, data []byte) (err error) {
	var head struct {
		Format  int       `json:"format"`
		Trained bool      `json:"trained"`
		Pieces  pieceMark `json:"pieces"`
	}
	if data == nil {
		l.shelf, _, err = openPieces(ctx, l.store, piecePrefix, head.Pieces)
		return err
	}
	if err := strictjson.Unmarshal(data, &head); err != nil {
		return err
	}
	switch {
	case head.Format > RecordFormat || head.Format < OldestRecord:
		return fmt.Errorf("it has format %d, and this program reads format %d: use the program that wrote it, or another folder with --data", head.Format, RecordFormat)
	case head.Trained && !l.record.Trained:
		return errTrained
	}
	shelf, part, err := openPieces(ctx, l.store, piecePrefix, head.Pieces)
	if err != nil {
		return err
	}
	l.shelf = shelf
	trained := l.record.Trained
	err = strictjson.Unmarshal(data, &l.record)
	l.record.Format, l.record.Trained = RecordFormat, trained
	if err == nil && len(part) > 0 {
		err = l.record.Part.UnmarshalJSON(part)
	}
	if err == nil {
		err = l.replay(ctx)
	}
	if err == nil && !head.Trained && trained && l.record.Version > 0 {
		return errUntrained
	}
	return err
}

// version is the last version both kept and published.
func (l *ledger) version() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.published
}

// consumed lists the IDs of the batch that made the last version.
func (l *ledger) consumed() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.record.Batch
}

// touch has the record saved soon, after a change of positions.
func (l *ledger) touch() {
	select {
	case l.dirty <- struct{}{}:
	default:
	}
}

// advance raises the version by one: it keeps the new version and the IDs of the batch
// that made it, then calls then, and opens the gate. A process that finds groups of the
// batch still waiting knows from the IDs that they were consumed.
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

// publish notes that the policy has the weights of a version. The version never falls.
func (l *ledger) publish(version int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.published = max(l.published, version)
}

// follow raises the version to the steps of a trainer outside.
func (l *ledger) follow(steps int) {
	l.mu.Lock()
	l.record.Version = max(l.record.Version, steps)
	l.mu.Unlock()
	l.publish(steps)
	l.touch()
}

// Run saves the record after each change, until ctx ends, and all of it at the end.
func (l *ledger) Run(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			l.saving.Lock()
			l.grown = -1
			l.saving.Unlock()
			return l.save(context.WithoutCancel(ctx))
		case <-l.dirty:
			if err := l.keep(context.WithoutCancel(ctx)); err != nil { // by the save of those who wait for one
				return err
			}
		}
	}
}
