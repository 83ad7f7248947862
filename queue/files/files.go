// Package files keeps a queue in the files of a folder. Every confirmed change is on disk
// and survives the end of the process and of the machine. docs/formats/stream.md describes
// the format of the files.
package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
)

// Options are the settings of a store. The zero value is valid.
type Options struct {
	MinFree int64        // bytes that Put leaves free on the disk; default: 64 MiB, or a tenth of a small disk; negative: none
	Pool    *wal.Pool    // of open files, which stores may share; default: its own, of [DefaultOpen]
	Locked  bool         // the caller keeps the surrounding data folder locked
	Mark    string       // path of a file outside the folder, by which the store notices that the folder was removed or put back; default: none
	Log     *slog.Logger // default: none

	segmentSize int64 // for tests
	salvage     bool  // opens without its logs, if need be
}

func (o Options) segment() int64 {
	if o.segmentSize <= 0 {
		return segmentSize
	}
	return o.segmentSize
}

func (o Options) logger() *slog.Logger {
	if o.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Log
}

// The files beside the segments.
const (
	doneName   = "done.log"
	statesName = "states.log"
)

// maxRecord bounds a body, in bytes.
const maxRecord = 64 << 20

// A store is a [queue.Store] of files in a folder.
type store struct {
	o       Options
	dir     string
	lock    io.Closer
	catalog *catalog
	stop    chan struct{} // closed by Close
	wg      sync.WaitGroup

	// ops is read-locked by every operation on the files, and locked to open, close, mend or
	// replace them. It is taken before all other locks.
	ops    sync.RWMutex
	bodies *segments
	done   *frameFile
	append committer[wal.Frame]

	state  sync.Mutex // guards states and values
	states *frameFile
	values map[string][]byte
	live   int64 // bytes of values in the file
}

// Open opens the store in the folder dir, and makes the folder if need be. It locks dir and
// the data folder around it (see [datadir.Root]): another process gets [queue.ErrInUse].
func Open(dir string, o Options) (queue.Store, error) {
	if err := datadir.MakeFolder(dir); err != nil {
		return nil, err
	}
	lock, err := lockFor(dir, o)
	if err != nil {
		return nil, err
	}
	pool := o.Pool
	if pool == nil {
		pool = wal.NewPool(wal.DefaultOpen)
	}
	s, err := openFolder(wal.NewFolder(dir, pool), o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), lock.Close())
	}
	s.dir, s.lock, s.stop = dir, lock, make(chan struct{})
	if o.Mark != "" {
		s.catalog.remember(pool, o.Mark)
	}
	s.catalog.touch() // opening has read files
	s.wg.Go(func() { s.catalog.tend(s.stop) })
	return s, nil
}

// lockFor locks dir for a store. If the caller has locked the data folder, it only checks
// that nobody has locked dir alone, which costs no descriptor.
func lockFor(dir string, o Options) (io.Closer, error) {
	if !o.Locked {
		return lockedBy(datadir.Lock, dir)
	}
	l, err := lockOne(datadir.Lock, dir)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(nil), l.Close()
}

// lockedBy locks dir and the data folder around it with a function of package datadir.
func lockedBy(lock func(string) (io.Closer, error), dir string) (io.Closer, error) {
	l, err := lockOne(lock, dir)
	root := datadir.Root(dir)
	if err != nil || root == dir {
		return l, err
	}
	above, err := lockOne(lock, root)
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return locks{above, l}, nil
}

func lockOne(lock func(string) (io.Closer, error), dir string) (io.Closer, error) {
	l, err := lock(dir)
	if errors.Is(err, datadir.ErrInUse) {
		return nil, fmt.Errorf("%s: %w", dir, queue.ErrInUse)
	}
	return l, err
}

// locks is several locks.
type locks []io.Closer

// Close releases them.
func (list locks) Close() error {
	var errs []error
	for _, l := range list {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}

func openFolder(f wal.Folder, o Options) (*store, error) {
	in, err := openCatalog(f, o.logger())
	if err != nil {
		return nil, err
	}
	in.salvage = o.salvage
	s := &store{o: o, catalog: in}
	s.append.write = func(list []wal.Frame) error { return s.done.write(list) }
	if err := s.open(); err != nil {
		return nil, errors.Join(err, in.ends.close())
	}
	return s, nil
}

// open opens all files.
func (s *store) open() error {
	bodies, err := openSegments(s.catalog, s.o.segment())
	if err != nil {
		return err
	}
	done, _, err := openLog(s.catalog, doneName)
	if err != nil {
		return errors.Join(err, bodies.close())
	}
	states, kept, err := openLog(s.catalog, statesName)
	if err != nil {
		return errors.Join(err, bodies.close(), done.File.Close())
	}
	values, err := valuesOf(states, kept)
	if err != nil {
		return errors.Join(err, bodies.close(), done.File.Close(), states.File.Close())
	}
	if err := s.catalog.folder.Sync(); err != nil { // the names of the files must be durable too
		return errors.Join(err, bodies.close(), done.File.Close(), states.File.Close())
	}
	s.bodies, s.done, s.states, s.values = bodies, done, states, values
	for key, value := range values {
		s.live += stateSize(key, value)
	}
	s.catalog.trySeal()
	return nil
}

// openLog opens a file of small records, or makes it. A listed file was durable, so no crash
// removed it, and without it nobody knows what was acknowledged.
func openLog(in *catalog, name string) (*frameFile, wal.Scan, error) {
	if l, ok := in.found.files[name]; ok && !in.has(name) {
		if !in.salvage {
			return nil, wal.Scan{}, fmt.Errorf("%s is missing, and had %d bytes: put it back, or remove the file %s to go on without its records", name, l.sealed, manifestName)
		}
		in.log.Error("the file is missing: groups that were acknowledged may be among the others", "file", name, "remedy", remedy)
	}
	ff, v, err := openFrameFile(in, name, true)
	if err == nil && len(v.Frames) == 0 && len(v.Gaps) > 0 && v.Gaps[0].Why != nil && !in.salvage {
		err = errors.Join(fmt.Errorf("nothing of %s can be read: try again, or remove it and the file %s to go on without its records: %w", name, manifestName, v.Gaps[0].Why), ff.File.Close())
	}
	if in.salvage && errors.Is(err, wal.ErrHead) {
		in.log.Error("nothing of the file can be read: groups that were acknowledged may be among the others", "file", name, "remedy", remedy)
		err = errHeadless
	}
	if errors.Is(err, errHeadless) {
		ff, err = newFrameFile(in, name, 0)
		v = wal.Scan{}
	}
	if err != nil {
		return nil, wal.Scan{}, err
	}
	in.hold(ff)
	ff.ahead = logAhead
	ff.reserve()
	return ff, v, nil
}

// logAhead is the disk space in bytes that a log reserves: enough for thousands of
// acknowledgements on a disk that others have filled.
const logAhead = 256 << 10

// valuesOf reads the states.
func valuesOf(ff *frameFile, v wal.Scan) (map[string][]byte, error) {
	values := make(map[string][]byte)
	for _, f := range v.Frames {
		if f.Bad { // reported; the previous value stays
			continue
		}
		if len(f.Head) == 0 {
			return nil, fmt.Errorf("%s: a record has no key", ff.name)
		}
		key := string(f.Head[1:])
		if f.Head[0] == 0 {
			delete(values, key)
			continue
		}
		value := make([]byte, f.Length)
		_, err := ff.File.ReadAt(value, f.Payload)
		if wal.Unreadable(err) { // a moment ago it could be read
			err = ff.catalog.damage(ff.name, wal.Gap{From: f.At, To: f.End(), Why: err}, harmOf(kindStates))
		} else if err == nil {
			values[key] = value
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", ff.name, err)
		}
	}
	return values, nil
}

// Put implements [queue.Bodies].
func (s *store) Put(ctx context.Context, records []queue.Record) ([]uint64, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	size := int64(0)
	for _, r := range records {
		if len(r.Body) > maxRecord {
			return nil, &groupform.TooLargeError{Bytes: len(r.Body), Limit: maxRecord}
		}
		size += int64(len(r.Body) + len(r.Meta) + groupCost)
	}
	s.ops.RLock()
	defer s.ops.RUnlock()
	if err := s.room(size); err != nil {
		return nil, err
	}
	p := newPlacing(records)
	err := s.insist(func() error { return s.bodies.commits.do(p) })
	if err != nil {
		return nil, s.here(err)
	}
	return p.seqs, nil
}

// room refuses a put of size bytes if it leaves too little of the disk free, even after
// reclaiming space.
func (s *store) room(size int64) error {
	free, keep, ok := s.space()
	if !ok || free-size >= keep {
		return nil
	}
	if err := s.bodies.reclaim(); err != nil {
		s.o.logger().Warn("space could not be reclaimed", "err", err)
	}
	if free, keep, ok = s.space(); !ok || free-size >= keep {
		return nil
	}
	return fmt.Errorf("%s: %w: the disk has %s free, and the store leaves %s free", s.dir, queue.ErrNoSpace, inKiB(free), inKiB(keep))
}

// insist writes. If the disk is full, it reclaims space and tries once more, because even
// marking groups as done takes space.
func (s *store) insist(write func() error) error {
	err := write()
	if !errors.Is(err, queue.ErrNoSpace) || errors.Is(err, queue.ErrUncertain) {
		return err
	}
	if e := s.bodies.reclaim(); e != nil {
		return errors.Join(err, e)
	}
	return write()
}

// space returns the free bytes of the disk, and how many of them to leave free.
func (s *store) space() (free, keep int64, ok bool) {
	if s.o.MinFree < 0 {
		return 0, 0, false
	}
	free, total, ok := s.catalog.folder.Space()
	if keep = s.o.MinFree; keep == 0 {
		keep = min(64<<20, total/10)
	}
	return free, keep, ok
}

func inKiB(n int64) string { return fmt.Sprintf("%d KiB", n>>10) }

// here adds the folder's path to an error.
func (s *store) here(err error) error {
	if err == nil || s.dir == "" {
		return err
	}
	return fmt.Errorf("%s: %w", s.dir, err)
}

// Body implements [queue.Bodies].
func (s *store) Body(ctx context.Context, seq uint64) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s.ops.RLock()
	defer s.ops.RUnlock()
	b, err := s.bodies.body(seq)
	if err != nil {
		return nil, s.here(fmt.Errorf("sequence number %d: %w", seq, err))
	}
	return b, nil
}

// Delete implements [queue.Bodies].
func (s *store) Delete(_ context.Context, below uint64, seqs []uint64) error {
	s.ops.RLock()
	defer s.ops.RUnlock()
	return s.here(s.bodies.free(below, seqs))
}

// List implements [queue.Bodies]. It first mends broken files.
func (s *store) List(_ context.Context, show func(queue.Listed)) (last uint64, err error) {
	s.ops.Lock()
	defer s.ops.Unlock()
	if err := errors.Join(s.bodies.newest().mend(), s.done.mend(), s.states.mend()); err != nil {
		return 0, s.here(err)
	}
	return s.bodies.last, s.here(s.bodies.show(show))
}

// Clear implements [queue.Bodies].
func (s *store) Clear(context.Context) error {
	s.ops.Lock()
	defer s.ops.Unlock()
	return s.here(s.bodies.clear())
}

// Append implements [queue.Log].
func (s *store) Append(ctx context.Context, record []byte) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.ops.RLock()
	defer s.ops.RUnlock()
	return s.here(s.insist(func() error { return s.append.do(wal.NewFrame(record)) }))
}

// Replay implements [queue.Log].
func (s *store) Replay(_ context.Context, show func([]byte) error) error {
	s.ops.Lock()
	defer s.ops.Unlock()
	v, err := s.done.source().Scan(math.MaxInt64)
	if why := s.done.worse(v); err == nil && why != nil { // without a record, groups would be handed out again
		err = fmt.Errorf("%s: %w: %w", doneName, queue.ErrUnreadable, why)
	}
	for _, f := range v.Frames {
		if err != nil {
			break
		}
		err = show(f.Head)
	}
	return s.here(err)
}

// Rewrite implements [queue.Log].
func (s *store) Rewrite(_ context.Context, records [][]byte) error {
	s.ops.Lock()
	defer s.ops.Unlock()
	frames := make([]wal.Frame, len(records))
	for i, r := range records {
		frames[i] = wal.NewFrame(r)
	}
	return s.here(replace(&s.done, frames))
}

// replace rewrites a file with only the given frames.
func replace(ff **frameFile, frames []wal.Frame) error {
	old := *ff
	fresh, err := renew(old, frames)
	if err != nil {
		return err
	}
	*ff, fresh.ahead = fresh, old.ahead
	if err := cmp.Or(old.catalog.folder.Sync(), old.File.Close()); err != nil {
		fresh.Break(err) // either file may be found after a crash
		return fmt.Errorf("%s: %w: %w", old.name, queue.ErrUncertain, err)
	}
	old.catalog.trySeal()
	return nil
}

// Holder is the name of the file that has or had a sequence number, as far as the store
// knows, and whether it is gone.
func (s *store) Holder(seq uint64) (name string, gone bool) { return s.bodies.holder(seq) }

// Condition reports the store's health.
func (s *store) Condition() queue.Condition { return s.catalog.report() }

// Close closes the files and unlocks the folder.
func (s *store) Close() error {
	if s.stop != nil {
		close(s.stop)
		s.wg.Wait()
	}
	s.ops.Lock()
	defer s.ops.Unlock()
	if !s.done.broken() && !s.states.broken() && !s.bodies.newest().broken() {
		s.catalog.trySeal()
	}
	err := errors.Join(s.bodies.close(), s.done.File.Close(), s.states.File.Close(), s.catalog.close())
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}
