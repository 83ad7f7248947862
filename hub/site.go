package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/quintain-rl/quintain/groupform"
)

// A site is what all runs of a server share.
type site struct {
	config   Config
	log      *slog.Logger
	grants   []grant
	bodies   sync.Pool // of *bytes.Buffer
	zips     sync.Pool // of *gzip.Writer
	texts    sync.Pool // of *[]byte, for groups in JSON
	readers  sync.Pool // of *atropos.Reader
	codec    *groupform.Codec
	desks    chan struct{} // one in it for each call of compute that is under way
	metrics  *metrics
	runs     runs
	draining atomic.Bool // takes no more groups

	stop    sync.Once
	stopped chan struct{} // closed when Run ends: who waits for something waits no longer
}

func newSite(c Config) *site {
	t := &site{
		config: c, log: c.Log, grants: grantsOf(c.Keys), stopped: make(chan struct{}),
		codec: groupform.NewCodec(int(min(c.Limits.Inflated, math.MaxInt32))),
		desks: make(chan struct{}, desks()),
	}
	t.runs.open = make(map[string]*Server)
	t.metrics = newMetrics(t)
	return t
}

// desks is how many calls of compute may be under way.
func desks() int { return max(1, runtime.GOMAXPROCS(0)-1) }

// compute calls f, which takes long and waits for nobody, when its turn has come: one
// processor is left to those that answer at once.
func (t *site) compute(f func()) {
	t.desks <- struct{}{}
	defer func() { <-t.desks }()
	f()
}

// runsKey is the record of the main run's queue that lists the others.
const runsKey = "hub-runs"

// runs are the runs of a server.
type runs struct {
	main *Server

	mu   sync.Mutex // held while a run is opened
	open map[string]*Server
}

// runsRecord is the list of the runs beside the main one.
type runsRecord struct {
	Version int      `json:"version"`
	Names   []string `json:"names"`
}

// errNoRun says that there is no run of the name.
var errNoRun = errors.New("there is no run of this name")

// runByName returns the run of a name, which it opens where it is not open yet.
func (t *site) runByName(ctx context.Context, name string) (*Server, error) {
	if name == mainRun {
		return t.runs.main, nil
	}
	t.runs.mu.Lock()
	defer t.runs.mu.Unlock()
	if s, ok := t.runs.open[name]; ok {
		return s, nil
	}
	names, err := t.runNames(ctx)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, name) {
		return nil, errNoRun
	}
	return t.openRun(ctx, name)
}

// openRun opens a run. t.runs.mu is held.
func (t *site) openRun(ctx context.Context, name string) (*Server, error) {
	q, err := t.config.OpenRun(context.WithoutCancel(ctx), name)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	s, err := t.newServer(context.WithoutCancel(ctx), name, q)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	t.runs.open[name] = s
	return s, nil
}

// makeRun makes a run of the name, where there is none, and reports whether it did.
func (t *site) makeRun(ctx context.Context, name string) (fresh bool, err error) {
	t.runs.mu.Lock()
	defer t.runs.mu.Unlock()
	names, err := t.runNames(ctx)
	if err != nil || name == mainRun || slices.Contains(names, name) {
		return false, err
	}
	record, err := json.Marshal(runsRecord{stateVersion, append(names, name)})
	if err != nil {
		return false, err
	}
	if err := t.runs.main.queue.SetState(ctx, runsKey, record); err != nil {
		return false, err
	}
	_, err = t.openRun(ctx, name)
	return err == nil, err
}

// runNames are the names of the runs beside the main one.
func (t *site) runNames(ctx context.Context) ([]string, error) {
	var record runsRecord
	if t.config.OpenRun == nil {
		return nil, nil
	}
	err := t.runs.main.read(ctx, runsKey, &record)
	return record.Names, err
}

// running are the runs that are open, the main one first.
func (t *site) running() []*Server {
	t.runs.mu.Lock()
	defer t.runs.mu.Unlock()
	var others []*Server
	for _, s := range t.runs.open {
		others = append(others, s)
	}
	slices.SortFunc(others, func(a, b *Server) int { return strings.Compare(a.name, b.name) })
	return append([]*Server{t.runs.main}, others...)
}

// validRun reports whether a run may have a name.
func validRun(name string) bool {
	plain := func(r rune) bool { return r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' }
	return name != "" && len(name) <= 40 && strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0
}

// close wakes those who wait for something.
func (t *site) close() { t.stop.Do(func() { close(t.stopped) }) }
