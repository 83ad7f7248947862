package environment

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A LinkConfig describes an environment and how it obeys the hub.
type LinkConfig struct {
	URL string // of the hub, such as "http://localhost:8000", or of one of its runs
	Key string // bearer token; empty: none

	Registration Registration
	Limits       LinkLimits
	TotalSteps   int // trainer steps until the link is over; -1: the hub decides
	EvalEvery    int // trainer steps between evaluations; below 1: none

	RunID   func() string // prefixes the names of groups at Quintain's hub; called by Send
	Waiting int           // unsent groups of an earlier process

	Say func(format string, args ...any) // reports to people
	Log *slog.Logger
}

// Check reports an address that cannot be a hub's.
func (c *LinkConfig) Check() error {
	_, err := parse(c.URL)
	return err
}

// A Registration introduces the environment to the hub.
type Registration struct {
	Name           string   `json:"desired_name"`
	MaxTokenLength int      `json:"max_token_length"`
	Weight         float64  `json:"weight"`
	GroupSize      int      `json:"group_size"`
	Minimum        *float64 `json:"min_batch_allocation"` // least share of each batch, 0 to 1; nil: none

	// Instance is the same in each process of the environment. Quintain's hub deals out
	// problems to it; run-api ignores it.
	Instance string `json:"instance,omitzero"`
}

// A Link makes a program an environment of another hub: Atropos' run-api, or Quintain's. It
// registers there, polls the status as Atropos' environments do, limits the groups in flight by the
// hub's report, and sends groups. Quintain's hub answers a poll when the status has changed, so an
// environment that waits costs next to nothing.
//
// It loses nothing while the hub is away: unsent groups stay in the queue. Quintain's hub gets each
// group under a name of its own, so it keeps the group once however often it is sent. run-api
// keeps every copy, so a group is not sent there again if the reply was lost. See docs/atropos.md.
//
// Many goroutines may use it at once, but only one may call Send.
type Link struct {
	config LinkConfig
	hub    client

	asking sync.Mutex // held during requests to the hub; taken before mu
	mark   string     // of the last status, if the hub marks it; guarded by asking

	mu     sync.Mutex
	env    int    // ID of the environment; below 0: not registered
	info   info   // of the trainer's run
	total  int    // trainer steps until the link is over
	shares bool   // the hub deals out problems
	step   int    // the trainer's last known step
	unseen int    // groups sent since the status in force
	hurry  func() // ends the wait of a poll; nil: none waits
	fault  string // why the hub is out of reach; empty: it is in reach

	body  []byte // of the last groups, for the next; owned by the caller of Send
	codec *groupform.Codec

	gate
	over chan struct{} // closed once the trainer has made all steps
	due  chan struct{} // has an element when an evaluation is due
}

// Polling intervals.
const (
	pollEvery = 100 * time.Millisecond // as in Atropos' environments
	waitEvery = time.Second            // while the hub is away or has no trainer
	longPoll  = 10 * time.Second       // how long Quintain's hub may wait for another status
)

// pauses are those before groups are sent again.
var pauses = pause.Backoff{First: waitEvery, Most: 10 * waitEvery}

// OpenLink registers with the hub, and waits until the hub answers and has a trainer. It fails
// if the address is no hub's, if the hub refuses the environment, or if ctx ends.
func OpenLink(ctx context.Context, c LinkConfig) (*Link, error) {
	l, err := newLink(c)
	if err != nil {
		return nil, err
	}
	return l, l.connect(ctx)
}

// newLink returns an unregistered link.
func newLink(c LinkConfig) (*Link, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Say == nil {
		c.Say = func(string, ...any) {}
	}
	hub, err := newClient(c.URL, c.Key)
	return &Link{config: c, hub: hub, codec: groupform.NewCodec(0), env: -1, step: -1, gate: newGate(c.Waiting), over: make(chan struct{}), due: make(chan struct{}, 1)}, err
}

// connect registers with the hub, as soon as it can.
func (l *Link) connect(ctx context.Context) error {
	for {
		err := l.poll(ctx, 0)
		if l.isRegistered() {
			return nil
		}
		if refused, ok := errors.AsType[*RefusedError](err); ok {
			return refused
		}
		if !pause.For(ctx, waitEvery) {
			return context.Cause(ctx)
		}
	}
}

// A RefusedError says that the address is no hub's, or that the hub refuses the
// environment.
type RefusedError struct {
	URL    string
	Status int    // HTTP status; 0: it registered the environment, which cannot play
	Why    string // the hub's reason
}

// Error names the refusal and the remedy.
func (e *RefusedError) Error() string {
	advice := ""
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		advice = "; give the key of a producer (--hub-key-file)"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		advice = "; is this the address of a hub or a run-api? (--hub)"
	}
	return fmt.Sprintf("the hub %s does not register the environment: %s%s", e.URL, e.Why, advice)
}

// Run polls the hub until ctx ends, and registers anew with a hub that has forgotten the
// environment. Then it disconnects from the hub.
func (l *Link) Run(ctx context.Context) error {
	for {
		every := pollEvery
		if err := l.poll(ctx, longPoll); err != nil {
			every = waitEvery
		}
		if !pause.For(ctx, every) {
			l.disconnect(context.WithoutCancel(ctx))
			l.hub.http.CloseIdle()
			return nil
		}
	}
}

// Over is closed once the trainer has made all steps.
func (l *Link) Over() <-chan struct{} { return l.over }

// ExamDue has an element when the trainer has made the steps between evaluations.
func (l *Link) ExamDue() <-chan struct{} { return l.due }

// Step returns the trainer's last known step.
func (l *Link) Step() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, l.step)
}

// MaxTokens returns the token limit of the trainer's sequences, which must stay below it;
// 0: none.
func (l *Link) MaxTokens() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, l.info.MaxTokens)
}

// Shares reports whether the hub deals out the problems: whether it is Quintain's.
func (l *Link) Shares() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shares
}

// isRegistered reports whether the hub is believed to know the environment.
func (l *Link) isRegistered() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.env >= 0
}

// Send sends groups, and waits while the hub is away. It returns the fates of the first of
// them, in order: empty if the group was taken, or why it must be dropped. The others were
// not sent. Once ctx has ended, it tries once. mark is called before sending groups that
// the hub would keep twice, and with none if it did not take them; its error ends Send.
func (l *Link) Send(ctx context.Context, groups []queue.Delivery, mark func([]queue.Delivery) error) (fates []rollout.Drop, err error) {
	for tries := 1; ; tries++ {
		verdict := later
		if ready := l.await(ctx); ready {
			verdict, err = l.post(ctx, groups, mark)
		}
		switch {
		case err != nil:
			return nil, err
		case verdict == refused && len(groups) > 1:
			groups = groups[:1] // one by one, to find out which
			continue
		case verdict != later:
			return l.fates(verdict, len(groups)), nil
		case !pause.For(ctx, pauses.After(tries)):
			return nil, nil
		}
	}
}

// fates returns the fates of groups with the same verdict.
func (l *Link) fates(v verdict, groups int) []rollout.Drop {
	l.mu.Lock()
	defer l.mu.Unlock()
	fates := make([]rollout.Drop, groups)
	switch v {
	case refused:
		l.leave(groups)
		for i := range fates {
			fates[i] = rollout.DropRefused
		}
	case unsure:
		l.leave(groups)
		for i := range fates {
			fates[i] = rollout.DropUnsure
		}
	default:
		l.unseen += groups
	}
	return fates
}

// await waits until the environment is registered, and reports whether it is. Once ctx has
// ended it does not wait.
func (l *Link) await(ctx context.Context) bool {
	for !l.isRegistered() {
		if !pause.For(ctx, pollEvery) {
			return l.isRegistered()
		}
	}
	return true
}
