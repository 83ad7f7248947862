package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"sync"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// UnknownVersion is the version until the first report.
const UnknownVersion = -1

// VersionKey names the version's record.
const VersionKey = "weights"

// versionFormat is the version of the record's form.
const versionFormat = 1

// Records stores small records durably; a [queue.Queue] does.
//
// [queue.Queue]: https://pkg.go.dev/github.com/quintain-rl/quintain/queue#Queue
type Records interface {
	State(ctx context.Context, key string) ([]byte, error)
	SetState(ctx context.Context, key string, value []byte) error
}

// A versionRecord is the stored form.
type versionRecord struct {
	Format  int              `json:"format"`
	Version int32            `json:"version"`           // 0 or more, or Unknown
	Servers map[string]int32 `json:"servers,omitempty"` // see [Told]
}

// A Told is what was told of the weights of a run.
type Told struct {
	Version int32            // of the servers that are not in Servers; Unknown: nobody has told it
	Servers map[string]int32 // by [Address]; nobody changes it
}

// Of returns the version told for the server at an address.
func (t Told) Of(url string) int32 {
	if version, ok := t.Servers[Address(url)]; ok {
		return version
	}
	return t.Version
}

// Address is the address by which a server is known here: with or without /v1, it is the same.
func Address(url string) string { return Root(url) }

// A Version is the version of the weights of a run. It never falls; the version of one server
// may, as after its restart. Many goroutines may use it at once.
type Version struct {
	records Records

	telling sync.Mutex // held while writing the record; taken before mu
	mu      sync.Mutex // guards the fields below
	now     Told
	changed pause.Signal
}

// OpenVersion returns the stored version, or an unknown one.
func OpenVersion(ctx context.Context, records Records) (*Version, error) {
	r := versionRecord{Format: versionFormat, Version: UnknownVersion}
	text, err := records.State(ctx, VersionKey)
	if err != nil {
		return nil, fmt.Errorf("state %s: %w", VersionKey, err)
	}
	if text != nil {
		if err := strictjson.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("state %s: %w", VersionKey, err)
		}
	}
	switch {
	case r.Format != versionFormat:
		return nil, fmt.Errorf("state %s: has format %d, and this program reads format %d", VersionKey, r.Format, versionFormat)
	case r.Version < UnknownVersion:
		return nil, fmt.Errorf("state %s: has version %d, want %d or more", VersionKey, r.Version, UnknownVersion)
	}
	return &Version{records: records, now: Told{r.Version, r.Servers}}, nil
}

// Now returns the version, or [UnknownVersion].
func (v *Version) Now() int32 { return v.Told().Version }

// Told returns all that was told.
func (v *Version) Told() Told {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

// Changed returns a channel that closes when what was told changes. Take the channel first,
// then look at Now, then wait.
func (v *Version) Changed() <-chan struct{} { return v.changed.Next() }

// Tell sets the version, 0 or more, and returns once it is durable. Repeating the current
// version is no error; a lower one is a [*FallError]. What was told for servers stays.
func (v *Version) Tell(ctx context.Context, version int32) error {
	return v.TellAll(ctx, Told{Version: version})
}

// TellAll is Tell, and replaces what was told for servers, unless there are none in told: nil.
func (v *Version) TellAll(ctx context.Context, told Told) error {
	v.telling.Lock()
	defer v.telling.Unlock()
	now := v.Told()
	if told.Version < now.Version || told.Version < 0 {
		return &FallError{now.Version, told.Version}
	}
	if told.Servers == nil {
		told.Servers = now.Servers
	} else {
		told.Servers = byAddress(told.Servers)
	}
	if told.Version == now.Version && maps.Equal(told.Servers, now.Servers) {
		return nil
	}
	return v.set(ctx, told)
}

// Note sets the version without a record, for a process that trains and has a record of its own.
func (v *Version) Note(version int32) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now.Version = version
	v.changed.Wake()
}

// byAddress returns versions by the addresses of their servers. Of two for one server, the lower
// counts.
func byAddress(versions map[string]int32) map[string]int32 {
	all := map[string]int32{}
	for url, version := range versions {
		at := Address(url)
		if other, twice := all[at]; twice {
			version = min(version, other)
		}
		all[at] = version
	}
	return all
}

// Forget makes all versions unknown, for another run to begin.
func (v *Version) Forget(ctx context.Context) error {
	v.telling.Lock()
	defer v.telling.Unlock()
	if now := v.Told(); now.Version == UnknownVersion && len(now.Servers) == 0 {
		return nil
	}
	return v.set(ctx, Told{Version: UnknownVersion})
}

// set stores what was told, then makes it current. The caller holds v.telling.
func (v *Version) set(ctx context.Context, told Told) error {
	text, err := json.Marshal(versionRecord{versionFormat, told.Version, told.Servers})
	if err != nil {
		return fmt.Errorf("state %s: %w", VersionKey, err)
	}
	if err := v.records.SetState(ctx, VersionKey, text); err != nil {
		return fmt.Errorf("state %s: %w", VersionKey, err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.now = told
	v.changed.Wake()
	return nil
}

// A FallError reports a version below the last one.
type FallError struct{ Now, Told int32 }

// Error says what to do.
func (e *FallError) Error() string {
	return fmt.Sprintf("the version is %d and cannot fall to %d: tell the steps behind the weights, or reset the run", e.Now, e.Told)
}
