// Package uplink makes a program an environment of somebody else's hub: Atropos' run-api,
// or the hub of Quintain. It registers there, asks for the status as Atropos' environments
// do, says how many groups may be under way by what the hub says, and sends groups.
//
// A [Link] loses nothing while the hub is away: what cannot be sent stays where it is. The
// hub of Quintain gets each group under a name of its own, so it keeps it once however often
// it is sent. run-api keeps what comes, so a group is not sent again there if the reply was
// lost. See docs/atropos.md.
package uplink

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
	"github.com/quintain-rl/quintain/rollout"
)

// A Config says what an environment is, and how it obeys the hub.
type Config struct {
	URL string // of the hub, such as "http://localhost:8000", or of one of its runs
	Key string // sent as a bearer token; empty: none is sent

	Registration Registration
	Limits       Limits
	TotalSteps   int // of the trainer, after which the link is over; -1: as the hub says
	EvalEvery    int // steps of the trainer between examinations; below 1: there are none

	RunID   func() string // names the groups to a hub of Quintain, with their numbers; called by Send
	Waiting int           // groups that an earlier process left to send

	Say func(format string, args ...any) // told what people should know
	Log *slog.Logger
}

// Check reports an address that cannot be one of a hub.
func (c *Config) Check() error {
	_, err := parse(c.URL)
	return err
}

// A Registration is what the hub is told of the environment.
type Registration struct {
	Name           string   `json:"desired_name"`
	MaxTokenLength int      `json:"max_token_length"`
	Weight         float64  `json:"weight"`
	GroupSize      int      `json:"group_size"`
	Minimum        *float64 `json:"min_batch_allocation"` // share of each batch, 0 to 1; nil: none
}

// A Link is an environment that is registered. Many goroutines may use it at once, but one
// calls Send at a time.
type Link struct {
	config Config
	hub    client

	asking sync.Mutex // held while the hub is asked; taken before mu

	mu     sync.Mutex
	env    int    // id of the environment; below 0: it has to register
	info   info   // of the trainer's run
	total  int    // steps after which the link is over
	step   int    // of the trainer, as far as it is known
	unseen int    // groups that were sent since the status that counts
	fault  string // why the hub cannot be reached; empty: it can

	body  []byte // of the last list of groups, for the next; of who calls Send
	codec *groupform.Codec

	gate
	over chan struct{} // closed when the trainer has made all steps
	due  chan struct{} // has an element when an examination is due
}

// How often the hub is asked.
const (
	pollEvery = 100 * time.Millisecond // as Atropos' environments do
	waitEvery = time.Second            // while it is away, or no trainer is there
)

// Open registers with the hub, and waits until that is possible: until the hub answers and
// has a trainer. It returns an error if what answers is no hub or refuses the environment,
// and if ctx ends.
func Open(ctx context.Context, c Config) (*Link, error) {
	l, err := newLink(c)
	if err != nil {
		return nil, err
	}
	return l, l.connect(ctx)
}

// newLink returns a link that is not registered.
func newLink(c Config) (*Link, error) {
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
		err := l.poll(ctx)
		if l.isRegistered() {
			return nil
		}
		if refused, is := errors.AsType[*RefusedError](err); is {
			return refused
		}
		if !pause.For(ctx, waitEvery) {
			return context.Cause(ctx)
		}
	}
}

// A RefusedError says that what is at the address is no hub, or does not want the
// environment.
type RefusedError struct {
	URL    string
	Status int    // of HTTP
	Why    string // what it said
}

// Error says what was refused, and what to do.
func (e *RefusedError) Error() string {
	advice := ""
	switch e.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		advice = "; give the key of a producer (--hub-key-file)"
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		advice = "; is this the address of a hub or a run-api? (--hub)"
	}
	return fmt.Sprintf("the hub %s does not register the environment: status %d: %s%s", e.URL, e.Status, e.Why, advice)
}

// Run asks the hub for its status until ctx ends, and registers anew with a hub that has
// forgotten the environment. Then it disconnects from the hub.
func (l *Link) Run(ctx context.Context) error {
	for {
		every := pollEvery
		if err := l.poll(ctx); err != nil {
			every = waitEvery
		}
		if !pause.For(ctx, every) {
			l.disconnect(context.WithoutCancel(ctx))
			l.hub.http.CloseIdleConnections()
			return nil
		}
	}
}

// Over is closed when the trainer has made all steps.
func (l *Link) Over() <-chan struct{} { return l.over }

// ExamDue has an element when the trainer has made the steps between examinations.
func (l *Link) ExamDue() <-chan struct{} { return l.due }

// Step is the step of the trainer, as far as it is known.
func (l *Link) Step() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, l.step)
}

// MaxTokens is the limit of the trainer's sequences in tokens, which they must stay below;
// 0: there is none.
func (l *Link) MaxTokens() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, l.info.MaxTokens)
}

// isRegistered reports whether the hub knows the environment, as far as is known.
func (l *Link) isRegistered() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.env >= 0
}

// Send sends groups, and waits while the hub is away. It returns what became of the first
// of them, in their order: nothing, if it was taken, or why it must be dropped. The others
// were not sent. Once ctx has ended, it tries once. Mark is called before groups are sent
// that the hub would keep twice, and with none if it did not take them; its error ends Send.
func (l *Link) Send(ctx context.Context, groups []queue.Delivery, mark func([]queue.Delivery) error) (fates []rollout.Drop, err error) {
	for wait := waitEvery; ; wait = min(2*wait, 10*waitEvery) {
		verdict := later
		if ready := l.await(ctx); ready {
			verdict, err = l.post(ctx, groups, mark)
		}
		switch {
		case err != nil:
			return nil, err
		case verdict == refused && len(groups) > 1:
			groups = groups[:1] // which of them it is, is found out one by one
			continue
		case verdict != later:
			return l.fates(verdict, len(groups)), nil
		case !pause.For(ctx, wait):
			return nil, nil
		}
	}
}

// fates counts groups that have the same verdict, and says what becomes of them.
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
