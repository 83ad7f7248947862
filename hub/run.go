package hub

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/interop/atropos"
	"github.com/quintain-rl/quintain/policy/weights"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/web"
)

// A Run is the state of one run of training at a hub. Many goroutines may use it at once.
//
// Its locks are taken in this order: trade, holding.sorting, ledger.mu, those of the
// queue, and last the other locks of its parts, under which no part calls the queue. No
// group is encoded or decoded under any of them.
type Run struct {
	server *Server
	name   string
	queue  *queue.Queue
	log    *slog.Logger
	strict bool // behave like Atropos

	deleted atomic.Bool // its queue is closed

	// trade is held while batches are chosen or acknowledged, and while the
	// registration changes.
	trade sync.Mutex

	registry *registry
	weights  *weights.Version
	batches  *batches
	holding  *holding
	intake   *intake
	ledger   *ledger
	events   *web.Journal
	tally    *tally
}

// newRun returns the run over q, which continues where an earlier server ended.
func (s *Server) newRun(ctx context.Context, name string, q *queue.Queue) (*Run, error) {
	o := s.config.Settings
	r := &Run{server: s, name: name, queue: q, log: s.config.Log.With("run", name), strict: o.Compat == Strict, events: &web.Journal{}, tally: &tally{}}
	r.registry = &registry{queue: q, timeout: o.EnvTimeout, heard: make(map[int]time.Time)}
	r.batches = &batches{queue: q, events: r.events, tally: r.tally, newest: r.strict, lags: make(map[int]int)}
	r.holding = &holding{queue: q, wake: r.batches.wake}
	r.ledger = &ledger{queue: q, registry: r.registry, holding: r.holding, reported: make(map[int]bool)}
	r.intake = &intake{
		queue: q, log: r.log, limits: o, codec: s.encoder.codec,
		registry: r.registry, holding: r.holding, events: r.events, tally: r.tally,
	}
	var err error
	if r.weights, err = weights.Open(ctx, q); err != nil {
		return nil, err
	}
	if err := r.registry.load(ctx); err != nil {
		return nil, err
	}
	if err := r.holding.load(ctx, r.registry.current()); err != nil {
		return nil, err
	}
	return r, r.batches.load(ctx)
}

// Name is the name of the run.
func (r *Run) Name() string { return r.name }

// Step is the number of batches that were handed out, added to the step with which the
// trainer started: how many steps the trainer will have made before it trains on the
// next batch. Only a reset makes it smaller.
func (r *Run) Step() int { return r.batches.current() }

// Acked is Step without the batches that are not acknowledged, which is how many steps
// the trainer says it has made, and the number of episodes that were acknowledged since
// the hub started.
func (r *Run) Acked() (steps, episodes int) { return r.batches.done() }

// Version is the version of the weights that the policy's server samples with, in steps
// of the trainer, as it was told; -1 if nobody has.
func (r *Run) Version() int { return int(r.weights.Now()) }

// Staleness counts the groups that were acknowledged since the hub started, by how many
// steps their oldest token was behind. Groups of unknown version are not in it.
func (r *Run) Staleness() map[int]int { return r.batches.staleness() }

// Progress returns a channel that is closed when Step, Acked, Version or Staleness may
// have changed. Take the channel first, then look, then wait.
func (r *Run) Progress() <-chan struct{} { return r.batches.nextProgress() }

// BatchSize is the number of sequences in a batch, -1 before a trainer registers.
func (r *Run) BatchSize() int {
	g := r.registry.current()
	return g.batchSize()
}

// enroll makes t the trainer's registration. The step never goes back: it counts the
// batches that were handed out, and what paces work by it relies on that.
func (r *Run) enroll(ctx context.Context, t atropos.Registration, trainer string) error {
	r.trade.Lock()
	defer r.trade.Unlock()
	g := r.registry.current()
	if !g.Registered || !r.strict {
		if err := r.reenroll(ctx, g, t); err != nil {
			return err
		}
	}
	r.batches.takeBack(trainer)
	r.ledger.forget()
	now, step := r.registry.current(), r.batches.step
	r.events.Tell("trainer_registered", map[string]any{"trainer": trainer, "batch_size": now.BatchSize, "step": step})
	r.log.Info("a trainer registered", "trainer", trainer, "batch_size", now.BatchSize, "step", step, "again", g.Registered)
	return nil
}

// reenroll replaces the registration g of a trainer by t. A batch of another size that a
// trainer has stays its own; once it is due, it is dissolved. r.trade is held.
func (r *Run) reenroll(ctx context.Context, g registration, t atropos.Registration) error {
	step := max(r.batches.step, t.StartingStep)
	if !g.Registered {
		step = t.StartingStep
	}
	if err := r.batches.save(ctx, step, r.batches.open); err != nil {
		return err
	}
	return r.registry.save(ctx, g.withTrainer(t))
}

// start notes that the trainer has begun to ask for batches. It reports whether one has
// registered.
func (r *Run) start(ctx context.Context) (registered bool, err error) {
	if g := r.registry.current(); !g.Registered || g.Started {
		return g.Registered, nil
	}
	r.trade.Lock()
	defer r.trade.Unlock()
	next := r.registry.current()
	next.Started = next.Registered
	return next.Registered, r.registry.save(ctx, next)
}

// admit gives an environment its id and name; the id is -1 before the trainer has
// begun to ask for batches.
func (r *Run) admit(ctx context.Context, e atropos.EnvRegistration) (id int, next registration, err error) {
	if !r.registry.current().Started {
		return -1, next, nil
	}
	r.trade.Lock()
	defer r.trade.Unlock()
	g := r.registry.current()
	if !g.Started {
		return -1, next, nil
	}
	next = g.withEnv(e)
	if err := r.registry.save(ctx, next); err != nil {
		return 0, next, err
	}
	id = len(next.Envs) - 1
	r.registry.hear(int32(id))
	r.events.Tell("env_registered", map[string]any{"env_id": id, "name": next.Envs[id].RealName})
	r.log.Info("an environment registered", "env", id, "name", next.Envs[id].RealName, "group_size", e.GroupSize)
	return id, next, nil
}

// dismiss notes that an environment leaves. Groups of it that are held will not be made
// up any more, and may be packed as they are.
func (r *Run) dismiss(ctx context.Context, id int) (known bool, err error) {
	r.trade.Lock()
	defer r.trade.Unlock()
	g := r.registry.current()
	if id < 0 || id >= len(g.Envs) {
		return false, nil
	}
	next := g.clone()
	next.Envs[id].Connected = false
	if err := r.registry.save(ctx, next); err != nil {
		return true, err
	}
	r.events.Tell("env_disconnected", map[string]any{"env_id": id})
	defer r.batches.wake()
	return true, r.holding.releaseEnv(ctx, int32(id))
}

// ack acknowledges one batch; see [batches.ack].
func (r *Run) ack(ctx context.Context, number uint64, trainer string) error {
	r.trade.Lock()
	defer r.trade.Unlock()
	return r.batches.ack(ctx, number, trainer)
}

// reset forgets the registrations and all groups.
func (r *Run) reset(ctx context.Context) error {
	r.trade.Lock()
	defer r.trade.Unlock()
	r.holding.sorting.Lock()
	defer r.holding.sorting.Unlock()
	if err := r.registry.save(ctx, registration{}); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	r.batches.takeBack("") // replies under way change nothing any more
	r.registry.forget()
	r.ledger.forget()
	if err := r.weights.Forget(ctx); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	if err := r.batches.save(ctx, 0, nil); err != nil {
		return fmt.Errorf("reset: %w", err)
	}
	if err := r.queue.Reset(ctx); err != nil {
		return err
	}
	r.events.Tell("reset", map[string]any{})
	r.log.Info("the run was reset")
	return r.holding.letGo(ctx, newHeld(nil))
}
