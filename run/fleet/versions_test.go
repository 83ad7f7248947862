package fleet

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/policy/remote"
)

// A trainer tells versions to a run with workers.
type trainer struct {
	mu     sync.Mutex
	told   remote.Told
	oldest int
	moved  int
}

func (t *trainer) set(version int32, servers map[string]int32, oldest int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.told, t.oldest = remote.Told{Version: version, Servers: servers}, oldest
}

// moves is how often it was told that the lowest version may have changed.
func (t *trainer) moves() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.moved
}

// versions are those of the trainer.
func (t *trainer) versions() Versions {
	return Versions{
		Told:   func() remote.Told { t.mu.Lock(); defer t.mu.Unlock(); return t.told },
		Oldest: func() int { t.mu.Lock(); defer t.mu.Unlock(); return t.oldest },
		Moved:  func() { t.mu.Lock(); defer t.mu.Unlock(); t.moved++ },
	}
}

// The lowest version of any server that a living worker uses counts: as the server reports it,
// else as told for it, else as told for all.
func TestTheLowestVersionOfTheWorkers(t *testing.T) {
	desk, of := newDesk(t, 4), &trainer{}
	of.set(7, map[string]int32{"http://quiet": 6}, 5)
	desk.versions = of.versions()
	s := newSite(t, desk, nil)
	s.join(1)
	s.join(2)
	beat := func(i int, servers map[string]Server) {
		t.Helper()
		if status := s.ask("POST", "/workers/"+name(i)+"/beat", Beat{Leases: []uint64{}, Servers: servers}, nil); status != http.StatusOK {
			t.Fatalf("beat: status %d", status)
		}
		s.look(time.Now())
	}
	for _, test := range []struct {
		why     string
		one     map[string]Server
		two     map[string]Server
		lowest  int32
		lagging string // servers with their versions and lags
	}{
		{"no worker has named a server", nil, nil, -1, "[]"},
		{"what was told for one", nil, map[string]Server{"http://quiet": {Version: -1}}, 6, "[http://quiet 6 1]"},
		{"a report goes before it", nil, map[string]Server{"http://quiet": {Version: 7}}, 7, "[http://quiet 7 0]"},
		{"what was told for all", nil, map[string]Server{"http://b": {Version: -1}}, 7, "[http://b 7 0]"},
		{"the lowest of two workers", map[string]Server{"http://a": {Version: 7}}, map[string]Server{"http://b": {Version: 5}}, 5, "[http://a 7 0 http://b 5 2]"},
		{"two workers know one server", map[string]Server{"http://a": {Version: -1}}, map[string]Server{"http://a": {Version: 6}}, 6, "[http://a 6 1]"},
		{"a report that is ahead of the trainer's", map[string]Server{"http://a": {Version: 8}}, map[string]Server{"http://b": {Version: -1}}, 7, "[http://a 8 0 http://b 7 1]"},
		{"one that gets nothing", map[string]Server{"http://a": {Version: 7}, "http://b": {Version: 2, Unused: true}}, nil, 7, "[http://a 7 1 http://b 2 6]"},
	} {
		was, before := s.Lowest(), of.moves()
		beat(1, test.one)
		beat(2, test.two)
		if got := s.Lowest(); got != test.lowest || got != was && of.moves() == before {
			t.Errorf("%s: the lowest version is %d, and was %d; want %d, and to hear of it", test.why, got, was, test.lowest)
		}
		all := map[string]string{}
		for _, l := range s.servers.lags.Lags(time.Now()) {
			all[l.URL] = fmt.Sprint(l.URL, " ", l.Version, " ", l.Versions)
		}
		if got := fmt.Sprint(slices.Sorted(maps.Values(all))); got != test.lagging {
			t.Errorf("%s: servers %s, want %s", test.why, got, test.lagging)
		}
	}
	own := func() int32 { return 5 }
	beat(1, map[string]Server{"http://a": {Version: 6}})
	if s.LowestWith(own)() != 6 || s.LowestWith(nil)() != 6 {
		t.Error("servers of a coordinator that does not play count")
	}
	s.config.Settings.OwnSlots = 8
	if s.LowestWith(own)() != 5 || s.LowestWith(nil)() != 6 {
		t.Error("servers of a coordinator that plays do not count")
	}
	beat(1, map[string]Server{"http://a": {Version: 3}})
	if s.pass(2); s.Lowest() != 3 {
		t.Errorf("the lowest version is %d before the next look", s.Lowest())
	}
	if s.look(time.Now()); s.Lowest() != -1 {
		t.Errorf("the lowest version is %d, and the worker is lost", s.Lowest())
	}
}

// Workers hear of the versions told for servers with each answer.
func TestWorkersHearOfTheVersions(t *testing.T) {
	desk, of := newDesk(t, 4), &trainer{}
	of.set(3, map[string]int32{"http://b": 2}, 1)
	desk.versions = of.versions()
	s := newSite(t, desk, nil)
	var w Welcome
	if status := s.ask("POST", "/workers", Registration{Instance: name(1), Name: "w", Slots: 8, Program: "quintain 1", Tasks: "all"}, &w); status != http.StatusOK {
		t.Fatalf("registration: status %d", status)
	}
	if w.Version != 3 || w.Servers["http://b"] != 2 || w.Oldest != 1 {
		t.Errorf("welcome %+v", w)
	}
	var a Answer
	of.set(3, map[string]int32{"http://b": 3}, 2)
	if s.ask("POST", "/workers/"+name(1)+"/beat", Beat{Leases: []uint64{}}, &a); a.Servers["http://b"] != 3 || a.Oldest != 2 {
		t.Errorf("answer %+v", a)
	}
	var g Grant
	of.set(3, nil, -2)
	if s.ask("POST", "/leases?instance="+name(1), nil, &g); g.Version != 3 || g.Servers != nil || g.Oldest != 0 {
		t.Errorf("grant %+v", g)
	}
}
