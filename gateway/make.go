package gateway

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/rollout"
)

// TaskName is the task of problems that callers bring themselves.
const TaskName = "session"

// nameForm is the form of a group's name.
var nameForm = compiled.Regexp(`^[A-Za-z0-9._-]{1,100}$`)

// Make makes sessions, as POST /v1/sessions does; base is the address of the server. It
// waits for room at the gate for at most so long. Its errors are [*web.Error]s that name the
// field, or faults of the disk.
func (g *Gateway) Make(ctx context.Context, spec Spec, wait time.Duration, base string) (*Made, error) {
	if err := spec.check(cmp.Or(g.config.GroupSize, 1)); err != nil {
		return nil, err
	}
	g.mu.Lock()
	of := g.groups[spec.Group]
	g.mu.Unlock()
	if of != nil {
		return g.more(ctx, of, demand{max(1, spec.Count), base, spec.As, spec.Key, spec.sum})
	}
	of, err := g.begin(ctx, spec, wait)
	if err != nil {
		return nil, err
	}
	return g.more(ctx, of, demand{cmp.Or(spec.Count, of.Of), base, spec.As, spec.Key, spec.sum})
}

// abolish takes back a group if it has no session. g.mu is held.
func (g *Gateway) abolish(of *group) {
	if of.begun || of.coming > 0 {
		return
	}
	delete(g.groups, of.Name)
	if of.Mode == Train {
		g.host.Leave()
	}
}

// check reports the first invalid field, and sets what is left out; size is that of groups
// without one.
func (spec *Spec) check(size int) error {
	refuse := func(format string, args ...any) error {
		return web.Errorf(http.StatusUnprocessableEntity, format, args...)
	}
	switch {
	case spec.Group != "" && !nameForm().MatchString(spec.Group):
		return refuse("group: is %.60q, want letters, digits, dots, dashes and underscores, 100 at most", spec.Group)
	case spec.Of < 0 || spec.Of > mostOf:
		return refuse("of: is %d, want 1 to %d", spec.Of, mostOf)
	case spec.Count < 0 || spec.Count > mostOf:
		return refuse("count: is %d, want 1 to %d", spec.Count, mostOf)
	case spec.AtLeast < 0 || spec.Replace < 0:
		return refuse("at_least and replace: want 0 or more")
	case spec.AtLeast > cmp.Or(spec.Of, size):
		return refuse("at_least: is %d, more than the group has, %d", spec.AtLeast, cmp.Or(spec.Of, size))
	case spec.Count > cmp.Or(spec.Of, size) && spec.Group == "":
		return refuse("count: is %d, more than the group has, %d", spec.Count, cmp.Or(spec.Of, size))
	case !(spec.RewardWithin >= 0 && spec.RewardWithin <= mostSeconds):
		return refuse("reward_within: is %g, want 0 to %g seconds", spec.RewardWithin, float64(mostSeconds))
	case spec.Limits.wrong() != "":
		return refuse("%s", spec.Limits.wrong())
	case spec.Mode != "" && spec.Mode != Train && spec.Mode != Exam:
		return refuse("mode: is %.40q, want train or exam", spec.Mode)
	case spec.Grader != "" && spec.Grader != ByCaller && spec.Grader != ByTask && spec.Grader != ByProgram:
		return refuse("grader: is %.40q, want caller, task or program", spec.Grader)
	case spec.Grader == ByTask && spec.Name != "":
		return refuse("grader: a task of the caller's own has no grader here; want caller")
	case spec.Prompt != "" && spec.Name == "":
		return refuse("prompt: want a name too: sessions of one name answer the same question")
	}
	spec.Of = cmp.Or(spec.Of, size)
	spec.Mode = cmp.Or(spec.Mode, Train)
	return nil
}

// mostOf bounds the sessions of a group, mostSeconds the time for a reward: 30 days.
const (
	mostOf      = 1024
	mostSeconds = 30 * 24 * 3600
)

// begin begins a group: with a problem of the caller's own, or the next of the host's.
func (g *Gateway) begin(ctx context.Context, spec Spec, wait time.Duration) (of *group, err error) {
	if spec.Mode == Train {
		if err := g.enter(ctx, wait); err != nil {
			return nil, err
		}
		defer func() {
			if err != nil {
				g.host.Leave()
			}
		}()
	}
	settings := g.config.Settings
	of = &group{groupRecord: groupRecord{
		Name: cmp.Or(spec.Group, newID(sessionBytes)), Prompt: spec.Prompt, Of: spec.Of, AtLeast: spec.AtLeast, Replace: spec.Replace,
		Mode: spec.Mode, Grader: cmp.Or(spec.Grader, ByCaller), RewardWithin: settings.RewardWithin, AgentRewards: settings.AgentRewards,
		Limits: settings.Limits, Metadata: spec.Metadata, Join: spec.Join, Created: time.Now(),
	}}
	if spec.AgentRewards != nil {
		of.AgentRewards = *spec.AgentRewards
	}
	if spec.RewardWithin > 0 {
		of.RewardWithin = time.Duration(spec.RewardWithin * float64(time.Second))
	}
	if spec.Limits != nil {
		of.Limits = spec.Limits.within(settings.Limits)
	}
	if of.job, err = g.job(spec, of.Name); err != nil {
		return nil, err
	}
	of.Problem = of.job.Problem
	if of.Prompt == "" {
		of.Prompt = of.Problem.Prompt
	}
	switch {
	case spec.Grader == ByProgram && settings.Grader == "":
		return nil, web.Errorf(http.StatusUnprocessableEntity, "grader: there is no program here that grades; gateway.grader names one")
	case spec.Grader != "":
	case settings.Grader != "":
		of.Grader = ByProgram
	case spec.Name == "":
		of.Grader = ByTask
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.groups[of.Name] != nil {
		return nil, web.Errorf(http.StatusConflict, "group: another request has just begun %q", of.Name)
	}
	of.register(g)
	return of, nil
}

// enter waits for room at the gate.
func (g *Gateway) enter(ctx context.Context, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, wait+10*time.Millisecond)
	defer cancel()
	err := g.host.Enter(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return web.Errorf(http.StatusTooManyRequests, "no group may start now: the trainer has enough to train on; ask again, or wait with ?wait=60")
	}
	return err
}

// job is the problem of a new group.
func (g *Gateway) job(spec Spec, name string) (rollout.Job, error) {
	if spec.Name == "" {
		return g.host.Next()
	}
	instance, err := json.Marshal(map[string]any{"name": spec.Name, "group": name, "metadata": spec.Metadata})
	if err != nil {
		return rollout.Job{}, err
	}
	p := quintain.Problem{
		Task: TaskName, Version: 1, Seed: hashOf(spec.Name), Index: int(hashOf(name) >> 1), Params: []byte("{}"), //nolint:gosec // 63 bits
		Prompt: spec.Prompt, Instance: quintain.NewRecord(instance),
	}
	return g.host.Job(p), nil
}

// hashOf is a number for a name.
func hashOf(name string) uint64 {
	sum := sha256.Sum256([]byte(name))
	return binary.BigEndian.Uint64(sum[:])
}

// A demand says what sessions of a group to make.
type demand struct {
	count int
	base  string // address of the server
	as    string // another ID of the session
	key   string // of idempotency
	sum   []byte // of the request
}

// notKept is the refusal of what the journal did not take.
func notKept(err error) error {
	switch {
	case errors.Is(err, journal.ErrTooLarge):
		return web.Errorf(http.StatusRequestEntityTooLarge, "%v", err)
	case errors.Is(err, journal.ErrFull):
		return web.Fault(http.StatusInsufficientStorage, err)
	}
	return web.Fault(http.StatusServiceUnavailable, err)
}

// more makes sessions of a group.
func (g *Gateway) more(ctx context.Context, of *group, d demand) (*Made, error) {
	now := time.Now()
	g.mu.Lock()
	first := !of.begun
	fresh, err := g.add(of, d.count, now)
	if err != nil {
		g.abolish(of)
	}
	g.mu.Unlock()
	if err != nil {
		return nil, err
	}
	out := &Made{Group: of.Name}
	var records []journal.Record
	if first {
		records = append(records, recordOf(groupKey(of.Name), kindGroup, &of.groupRecord))
	}
	for _, s := range fresh {
		s.as = d.as
		s.generation.Store(agentAPI{g}.known(d.as).generationNow()) // its keys stay valid, or void
		r := recordOf(s.id, kindSession, sessionRecord{s.id, of.Name, s.number, s.created, s.as, s.generation.Load()})
		records = append(records, r)
		out.Sessions = append(out.Sessions, MadeSession{
			ID: s.id, Key: s.key(), OpenAI: d.base + "/sessions/" + s.id + "/v1", Anthropic: d.base + "/sessions/" + s.id,
			Prompt: of.Prompt, Problem: of.Problem.ID(), Metadata: of.Metadata,
			Expires: now.Add(time.Duration(s.limits.Seconds * float64(time.Second))),
		})
	}
	if d.key != "" {
		records = append(records, recordOf(groupKey(of.Name), kindOrder, orderRecord{d.key, out, d.sum}))
	}
	err = g.book.write(ctx, records...)
	g.mu.Lock()
	defer g.mu.Unlock()
	of.coming -= d.count
	if err != nil {
		g.live -= d.count
		g.abolish(of)
		return nil, notKept(err)
	}
	of.begun = true
	for _, s := range fresh {
		s.register(g)
	}
	return out, nil
}

// add makes sessions of a group, if it takes so many. g.mu is held.
func (g *Gateway) add(of *group, count int, now time.Time) ([]*session, error) {
	failed := 0
	for _, s := range of.sessions {
		if outcome := s.sealedAs(); outcome != "" && !outcome.Rewarded() {
			failed++
		}
	}
	room := of.Of + min(failed, of.Replace) - len(of.sessions) - of.coming
	switch {
	case !of.begun && of.coming > 0:
		return nil, web.Errorf(http.StatusConflict, "group: another request has just begun %q", of.Name)
	case of.whole || of.closed:
		return nil, web.Errorf(http.StatusConflict, "the group is finished: it takes no more sessions")
	case count > room:
		return nil, web.Errorf(http.StatusConflict, "count: the group has room for %s, not for %d; replace: 1 in its first request lets it replace one that fails", stats.Count(max(0, room), "more session"), count)
	case g.live+count > g.config.Settings.MaxSessions:
		return nil, web.Errorf(http.StatusTooManyRequests, "%s under way, and at most %d may be", stats.Count(g.live, "session"), g.config.Settings.MaxSessions)
	}
	fresh := make([]*session, count)
	for i := range fresh {
		fresh[i] = newSession(g, of, sessionRecord{ID: newID(sessionBytes), Group: of.Name, Number: len(of.sessions) + of.coming + i, Created: now})
	}
	of.coming += count
	g.live += count
	return fresh, nil
}

// session returns a session by its ID.
func (g *Gateway) session(id string) (*session, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.sessions[id]; s != nil {
		return s, nil
	}
	return nil, noSession(id)
}

// noSession refuses what is asked of a session that is not there.
func noSession(id string) error {
	return web.Errorf(http.StatusNotFound, "there is no session %.60q, or its group was finished a while ago", id)
}

// Reward gives a session a reward, which is on disk when Reward returns. Its errors are
// [*web.Error]s, or faults of the disk.
func (g *Gateway) Reward(ctx context.Context, session string, r Reward) error {
	s, err := g.session(session)
	if err != nil {
		return err
	}
	return s.addReward(ctx, r)
}

// End ends a session: it takes no more calls, and awaits its reward.
func (g *Gateway) End(ctx context.Context, session string, e End) error {
	s, err := g.session(session)
	if err != nil {
		return err
	}
	return s.endWith(ctx, e)
}
