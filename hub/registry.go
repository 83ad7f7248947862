package hub

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/queue"
)

// registrationKey is the record of what has registered for a run.
const registrationKey = "hub-run"

// A registration is what the trainer and the environments have said of themselves. It
// does not change: a change makes another one.
type registration struct {
	Version    int    `json:"version"`
	Registered bool   `json:"registered"` // a trainer has
	Started    bool   `json:"started"`    // it has asked for a batch, so environments may register
	Group      string `json:"wandb_group"`
	Project    string `json:"wandb_project"`
	BatchSize  int    `json:"batch_size"`
	MaxTokens  int    `json:"max_token_len"`
	Checkpoint string `json:"checkpoint_dir"`
	Interval   int    `json:"save_checkpoint_interval"`
	NumSteps   int    `json:"num_steps"`
	Envs       []env  `json:"envs"` // by their id
}

// An env is an environment.
type env struct {
	MaxTokens   int      `json:"max_context_len"`
	Weight      float64  `json:"weight"`
	DesiredName string   `json:"desired_name"`
	RealName    string   `json:"real_name"`
	Connected   bool     `json:"connected"`            // it has not said that it leaves
	Minimum     *float64 `json:"min_batch_allocation"` // share of each batch; nil: none
	GroupSize   int      `json:"group_size"`
}

// share is an environment's weight, times its tokens.
func (e *env) share() float64 { return float64(max(0, e.MaxTokens)) * max(0, e.Weight) }

// tame brings numbers to what could be registered now: an earlier hub took others.
func (e *env) tame() {
	e.Weight = min(max(e.Weight, -atropos.MaxWeight), atropos.MaxWeight)
	if e.Minimum != nil {
		e.Minimum = new(min(max(*e.Minimum, 0), 1))
	}
}

// batchSize is the number of sequences in a batch, -1 before a trainer registers.
func (g *registration) batchSize() int {
	if !g.Registered {
		return -1
	}
	return g.BatchSize
}

// groupSize is the group size of an environment, or 0 if there is none of the id.
func (g *registration) groupSize(id int32) int {
	if id < 0 || int(id) >= len(g.Envs) {
		return 0
	}
	return g.Envs[id].GroupSize
}

// clone returns a copy that may be changed.
func (g *registration) clone() registration {
	c := *g
	c.Envs = slices.Clone(g.Envs)
	return c
}

// withTrainer returns the registration with what a trainer says of itself.
func (g *registration) withTrainer(r atropos.Registration) registration {
	next := g.clone()
	next.Registered = true
	next.Group, next.Project = r.WandbGroup, r.WandbProject
	next.BatchSize, next.MaxTokens = r.BatchSize, r.MaxTokenLen
	next.Checkpoint, next.Interval, next.NumSteps = r.CheckpointDir, r.SaveCheckpointInterval, r.NumSteps
	return next
}

// withEnv returns the registration with one more environment, which is the last one.
func (g *registration) withEnv(r atropos.EnvRegistration) registration {
	next := g.clone()
	namesakes := 0
	for _, e := range next.Envs {
		if e.DesiredName == r.DesiredName {
			namesakes++
		}
	}
	next.Envs = append(next.Envs, env{
		MaxTokens:   r.MaxTokenLength,
		Weight:      r.Weight,
		DesiredName: r.DesiredName,
		RealName:    fmt.Sprintf("%s_%d", r.DesiredName, namesakes),
		Connected:   true,
		Minimum:     r.MinBatchAllocation,
		GroupSize:   r.GroupSize,
	})
	return next
}

// A registry is the registration of a run, and when its environments were last heard
// from.
type registry struct {
	queue   *queue.Queue
	timeout time.Duration // an environment is connected for so long after it was heard from

	// mu guards what follows. Nothing else is called under it. The registration changes
	// only while the run's trade is held as well.
	mu    sync.RWMutex
	now   registration
	heard map[int]time.Time // by environment
	who   *roster           // nil: to be made
	until time.Time         // who holds until then
}

// current is the registration.
func (g *registry) current() registration {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.now
}

// load reads the registration of an earlier server. Its environments count as heard
// from.
func (g *registry) load(ctx context.Context) error {
	if err := readRecord(ctx, g.queue, registrationKey, &g.now); err != nil {
		return err
	}
	for id := range g.now.Envs {
		g.now.Envs[id].tame()
		g.heard[id] = time.Now()
	}
	return nil
}

// save keeps next, then makes it current. The run's trade is held.
func (g *registry) save(ctx context.Context, next registration) error {
	next.Version = recordVersion
	if err := saveRecord(ctx, g.queue, registrationKey, next); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now, g.who = next, nil
	return nil
}

// hear notes that an environment was heard from, if there is one of the id.
func (g *registry) hear(id int32) {
	now := time.Now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if id < 0 || int(id) >= len(g.now.Envs) {
		return
	}
	if !g.alive(int(id), now) {
		g.who = nil
	}
	g.heard[int(id)] = now
}

// forget forgets when environments were heard from.
func (g *registry) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	clear(g.heard)
	g.who = nil
}

// alive reports whether an environment is connected. g.mu is held.
func (g *registry) alive(id int, now time.Time) bool {
	return g.now.Envs[id].Connected && now.Sub(g.heard[id]) <= g.timeout
}

// roster returns who is there at the time now. It is made only after a change.
func (g *registry) roster(now time.Time) *roster {
	g.mu.RLock()
	who, until := g.who, g.until
	g.mu.RUnlock()
	if who != nil && now.Before(until) {
		return who
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.until = now.Add(g.timeout)
	g.who = newRoster(g.now, func(id int) bool {
		alive := g.alive(id, now)
		if end := g.heard[id].Add(g.timeout); alive && end.Before(g.until) {
			g.until = end
		}
		return alive
	})
	return g.who
}

// nextSilence is the earliest time before end at which an environment counts as gone
// unless it is heard from, or end.
func (g *registry) nextSilence(now, end time.Time) time.Time {
	g.mu.RLock()
	defer g.mu.RUnlock()
	for id := range g.now.Envs {
		if gone := g.heard[id].Add(g.timeout); g.alive(id, now) && gone.Before(end) {
			end = gone
		}
	}
	return end
}
