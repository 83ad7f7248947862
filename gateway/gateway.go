package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A Host takes the groups of sessions, as a run does. Many goroutines may call its methods
// at once.
type Host interface {
	// Enter waits until a group may start. If ctx ends first, it returns its cause.
	Enter(ctx context.Context) error

	// Leave gives up a group that entered, and was not given to Judge.
	Leave()

	// Next returns the next problem of the host's own, or an error that says why it has
	// none.
	Next() (rollout.Job, error)

	// Job returns the problem of a group that another process began.
	Job(p quintain.Problem) rollout.Job

	// Judge takes the group of a job, and returns why it drops it; empty: it is kept. An error means
	// that it may be given again.
	Judge(ctx context.Context, r rollout.Result) (rollout.Drop, error)
}

// A Config configures a Gateway. It needs Secret.
type Config struct {
	Settings  Settings
	Sampling  quintain.Sampling // of sessions that are trained on
	GroupSize int               // of groups whose caller names no size; 0: 1
	Secret    []byte            // of session keys; see [Secret]
	Keys      bool              // agents need the key of their session; else its address is enough
	Folder    string            // of the journal; empty: sessions do not outlive Run
	Model     string            // the name that replies give; empty: policy
	Log       *slog.Logger      // nil: none
}

// A Gateway holds sessions. Its methods may be called from many goroutines; Run is called
// once.
type Gateway struct {
	config Config
	canon  tree.Canon
	events web.EventLog

	player Player        // set by Run
	host   Host          // set by Run
	opened chan struct{} // closed when Run answers calls
	book   book          // set by Run

	// Calls counts the calls of all sessions by class; retries, and calls whose system messages
	// changed by what makes no difference, are counted beside.
	Calls *prometheus.CounterVec

	openStore func(folder string, o journal.Options, replay func(journal.Record) error) (store, error)

	mu       sync.Mutex
	open     bool // Run answers calls
	groups   map[string]*group
	sessions map[string]*session
	live     int                    // sessions of groups that are not done
	orders   map[string]orderRecord // by idempotency key; without a Made: under way
	due      *dueSet[*group]
	joining  map[string]string // the newest group of each [Spec].Join
	names    map[string]string // IDs of sessions by their other ones, see [Spec].As
	flying   sync.WaitGroup
}

// New returns a gateway. The error names the invalid setting.
func New(c Config) (*Gateway, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Model == "" {
		c.Model = "policy"
	}
	g := &Gateway{
		config: c, opened: make(chan struct{}), groups: map[string]*group{}, sessions: map[string]*session{}, orders: map[string]orderRecord{},
		due: newDueSet[*group](), joining: map[string]string{}, names: map[string]string{}, openStore: openJournal,
		Calls: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "quintain_gateway_calls_total", Help: "Model calls of agents, by class."}, []string{"class"}),
	}
	if !c.Settings.StrictPrompts {
		g.canon.Ignore = tree.Volatile()
		for i, form := range c.Settings.Ignore {
			re, err := regexp.Compile(form)
			if err != nil {
				return nil, fmt.Errorf("gateway.ignore[%d]: %w", i, err)
			}
			g.canon.Ignore = append(g.canon.Ignore, re)
		}
	}
	return g, nil
}

// lookEvery is how often sessions are looked at: their times are longer by far.
const lookEvery = time.Second

// Run takes up the sessions of the last process, answers calls, and moves sessions on, until
// ctx ends: it ends those whose time is over, and gives the groups that are whole to the host.
// Then it stops the calls under way. The error says why the sessions cannot be kept, or what
// the host says.
func (g *Gateway) Run(ctx context.Context, p Player, h Host) (err error) {
	g.player, g.host = p, h
	if g.config.Folder != "" {
		if g.book.journal, err = g.openStore(g.config.Folder, journal.Options{Log: g.config.Log}, (&restorer{Gateway: g}).restore); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, g.book.journal.Close()) }()
	}
	outer := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var beside sync.WaitGroup
	defer beside.Wait()
	g.reenter(ctx, &beside)
	if g.book.journal != nil {
		beside.Go(func() { cancel(g.book.journal.Run(ctx)) })
	}
	g.setOpen()
	defer g.stop()
	finish := func(of *group) {
		beside.Go(func() {
			if err := g.finish(context.WithoutCancel(ctx), of); err != nil {
				cancel(err)
			}
		})
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			if err := context.Cause(ctx); !errors.Is(err, context.Canceled) && !errors.Is(err, context.Cause(outer)) {
				return err
			}
			return nil
		case <-tick.C:
			makeRoom(g)
			g.look(ctx, g.all(), finish)
		case <-g.due.wake:
			g.look(ctx, g.due.take(), finish)
		}
	}
}

// reenter lets the groups of the last process through the gate.
func (g *Gateway) reenter(ctx context.Context, all *sync.WaitGroup) {
	for _, of := range g.all() {
		if of.Mode == Train {
			all.Go(func() { _ = g.host.Enter(ctx) }) // only the end of ctx ends it
		}
	}
}

func (g *Gateway) setOpen() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open = true
	close(g.opened)
}

// Ready reports whether calls can be answered, and sessions made.
func (g *Gateway) Ready() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open
}

// look moves groups and their sessions on. It calls finish for each that is whole.
func (g *Gateway) look(ctx context.Context, all []*group, finish func(*group)) {
	for _, of := range all {
		if g.lookAt(ctx, of, time.Now()) {
			finish(of)
		}
	}
}

// all returns the groups.
func (g *Gateway) all() []*group {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Collect(maps.Values(g.groups))
}

// stop ends the calls under way, and waits for their ends.
func (g *Gateway) stop() {
	g.mu.Lock()
	g.open = false
	for _, s := range g.sessions {
		s.stop(errStops)
	}
	g.mu.Unlock()
	g.flying.Wait()
}

// note tells those who follow the events that a session changed. s.mu is held.
func (g *Gateway) note(s *sessionState) {
	fields := map[string]any{"session": s.id, "group": s.group.Name, "state": s.state, "calls": len(s.tree.Nodes)}
	if s.outcome != "" {
		fields["outcome"] = s.outcome
	}
	g.events.Add("session", fields)
}
