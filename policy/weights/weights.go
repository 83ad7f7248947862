// Package weights keeps the version of the weights that a policy's server samples with:
// what the trainer that loaded them into the server says.
package weights

import (
	"context"
	"fmt"
	"sync"

	"github.com/quintain-rl/quintain/internal/jsonform"
)

// Unknown is the version until somebody tells it.
const Unknown = -1

// Key names the record of the version among other records.
const Key = "weights"

// format is the version of the form of that record.
const format = 1

// Records keep small records, durably; a [queue.Queue] does.
//
// [queue.Queue]: https://pkg.go.dev/github.com/quintain-rl/quintain/queue#Queue
type Records interface {
	State(ctx context.Context, key string) ([]byte, error)
	SetState(ctx context.Context, key string, value []byte) error
}

// A record is what is kept.
type record struct {
	Format  int   `json:"format"`
	Version int32 `json:"version"` // 0 or more, or Unknown
}

// A Version is the version of the weights that a server samples with. It never falls.
// Many goroutines may use it at once.
type Version struct {
	records Records

	telling sync.Mutex // held while the record is written; taken before mu
	mu      sync.Mutex // of what follows
	now     int32
	changed chan struct{} // closed and replaced at every change
}

// Open returns the version that records keep, or one that is unknown.
func Open(ctx context.Context, records Records) (*Version, error) {
	r := record{Format: format, Version: Unknown}
	text, err := records.State(ctx, Key)
	if err == nil && text != nil {
		err = jsonform.Unmarshal(text, &r)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("state %s: %w", Key, err)
	case r.Format != format:
		return nil, fmt.Errorf("state %s: has format %d, and this program reads format %d", Key, r.Format, format)
	case r.Version < Unknown:
		return nil, fmt.Errorf("state %s: has version %d, want %d or more", Key, r.Version, Unknown)
	}
	return &Version{records: records, now: r.Version, changed: make(chan struct{})}, nil
}

// Now is the version, or [Unknown].
func (v *Version) Now() int32 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

// Changed returns a channel that is closed when the version changes. Take the channel
// first, then look at Now, then wait.
func (v *Version) Changed() <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.changed
}

// Tell sets the version, 0 or more, and returns when that is durable. The version that
// it is already is no error; a lower one is a [*FallError].
func (v *Version) Tell(ctx context.Context, version int32) error {
	v.telling.Lock()
	defer v.telling.Unlock()
	now := v.Now()
	switch {
	case version < now || version < 0:
		return &FallError{now, version}
	case version == now:
		return nil
	}
	return v.set(ctx, version)
}

// Forget makes the version unknown, for another run to begin.
func (v *Version) Forget(ctx context.Context) error {
	v.telling.Lock()
	defer v.telling.Unlock()
	if v.Now() == Unknown {
		return nil
	}
	return v.set(ctx, Unknown)
}

// set keeps the version, then makes it current. v.telling is held.
func (v *Version) set(ctx context.Context, version int32) error {
	text, err := jsonform.Marshal(record{format, version})
	if err == nil {
		err = v.records.SetState(ctx, Key, text)
	}
	if err != nil {
		return fmt.Errorf("state %s: %w", Key, err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now = version
	close(v.changed)
	v.changed = make(chan struct{})
	return nil
}

// A FallError is a version that is below the one that was told before.
type FallError struct{ Now, Told int32 }

// Error says what to do.
func (e *FallError) Error() string {
	return fmt.Sprintf("the version is %d and cannot fall to %d: tell the steps behind the weights, or reset the run", e.Now, e.Told)
}
