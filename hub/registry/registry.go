// Package registry stores the registrations of a run: its trainer and its environments. A
// [Roster] says which environments are connected, and a [Ledger] sums up the waiting groups
// for them.
package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/packing"
)

// Key is the key of the trainer's record, beside the run's groups.
const Key = "hub-run"

// version is the version of that record. Version 1 contained the environments.
const version = 2

// A Registration is a trainer's registration.
type Registration struct {
	Version    int    `json:"version"`
	Registered bool   `json:"registered"` // whether a trainer has registered
	Started    bool   `json:"started"`    // whether it has asked for a batch, so that environments may register
	Group      string `json:"wandb_group"`
	Project    string `json:"wandb_project"`
	BatchSize  int    `json:"batch_size"`              // in BatchUnit
	BatchUnit  string `json:"batch_unit,omitzero"`     // empty: sequences
	MaxBatch   int    `json:"max_batch_size,omitzero"` // in BatchUnit; below BatchSize: as much
	MaxTokens  int    `json:"max_token_len"`
	Checkpoint string `json:"checkpoint_dir"`
	Interval   int    `json:"save_checkpoint_interval"` // steps
	NumSteps   int    `json:"num_steps"`
}

// Size is the size of a batch in its unit; -1 before a trainer registers.
func (g *Registration) Size() int {
	if !g.Registered {
		return -1
	}
	return g.BatchSize
}

// Demand is what the trainer wants of each batch.
func (g *Registration) Demand() Demand {
	return Demand{packing.Unit(cmp.Or(g.BatchUnit, string(packing.Sequences))), g.BatchSize, max(g.BatchSize, g.MaxBatch)}
}

// A Demand is the size of a batch.
type Demand struct {
	Unit  packing.Unit `json:"unit"`
	Least int          `json:"least"`
	Most  int          `json:"most"`
}

// Exact reports whether batches should have one number of sequences, as those of Atropos do.
func (d Demand) Exact() bool { return d.Unit == packing.Sequences && d.Least == d.Most }

// Of is the size of groups in the unit.
func (d Demand) Of(groups, episodes, sequences int) int {
	switch d.Unit {
	case packing.Groups:
		return groups
	case packing.Episodes:
		return episodes
	}
	return sequences
}

// SetTrainer takes over a trainer's data.
func (g *Registration) SetTrainer(r atropos.Registration) {
	g.Registered = true
	g.Group, g.Project = r.WandbGroup, r.WandbProject
	g.BatchSize, g.BatchUnit, g.MaxBatch, g.MaxTokens = r.BatchSize, r.BatchUnit, r.MaxBatchSize, r.MaxTokenLen
	g.Checkpoint, g.Interval, g.NumSteps = r.CheckpointDir, r.SaveCheckpointInterval, r.NumSteps
}

// Options are the settings of a registry.
type Options struct {
	Timeout time.Duration // a silent environment counts as connected for so long
	MaxEnvs int           // at once
}

// A Registry is the registrations of a run, with the time when each environment was last
// heard from. Each environment has its own record beside the run's groups, so a change has
// the same cost for any number. Many goroutines may use it at once.
type Registry struct {
	queue  *queue.Queue
	shares *shares
	o      Options

	changing sync.Mutex // held to store a change; the queue is called and mu taken under it

	mu    sync.RWMutex // guards the rest; nothing else is called under it
	now   Registration
	envs  []*member // by ID, ascending
	names map[string]naming
	turn  int       // next of envs to check for forgetting
	who   *Roster   // cached; nil: none
	until time.Time // who is valid until then
}

// A member is a known environment.
type member struct {
	*Env
	heard time.Time // last sign of life
}

// A naming is the use of a name.
type naming struct {
	known int // environments of this name
	next  int // Nth of the next one
}

// ErrFull says that no more environments may register.
var ErrFull = errors.New("no more environments may register")

// Open returns the registry stored in q. Its environments count as just heard from.
func Open(ctx context.Context, q *queue.Queue, o Options) (*Registry, error) {
	g := &Registry{queue: q, o: o, names: make(map[string]naming)}
	text, err := q.State(ctx, Key)
	if err != nil {
		return nil, err
	}
	if err := (queue.State{Key: Key, Value: text}).Record(version, &g.now); err != nil {
		return nil, err
	}
	list, err := q.States(ctx, envPrefix)
	if err != nil {
		return nil, err
	}
	if g.shares, err = openShares(ctx, q); err != nil {
		return nil, err
	}
	for _, s := range list {
		e := new(Env)
		if err := s.Record(envVersion, e); err != nil {
			return nil, err
		}
		g.enter(e)
	}
	return g, nil
}

// Current is the trainer's registration.
func (g *Registry) Current() Registration {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.now
}

// Demand is what the trainer wants of each batch.
func (g *Registry) Demand() Demand {
	now := g.Current()
	return now.Demand()
}

// Env returns the environment of an ID, or nil.
func (g *Registry) Env(id int32) *Env {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if at, ok := g.find(id); ok {
		return g.envs[at].Env
	}
	return nil
}

// Update changes the trainer's registration, durably when it returns.
func (g *Registry) Update(ctx context.Context, change func(*Registration)) error {
	g.changing.Lock()
	defer g.changing.Unlock()
	next := g.Current()
	change(&next)
	next.Version = version
	record, err := queue.NewRecord(Key, next)
	if err != nil {
		return err
	}
	if err := g.queue.SetStates(ctx, []queue.State{record}); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now, g.who = next, nil
	return nil
}

// Add registers an environment, durably when it returns. The error may be [ErrFull].
func (g *Registry) Add(ctx context.Context, r atropos.EnvRegistration) (*Env, error) {
	g.changing.Lock()
	defer g.changing.Unlock()
	e, gone, err := g.prepare(r)
	if err != nil {
		return nil, err
	}
	record, err := e.record()
	if err != nil {
		return nil, err
	}
	list := []queue.State{record}
	for _, old := range gone {
		list = append(list, queue.State{Key: old.key()})
	}
	if err := g.queue.SetStates(ctx, list); err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.enter(e)
	g.leave(gone)
	g.who = nil
	return e, nil
}

// prepare returns the environment that registers as r, and those to forget.
func (g *Registry) prepare(r atropos.EnvRegistration) (e *Env, gone []*Env, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	look := forgetAtOnce
	if len(g.envs) >= g.o.MaxEnvs {
		look = len(g.envs)
	}
	if gone = g.forgettable(look); len(g.envs)-len(gone) >= g.o.MaxEnvs {
		return nil, nil, fmt.Errorf("%w: there are %d", ErrFull, len(g.envs))
	}
	return newEnv(g.freeID(), g.names[r.DesiredName].next, r), gone, nil
}

// freeID is the ID of the next environment: one above the highest, while there is such a
// number, so that a client of a forgotten environment is not taken for another. g.mu is
// held.
func (g *Registry) freeID() int32 {
	if len(g.envs) == 0 {
		return 0
	}
	if last := g.envs[len(g.envs)-1].ID; last < math.MaxInt32 {
		return last + 1
	}
	for i, m := range g.envs {
		if m.ID != int32(i) {
			return int32(i)
		}
	}
	return int32(len(g.envs))
}

// Disconnect records that an environment has left. known is false if the ID is unknown.
func (g *Registry) Disconnect(ctx context.Context, id int32) (known bool, err error) {
	g.changing.Lock()
	defer g.changing.Unlock()
	e := g.Env(id)
	if e == nil {
		return false, nil
	}
	next := *e
	next.Connected = false
	record, err := next.record()
	if err != nil {
		return true, err
	}
	if err := g.queue.SetStates(ctx, []queue.State{record}); err != nil {
		return true, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if at, ok := g.find(id); ok {
		g.envs[at].Env = &next
	}
	g.who = nil
	return true, nil
}

// Reset forgets all registrations and shares.
func (g *Registry) Reset(ctx context.Context) error {
	g.changing.Lock()
	defer g.changing.Unlock()
	record, err := queue.NewRecord(Key, Registration{Version: version})
	if err != nil {
		return err
	}
	list := []queue.State{record}
	g.mu.RLock()
	for _, m := range g.envs {
		list = append(list, queue.State{Key: m.key()})
	}
	g.mu.RUnlock()
	if err := g.queue.SetStates(ctx, list); err != nil {
		return err
	}
	if err := g.shares.reset(ctx); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now, g.envs, g.turn, g.who = Registration{}, nil, 0, nil
	clear(g.names)
	return nil
}

// Hear notes that an environment was heard from, if there is one of the ID.
func (g *Registry) Hear(id int32) {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	at, ok := g.find(id)
	if !ok {
		return
	}
	m := g.envs[at]
	if !g.alive(m, now) {
		g.who = nil
	}
	m.heard = now
}

// Roster returns who is there at the time now. It is made only after a change.
func (g *Registry) Roster(now time.Time) *Roster {
	g.mu.RLock()
	who, until := g.who, g.until
	g.mu.RUnlock()
	if who != nil && now.Before(until) {
		return who
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.until = now.Add(g.o.Timeout)
	envs, alive := make([]*Env, len(g.envs)), make([]bool, len(g.envs))
	for i, m := range g.envs {
		envs[i], alive[i] = m.Env, g.alive(m, now)
		if end := m.heard.Add(g.o.Timeout); alive[i] && end.Before(g.until) {
			g.until = end
		}
	}
	g.who = newRoster(g.now, envs, alive)
	return g.who
}

// NextSilence is the earliest time before end when a silent environment counts as gone, or
// end.
func (g *Registry) NextSilence(now, end time.Time) time.Time {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for _, m := range g.envs {
		if gone := m.heard.Add(g.o.Timeout); g.alive(m, now) && gone.Before(end) {
			end = gone
		}
	}
	return end
}

// alive reports whether an environment is connected. g.mu is held.
func (g *Registry) alive(m *member, now time.Time) bool {
	return m.Connected && now.Sub(m.heard) <= g.o.Timeout
}

// find returns the place of an environment, or where it would be. g.mu is held.
func (g *Registry) find(id int32) (at int, ok bool) {
	return slices.BinarySearchFunc(g.envs, id, func(m *member, id int32) int { return cmp.Compare(m.ID, id) })
}

// enter adds a new environment. g.mu is held.
func (g *Registry) enter(e *Env) {
	at, _ := g.find(e.ID)
	g.envs = slices.Insert(g.envs, at, &member{e, time.Now()})
	n := g.names[e.DesiredName]
	g.names[e.DesiredName] = naming{n.known + 1, max(n.next, e.Nth+1)}
}
