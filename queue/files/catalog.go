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

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/queue"
)

// A catalog is the list of a store's files, and the state that they share.
type catalog struct {
	folder wal.Folder
	log    *slog.Logger
	found  manifest        // as found when opened; without files if there was none
	ends   *ends           // durable sizes newer than the manifest
	mark   *wal.Mark[mark] // outside the folder; nil: none; see remember

	salvage bool     // a log may be missing
	guessed bool     // files, but no manifest: their store is unknown
	names   []string // of all files when opened, sorted

	damaged atomic.Uint64 // damaged places found since opened
	cuts    atomic.Uint64 // unfinished writes cut off when opened
	syncs   syncTimes
	touched chan struct{} // has an element after a read or write since the last seal

	mu   sync.Mutex
	open map[string]*frameFile // by name
	last uint64                // highest durable sequence number

	stale   atomic.Bool // the manifest could not be written, as logged
	sealing sync.Mutex  // held to write the manifest
	written string      // the manifest on disk
}

// openCatalog reads the manifest, or begins a new store. It removes unfinished files of
// another process.
func openCatalog(in wal.Folder, log *slog.Logger) (*catalog, error) {
	s := &catalog{folder: in, log: log, ends: new(ends), open: make(map[string]*frameFile), touched: make(chan struct{}, 1)}
	names, err := in.Names()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if !strings.HasSuffix(name, wal.FreshEnd) {
			s.names = append(s.names, name)
			continue
		}
		if ours(strings.TrimSuffix(name, wal.FreshEnd)) || name == manifestName+wal.FreshEnd {
			if err := in.Remove(name); err != nil { // the process ended before this file replaced another
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

// ours reports whether name is that of a frame file.
func ours(name string) bool {
	_, ok := segmentNumber(name)
	return ok || name == doneName || name == statesName
}

func (c *catalog) has(name string) bool {
	_, ok := slices.BinarySearch(c.names, name)
	return ok
}

// identify reads the manifest. A new store writes it before any other file, so a store
// without one has lost it.
func (c *catalog) identify() (err error) {
	some := slices.ContainsFunc(c.names, ours)
	lost := wal.Gap{To: -1}
	if c.has(manifestName) {
		c.found, err = readManifest(c.folder)
		if wal.Unreadable(err) {
			lost, err = wal.Gap{Why: err}, errManifest
		}
		if err != nil && !errors.Is(err, errManifest) {
			return fmt.Errorf("%s: %w", manifestName, err)
		}
		if err == nil {
			c.written, c.last = string(c.found.encode()), c.found.last
			return nil
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
		return c.damage(manifestName, lost, "the list of files is damaged")
	}
	c.damaged.Add(1)
	c.log.Error("the list of files is missing: other files may be missing too", "file", manifestName, "remedy", remedy)
	return nil
}

// The kinds of files.
const (
	kindGroups = 'g'
	kindDone   = 'd'
	kindStates = 's'
)

func kindOf(name string) byte {
	switch name {
	case doneName:
		return kindDone
	case statesName:
		return kindStates
	}
	return kindGroups
}

// hold makes ff the file of its name.
func (c *catalog) hold(ff *frameFile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[ff.name] = ff
}

// gave notes that all numbers up to last are durably given.
func (c *catalog) gave(last uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = max(c.last, last)
}

// drop removes an unneeded file.
func (c *catalog) drop(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.folder.Remove(name); err != nil {
		return err
	}
	delete(c.open, name)
	return nil
}

// discard removes a file that was not completed.
func (c *catalog) discard(name string) error {
	if err := c.folder.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// seal writes the manifest if it has changed: the durable size of each file. Sealed bytes
// are never cut off. Files are listed after their names are durable, and struck off after
// they are gone, so the manifest is never ahead of the folder.
func (c *catalog) seal() error {
	c.sealing.Lock()
	defer c.sealing.Unlock()
	m := c.present()
	text := string(m.encode())
	if text == c.written {
		return c.ends.sync(c)
	}
	c.written = ""
	if err := c.folder.Sync(); err != nil {
		return fmt.Errorf("%s: %w", manifestName, err)
	}
	if err := spaceError(wal.Replace(c.folder, manifestName, []byte(text))); err != nil {
		return fmt.Errorf("%s: %w", manifestName, err)
	}
	c.written = text
	c.mark.Note(markOf(m))
	return c.ends.sync(c)
}

// present is the manifest of the files as they are now.
func (c *catalog) present() manifest {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := manifest{store: c.found.store, last: c.last, files: make(map[string]listed)}
	for name, ff := range c.open {
		m.files[name] = listed{ff.Head.Salt, ff.Head.Number, ff.Size()}
	}
	return m
}

// trySeal seals. A failure only leaves the manifest behind; it is logged once until the next
// success.
func (c *catalog) trySeal() {
	err := c.seal()
	if told := c.stale.Swap(err != nil); err != nil && !told {
		c.log.Warn("the list of files cannot be updated for now", "err", err)
	}
}

// close closes the files of the catalog itself.
func (c *catalog) close() error { return errors.Join(c.ends.close(), c.mark.Close()) }

// report returns the store's condition.
func (c *catalog) report() queue.Condition {
	return queue.Condition{Damaged: c.damaged.Load(), Cut: c.cuts.Load(), Syncs: c.syncs.copy()}
}
