package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
)

// A Config says how a [Server] behaves. Only Queue is required.
type Config struct {
	// Queue has the groups of the default run. The caller closes it after Run has returned.
	Queue *queue.Queue

	// OpenRun opens the queue of a further run, which the caller closes too. The name has 1 to
	// 40 letters of a-z, 0-9, '-' and '_'. There is one call at a time. Nil: only the default
	// run.
	OpenRun func(ctx context.Context, name string) (*queue.Queue, error)

	// DropRun closes and deletes a queue of OpenRun, or deletes one that cannot be opened. There
	// is no other call of either meanwhile. Nil: runs cannot be deleted.
	DropRun func(ctx context.Context, name string) error

	Settings Settings     // zeros stand for the values of [Default]
	Web      web.Settings // zeros stand for the values of [web.Default]
	Keys     []web.Key    // for [Producer], [Trainer] and [web.Admin]; none: anyone may call

	// Bound bounds the staleness of groups in batches: their weights may be so many steps behind
	// the hub's step. Staler groups wait until somebody drops them. Nil: no bound. A group
	// without versions, as from Atropos, is never too stale.
	Bound *queue.Bound

	// Local says that the process of the hub trains on the groups of the default run, so that
	// it needs no trainer to register.
	Local bool

	// Routes are further routes on the same port. A browser that opens / is sent to the first
	// page among them.
	Routes []web.Route
	Ready  func() bool // whether these routes answer; nil: they do

	Log *slog.Logger // default: none
}

// The roles of keys, beside [web.Admin].
const (
	Producer web.Role = "producer" // environments register and send groups
	Trainer  web.Role = "trainer"  // trainers register, take batches and acknowledge them
	Reader   web.Role = "reader"   // what every key may: pages, metrics and states
)

// Roles are the roles of the keys of a hub, and those of its further routes.
func Roles(more ...web.Role) []web.Role {
	return append([]web.Role{Producer, Trainer, Reader}, more...)
}

// An Overflow says how a full hub treats new groups.
type Overflow string

// The ways of a full hub.
const (
	Refuse     Overflow = "refuse"      // answers 429
	DropOldest Overflow = "drop-oldest" // drops the groups that waited longest
)

// Settings are the settings of a hub, beside those of every server.
type Settings struct {
	Lease        time.Duration // default of a batch
	EnvTimeout   time.Duration // a silent environment counts as connected for so long
	MaxGroups    int           // of a request; at most [queue.MaxPutAll]
	MaxSequences int           // of a group
	MaxTokens    int           // of a sequence
	MaxBatch     int           // sequences of a batch
	MaxWaiting   int           // groups; 0: no limit
	MaxRuns      int           // beside the default one
	MaxEnvs      int           // environments of a run at once
	WhenFull     Overflow

	// The limits of rollouts that ask at /allocate_rollout; see [areal.Limits].
	MaxRollouts    int           // at once; 0: as many as RolloutBatch
	MaxOffPolicy   int           // staleness bound, in versions
	RolloutBatch   int           // rollouts per training step; 0: the sequences of the trainer's batch
	RolloutTimeout time.Duration // an unfinished rollout then counts as rejected
}

// Default returns the default settings.
func Default() Settings {
	return Settings{
		Lease: 30 * time.Minute, EnvTimeout: 2 * time.Minute,
		MaxGroups: queue.MaxPutAll, MaxSequences: 1 << 16, MaxTokens: 16 << 20, MaxBatch: 1 << 16, MaxRuns: 100, MaxEnvs: 1 << 17, WhenFull: Refuse,
		RolloutTimeout: time.Hour,
	}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Duration(&s.Lease, "lease", "how long a batch belongs to a trainer before it may go to another").Above(0)
	d.Duration(&s.EnvTimeout, "env_timeout", "how long an environment may be silent before it counts as gone").Above(0)
	d.Int(&s.MaxGroups, "max_groups", "groups of a request").Between(1, queue.MaxPutAll)
	d.Int(&s.MaxSequences, "max_sequences", "sequences of a group, and the largest group size that an environment may register").AtLeast(1)
	d.Int(&s.MaxTokens, "max_tokens", "tokens of a sequence").AtLeast(1)
	d.Int(&s.MaxBatch, "max_batch", "sequences of a batch").AtLeast(1)
	d.Int(&s.MaxWaiting, "max_waiting", "waiting groups; 0: no limit").AtLeast(0)
	d.Int(&s.MaxRuns, "max_runs", "runs beside the default one").AtLeast(1)
	d.Int(&s.MaxEnvs, "max_envs", "environments of a run at once; those that left, or were silent for an hour, are forgotten").AtLeast(2)
	settings.Word(d, &s.WhenFull, "when_full", "refuse: while too many groups wait, refuse new ones with status 429; drop-oldest: drop the oldest").OneOf(string(Refuse), string(DropOldest))
	d.Int(&s.MaxRollouts, "max_concurrent_rollouts", "concurrent rollouts of AReaL's agents; 0: as many as a training step consumes").AtLeast(0)
	d.Int(&s.MaxOffPolicy, "max_head_offpolicyness", "staleness bound of rollouts of AReaL's agents, in versions").Between(0, 1<<20)
	d.Int(&s.RolloutBatch, "rollout_batch", "rollouts of AReaL's agents, each of one problem, per training step; 0: the sequences of the trainer's batch").Between(0, 1<<20)
	d.Duration(&s.RolloutTimeout, "rollout_timeout", "when an unfinished rollout of an AReaL agent counts as rejected").Above(0)
}

func (c Config) check() error {
	if c.Queue == nil {
		return errors.New("there is no queue")
	}
	if c.Settings.MaxGroups > queue.MaxPutAll {
		return fmt.Errorf("the limit of groups in a request is %d, want at most %d", c.Settings.MaxGroups, queue.MaxPutAll)
	}
	return nil
}

// withDefaults fills in zeros.
func (c Config) withDefaults() Config {
	s, d := &c.Settings, Default()
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
