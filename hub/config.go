package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/settings"
)

// A Config says how a [Server] behaves. Only Queue is required.
type Config struct {
	// Queue has the groups of the default run. It remains the caller's to close, after
	// Run has returned.
	Queue *queue.Queue

	// OpenRun opens the queue of a further run, which is also the caller's to close.
	// The name has 1 to 40 letters of a-z, 0-9, '-' and '_'. One call is made at a time.
	// Nil: there is only the default run.
	OpenRun func(ctx context.Context, name string) (*queue.Queue, error)

	// DropRun closes and deletes the queue that OpenRun opened under a name, while no other
	// call of either is made. Nil: runs cannot be deleted.
	DropRun func(ctx context.Context, name string) error

	Settings Settings     // zeros stand for the values of [Default]
	Web      web.Settings // zeros stand for the values of [web.Default]
	Keys     []web.Key    // that open the server, for [Producer], [Trainer] and [web.Admin]; none: it is open to all

	// MaxLag is how many steps behind the hub's own the weights may be that sampled the
	// oldest token of a group that is handed out. Older groups keep waiting: dropping
	// them is left to others. Nil: there is no bound. A group without versions, like
	// those of Atropos, is never too old.
	MaxLag *int

	// Routes are beside those of the hub, on the same port. A browser that asks for / is
	// sent to the first of them that is a page.
	Routes []web.Route

	Log *slog.Logger // default: none
}

// The roles of keys, beside [web.Admin].
const (
	Producer web.Role = "producer" // environments: to register, and to send groups
	Trainer  web.Role = "trainer"  // to register, and to take and acknowledge batches
)

// A Compat says how far a hub follows Atropos.
type Compat string

// The ways to follow Atropos. A strict hub behaves like Atropos where its own ways are
// not the repair of a fault: it packs batches by Atropos' rules, forms them in bursts,
// hands out the newest first, counts the step when batches are formed, and ignores a
// second registration.
const (
	Loose  Compat = "loose"
	Strict Compat = "strict"
)

// An Overflow says what a hub does with new groups while it is full.
type Overflow string

// What a full hub does.
const (
	Refuse     Overflow = "refuse"      // answers 429
	DropOldest Overflow = "drop-oldest" // drops what has waited longest
)

// Settings are what people may set of a hub, beside what they may set of every server.
type Settings struct {
	Compat       Compat
	Lease        time.Duration // of a batch, unless the trainer asks for another
	EnvTimeout   time.Duration // an environment counts as connected for so long after it was last heard from
	MaxGroups    int           // of a request; at most [queue.MaxPutAll]
	MaxSequences int           // of a group
	MaxTokens    int           // of a sequence
	MaxBatch     int           // sequences of a batch
	MaxWaiting   int           // groups; 0: no limit
	MaxRuns      int           // beside the default one
	MaxEnvs      int           // environments of a run that are known at once
	WhenFull     Overflow

	// The limits of rollouts that ask at /allocate_rollout; see [areal.Limits].
	MaxRollouts    int           // at once; 0: as many as RolloutBatch
	MaxOffPolicy   int           // versions that the weights may be older than those that train
	RolloutBatch   int           // that a training step consumes; 0: the sequences of the trainer's batch
	RolloutTimeout time.Duration // after which one that is not finished counts as rejected
}

// Default returns the settings that hold unless something else is said.
func Default() Settings {
	return Settings{
		Compat: Loose, Lease: 30 * time.Minute, EnvTimeout: 2 * time.Minute,
		MaxGroups: queue.MaxPutAll, MaxSequences: 1 << 16, MaxTokens: 16 << 20, MaxBatch: 1 << 16, MaxRuns: 100, MaxEnvs: 1 << 17, WhenFull: Refuse,
		RolloutTimeout: time.Hour,
	}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	settings.Word(d, &s.Compat, "atropos_compat", "strict: like Atropos even where its ways are odd (packing, newest batch first)").OneOf(string(Loose), string(Strict))
	d.Duration(&s.Lease, "lease", "how long a batch belongs to a trainer before another may get it").Above(0)
	d.Duration(&s.EnvTimeout, "env_timeout", "how long after it was last heard from an environment counts as gone").Above(0)
	d.Int(&s.MaxGroups, "max_groups", "groups of a request").Between(1, queue.MaxPutAll)
	d.Int(&s.MaxSequences, "max_sequences", "sequences of a group, and of the group size that an environment may register").AtLeast(1)
	d.Int(&s.MaxTokens, "max_tokens", "tokens of a sequence").AtLeast(1).Flag("max-tokens-each")
	d.Int(&s.MaxBatch, "max_batch", "sequences of a batch").AtLeast(1)
	d.Int(&s.MaxWaiting, "max_waiting", "groups that wait; 0: no limit").AtLeast(0)
	d.Int(&s.MaxRuns, "max_runs", "runs beside the default one").AtLeast(1)
	d.Int(&s.MaxEnvs, "max_envs", "environments of a run that are known at once: those that left, or were silent for an hour, are forgotten").AtLeast(2)
	settings.Word(d, &s.WhenFull, "when_full", "what happens to new groups while too many wait: they are refused with status 429, or the oldest are dropped").OneOf(string(Refuse), string(DropOldest))
	d.Int(&s.MaxRollouts, "max_concurrent_rollouts", "rollouts of AReaL's agents at once; 0: as many as a training step consumes").AtLeast(0)
	d.Int(&s.MaxOffPolicy, "max_head_offpolicyness", "versions by which the weights that begin a rollout of AReaL's agents may be behind those that train on it").Between(0, 1<<20)
	d.Int(&s.RolloutBatch, "rollout_batch", "rollouts of AReaL's agents, each of one problem, that a training step consumes; 0: the sequences of the trainer's batch").Between(0, 1<<20)
	d.Duration(&s.RolloutTimeout, "rollout_timeout", "after which a rollout of an AReaL agent that was not finished counts as rejected").Above(0)
}

// check reports what is invalid.
func (c Config) check() error {
	if c.Queue == nil {
		return errors.New("there is no queue")
	}
	if c.Settings.MaxGroups > queue.MaxPutAll {
		return fmt.Errorf("the limit of groups in a request is %d, want %d at most", c.Settings.MaxGroups, queue.MaxPutAll)
	}
	return nil
}

// withDefaults returns c with its zeros filled in.
func (c Config) withDefaults() Config {
	s, d := &c.Settings, Default()
	s.Compat = cmp.Or(s.Compat, d.Compat)
	s.Lease = cmp.Or(s.Lease, d.Lease)
	s.EnvTimeout = cmp.Or(s.EnvTimeout, d.EnvTimeout)
	s.MaxGroups = cmp.Or(s.MaxGroups, d.MaxGroups)
	s.MaxSequences = cmp.Or(s.MaxSequences, d.MaxSequences)
	s.MaxTokens = cmp.Or(s.MaxTokens, d.MaxTokens)
	s.MaxBatch = cmp.Or(s.MaxBatch, d.MaxBatch)
	s.MaxRuns = cmp.Or(s.MaxRuns, d.MaxRuns)
	s.MaxEnvs = cmp.Or(s.MaxEnvs, d.MaxEnvs)
	s.WhenFull = cmp.Or(s.WhenFull, d.WhenFull)
	s.RolloutTimeout = cmp.Or(s.RolloutTimeout, d.RolloutTimeout)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}
