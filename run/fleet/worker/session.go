package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/run/fleet"
)

// mostAsked is how many leases the coordinator grants at once, at most.
const mostAsked = 1000

// senders is how many leases are handed back at once.
const senders = 4

// A session is the life of an instance: from its registration until it has given back, or
// lost, all its leases.
type session struct {
	*Worker
	instance string
	welcome  fleet.Welcome
	cut      context.Context //nolint:containedctx // ends the episodes of the session
	lost     *news           // of the coordinator
	stuck    *news           // of groups
	idle     *news           // of leases

	waiting string // what the policy waited for at the last beat; empty: for replies alone

	places  *places
	senders chan struct{} // a place for each group being handed back
	graders chan struct{} // the same for problems of evaluations
	leases  sync.WaitGroup

	mu       sync.Mutex
	held     map[uint64]*lease
	unplayed int           // leases that wait or are under way; the others wait to be handed back
	episodes int           // of these
	changed  chan struct{} // gets a value when there may be room for another lease
}

// body returns a call with v as its body.
func body(v any) (call, error) {
	text, err := json.Marshal(v)
	return call{body: text}, err
}

// run plays until ctx ends, or the instance must. It returns when it has no lease any more.
// Leases are handed back until sending ends.
func (s *session) run(ctx, sending context.Context) error {
	playing, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	life, die := context.WithCancelCause(sending) // of the leases
	defer die(nil)
	fail := func(err error) {
		stop(err)
		die(err)
	}
	beating, still := context.WithCancel(context.WithoutCancel(ctx))
	var beats sync.WaitGroup
	beats.Go(func() { s.beat(beating, fail) })
	err := s.fetch(playing, life, fail)
	if err != nil {
		fail(err)
	}
	s.leases.Wait()
	still()
	beats.Wait()
	if err = context.Cause(playing); !errors.Is(err, errUnknown) {
		s.leave(ctx, isOver(err))
	}
	return Ended(ctx, err)
}

// fetch asks for leases and holds them, until ctx ends.
func (s *session) fetch(ctx, life context.Context, fail func(error)) error {
	for {
		room, groups := s.room()
		if room <= 0 {
			select {
			case <-ctx.Done():
				return nil
			case <-s.changed:
			}
			continue
		}
		var grant fleet.Grant
		err := s.config.Client.persist(ctx, s.ask(room, groups, &grant), s.lost)
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // the end of ctx is none
		case status(err) == http.StatusGone:
			return errUnknown
		case err != nil:
			return s.config.Client.explain(err)
		}
		if grant.Over != "" {
			return &overError{"the run is over: " + grant.Over}
		}
		s.told(grant.Version, grant.Servers, grant.Oldest)
		for _, of := range grant.Leases {
			if l := s.take(life, of, grant.Version); l != nil {
				s.leases.Go(func() { s.hold(ctx, l, fail) })
			}
		}
		if groups {
			s.tell(len(grant.Leases) == 0 && room == min(mostAsked, s.groups()+1))
		}
	}
}

// ask is a call for up to so many groups, or for as much of an evaluation alone.
func (s *session) ask(room int, groups bool, into *fleet.Grant) call {
	to := call{
		method: http.MethodPost, path: fleet.PathLeases, wait: longPoll, into: into,
		query: url.Values{"instance": {s.instance}, "max": {strconv.Itoa(room)}},
	}
	if !groups {
		to.wait = shortPoll
		to.query.Set("exams", "only")
	}
	to.query.Set("wait", strconv.Itoa(int(to.wait.Seconds())))
	return to
}

// room is how many groups the worker may ask for: one more than it plays at once, and while as many
// wait to be handed back, only for evaluations: the coordinator may take these alone.
func (s *session) room() (room int, groups bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	groups = len(s.held)-s.unplayed <= s.groups()
	return min(mostAsked, s.groups()+1-(s.episodes+s.engine.Size-1)/s.engine.Size), groups
}

// errIdle says why a worker gets no lease.
var errIdle = errors.New("the run is as far ahead of its trainer as it may be, or has no problem left")

// tell tells people whether the worker has nothing to play.
func (s *session) tell(idle bool) {
	if idle {
		s.idle.ill(errIdle)
	} else {
		s.idle.well()
	}
}

// take holds a lease, unless it is held already: then it returns nil.
func (s *session) take(life context.Context, of fleet.Lease, version int) *lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[of.Number] != nil {
		return nil
	}
	l := &lease{Lease: of, version: version, size: cmp.Or(of.Exam, s.engine.Size)}
	l.life, l.die = context.WithCancelCause(life)
	s.held[l.Number] = l
	s.unplayed++
	s.episodes += l.size
	return l
}

// played makes room for another lease to be played.
func (s *session) played(l *lease) {
	s.change(func() {
		s.unplayed--
		s.episodes -= l.size
	})
}

// drop ends a lease.
func (s *session) drop(l *lease) {
	l.die(nil)
	s.change(func() { delete(s.held, l.Number) })
}

// change calls f, and wakes fetch.
func (s *session) change(f func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f()
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// beat gives signs of life until ctx ends, and half as many while it has nothing to tell. It calls
// fail when the instance must end.
func (s *session) beat(ctx context.Context, fail func(error)) {
	every := max(time.Second, time.Duration(s.welcome.Beat*float64(time.Second)))
	var told map[string]fleet.Server
	for spare := true; pause.For(ctx, every); {
		s.sayWaiting()
		s.mu.Lock()
		named := slices.Sorted(maps.Keys(s.held))
		s.mu.Unlock()
		servers := s.servers()
		if spare = !spare && len(named) == 0 && maps.Equal(servers, told); spare { // its call for leases is one, too
			continue
		}
		told = servers
		to, err := body(fleet.Beat{Name: s.name, Slots: s.slots, Leases: named, Policy: s.plays, Servers: servers})
		if err != nil {
			fail(err)
			return
		}
		var answer fleet.Answer
		to.method, to.path, to.into = http.MethodPost, s.path(fleet.PathBeat), &answer
		limited, cancel := context.WithTimeout(ctx, 2*every) // a late beat is no better than the next one
		err = s.config.Client.seek(limited, to)
		cancel()
		spare = err != nil // then the next one is not
		f, failed := errors.AsType[*httpclient.Error](err)
		switch {
		case failed && f.Status == http.StatusGone:
			fail(errUnknown)
		case failed && !f.Temporary():
			fail(s.config.Client.explain(err))
		case err != nil:
			if gone := s.config.Client.gone(err); gone != nil {
				fail(gone)
			}
		default:
			if answer.Over != "" {
				fail(&overError{"the run is over: " + answer.Over})
			}
			s.told(answer.Version, answer.Servers, answer.Oldest)
			s.cancel(answer.Gone)
		}
	}
}

// sayWaiting tells people what the policy waits for, when that changes.
func (s *session) sayWaiting() {
	policy, waits := s.engine.Policy.(interface{ Waiting() string })
	if !waits {
		return
	}
	now := policy.Waiting()
	if now != s.waiting && now != "" {
		s.config.Say("%s", now)
	}
	s.waiting = now
}

// errGone ends a lease that is no longer the worker's.
var errGone = errors.New("the lease is another worker's")

// cancel ends leases. One that is being handed back goes on: a beat that crosses it hears that the
// coordinator has it no more, also when it has taken the group.
func (s *session) cancel(gone []uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, number := range gone {
		if l, held := s.held[number]; held && !l.sent {
			l.die(errGone)
		}
	}
}

// path returns a path of the instance.
func (s *session) path(form string) string { return strings.Replace(form, "{instance}", s.instance, 1) }

// leave tells the coordinator that the worker ends, perhaps because the run is over. If it does
// not hear that, the leases expire.
func (s *session) leave(ctx context.Context, over bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
	defer cancel()
	if err := s.config.Client.do(ctx, call{method: http.MethodDelete, path: s.path(fleet.PathWorker)}); err != nil && !over {
		s.config.Say("the coordinator was not told that the worker ends (%v): it finds out within %v", err, time.Duration(s.welcome.Lease*float64(time.Second)))
	}
}

// mismatch returns the error of a lease whose problem this worker makes otherwise.
func (s *session) mismatch(l *lease, own string) error {
	return fmt.Errorf("lease %d of stream %d: this worker (%s) makes the problem %s, and the coordinator (%s) %s with other content or another name: "+
		"start the worker with the coordinator's program and files", l.Number, l.Stream, s.config.Program, own, s.config.Play.Program, l.Problem.ID())
}
