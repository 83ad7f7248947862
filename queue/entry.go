package queue

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
)

// maxName is the size of the longest ID or name of a task, in bytes.
const maxName = 1024

// A Key names a group in a store: the first half of the SHA-256 of its ID.
type Key [16]byte

// String is the key in hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// KeyOf is the key of a group's ID.
func KeyOf(id string) Key {
	sum := sha256.Sum256([]byte(id))
	return Key(sum[:16])
}

// An Entry is what the index holds of a group.
type Entry struct {
	Seq       uint64 // place in the order in which groups were put; names the group while it is in the queue
	ID        string // the group's, or a random one if it has none
	EnvID     int32  // id of the environment that sent it; -1: none
	Oldest    int32  // lowest version of the weights that sampled any token; -1: unknown
	Sequences int
	Episodes  int    // that the sequences belong to
	Tokens    int    // of all sequences
	Bytes     int    // size of its binary form
	Task      string // name of the task it answers; empty: unknown
	Put       time.Time

	key  Key
	anon bool // the ID is random, and need not be remembered
}

// Stale reports whether the group's oldest token is more than maxLag versions behind the
// given one. A group without versions is never stale.
func (e *Entry) Stale(version, maxLag int) bool {
	return e.Oldest >= 0 && version-int(e.Oldest) > maxLag
}

// entryJSON is the form of an Entry in the header of a stored group.
type entryJSON struct {
	ID        string `json:"id"`
	Anonymous bool   `json:"anonymous,omitempty"`
	EnvID     *int32 `json:"env_id,omitempty"`
	Sequences int    `json:"sequences"`
	Episodes  int    `json:"episodes"`
	Tokens    int    `json:"tokens"`
	Bytes     int    `json:"bytes"`
	Oldest    int32  `json:"oldest"`
	Task      string `json:"task,omitempty"`
	Put       int64  `json:"put,string"` // nanoseconds since 1970 UTC
}

// newEntry returns the entry of g, without its sequence number and size.
func newEntry(g *quintain.Group) (Entry, error) {
	for _, f := range []struct{ name, text string }{{"id", g.ID}, {"origin.task", g.Origin.Task}} {
		if len(f.text) > maxName {
			return Entry{}, &quintain.FieldError{Field: f.name, Why: fmt.Sprintf("has %d bytes, and the limit is %d", len(f.text), maxName)}
		}
		if !utf8.ValidString(f.text) {
			return Entry{}, &quintain.FieldError{Field: f.name, Why: "is not UTF-8"}
		}
	}
	e := Entry{
		ID:        g.ID,
		EnvID:     -1,
		Sequences: g.Sequences(),
		Episodes:  g.EpisodeCount(),
		Tokens:    g.TokenCount(),
		Oldest:    g.Oldest(),
		Task:      g.Origin.Task,
		Put:       time.Now(),
		key:       KeyOf(g.ID),
	}
	if g.EnvID != nil {
		e.EnvID = *g.EnvID
	}
	if g.ID == "" {
		e.anon = true
		rand.Read(e.key[:])
		e.ID = e.key.String()
	}
	return e, nil
}

// meta is the entry as it is stored.
func (e Entry) meta() []byte {
	j := entryJSON{
		ID: e.ID, Anonymous: e.anon, Sequences: e.Sequences, Episodes: e.Episodes, Tokens: e.Tokens, Bytes: e.Bytes,
		Oldest: e.Oldest, Task: e.Task, Put: e.Put.UnixNano(),
	}
	if e.EnvID != -1 {
		j.EnvID = &e.EnvID
	}
	b, err := json.Marshal(j)
	if err != nil {
		panic("queue: " + err.Error()) // strings and numbers
	}
	return b
}

// entryOf reads what a store lists.
func entryOf(l Listed) (Entry, error) {
	var j entryJSON
	e := Entry{Seq: l.Seq, EnvID: -1, Oldest: -1, Bytes: l.Size, key: l.Key, ID: l.Key.String()}
	if err := json.Unmarshal(l.Meta, &j); err != nil {
		return e, fmt.Errorf("index record: %w", err)
	}
	if j.ID == "" {
		return e, fmt.Errorf("index record: has no id")
	}
	e.ID, e.anon, e.Oldest, e.Task = j.ID, j.Anonymous, j.Oldest, j.Task
	e.Sequences, e.Episodes, e.Tokens = j.Sequences, j.Episodes, j.Tokens
	// A clock that was set back makes no group younger than now: what waits for one to be
	// some seconds old would wait until the clock has caught up.
	if e.Put = time.Unix(0, j.Put); e.Put.After(time.Now()) {
		e.Put = time.Now()
	}
	if j.EnvID != nil {
		e.EnvID = *j.EnvID
	}
	return e, nil
}

// A Count adds up groups.
type Count struct {
	Groups    int `json:"groups"`
	Sequences int `json:"sequences"`
	Episodes  int `json:"episodes"`
	Tokens    int `json:"tokens"`
	Bytes     int `json:"bytes"` // as stored
}

// add counts e in, or out if sign is -1.
func (c *Count) add(e Entry, sign int) {
	c.Groups += sign
	c.Sequences += sign * e.Sequences
	c.Episodes += sign * e.Episodes
	c.Tokens += sign * e.Tokens
	c.Bytes += sign * e.Bytes
}

// Stats is what a queue holds, and what it has done since it was opened.
type Stats struct {
	Waiting   Count     `json:"waiting"`
	Leased    Count     `json:"leased"`
	Aside     Count     `json:"aside"`      // corrupt: kept, and never handed out
	OldestPut time.Time `json:"oldest_put"` // when the oldest waiting group was put; zero: none waits
	Known     int       `json:"known"`      // IDs of groups that are done

	Put        uint64 `json:"put"` // groups, like everything that follows
	Duplicates uint64 `json:"duplicates"`
	Acked      uint64 `json:"acked"`
	Expired    uint64 `json:"expired"` // leases that ran out
	Released   uint64 `json:"released"`
	Dropped    uint64 `json:"dropped"`
	Corrupt    uint64 `json:"corrupt"`
	Lost       uint64 `json:"lost"` // missing from the store without having been taken, since the store was made: its files were damaged
}
