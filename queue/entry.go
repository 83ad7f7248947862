package queue

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
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

// An Entry is what the index holds of a group. Hundreds of thousands may wait, so it is
// kept small.
type Entry struct {
	Seq       uint64 // place in the order in which groups were put; names the group while it is in the queue
	ID        string // the group's, or its key if it has none
	put       int64  // milliseconds since 1970 UTC
	Tokens    int    // of all sequences
	Sequences int32
	Episodes  int32 // that the sequences belong to
	Bytes     int32 // size of its binary form
	EnvID     int32 // id of the environment that sent it; -1: none
	Oldest    int32 // lowest version of the weights that sampled any token; -1: unknown
	HasTask   bool  // it names the task that it answers
	bare      bool  // the ID is the key in hexadecimal: there is no other
	anon      bool  // the group came without an ID, and its key need not be remembered
	hold      hold
}

// Put is when the group was put.
func (e *Entry) Put() time.Time { return time.UnixMilli(e.put) }

// Held reports whether consumers are asked to leave the group alone until [Queue.Free].
// A [Want] without Pick does.
func (e *Entry) Held() bool { return e.hold == held }

// A hold says whether a group is held.
type hold uint8

const (
	free  hold = iota
	held       // it was put as held
	freed      // it was put as held, and is no longer
)

// A content is what the index remembers of the content of a group with an ID.
type content uint32

// unsaid is the content of which nothing is known.
const unsaid content = 0

// contentOf is the content whose sum is that of [groupform.Codec.AppendFast].
func contentOf(sum uint32) content { return max(unsaid+1, content(sum)) }

// differs reports whether two contents are known to differ.
func (c content) differs(other content) bool { return c != unsaid && other != unsaid && c != other }

// Stale reports whether the group's oldest token is more than maxLag versions behind the
// given one. A group without versions is never stale.
func (e *Entry) Stale(version, maxLag int) bool {
	return e.Oldest >= 0 && version-int(e.Oldest) > maxLag
}

// key is the key of the group.
func (e *Entry) key() (k Key) {
	if e.bare {
		if b, err := hex.DecodeString(e.ID); err == nil && len(b) == len(k) {
			return Key(b)
		}
	}
	return KeyOf(e.ID)
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
		Sequences: int32(g.Sequences()),
		Episodes:  int32(g.EpisodeCount()),
		Tokens:    g.TokenCount(),
		Oldest:    g.Oldest(),
		HasTask:   g.Origin.Task != "",
		put:       time.Now().UnixMilli(),
	}
	if g.EnvID != nil {
		e.EnvID = *g.EnvID
	}
	if g.ID == "" {
		var k Key
		rand.Read(k[:])
		e.bare, e.anon, e.ID = true, true, k.String()
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
	c.Sequences += sign * int(e.Sequences)
	c.Episodes += sign * int(e.Episodes)
	c.Tokens += sign * e.Tokens
	c.Bytes += sign * int(e.Bytes)
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
