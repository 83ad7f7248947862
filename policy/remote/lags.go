package remote

import (
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// ServerLags keeps the versions of the weights on servers in use, and since when each lags behind
// the newest weights. It is a [prometheus.Collector]. Many goroutines may use it at once.
type ServerLags struct {
	prefix string

	mu     sync.Mutex // guards the rest
	of     map[string]standing
	newest []sighting // ever newer ones, at most maxSightings
	known  int32      // what Note was last told of the newest version
}

// A standing is the version of a server, and since when there are newer weights; zero: there are
// none.
type standing struct {
	version int32
	lags    time.Time
}

// A sighting is the time at which a version was first noted.
type sighting struct {
	version int32
	at      time.Time
}

// maxSightings is how many versions back the beginning of a lag is remembered.
const maxSightings = 256

// NewServerLags returns Servers without any. Prefix begins the names of their metrics.
func NewServerLags(prefix string) *ServerLags {
	return &ServerLags{prefix: prefix, of: map[string]standing{}, known: UnknownVersion}
}

// Note takes the versions of all servers in use, by their addresses, and the newest version that
// the run knows of, which falls only when the run is reset. Both may be [UnknownVersion].
func (s *ServerLags) Note(versions map[string]int32, newest int32, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if newest < s.known { // the run was reset
		s.newest = nil
		clear(s.of)
	}
	s.known = newest
	for _, version := range versions {
		newest = max(newest, version)
	}
	if n := len(s.newest); n == 0 || newest > s.newest[n-1].version {
		s.newest = append(s.newest, sighting{newest, now})
		s.newest = s.newest[max(0, len(s.newest)-maxSightings):]
	}
	before := s.of
	s.of = make(map[string]standing, len(versions))
	for url, version := range versions {
		is, known := before[url]
		if !known || is.version != version || is.lags.IsZero() {
			is = standing{version, s.since(version)}
		}
		s.of[url] = is
	}
}

// since returns when weights newer than a version were first noted; zero: never, or the version
// is unknown. s.mu is held.
func (s *ServerLags) since(version int32) time.Time {
	if version == UnknownVersion {
		return time.Time{}
	}
	i := slices.IndexFunc(s.newest, func(of sighting) bool { return of.version > version })
	if i < 0 {
		return time.Time{}
	}
	return s.newest[i].at
}

// A Lag is how far a server lags behind the newest weights.
type Lag struct {
	URL      string
	Version  int32         // of its weights, or [UnknownVersion]
	Versions int           // that it is behind; 0: none, or its version is unknown
	Since    time.Duration // for which there have been newer weights
}

// Lags lists the servers by their addresses.
func (s *ServerLags) Lags(now time.Time) []Lag {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Lag
	for _, url := range slices.Sorted(maps.Keys(s.of)) {
		is := s.of[url]
		l := Lag{URL: url, Version: is.version}
		if !is.lags.IsZero() {
			l.Versions, l.Since = int(s.newest[len(s.newest)-1].version-is.version), now.Sub(is.lags)
		}
		all = append(all, l)
	}
	return all
}

// Describe implements [prometheus.Collector]. It describes nothing, because servers come and go.
func (s *ServerLags) Describe(chan<- *prometheus.Desc) {}

// Collect implements [prometheus.Collector].
func (s *ServerLags) Collect(to chan<- prometheus.Metric) {
	for _, l := range s.Lags(time.Now()) {
		for _, of := range []struct {
			name, help string
			value      float64
		}{
			{"version", "Version of the server's weights; -1: unknown.", float64(l.Version)},
			{"lag_versions", "Versions by which the server is behind the newest weights.", float64(l.Versions)},
			{"lag_seconds", "Time for which there have been newer weights than the server's; 0: there are none.", l.Since.Seconds()},
		} {
			desc := prometheus.NewDesc(s.prefix+of.name, of.help, []string{"server"}, nil)
			to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, of.value, l.URL)
		}
	}
}

// Lowest returns the lowest known one of versions, or [UnknownVersion].
func Lowest(versions iter.Seq[int32]) int32 {
	lowest := int32(UnknownVersion)
	for version := range versions {
		if version > UnknownVersion && (lowest == UnknownVersion || version < lowest) {
			lowest = version
		}
	}
	return lowest
}
