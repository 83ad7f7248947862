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

// A catalog is what the files of a store share.
type catalog struct {
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
	open map[string]*frameFile // by the names that the manifest lists
	last uint64                // highest sequence number that is durable

	stale   atomic.Bool // the manifest could not be written, which was told
	sealing sync.Mutex  // held while the manifest is written
	written string      // the manifest as it is on disk
}

// openCatalog reads what the folder says of itself, or begins a new store. What another
// process left half done is removed.
func openCatalog(in folder, log *slog.Logger) (*catalog, error) {
	s := &catalog{folder: in, log: log, ends: new(ends), open: make(map[string]*frameFile), touched: make(chan struct{}, 1)}
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

func (c *catalog) has(name string) bool {
	_, ok := slices.BinarySearch(c.names, name)
	return ok
}

// identify reads the manifest. A new store gets one before any other file, so that a
// store without one has lost it.
func (c *catalog) identify() (err error) {
	some := slices.ContainsFunc(c.names, ours)
	if c.has(manifestName) {
		c.found, err = readManifest(c.folder)
		if err == nil {
			c.written, c.last = string(c.found.encode()), c.found.last
			return nil
		}
		if !errors.Is(err, errManifest) {
			return fmt.Errorf("%s: %w", manifestName, err)
		}
	}
	var id [8]byte
	rand.Read(id[:])
	c.found = manifest{store: binary.LittleEndian.Uint64(id[:])}
	if !some {
		return c.seal()
	}
	c.guessed = true
	if c.has(manifestName) {
		return c.damage(manifestName, gap{0, -1}, "the list of files is damaged")
	}
	c.damaged.Add(1)
	c.log.Error("the list of files is missing: whether files are missing too is not known", "file", manifestName)
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

// hold notes that the file of the frameFile's name is the frameFile's from now on.
func (c *catalog) hold(ff *frameFile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[ff.name] = ff
}

// gave notes that all numbers up to last are given, durably.
func (c *catalog) gave(last uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = max(c.last, last)
}

// drop removes a file that nothing needs any more.
func (c *catalog) drop(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.folder.remove(name); err != nil {
		return err
	}
	delete(c.open, name)
	return nil
}

// discard removes a file that was not made after all.
func (c *catalog) discard(name string) error {
	if err := c.folder.remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// seal writes down how much of each file is durable, if that has changed. What is
// sealed is never cut off. Files are listed after they have their names and struck off
// after these are gone, so the manifest is never ahead of the folder.
func (c *catalog) seal() error {
	c.sealing.Lock()
	defer c.sealing.Unlock()
	m := manifest{store: c.found.store, files: make(map[string]listed)}
	c.mu.Lock()
	m.last = c.last
	for name, ff := range c.open {
		m.files[name] = listed{ff.head.salt, ff.head.next, ff.size.Load()}
	}
	c.mu.Unlock()
	text := string(m.encode())
	if text == c.written {
		return c.ends.sync(c)
	}
	c.written = ""
	err := c.folder.sync()
	if err == nil {
		err = m.write(c.folder)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", manifestName, err)
	}
	c.written = text
	return c.ends.sync(c)
}

// trySeal seals. If that fails, the manifest only says less than it could, which is logged
// once until it succeeds again.
func (c *catalog) trySeal() {
	err := c.seal()
	if told := c.stale.Swap(err != nil); err != nil && !told {
		c.log.Warn("the list of files cannot be brought up to date for now", "err", err)
	}
}

// report returns the store's condition.
func (c *catalog) report() queue.Condition {
	return queue.Condition{Damaged: c.damaged.Load(), Cut: c.cuts.Load(), Syncs: c.syncs.copy()}
}
