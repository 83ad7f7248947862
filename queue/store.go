package queue

import (
	"context"
	"errors"
	"fmt"
)

// A Store is the durable part of a [Queue]. One queue uses it at a time, from many
// goroutines at once unless a method says otherwise. A change survives the process once its
// method returns nil.
//
// An error that leaves open whether the operation happened wraps [ErrUncertain]; after any
// other error, it did not.
type Store interface {
	Bodies
	Log
	States
	Close() error
}

// Bodies are the groups themselves. Each gets a sequence number: 1 or above, ascending without
// a gap, never reused. A store may use numbers for itself; List shows them as void.
type Bodies interface {
	// Put stores records with distinct keys, all or none, and returns their consecutive
	// sequence numbers. The queue puts no key that it knows to be stored or that a running Put
	// has. A store with other writers refuses a stored key, with the number 0. Put does not
	// keep the records' memory.
	//
	// A put of no records is a probe: it writes to the disk, waits until that is durable, and
	// succeeds only if a real put would.
	Put(ctx context.Context, records []Record) ([]uint64, error)

	// Body returns the body of seq, or [ErrUnknown]. [ErrUnreadable] concerns this body alone,
	// not the store; an [*UnreadableError] says which others it probably concerns too.
	Body(ctx context.Context, seq uint64) ([]byte, error)

	// Delete frees the bodies of seqs, and those of all numbers less than below, if they still
	// exist.
	Delete(ctx context.Context, below uint64, seqs []uint64) error

	// List shows all bodies in order and returns the last sequence number ever given. No other
	// call runs, so a store that has failed may repair itself. With [ErrUnreadable] it has
	// shown all readable bodies.
	List(ctx context.Context, show func(Listed)) (last uint64, err error)

	// Clear frees all bodies. No other call runs.
	Clear(ctx context.Context) error
}

// A Log is a list of small records.
type Log interface {
	// Append adds a record.
	Append(ctx context.Context, record []byte) error

	// Replay shows all records, the first added first. No other call runs.
	Replay(ctx context.Context, show func(record []byte) error) error

	// Rewrite replaces all records. If the process ends midway, both the old and the new ones
	// may be there, the old ones first. No other call runs.
	Rewrite(ctx context.Context, records [][]byte) error
}

// States are small values by key. A key has 1 to 64 letters of a-z, A-Z, 0-9, '-',
// '_' and '.'.
type States interface {
	State(ctx context.Context, key string) ([]byte, error) // nil: no such state

	// States returns the states with keys that begin with prefix, in the order of keys.
	States(ctx context.Context, prefix string) ([]State, error)

	// SetStates stores states in the order of list. If it fails, or the process ends midway, it
	// may have stored only the first of them.
	SetStates(ctx context.Context, list []State) error
}

// A State is a small record beside the groups.
type State struct {
	Key   string
	Value []byte // nil: no record; SetStates deletes it
}

// A Record is a body with its key and its index record.
type Record struct {
	Key  Key
	Meta []byte // one line of JSON, up to some kilobytes
	Body []byte
}

// Listed describes a stored body, or what may be some.
type Listed struct {
	Seq  uint64
	Key  Key
	Meta []byte
	Size int  // of the body
	Void bool // no group: the store used the number for itself; Delete frees it

	// If Err is not nil, it is the [ErrUnreadable] of all bodies with numbers From to Seq that
	// are not listed otherwise and not done. Nothing else is known of them.
	From uint64
	Err  error
}

// Errors of queues and stores; test with errors.Is.
var (
	ErrClosed      = errors.New("the queue is closed")
	ErrNotLeased   = errors.New("not leased to this consumer")
	ErrUnknown     = errors.New("not in the queue")
	ErrUncertain   = errors.New("no answer: the operation may or may not have happened")
	ErrNoSpace     = errors.New("no space left")
	ErrUnreadable  = errors.New("cannot be read")
	ErrUnreachable = errors.New("the store does not work")
	ErrInUse       = errors.New("in use by another process")
	ErrFenced      = errors.New("another process has taken the queue over") // final: this process must give up
	ErrNewer       = errors.New("written by a newer version of this program")
)

// A NotLeasedError names a group that is not the consumer's to acknowledge. It is an
// [ErrNotLeased].
type NotLeasedError struct {
	Seq      uint64
	Consumer string
}

// Error implements error.
func (e *NotLeasedError) Error() string {
	return fmt.Sprintf("group %d: not leased to consumer %q: it never was, or the lease ran out", e.Seq, e.Consumer)
}

// Is makes errors.Is(err, ErrNotLeased) true.
func (e *NotLeasedError) Is(target error) bool { return target == ErrNotLeased }

// An UnreadableError is an [ErrUnreadable] of a body, whose neighbours, with numbers From to
// Through, probably cannot be read either.
type UnreadableError struct {
	From, Through uint64
	Err           error
}

// Error implements error.
func (e *UnreadableError) Error() string { return ErrUnreadable.Error() + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *UnreadableError) Unwrap() error { return e.Err }

// Is makes errors.Is(err, ErrUnreadable) true.
func (e *UnreadableError) Is(target error) bool { return target == ErrUnreadable }

// A ConflictError reports a group with the ID of an earlier one and other content. Its put
// stored nothing.
type ConflictError struct{ ID string }

// Error implements error.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("the id %q came before with other content: give each group its own", e.ID)
}

// A CorruptError reports a stored group that cannot be read, perhaps the first of several.
// They are set aside: until the next try if Err is an [ErrUnreadable], else for good.
type CorruptError struct {
	Seq uint64
	ID  string
	Err error
}

// Error implements error.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("group %s, number %d, is set aside: %v", e.ID, e.Seq, e.Err)
}

// Unwrap returns Err.
func (e *CorruptError) Unwrap() error { return e.Err }
