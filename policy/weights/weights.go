// Package weights keeps the version of the weights on a policy's server, as reported by the
// trainer that loaded them.
package weights

import (
	"context"
	"fmt"
	"sync"

	"github.com/quintain-rl/quintain/internal/jsonform"
)

// Unknown is the version until the first report.
const Unknown = -1

// Key names the version's record.
const Key = "weights"

// format is the version of the record's form.
const format = 1

// Records stores small records durably; a [queue.Queue] does.
//
// [queue.Queue]: https://pkg.go.dev/github.com/quintain-rl/quintain/queue#Queue
type Records interface {
	State(ctx context.Context, key string) ([]byte, error)
	SetState(ctx context.Context, key string, value []byte) error
}

// A record is the stored form.
type record struct {
	Format  int   `json:"format"`
	Version int32 `json:"version"` // 0 or more, or Unknown
}

// A Version is the version of the weights on a server. It never falls. Many goroutines may
// use it at once.
type Version struct {
	records Records

	telling sync.Mutex // held while writing the record; taken before mu
	mu      sync.Mutex // guards the fields below
	now     int32
	changed chan struct{} // closed and replaced at every change
}

// Open returns the stored version, or an unknown one.
func Open(ctx context.Context, records Records) (*Version, error) {
	r := record{Format: format, Version: Unknown}
	text, err := records.State(ctx, Key)
	if err != nil {
		return nil, fmt.Errorf("state %s: %w", Key, err)
	}
	if text != nil {
		if err := jsonform.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("state %s: %w", Key, err)
		}
	}
	switch {
	case r.Format != format:
		return nil, fmt.Errorf("state %s: has format %d, and this program reads format %d", Key, r.Format, format)
	case r.Version < Unknown:
		return nil, fmt.Errorf("state %s: has version %d, want %d or more", Key, r.Version, Unknown)
	}
	return &Version{records: records, now: r.Version, changed: make(chan struct{})}, nil
}

// Now returns the version, or [Unknown].
func (v *Version) Now() int32 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

// Changed returns a channel that closes when the version changes. Take the channel first,
// then look at Now, then wait.
func (v *Version) Changed() <-chan struct{} {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.changed
}

// Tell sets the version, 0 or more, and returns once it is durable. Repeating the current
// version is no error; a lower one is a [*FallError].
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

// set stores the version, then makes it current. The caller holds v.telling.
func (v *Version) set(ctx context.Context, version int32) error {
	text, err := jsonform.Marshal(record{format, version})
	if err != nil {
		return fmt.Errorf("state %s: %w", Key, err)
	}
	if err := v.records.SetState(ctx, Key, text); err != nil {
		return fmt.Errorf("state %s: %w", Key, err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now = version
	close(v.changed)
	v.changed = make(chan struct{})
	return nil
}

// A FallError reports a version below the last one.
type FallError struct{ Now, Told int32 }

// Error says what to do.
func (e *FallError) Error() string {
	return fmt.Sprintf("the version is %d and cannot fall to %d: tell the steps behind the weights, or reset the run", e.Now, e.Told)
}
