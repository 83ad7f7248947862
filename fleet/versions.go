package fleet

import (
	"time"

	"github.com/quintain-rl/quintain/policy/weights"
)

// Versions are the versions of the weights of a run, as its coordinator knows them.
type Versions struct {
	Told   func() weights.Told // for single servers
	Oldest func() int          // see [Welcome]
	Moved  func()              // is called when [Coordinator.Lowest] may have changed
}

// Follow has workers label their samples by v. Call it before Run.
func (c *Coordinator) Follow(v Versions) { c.versions = v }

// told returns the versions that workers need: of the run, of single servers, and the oldest.
func (c *Coordinator) told(t Table) (version int, servers map[string]int32, oldest int) {
	if c.versions.Told == nil {
		return t.Version(), nil, 0
	}
	return t.Version(), c.versions.Told().Servers, max(0, c.versions.Oldest())
}

// look merges what the workers know of their servers, and notes how far each lags.
func (c *Coordinator) look(now time.Time) {
	if c.versions.Told == nil {
		return
	}
	c.mu.Lock()
	c.servers = map[string]Server{}
	for _, w := range c.workers {
		for url, is := range w.servers {
			c.servers[url] = merged(c.servers, url, is)
		}
	}
	c.mu.Unlock()
	told := c.versions.Told()
	c.lags.Note(c.versionsOf(func(Server) bool { return true }), told.Version, now)
	lowest := c.Lowest()
	c.mu.Lock()
	moved := lowest != c.lowest
	c.lowest = lowest
	c.mu.Unlock()
	if moved {
		c.versions.Moved()
	}
}

// merged is what two workers know of the server at an address: the lower version counts, as theirs
// may be two servers.
func merged(all map[string]Server, url string, is Server) Server {
	other, twice := all[url]
	if !twice {
		return is
	}
	lowest := weights.Lowest(map[string]int32{"this": is.Version, "other": other.Version})
	return Server{Version: lowest, Unused: is.Unused && other.Unused}
}

// versionsOf returns the versions on the servers of the workers, as the servers report, else as
// told.
func (c *Coordinator) versionsOf(which func(Server) bool) map[string]int32 {
	told := c.versions.Told()
	c.mu.Lock()
	defer c.mu.Unlock()
	all := map[string]int32{}
	for url, is := range c.servers {
		if !which(is) {
			continue
		}
		if all[url] = is.Version; is.Version == weights.Unknown {
			all[url] = told.Of(url)
		}
	}
	return all
}

// Lowest is the lowest version on the servers that workers use, as they told with their last
// beats; [weights.Unknown] if they know none.
func (c *Coordinator) Lowest() int32 {
	if c.versions.Told == nil {
		return weights.Unknown
	}
	return weights.Lowest(c.versionsOf(func(is Server) bool { return !is.Unused }))
}
