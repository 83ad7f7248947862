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

// maxName is the most bytes in a group's ID or a task's name.
const maxName = 1024

// A Key identifies a group in a store: the first half of the SHA-256 of its ID.
type Key [16]byte

// String is the key in hexadecimal.
func (k Key) String() string { return hex.EncodeToString(k[:]) }

// KeyOf is the key of a group's ID.
func KeyOf(id string) Key {
	sum := sha256.Sum256([]byte(id))
	return Key(sum[:16])
}

// An Entry describes a group in the index. It is small, because hundreds of thousands may
// wait.
type Entry struct {
	Seq       uint64 // sequence number: identifies the group while it is in the queue
	ID        string // the group's ID, or its key if it has none
	put       int64  // milliseconds since 1970 UTC
	Tokens    int    // of all sequences
	Sequences int32
	Episodes  int32 // of the sequences
	Bytes     int32 // size of its binary form
	EnvID     int32 // the environment that sent it; -1: none
	Oldest    int32 // lowest version of the weights that sampled a token; -1: unknown

	newer float32 // mean version of its trained tokens, above Oldest

	HasTask bool // the group names its task
	bare    bool // the ID is the key in hexadecimal
	anon    bool // the group came without an ID, so its key is not remembered
	hold    hold
}

// Put is when the group was put.
func (e *Entry) Put() time.Time { return time.UnixMilli(e.put) }

// Held reports whether consumers should leave the group alone until [Queue.Free]. A [Want]
// without Pick does.
func (e *Entry) Held() bool { return e.hold == held }

// A hold is whether a group is held.
type hold uint8

const (
	free  hold = iota
	held       // put as held
	freed      // put as held, and since freed
)

// A content is a checksum of a group's content.
type content uint32

const unknownContent content = 0

// contentOf is the content with a sum of [groupform.Codec.AppendFast].
func contentOf(sum uint32) content { return max(unknownContent+1, content(sum)) }

// differs reports whether both contents are known and differ.
func (c content) differs(other content) bool {
	return c != unknownContent && other != unknownContent && c != other
}

// A Bound bounds the staleness of groups. A group without versions is never stale.
type Bound struct {
	MaxLag int  // versions
	Mean   bool // the mean version of a group's trained tokens counts, and not the oldest of its tokens
}

// Stale reports whether the group is beyond the bound of a step, the version that the step before
// it made.
func (e *Entry) Stale(step int, b Bound) bool { return b.exceeds(step, e.Oldest, e.newer) }

// Exceeds reports whether a group that is not in a queue is beyond the bound of a step.
func (b Bound) Exceeds(step int, g *quintain.Group) bool {
	oldest := g.Oldest()
	return b.exceeds(step, oldest, newerOf(g, oldest))
}

func (b Bound) exceeds(step int, oldest int32, newer float32) bool {
	if !b.Mean {
		newer = 0
	}
	return oldest >= 0 && float64(step)-float64(oldest)-float64(newer) > float64(b.MaxLag)
}

// newerOf is by how many versions the mean of a group's trained tokens is above its oldest.
func newerOf(g *quintain.Group, oldest int32) float32 {
	if oldest < 0 {
		return 0
	}
	return float32(g.MeanVersion() - float64(oldest))
}

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
			return Entry{}, &quintain.FieldError{Field: f.name, Why: fmt.Sprintf("has %d bytes, want at most %d", len(f.text), maxName)}
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
	e.newer = newerOf(g, e.Oldest)
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

// Stats is the content of a queue, and counts since it was opened.
type Stats struct {
	Waiting   Count     `json:"waiting"`
	Leased    Count     `json:"leased"`
	Aside     Count     `json:"aside"`      // unreadable groups, which are not handed out
	OldestPut time.Time `json:"oldest_put"` // of the waiting groups; zero: none waits
	Known     int       `json:"known"`      // remembered IDs of done groups

	Put        uint64 `json:"put"` // groups, as all that follow
	Duplicates uint64 `json:"duplicates"`
	Acked      uint64 `json:"acked"`
	Expired    uint64 `json:"expired"` // because their lease ran out
	Released   uint64 `json:"released"`
	Dropped    uint64 `json:"dropped"`
	Corrupt    uint64 `json:"corrupt"`
	Lost       uint64 `json:"lost"` // missing from the store, since it was made, because its files were damaged
}
