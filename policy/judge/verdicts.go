package judge

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A VerdictKey names a verdict: the hash of all that it depends on.
type VerdictKey [16]byte

// A StoredVerdict is what a judge said once.
type StoredVerdict struct {
	Choices  []string  `json:"choices"` // in the order of the criteria asked for
	Reasoned string    `json:"reasoned,omitempty"`
	At       time.Time `json:"at"`
}

// line is the JSON form of a verdict in a file.
type line struct {
	Key string `json:"key"`
	StoredVerdict
}

// segments is the number of files that a full store has.
const segments = 8

// mostStored limits the bytes of a line.
const mostStored = 64 << 10

// A Store keeps verdicts. Many goroutines may use it at once. The caller closes it.
type Store struct {
	dir    string
	each   int // most verdicts of a segment
	lock   io.Closer
	secret []byte

	mu      sync.Mutex // guards the fields below
	known   map[VerdictKey]StoredVerdict
	files   []segment // oldest first; the last one is open
	out     *os.File
	damaged int
	hits    int64
	misses  int64
	fault   error // of the file; nothing more is written
}

// A segment is a file of verdicts.
type segment struct {
	number int
	keys   []VerdictKey
}

// StoreStats describes a store.
type StoreStats struct {
	Kept    int   // verdicts
	Hits    int64 // of Get
	Misses  int64
	Damaged int // lines skipped when the store was opened
}

// OpenStore opens the store in a folder for this process alone, and creates a missing one. It keeps
// the newest verdicts, most of them or a little fewer, 8 or more.
func OpenStore(dir string, most int) (*Store, error) {
	if most < segments {
		return nil, fmt.Errorf("verdicts: at most %d are to be kept, want %d or more", most, segments)
	}
	if err := datadir.MakeFolder(dir); err != nil {
		return nil, fmt.Errorf("verdicts: %w", err)
	}
	lock, err := datadir.Lock(dir)
	if err != nil {
		return nil, fmt.Errorf("verdicts: %s: %w", dir, err)
	}
	s := &Store{dir: dir, each: most / segments, lock: lock, known: map[VerdictKey]StoredVerdict{}}
	if s.secret, err = secretIn(dir); err == nil {
		err = s.load()
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("verdicts: %s: %w", dir, err), lock.Close())
	}
	return s, nil
}

// Secret returns a key that stays with the folder; without a store, one of chance. The caller must not
// change it.
func (s *Store) Secret() []byte {
	if s == nil {
		return []byte(rand.Text())
	}
	return s.secret
}

// secretIn returns the key in a folder, and makes a missing or damaged one: no verdict depends on it.
func secretIn(dir string) ([]byte, error) {
	path, made := filepath.Join(dir, "secret"), []byte(rand.Text())
	if key, err := os.ReadFile(path); err == nil && len(key) == len(made) {
		return key, nil
	}
	return made, os.WriteFile(path, made, 0o600)
}

// pattern matches the names of segments.
const pattern = "verdicts-*.jsonl"

// path returns the path of a segment.
func (s *Store) path(number int) string {
	return filepath.Join(s.dir, fmt.Sprintf("verdicts-%08d.jsonl", number))
}

// load reads all segments, and opens the last one to go on.
func (s *Store) load() error {
	paths, err := filepath.Glob(filepath.Join(s.dir, pattern))
	if err != nil {
		return err
	}
	slices.Sort(paths)
	for _, path := range paths {
		var number int
		if _, err := fmt.Sscanf(filepath.Base(path), "verdicts-%d.jsonl", &number); err != nil || path != s.path(number) {
			continue // not ours
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		s.files = append(s.files, segment{number: number})
		s.read(text)
	}
	if len(s.files) == 0 {
		s.files = []segment{{number: 1}}
	}
	if err := s.prune(); err != nil {
		return err
	}
	return s.reopen()
}

// read adds the verdicts of the newest segment's text.
func (s *Store) read(text []byte) {
	for len(text) > 0 {
		one, rest, whole := bytes.Cut(text, []byte("\n"))
		text = rest
		key, v, err := parse(one)
		if !whole || err != nil {
			s.damaged++
			continue
		}
		s.add(key, v)
	}
}

// add adds a verdict to the newest segment in memory.
func (s *Store) add(key VerdictKey, v StoredVerdict) {
	if _, known := s.known[key]; !known {
		last := &s.files[len(s.files)-1]
		last.keys = append(last.keys, key)
		s.known[key] = v
	}
}

// reopen opens the last segment to append to it, on a line of its own.
func (s *Store) reopen() error {
	f, err := os.OpenFile(s.path(s.files[len(s.files)-1].number), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	s.out = f
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil || size == 0 {
		return errors.Join(err, s.closeOn(err))
	}
	last := make([]byte, 1)
	if _, err = f.ReadAt(last, size-1); err == nil && last[0] != '\n' {
		_, err = f.WriteString("\n")
	}
	return errors.Join(err, s.closeOn(err))
}

// closeOn closes the file after an error.
func (s *Store) closeOn(err error) error {
	if err == nil {
		return nil
	}
	return s.out.Close()
}

// parse reads a line without its end.
func parse(text []byte) (key VerdictKey, v StoredVerdict, err error) {
	sum, body, has := bytes.Cut(text, []byte(" "))
	if !has || string(sum) != checksum(body) {
		return key, v, errors.New("its checksum is wrong")
	}
	var l line
	if err := strictjson.Unmarshal(body, &l); err != nil {
		return key, v, err
	}
	if n, err := hex.Decode(key[:], []byte(l.Key[:min(len(l.Key), 2*len(key))])); err != nil || n != len(key) || len(l.Key) != 2*n {
		return key, v, errors.New("its key is not one")
	}
	return key, l.StoredVerdict, nil
}

// checksum returns the checksum of a line.
func checksum(body []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(body)) }

// Get returns the verdict of a key, if there is one. The caller must not change it.
func (s *Store) Get(key VerdictKey) (v StoredVerdict, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, known = s.known[key]; known {
		s.hits++
	} else {
		s.misses++
	}
	return v, known
}

// Put keeps a verdict, unless the key has one. After an error of the disk the store keeps
// nothing more, and every Put returns that error.
func (s *Store) Put(key VerdictKey, v StoredVerdict) error {
	body, err := json.Marshal(line{hex.EncodeToString(key[:]), v})
	if err != nil {
		return fmt.Errorf("verdicts: %w", err)
	}
	if len(body) > mostStored {
		return fmt.Errorf("verdicts: one has %d bytes, want at most %d", len(body), mostStored)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.known[key]; known {
		return s.fault
	}
	if s.fault != nil {
		return s.fault
	}
	if len(s.files[len(s.files)-1].keys) >= s.each {
		err = s.roll()
	}
	if err == nil {
		_, err = fmt.Fprintf(s.out, "%s %s\n", checksum(body), body)
	}
	if err != nil {
		s.fault = fmt.Errorf("verdicts: %w", err)
		return s.fault
	}
	s.add(key, v)
	return nil
}

// roll begins a new segment.
func (s *Store) roll() error {
	if err := s.out.Close(); err != nil {
		return err
	}
	s.files = append(s.files, segment{number: s.files[len(s.files)-1].number + 1})
	if err := s.reopen(); err != nil {
		return err
	}
	return s.prune()
}

// prune removes the oldest of too many segments.
func (s *Store) prune() error {
	for len(s.files) > segments {
		if err := os.Remove(s.path(s.files[0].number)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for _, key := range s.files[0].keys {
			delete(s.known, key)
		}
		s.files = slices.Delete(s.files, 0, 1)
	}
	return nil
}

// StoreStats returns the counts so far.
func (s *Store) Stats() StoreStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return StoreStats{Kept: len(s.known), Hits: s.hits, Misses: s.misses, Damaged: s.damaged}
}

// Close makes the verdicts durable, and frees the folder for others. It is called once.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return errors.Join(s.out.Sync(), s.out.Close(), s.lock.Close())
}
