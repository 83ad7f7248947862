package files

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/quintain-rl/quintain/queue"
)

// A site is what the files of a store share.
type site struct {
	folder
	log   *slog.Logger
	found manifest // as it was at the opening; without files if there was none
	ends  *ends    // how much more of its files was durable

	guessed bool     // there were files, and no manifest: whose they are is not known
	names   []string // of all files at the opening, sorted

	damaged atomic.Uint64 // places found damaged since the opening
	cuts    atomic.Uint64 // writes that were not finished, cut off at the opening
	syncs   syncTimes
	touched chan struct{} // has an element if something was written or read since it was last sealed

	mu   sync.Mutex
	open map[string]*journal // by the names that the manifest lists
	last uint64              // highest sequence number that is durable

	stale   atomic.Bool // the manifest could not be written, which was told
	sealing sync.Mutex  // held while the manifest is written
	written string      // the manifest as it is on disk
}

// openSite reads what the folder says of itself, or begins a new store. What another
// process left half done is removed.
func openSite(in folder, log *slog.Logger) (*site, error) {
	s := &site{folder: in, log: log, ends: new(ends), open: make(map[string]*journal), touched: make(chan struct{}, 1)}
	names, err := in.names()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		switch {
		case !strings.HasSuffix(name, freshEnd):
			s.names = append(s.names, name)
		case ours(strings.TrimSuffix(name, freshEnd)) || name == manifestName+freshEnd:
			// the process ended before this file replaced another
			if err := in.remove(name); err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(s.names)
	if err := s.identify(); err != nil {
		return nil, err
	}
	s.ends = openEnds(in)
	return s, nil
}

// ours reports whether a file of frames has this name.
func ours(name string) bool {
	_, ok := segmentNumber(name)
	return ok || name == doneName || name == statesName
}

func (s *site) has(name string) bool {
	_, ok := slices.BinarySearch(s.names, name)
	return ok
}

// identify reads the manifest. A new store gets one before any other file, so that a
// store without one has lost it.
func (s *site) identify() (err error) {
	some := slices.ContainsFunc(s.names, ours)
	if s.has(manifestName) {
		s.found, err = readManifest(s.folder)
		if err == nil {
			s.written, s.last = string(s.found.encode()), s.found.last
			return nil
		}
		if !errors.Is(err, errManifest) {
			return fmt.Errorf("%s: %w", manifestName, err)
		}
	}
	var id [8]byte
	rand.Read(id[:])
	s.found = manifest{store: binary.LittleEndian.Uint64(id[:])}
	if !some {
		return s.seal()
	}
	s.guessed = true
	if s.has(manifestName) {
		return s.damage(manifestName, gap{0, -1}, "the list of files is damaged")
	}
	s.damaged.Add(1)
	s.log.Error("the list of files is missing: whether files are missing too is not known", "file", manifestName)
	return nil
}

func kindOf(name string) byte {
	switch name {
	case doneName:
		return kindDone
	case statesName:
		return kindStates
	}
	return kindGroups
}

// hold notes that the file of the journal's name is the journal's from now on.
func (s *site) hold(j *journal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[j.name] = j
}

// gave notes that all numbers up to last are given, durably.
func (s *site) gave(last uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = max(s.last, last)
}

// drop removes a file that nothing needs any more.
func (s *site) drop(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.folder.remove(name); err != nil {
		return err
	}
	delete(s.open, name)
	return nil
}

// discard removes a file that was not made after all.
func (s *site) discard(name string) error {
	if err := s.folder.remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// seal writes down how much of each file is durable, if that has changed. What is
// sealed is never cut off. Files are listed after they have their names and struck off
// after these are gone, so the manifest is never ahead of the folder.
func (s *site) seal() error {
	s.sealing.Lock()
	defer s.sealing.Unlock()
	m := manifest{store: s.found.store, files: make(map[string]listed)}
	s.mu.Lock()
	m.last = s.last
	for name, j := range s.open {
		m.files[name] = listed{j.head.salt, j.head.next, j.size.Load()}
	}
	s.mu.Unlock()
	text := string(m.encode())
	if text == s.written {
		return s.ends.sync(s)
	}
	s.written = ""
	err := s.folder.sync()
	if err == nil {
		err = m.write(s.folder)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", manifestName, err)
	}
	s.written = text
	return s.ends.sync(s)
}

// trySeal seals. If that fails, the manifest only says less than it could, which is logged
// once until it succeeds again.
func (s *site) trySeal() {
	err := s.seal()
	if told := s.stale.Swap(err != nil); err != nil && !told {
		s.log.Warn("the list of files cannot be brought up to date for now", "err", err)
	}
}

// report returns the store's condition.
func (s *site) report() queue.Condition {
	return queue.Condition{Damaged: s.damaged.Load(), Cut: s.cuts.Load(), Syncs: s.syncs.copy()}
}
