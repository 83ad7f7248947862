package fleet

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/policy/remote"
)

// Versions are the versions of the weights of a run, as its coordinator knows them.
type Versions struct {
	Told   func() remote.Told // for single servers
	Oldest func() int         // see [Welcome]
	Moved  func()             // is called when [Coordinator.Lowest] may have changed
}

// Follow has workers label their samples by v. Call it before Run.
func (c *Coordinator) Follow(v Versions) { c.servers.versions = v }

// Lowest is the lowest version on the servers that workers use, as they told with their last
// beats; [remote.UnknownVersion] if they know none.
func (c *Coordinator) Lowest() int32 { return c.servers.lowest() }

// LowestWith is Lowest, and that of the coordinator's own servers if it plays, too.
func (c *Coordinator) LowestWith(own func() int32) func() int32 {
	if c.config.Settings.OwnSlots == 0 || own == nil {
		return c.Lowest
	}
	return func() int32 { return remote.Lowest(slices.Values([]int32{c.Lowest(), own()})) }
}

// look notes what the workers know of their servers.
func (c *Coordinator) look(now time.Time) {
	all := map[string]Server{}
	c.mu.Lock()
	for _, w := range c.workers {
		for url, is := range w.servers {
			all[url] = merged(all, url, is)
		}
	}
	c.mu.Unlock()
	c.servers.note(all, now)
}

// merged is what two workers know of the server at an address: the lower version counts, as theirs
// may be two servers.
func merged(all map[string]Server, url string, is Server) Server {
	other, twice := all[url]
	if !twice {
		return is
	}
	lowest := remote.Lowest(slices.Values([]int32{is.Version, other.Version}))
	return Server{Version: lowest, Unused: is.Unused && other.Unused}
}

// The inference servers of all workers.
type servers struct {
	versions Versions
	lags     *remote.ServerLags

	mu   sync.Mutex        // guards the rest
	of   map[string]Server // by address
	last int32             // lowest version when they were noted last
}

// version is that of the run, or of the weights for workers before the run plays. c.mu is held.
func (c *Coordinator) version() int {
	switch {
	case c.last != nil:
		return c.last.Version()
	case c.config.Weights != nil:
		version, _, _ := c.config.Weights.newest()
		return version
	}
	return remote.UnknownVersion
}

// told returns the versions that workers need: of the run, of single servers, and the oldest.
func (s *servers) told(of int) (version int, servers map[string]int32, oldest int) {
	if s.versions.Told == nil {
		return of, nil, 0
	}
	return of, s.versions.Told().Servers, max(0, s.versions.Oldest())
}

// note takes all servers, and notes how far each lags.
func (s *servers) note(all map[string]Server, now time.Time) {
	if s.versions.Told == nil {
		return
	}
	s.mu.Lock()
	s.of = all
	s.mu.Unlock()
	s.lags.Note(s.now(func(Server) bool { return true }), s.versions.Told().Version, now)
	lowest := s.lowest()
	s.mu.Lock()
	moved := lowest != s.last
	s.last = lowest
	s.mu.Unlock()
	if moved {
		s.versions.Moved()
	}
}

// now returns versions on servers, as the servers report, else as told.
func (s *servers) now(which func(Server) bool) map[string]int32 {
	told := s.versions.Told()
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]int32{}
	for url, is := range s.of {
		if !which(is) {
			continue
		}
		if all[url] = is.Version; is.Version == remote.UnknownVersion {
			all[url] = told.Of(url)
		}
	}
	return all
}

func (s *servers) lowest() int32 {
	if s.versions.Told == nil {
		return remote.UnknownVersion
	}
	return remote.Lowest(maps.Values(s.now(func(is Server) bool { return !is.Unused })))
}
