package hub

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/queue"
)

// A Config says how a [Server] behaves. Only Queue is required.
type Config struct {
	// Queue has the groups of the run that the routes of Atropos speak of. It remains
	// the caller's to close, after Run.
	Queue *queue.Queue

	// OpenRun opens the queue of a further run, which is the caller's to close, too,
	// after Run; the name has 1 to 40 letters of a-z, 0-9, '-' and '_'. Nil: there is
	// one run only.
	OpenRun func(ctx context.Context, name string) (*queue.Queue, error)

	Keys   Keys   // that open the server; none: it is open to all
	Limits Limits // of what one client may ask for, and all together

	// Strict has the hub do as the original does where its own ways are other than
	// faults: batches are packed by its rules and formed in bursts, the newest comes out
	// first, the step counts batches when they are formed, and a second registration
	// changes nothing.
	Strict bool

	// Lease is how long a trainer has a batch before another trainer may get it, unless
	// it asks for another time; default 30 minutes.
	Lease time.Duration

	// MaxLag is how many steps a group that is handed out may be older than the hub's
	// own, by the version of the weights that sampled its oldest token. What is older
	// waits on: it is for others to drop. Nil: there is no bound. A group that does not
	// tell its versions, as those of Atropos, is never too old.
	MaxLag *int

	// EnvTimeout is how long after its last sign of life an environment counts as
	// connected; default 2 minutes.
	EnvTimeout time.Duration

	// Stall is how long a connection may neither take nor give a byte in the
	// middle of a request; default 1 minute. A body or reply must also move 16 KiB a
	// second in the mean, over that.
	Stall time.Duration

	// Drain is how long Run lets requests under way go on after its context has
	// ended; default 5 seconds.
	Drain time.Duration

	Origins   []string     // of web pages that may call, "https://example.org"; "*": any; none: CORS is off
	AccessLog bool         // log every request, at level info; otherwise at debug
	Log       *slog.Logger // default: none
}

// Limits are the limits of a [Server]. Zeros have defaults; below zero there is none.
type Limits struct {
	Body        int64 // bytes of a request as it comes; default 256 MiB
	Inflated    int64 // bytes of a request after gzip; default 512 MiB
	Groups      int   // in one request; default, and at most, 1000
	Sequences   int   // of a group; default 65,536
	Tokens      int   // of a sequence; default 16 Mi
	Waiting     int   // groups that wait; default none
	Connections int   // at once; default 8192

	// DropOldest has the hub drop what has waited longest where Waiting is reached. It
	// refuses new groups then, otherwise, with status 429.
	DropOldest bool
}

// Keys are the keys that open a server, by what they are good for. Any of them is good
// for looking. Where there is none at all, everybody may do everything.
type Keys struct {
	All      []string // everything
	Producer []string // for environments: to register and to send groups
	Trainer  []string // for trainers: to register, and to take and acknowledge batches
	Admin    []string // to reset, to drain, to make runs; and all that others may
}

// Any reports whether there is a key.
func (k Keys) Any() bool { return len(k.All)+len(k.Producer)+len(k.Trainer)+len(k.Admin) > 0 }

// check reports what makes no sense.
func (c Config) check() error {
	if c.Queue == nil {
		return errors.New("hub: no queue")
	}
	for _, list := range [][]string{c.Keys.All, c.Keys.Producer, c.Keys.Trainer, c.Keys.Admin} {
		if slices.Contains(list, "") {
			return errors.New("hub: an empty key")
		}
	}
	if c.Limits.Groups > queue.MaxPutAll {
		return fmt.Errorf("hub: the limit of groups in a request is %d, want %d at most", c.Limits.Groups, queue.MaxPutAll)
	}
	return nil
}

// withDefaults returns c with its zeros filled in.
func (c Config) withDefaults() Config {
	fill(&c.Limits.Body, 256<<20)
	fill(&c.Limits.Inflated, 512<<20)
	fill(&c.Limits.Groups, queue.MaxPutAll)
	fill(&c.Limits.Sequences, 1<<16)
	fill(&c.Limits.Tokens, 16<<20)
	fill(&c.Limits.Connections, 8192)
	fill(&c.Lease, 30*time.Minute)
	fill(&c.EnvTimeout, 2*time.Minute)
	fill(&c.Stall, time.Minute)
	fill(&c.Drain, 5*time.Second)
	c.Limits.Groups = min(c.Limits.Groups, queue.MaxPutAll)
	fill(&c.Limits.Waiting, unlimited)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// unlimited stands for no limit.
const unlimited = 1 << 60

// fill sets what is 0 to its default, and what is below it to no limit.
func fill[T int | int64 | time.Duration](v *T, unless T) {
	switch {
	case *v == 0:
		*v = unless
	case *v < 0:
		*v = unlimited
	}
}
