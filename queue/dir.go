package queue

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/quintain-rl/quintain/groupform"
)

// The files of a folder, beside its segments.
const (
	lockName   = "lock"
	doneName   = "done.log"
	statesName = "states.log"
)

// maxRecord is the largest body that is kept.
const maxRecord = 64 << 20

// A dirStore is a [Store] of files in a folder: see docs/formats/stream.md.
type dirStore struct {
	o    Options
	dir  string
	lock io.Closer
	fs   files

	ops    sync.RWMutex // locked where nothing else may be under way
	bodies *segments
	done   *journal
	append committer[frame]

	state  sync.Mutex
	states *journal
	values map[string][]byte
}

// DirStore opens the store in the folder dir, or makes it there. One process at a
// time may have the folder open: another gets [ErrInUse].
func DirStore(_ context.Context, dir string, o Options) (Store, error) {
	if o.Name != "" {
		if err := checkName(o.Name); err != nil {
			return nil, fmt.Errorf("name of the queue %w", err)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, "jetstream")); err == nil {
		return nil, fmt.Errorf("%s: holds a queue of format 1, which this program does not read: drain it with the program that wrote it", dir)
	}
	if err := osFiles(filepath.Dir(dir)).sync(); err != nil && !errors.Is(err, os.ErrPermission) {
		return nil, err // the folder's name must be durable, too
	}
	lock, err := lockFile(filepath.Join(dir, lockName))
	if err != nil {
		return nil, err
	}
	s, err := openDirStore(osFiles(dir), o)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", dir, err), lock.Close())
	}
	s.dir, s.lock = dir, lock
	return s, nil
}

// openDirStore opens the store over files.
func openDirStore(fs files, o Options) (*dirStore, error) {
	s := &dirStore{o: o, fs: fs}
	s.append.write = func(list []frame) error { return s.done.write(list) }
	if err := s.open(); err != nil {
		return nil, err
	}
	return s, nil
}

// open opens all files.
func (s *dirStore) open() error {
	bodies, err := openSegments(s.fs, s.o.segment())
	if err != nil {
		return err
	}
	done, past, err := openLog(s.fs, doneName, kindDone)
	if err != nil {
		return errors.Join(err, bodies.close())
	}
	states, kept, err := openLog(s.fs, statesName, kindStates)
	if err != nil {
		return errors.Join(err, bodies.close(), done.f.Close())
	}
	values, err := valuesOf(states, kept)
	if err == nil { // the names of the files are durable, too, before anything is believed
		err = s.fs.sync()
	}
	if n := past.rotten + kept.rotten; err == nil && n > 0 {
		err = fmt.Errorf("%d places in %s or %s are damaged, so that it is not known what was acknowledged: "+
			"bring back a copy of the folder, or remove the two, and all groups that are there are handed out", n, doneName, statesName)
	}
	if err != nil {
		return errors.Join(err, bodies.close(), done.f.Close(), states.f.Close())
	}
	if n := bodies.rotten; n > 0 {
		s.o.logger().Error("files of groups are damaged", "places", n)
	}
	s.bodies, s.done, s.states, s.values = bodies, done, states, values
	return nil
}

// openLog opens a file of small records, or makes it.
func openLog(fs files, name string, kind byte) (*journal, survey, error) {
	j, v, err := openJournal(fs, name, kind, true)
	if !errors.Is(err, errHeadless) {
		return j, v, err
	}
	j, err = makeJournal(fs, name, fileHead{kind: kind})
	return j, survey{}, err
}

// valuesOf reads the states that are kept.
func valuesOf(j *journal, v survey) (map[string][]byte, error) {
	values := make(map[string][]byte)
	for _, f := range v.frames {
		if len(f.head) == 0 {
			return nil, fmt.Errorf("%s: a record has no key", j.name)
		}
		key := string(f.head[1:])
		if f.head[0] == 0 {
			delete(values, key)
			continue
		}
		value := make([]byte, f.length)
		if _, err := j.f.ReadAt(value, f.payload); err != nil {
			return nil, fmt.Errorf("%s: %w", j.name, err)
		}
		values[key] = value
	}
	return values, nil
}

// shut closes all files.
func (s *dirStore) shut() error {
	return errors.Join(s.bodies.close(), s.done.f.Close(), s.states.f.Close())
}

// Put keeps records.
func (s *dirStore) Put(ctx context.Context, records []Record) ([]uint64, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	size := int64(0)
	for _, r := range records {
		if len(r.Body) > maxRecord {
			return nil, &groupform.TooLargeError{Bytes: len(r.Body), Limit: maxRecord}
		}
		size += int64(len(r.Body) + len(r.Meta) + prefixLen)
	}
	s.ops.RLock()
	defer s.ops.RUnlock()
	if err := s.room(size); err != nil {
		return nil, err
	}
	p := newPlacing(records)
	if err := s.bodies.commits.do(p); err != nil {
		return nil, s.here(err)
	}
	return p.seqs, nil
}

// room refuses what would leave too little of the disk free.
func (s *dirStore) room(size int64) error {
	keep := s.o.minFree()
	if keep == 0 {
		return nil
	}
	free, ok := s.fs.free()
	if !ok || free-size >= keep {
		return nil
	}
	return fmt.Errorf("%s: %w: the disk has %d MiB free, and %d MiB of it are kept free", s.dir, ErrNoSpace, free>>20, keep>>20)
}

// here puts the folder before an error.
func (s *dirStore) here(err error) error {
	if err == nil || s.dir == "" {
		return err
	}
	return fmt.Errorf("%s: %w", s.dir, err)
}

// Body returns the body of seq.
func (s *dirStore) Body(ctx context.Context, seq uint64) ([]byte, error) {
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

// Delete frees bodies.
func (s *dirStore) Delete(_ context.Context, below uint64, seqs []uint64) error {
	s.ops.RLock()
	defer s.ops.RUnlock()
	s.bodies.free(below, seqs)
	return s.here(s.bodies.squeeze())
}

// List shows all bodies, after it has mended what has failed.
func (s *dirStore) List(_ context.Context, show func(Listed)) (last uint64, err error) {
	s.ops.Lock()
	defer s.ops.Unlock()
	if err := errors.Join(s.bodies.newest().mend(), s.done.mend(), s.states.mend()); err != nil {
		return 0, s.here(err)
	}
	if err := s.bodies.show(show); err != nil {
		return 0, s.here(err)
	}
	return s.bodies.last, nil
}

// Clear frees all bodies.
func (s *dirStore) Clear(context.Context) error {
	s.ops.Lock()
	defer s.ops.Unlock()
	return s.here(s.bodies.clear())
}

// Append adds a record to the log.
func (s *dirStore) Append(ctx context.Context, record []byte) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.ops.RLock()
	defer s.ops.RUnlock()
	return s.here(s.append.do(newFrame(record)))
}

// Replay shows the log.
func (s *dirStore) Replay(_ context.Context, show func([]byte) error) error {
	s.ops.Lock()
	defer s.ops.Unlock()
	v, err := s.done.source(s.done.size).survey(false)
	for _, f := range v.frames {
		if err != nil {
			break
		}
		err = show(f.head)
	}
	return s.here(err)
}

// Rewrite replaces the log.
func (s *dirStore) Rewrite(_ context.Context, records [][]byte) error {
	s.ops.Lock()
	defer s.ops.Unlock()
	frames := make([]frame, len(records))
	for i, r := range records {
		frames[i] = newFrame(r)
	}
	return s.here(replace(&s.done, frames))
}

// replace writes a journal anew, with frames in the place of all that it holds.
func replace(j **journal, frames []frame) error {
	old := *j
	fresh, err := makeJournal(old.fs, old.name+freshEnd, old.head)
	if err != nil {
		return err
	}
	if err = fresh.write(frames); err == nil {
		err = old.fs.rename(fresh.name, old.name)
	}
	if err != nil {
		return errors.Join(err, fresh.f.Close(), old.fs.remove(fresh.name))
	}
	fresh.name = old.name
	*j = fresh
	if err := cmp.Or(old.fs.sync(), old.f.Close()); err != nil {
		fresh.err = err // which of the two would be found is not known
		return fmt.Errorf("%s: %w: %w", old.name, ErrUncertain, err)
	}
	return nil
}

// State returns a record by its key.
func (s *dirStore) State(ctx context.Context, key string) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s.state.Lock()
	defer s.state.Unlock()
	value, ok := s.values[key]
	if !ok {
		return nil, nil
	}
	return append([]byte{}, value...), nil
}

// SetState keeps a record by its key.
func (s *dirStore) SetState(ctx context.Context, key string, value []byte) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.ops.RLock()
	defer s.ops.RUnlock()
	s.state.Lock()
	defer s.state.Unlock()
	if _, there := s.values[key]; value == nil && !there {
		return nil
	}
	if err := s.states.write([]frame{stateFrame(key, value)}); err != nil {
		return s.here(err)
	}
	if value == nil {
		delete(s.values, key)
	} else {
		s.values[key] = append([]byte{}, value...)
	}
	if err := s.shorten(); err != nil {
		s.o.logger().Warn("the file of states was not made short", "err", err)
	}
	return nil
}

// stateFrame is the frame of a state; a nil value says that there is none.
func stateFrame(key string, value []byte) frame {
	if value == nil {
		return newFrame(append([]byte{0}, key...))
	}
	return newFrame(append([]byte{1}, key...), value)
}

// shorten writes the states anew where most of their file says what is not so any
// more. s.state is held.
func (s *dirStore) shorten() error {
	var frames []frame
	live := int64(0)
	for key, value := range s.values {
		frames = append(frames, stateFrame(key, value))
		live += frames[len(frames)-1].size()
	}
	if s.states.size < 1<<20+4*live {
		return nil
	}
	return replace(&s.states, frames)
}

// Close closes the files, and lets others have the folder.
func (s *dirStore) Close() error {
	s.ops.Lock()
	defer s.ops.Unlock()
	err := s.shut()
	if s.lock != nil {
		err = errors.Join(err, s.lock.Close())
	}
	return err
}
