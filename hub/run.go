package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/hub/registry"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/packing"
)

// A Run is the state of one training run at a hub. Many goroutines may use it at once.
//
// Its locks are taken in this order: mu, holds.sorting, those of registry and ledger under
// which the queue is called, those of the queue, and last the other locks of its parts. No
// group is encoded or decoded under any of them.
type Run struct {
	server *Server
	name   string
	queue  *queue.Queue
	log    *slog.Logger

	deleted atomic.Bool

	// mu is held to choose or acknowledge batches and to change the registration.
	mu *mutex

	line chan struct{} // a semaphore: one call watches for a batch, others wait in line

	registry   *registry.Registry
	weights    *Weights
	batches    *batches
	holds      *heldGroups
	intake     *intake
	ledger     *registry.Ledger
	events     *web.EventLog
	tally      *tally
	sayPadding sync.Once
	rollouts   rollouts
}

// newRun returns the run over q, which continues where an earlier server ended.
func (s *Server) newRun(ctx context.Context, name string, q *queue.Queue) (*Run, error) {
	o := s.config.Settings
	r := &Run{server: s, name: name, queue: q, log: s.config.Log.With("run", name), mu: newMutex(), line: make(chan struct{}, 1), events: &web.EventLog{}, tally: &tally{}}
	q.OnUnreadable(r.tellUnreadable)
	var err error
	if r.registry, err = registry.Open(ctx, q, registry.Options{Timeout: o.EnvTimeout, MaxEnvs: o.MaxEnvs}); err != nil {
		return nil, err
	}
	r.batches = &batches{queue: q, events: r.events, tally: r.tally, lags: make(map[int]int)}
	r.holds = &heldGroups{queue: q, registry: r.registry, log: r.log, tally: r.tally, wake: r.batches.moved.Wake}
	r.ledger = registry.NewLedger(q, r.registry)
	r.intake = &intake{
		queue: q, log: r.log, limits: o, codec: s.codec,
		registry: r.registry, holds: r.holds, events: r.events, tally: r.tally,
	}
	told, err := remote.OpenVersion(ctx, q)
	if err != nil {
		return nil, err
	}
	r.weights = &Weights{told, r.batches, r.events}
	if err := r.batches.load(ctx); err != nil {
		return nil, err
	}
	return r, r.holds.load(ctx)
}

// tellUnreadable tells followers of an unreadable group.
func (r *Run) tellUnreadable(a queue.Unreadable) {
	fields := map[string]any{"id": a.ID, "number": a.Seq, "reason": a.Why.Error()}
	if !a.Again.IsZero() {
		fields["again"] = a.Again.UTC().Format(time.RFC3339Nano)
	}
	if a.Others > 0 {
		fields["groups"] = a.Others + 1
	}
	r.events.Add("aside", fields)
}

// Name is unique at the hub; the default run's is [DefaultRun].
func (r *Run) Name() string { return r.name }

// Step is the trainer's first step plus the number of batches handed out: how many steps the
// trainer will have made before it trains on the next batch. Only a reset lowers it.
func (r *Run) Step() int { return r.batches.current() }

// Acked is Step without the unacknowledged batches, the steps that the trainer has made, and
// the number of episodes acknowledged since the hub started.
func (r *Run) Acked() (steps, episodes int) { return r.batches.done() }

// Staleness counts the groups acknowledged since the hub started, by how many steps their
// oldest token was behind. Groups of unknown version do not count.
func (r *Run) Staleness() map[int]int { return r.batches.staleness() }

// Progress returns a channel that is closed when Step, Acked, Version or Staleness may have
// changed. Take the channel first, then look, then wait.
func (r *Run) Progress() <-chan struct{} { return r.batches.went.Next() }

// BatchSize is the size of a batch, -1 before a trainer registers, and its unit.
func (r *Run) BatchSize() (int, packing.Unit) {
	g := r.registry.Current()
	return g.Size(), g.Demand().Unit
}

// enroll makes t the trainer's registration. The step never falls: it counts the batches
// handed out, and whoever paces work by it relies on that.
func (r *Run) enroll(ctx context.Context, t atropos.Registration, trainer string) error {
	ctx, l, err := r.mu.acquire(ctx)
	if err != nil {
		return err
	}
	defer l.end()
	r.mu.moves++
	g := r.registry.Current()
	if err := r.reenroll(ctx, g, t); err != nil {
		return err
	}
	if err := r.batches.disown(ctx, trainer); err != nil {
		return err
	}
	r.batches.takeBack(trainer)
	now, step := r.registry.Current(), r.batches.step
	r.events.Add("trainer_registered", map[string]any{"trainer": trainer, "batch_size": now.BatchSize, "step": step})
	r.log.Info("a trainer registered", "trainer", trainer, "batch_size", now.BatchSize, "step", step, "again", g.Registered)
	return nil
}

// reenroll replaces the registration g by t. A batch of another size stays its trainer's;
// once due, it is dissolved. r.mu is held.
func (r *Run) reenroll(ctx context.Context, g registry.Registration, t atropos.Registration) error {
	step := max(r.batches.step, t.StartingStep)
	if !g.Registered {
		step = t.StartingStep
	}
	if err := r.batches.save(ctx, step, r.batches.open); err != nil {
		return err
	}
	return r.registry.Update(ctx, func(now *registry.Registration) { now.SetTrainer(t) })
}

// start notes that the trainer asks for batches. It reports whether a trainer has
// registered.
func (r *Run) start(ctx context.Context) (registered bool, err error) {
	if g := r.registry.Current(); !g.Registered || g.Started {
		return g.Registered, nil
	}
	ctx, l, err := r.mu.acquire(ctx)
	if err != nil {
		return false, err
	}
	defer l.end()
	err = r.registry.Update(ctx, func(now *registry.Registration) {
		registered = now.Registered
		now.Started = registered
	})
	return registered, err
}

// admit registers an environment. It returns nil before the trainer has asked for batches.
func (r *Run) admit(ctx context.Context, as atropos.EnvRegistration) (*registry.Env, error) {
	if !r.registry.Current().Started {
		return nil, nil
	}
	ctx, l, err := r.mu.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer l.end()
	if !r.registry.Current().Started {
		return nil, nil
	}
	e, err := r.registry.Add(ctx, as)
	if errors.Is(err, registry.ErrFull) {
		return nil, web.Errorf(http.StatusConflict, "%v: disconnect unused ones, or raise hub.max_envs", err)
	}
	if err != nil {
		return nil, err
	}
	r.events.Add("env_registered", map[string]any{"env_id": e.ID, "name": e.RealName()})
	r.log.Info("an environment registered", "env", e.ID, "name", e.RealName(), "group_size", e.GroupSize)
	return e, nil
}

// dismiss disconnects an environment. Its held groups will not be completed, so they may be
// packed as they are.
func (r *Run) dismiss(ctx context.Context, id int32) (known bool, err error) {
	ctx, l, err := r.mu.acquire(ctx)
	if err != nil {
		return false, err
	}
	defer l.end()
	if known, err = r.registry.Disconnect(ctx, id); !known || err != nil {
		return known, err
	}
	r.events.Add("env_disconnected", map[string]any{"env_id": id})
	defer r.batches.moved.Wake()
	return true, r.holds.freeEnv(ctx, id)
}

// ack acknowledges one batch; see [batches.ack].
func (r *Run) ack(ctx context.Context, number uint64, trainer string) error {
	ctx, l, err := r.mu.acquire(ctx)
	if err != nil {
		return err
	}
	defer l.end()
	return r.batches.ack(ctx, number, trainer)
}

// nack returns one batch; see [batches.nack].
func (r *Run) nack(ctx context.Context, number uint64, trainer string) error {
	ctx, l, err := r.mu.acquire(ctx)
	if err != nil {
		return err
	}
	defer l.end()
	return r.batches.nack(ctx, number, trainer)
}

// extend renews the lease of one batch; see [batches.extend].
func (r *Run) extend(ctx context.Context, number uint64, by claim) (until time.Time, err error) {
	ctx, l, err := r.mu.acquire(ctx)
	if err != nil {
		return until, err
	}
	defer l.end()
	return r.batches.extend(ctx, number, by)
}

// reset forgets the registrations and all groups.
func (r *Run) reset(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	defer r.batches.moved.Wake()
	r.mu.moves++
	if err := r.registry.Reset(ctx); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	r.batches.takeBack("") // ignores replies under way
	r.rollouts.forget()
	if err := r.weights.Forget(ctx); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	if err := r.batches.save(ctx, 0, nil); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	if err := r.queue.Reset(ctx); err != nil {
		return err
	}
	r.events.Add("reset", map[string]any{})
	r.log.Info("the run was reset")
	return nil
}
