package queue

import (
	"context"
	"errors"
	"fmt"
)

// A Store keeps what a [Queue] must not forget. One queue uses it at a time, from many
// goroutines at once unless a method says otherwise. Whatever a method returned nil for
// survives the end of the process.
//
// An error that leaves open whether the operation was done wraps [ErrUncertain]; any
// other error means that it was not.
type Store interface {
	Bodies
	Log
	States
	Close() error
}

// Bodies are the groups themselves. Each gets a sequence number as it is kept: 1 or
// above, ascending without a gap, and never used again. A store may use numbers for
// itself, which List shows as void.
type Bodies interface {
	// Put keeps records with different keys, all or none, and returns their sequence
	// numbers, which are consecutive. The queue puts no key that it knows to be in the
	// store or that another Put has under way. A store that others may write to does not
	// keep a record whose key it has, and returns the number 0 for it. The records are the
	// caller's again when Put returns.
	//
	// A put of no records keeps nothing, but succeeds only if a put of some would: it
	// writes to the disk, and waits until that is durable.
	Put(ctx context.Context, records []Record) ([]uint64, error)

	// Body returns the body of seq, or [ErrUnknown]. [ErrUnreadable] is about this body
	// alone, and not about the store.
	Body(ctx context.Context, seq uint64) ([]byte, error)

	// Delete frees all bodies with sequence numbers below a number, and those of seqs.
	// It is no error if one is gone already.
	Delete(ctx context.Context, below uint64, seqs []uint64) error

	// List shows all bodies in order and returns the last sequence number ever given.
	// No other call is under way, so a store that has failed may use this one to mend
	// itself. With [ErrUnreadable] it has shown all but what cannot be read.
	List(ctx context.Context, show func(Listed)) (last uint64, err error)

	// Clear frees all bodies. No other call is under way.
	Clear(ctx context.Context) error
}

// A Log is a list of small records.
type Log interface {
	// Append adds a record.
	Append(ctx context.Context, record []byte) error

	// Replay shows all records in the order in which they were added. No other call
	// is under way.
	Replay(ctx context.Context, show func(record []byte) error) error

	// Rewrite replaces all records. If the process ends in the middle, both the old and
	// the new ones may be there, the old ones first. No other call is under way.
	Rewrite(ctx context.Context, records [][]byte) error
}

// States are small values by key. A key has 1 to 64 letters of a-z, A-Z, 0-9, '-',
// '_' and '.'.
type States interface {
	State(ctx context.Context, key string) ([]byte, error) // nil: there is none

	// States returns the states whose keys begin with prefix, in the order of their keys.
	States(ctx context.Context, prefix string) ([]State, error)

	// SetStates keeps states in the order of list. If it fails, or the process ends in
	// the middle, the first of them may be kept and the others not.
	SetStates(ctx context.Context, list []State) error
}

// A State is a small record beside the groups.
type State struct {
	Key   string
	Value []byte // nil: the record is forgotten
}

// A Record is a body with its key and what the index needs of it.
type Record struct {
	Key  Key
	Meta []byte // one line of JSON, up to some kilobytes
	Body []byte
}

// Listed is what a store reports of a body.
type Listed struct {
	Seq  uint64
	Key  Key
	Meta []byte
	Size int  // of the body
	Void bool // no group: the store has used the number for itself, and Delete frees it
}

// Errors of queues and stores; test with errors.Is.
var (
	ErrClosed      = errors.New("the queue is closed")
	ErrNotLeased   = errors.New("not leased to this consumer")
	ErrUnknown     = errors.New("not in the queue")
	ErrUncertain   = errors.New("no answer: it may or may not have been done")
	ErrNoSpace     = errors.New("no space left")
	ErrUnreadable  = errors.New("it cannot be read")
	ErrUnreachable = errors.New("the server cannot be reached")
	ErrInUse       = errors.New("in use by another process")
	ErrFenced      = errors.New("another process has taken the queue over") // nothing can be done with it here any more
	ErrNewer       = errors.New("written by a newer version of this program")
)

// A NotLeasedError names the group that the consumer may not acknowledge. It is an
// [ErrNotLeased].
type NotLeasedError struct {
	Seq      uint64
	Consumer string
}

// Error names the group.
func (e *NotLeasedError) Error() string {
	return fmt.Sprintf("group of sequence number %d: not leased to consumer %q: it never was, or the lease has run out", e.Seq, e.Consumer)
}

// Is makes errors.Is(err, ErrNotLeased) true.
func (e *NotLeasedError) Is(target error) bool { return target == ErrNotLeased }

// A ConflictError is a group whose ID was put before with other content. Nothing of its
// put was kept.
type ConflictError struct{ ID string }

// Error names the group.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("the id %q came before with other content: give each group its own", e.ID)
}

// A CorruptError is a stored group that cannot be read. It has been set aside: until
// it is tried again if that is [ErrUnreadable], else for good.
type CorruptError struct {
	Seq uint64
	ID  string
	Err error
}

// Error names the group and the fault.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("group %s, sequence number %d, is set aside: %v", e.ID, e.Seq, e.Err)
}

// Unwrap returns the fault.
func (e *CorruptError) Unwrap() error { return e.Err }
