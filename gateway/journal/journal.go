// Package journal keeps what a session gateway must not lose in a crash: an append-only journal
// of small records, by session, in a folder of its own. docs/formats/sessions.md describes the
// files.
package journal

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/wal"
)

// A Record is a piece of a session. The journal does not look into it.
type Record struct {
	Session string // 1 to [MaxSession] bytes
	Kind    byte   // chosen by the caller
	Data    []byte // at most [MaxData] bytes; nil comes back as empty
}

// The largest records.
const (
	MaxSession = 1 << 10
	MaxData    = 64 << 20
)

var (
	// ErrDamaged says that a file is not as written.
	ErrDamaged = errors.New("the session journal is damaged")

	// ErrFull says that the disk, or the user's part of it, has no room.
	ErrFull = errors.New("no room on the disk")
)

// Options say how a journal uses its folder.
type Options struct {
	SegmentBytes int64        // size of a file before the next begins; 0: 64 MiB, at most 1 GiB
	Log          *slog.Logger // hears of faults while tidying up; nil: nobody

	ahead int64 // bytes of zeros written ahead
	mark  *wal.Mark[slot]
	was   known // what the mark said
}

const (
	defaultSegment = 64 << 20
	ahead          = 1 << 20 // where the system can sync data alone
	maxSegment     = 1 << 30 // offsets have 4 bytes, and an append may exceed a segment
)

// A Journal is an open journal. It holds 12 bytes of memory for each record that is not
// forgotten, and its session's name. Many goroutines may use it at once.
type Journal struct {
	folder wal.Folder
	dir    string // for messages
	most   int64  // bytes of a segment
	ahead  int64  // bytes of zeros written ahead
	log    *slog.Logger
	lock   io.Closer
	mark   *wal.Mark[slot] // held with turn
	was    known           // what the mark said at the opening

	// turn is a semaphore; its holder writes the open segment and the manifest.
	turn  chan struct{}
	spare *segment // begun, and perhaps listed by the manifest on the disk; held with turn

	// Scratch of writes; held with turn.
	frames []wal.Frame
	ends   []slot

	reading sync.RWMutex // held to read segments; locked to close them

	mu       sync.Mutex // guards the rest
	waiting  []*entry
	closed   bool
	segments []*segment // in the order of writing; the last is open for writing
	number   uint32     // the highest given to a segment
	names    []string   // of the files when opened
	sessions map[string][]place

	syncs atomic.Int64
}

// A place is where a frame is.
type place struct{ segment, at, size uint32 }

// Open opens the journal in dir, made if need be, for this process alone, and calls replay with
// each record that is there, in the order of writing, except those of forgotten sessions. Replay
// owns the record; its error ends Open. What a killed process had half written is cut off: no
// Append had returned. In a data folder the journal has a mark, which tells it from records that
// were confirmed. Other damage is an error, [ErrDamaged], that names file, offset and remedy.
// A second process gets [datadir.ErrInUse].
func Open(dir string, o Options, replay func(Record) error) (*Journal, error) {
	if err := datadir.MakeFolder(dir); err != nil {
		return nil, fmt.Errorf("session journal: %w", err)
	}
	lock, err := datadir.Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("session journal %s: %w", dir, err)
	}
	if o.ahead = ahead; !datadir.SyncsData {
		o.ahead = 0
	}
	pool := wal.NewPool(wal.DefaultOpen)
	o.was.path = datadir.MarkBeside(dir)
	o.mark = wal.OpenMark[slot](pool, o.was.path, slots)
	j, err := open(wal.NewFolder(dir, pool), dir, o, replay)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("session journal: %w", err), lock.Close())
	}
	j.lock = lock
	return j, nil
}

// Check reads the journal in dir as [Open] does, calls replay with each record, and changes
// nothing on disk. A process that uses the journal is an error: [datadir.ErrInUse].
func Check(dir string, replay func(Record) error) (err error) {
	lock, err := datadir.LockToRead(dir)
	if err != nil {
		return fmt.Errorf("session journal %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	over, err := wal.NewOverlay(dir)
	if err != nil {
		return fmt.Errorf("session journal: %w", err)
	}
	defer func() { err = errors.Join(err, over.Close()) }()
	o := Options{was: known{path: datadir.MarkBeside(dir)}}
	o.was.list, o.was.copied = wal.ReadMark[slot](o.was.path)
	if _, err := open(over, dir, o, replay); err != nil {
		return fmt.Errorf("session journal: %w", err)
	}
	return nil
}

// open opens the journal of a locked folder.
func open(in wal.Folder, dir string, o Options, replay func(Record) error) (*Journal, error) {
	if o.SegmentBytes == 0 {
		o.SegmentBytes = defaultSegment
	}
	if o.SegmentBytes < 0 || o.SegmentBytes > maxSegment {
		return nil, fmt.Errorf("segments of %d bytes, want at most %d", o.SegmentBytes, maxSegment)
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	j := &Journal{
		folder: in, dir: dir, most: o.SegmentBytes, ahead: o.ahead, log: o.Log, turn: make(chan struct{}, 1),
		sessions: make(map[string][]place), mark: o.mark, was: o.was,
	}
	if o.mark != nil {
		j.was.list, j.was.copied = o.mark.Read()
	}
	if err := j.load(replay); err != nil {
		for _, s := range j.segments {
			err = errors.Join(err, s.File.Close())
		}
		return nil, errors.Join(err, j.mark.Close())
	}
	return j, nil
}

// path is the path of a file, for messages.
func (j *Journal) path(name string) string { return filepath.Join(j.dir, name) }

// load reads the folder.
func (j *Journal) load(replay func(Record) error) error {
	m, err := j.manifest()
	if err != nil {
		return err
	}
	for i, l := range m {
		if err := j.openSegment(l, i == len(m)-1); err != nil {
			return fmt.Errorf("%s: %w", j.path(segmentName(l.number)), err)
		}
	}
	if err := j.compare(); err != nil {
		return err
	}
	if err := j.replay(replay); err != nil {
		return err
	}
	if len(m) == 0 {
		fresh, err := j.begin(nil)
		if err != nil {
			return err
		}
		j.segments = []*segment{fresh}
	}
	if err := j.publish(j.segments); err != nil {
		return err
	}
	j.mark.Keep(j.last().mark())
	return j.sweep()
}

// damaged is damage at an offset of a file.
func damaged(what string, at int64) error {
	return fmt.Errorf("%w: %s at %d: put back a copy of the folder, or move it away to begin without its sessions", ErrDamaged, what, at)
}

// enter takes a durable frame into the index. j.mu is held.
func (j *Journal) enter(s *segment, l located) {
	p := place{s.number, uint32(l.at), uint32(l.size)}
	if l.flags&flagForget != 0 {
		for _, old := range j.sessions[l.session] {
			j.find(old.segment).live -= int64(old.size)
		}
		delete(j.sessions, l.session)
		s.graves = append(s.graves, p)
		return
	}
	j.sessions[l.session] = append(j.sessions[l.session], p)
	s.live += int64(p.size)
}

// last is the open segment. The caller has the turn, or j.mu.
func (j *Journal) last() *segment { return j.segments[len(j.segments)-1] }

// find returns a segment by its number. j.mu is held.
func (j *Journal) find(number uint32) *segment {
	return j.segments[slices.IndexFunc(j.segments, func(s *segment) bool { return s.number == number })]
}

// replay calls f with the records that are not forgotten.
func (j *Journal) replay(f func(Record) error) error {
	for _, k := range j.kept(j.segments) {
		r, err := j.read(k.in, k.place)
		if err != nil {
			return err
		}
		if err := f(r); err != nil {
			return err
		}
	}
	return nil
}

// Read returns the records of a session, in the order of writing, or none if it has none or is
// forgotten.
func (j *Journal) Read(session string) ([]Record, error) {
	j.reading.RLock()
	defer j.reading.RUnlock()
	j.mu.Lock()
	closed := j.closed
	places := slices.Clone(j.sessions[session])
	in := make([]*segment, len(places))
	for i, p := range places {
		in[i] = j.find(p.segment)
	}
	j.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	var list []Record
	for i, p := range places {
		r, err := j.read(in[i], p)
		if err != nil {
			return nil, fmt.Errorf("session journal: %w", err)
		}
		list = append(list, r)
	}
	return list, nil
}

// read reads a record. The segment stays open: the caller holds j.reading, or is who closes it.
func (j *Journal) read(s *segment, p place) (Record, error) {
	h, data, err := s.read(p)
	if err != nil {
		return Record{}, fmt.Errorf("%s: %w", j.path(s.name()), err)
	}
	return Record{h.session, h.kind, data}, nil
}

// Stats describe a journal.
type Stats struct {
	Bytes    int64 // on disk, with zeros written ahead
	Live     int64 // of them, those of sessions that are not forgotten
	Sessions int   // not forgotten
	Segments int
	Syncs    int64 // of appends, since Open
}

// Stats describes the journal now.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	st := Stats{Sessions: len(j.sessions), Segments: len(j.segments), Syncs: j.syncs.Load()}
	for _, s := range j.segments {
		st.Bytes += s.Taken()
		st.Live += s.live
	}
	return st
}

// Close writes what was forgotten, and closes the journal. Run and all else must have returned.
// Closing again does nothing.
func (j *Journal) Close() error {
	j.turn <- struct{}{}
	defer func() { <-j.turn }()
	j.mu.Lock()
	again := j.closed
	j.closed = true
	j.mu.Unlock()
	if again {
		return nil
	}
	err := errors.Join(j.flush(), j.publish(j.segments))
	_ = j.last().Cut()
	j.reading.Lock()
	defer j.reading.Unlock()
	for _, s := range append(slices.Clone(j.segments), j.spare) {
		if s != nil {
			err = errors.Join(err, s.File.Close())
		}
	}
	err = errors.Join(err, j.mark.Close())
	if j.lock != nil {
		err = errors.Join(err, j.lock.Close())
	}
	return err
}

// spaceError adds [ErrFull] to an error of a full disk.
func spaceError(err error) error {
	if wal.NoRoom(err) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	return err
}
