package gateway

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"hash/maphash"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/gateway/keys"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/internal/web"
)

// A Door is what the routes of other projects need of a gateway: they are tables over the
// same sessions. Use [NewDoor].
type Door struct {
	*Gateway
	seed  maphash.Seed
	joins *[64]sync.Mutex // by the hash of [Spec].Join, so that one group begins at a time
}

// NewDoor returns a door of a gateway.
func NewDoor(g *Gateway) Door { return Door{g, maphash.MakeSeed(), new([64]sync.Mutex)} }

// Decode reads the body of a request of another project, and ignores fields that it does not
// know. The error names the field.
func Decode[T any](c *web.Call) (T, error) {
	return web.ReadBody(c, func(body []byte) (v T, err error) {
		if err := jsonform.Unmarshal(body, &v); err != nil {
			return v, web.Errorf(http.StatusUnprocessableEntity, "%v", jsonform.Explain(err))
		}
		return v, nil
	})
}

// Answer answers with JSON.
func Answer(c *web.Call, status int, v any) error { return answer(c, status, v) }

// Caller is a route for callers: it needs a key of the role [Sessions].
func (d Door) Caller(method, path string, serve func(*web.Call) error) web.Route {
	return callerAPI{d.Gateway}.route(method, path, serve)
}

// Model is a route for model calls of agents in a dialect. Their key names the session,
// unless the path has {session}.
func (d Door) Model(path string, of dialect.Dialect) web.Route {
	return web.Route{Method: "POST", Path: path, Serve: func(c *web.Call) error { return agentAPI{d.Gateway}.serve(c, of) }}
}

// Serve answers a model call of a session in a dialect, whatever its key.
func (d Door) Serve(c *web.Call, of dialect.Dialect, session string) error {
	s, err := d.find(session)
	if err != nil {
		c.SkipBody()
		return err
	}
	return agentAPI{d.Gateway}.serveIn(c, of, s)
}

// Agent returns the session of an agent's request, by its key. The error has the status.
func (d Door) Agent(c *web.Call) (Look, error) {
	s, refused := agentAPI{d.Gateway}.sessionOf(c)
	if refused != nil {
		c.SkipBody()
		return Look{}, web.Errorf(refused.Status, "%s", refused.Message)
	}
	return s.look(), nil
}

// Owner returns the ID of the session that a key was made for, or false if it is no key of
// this server.
func (d Door) Owner(key string) (session string, is bool) {
	session, is = keys.SessionOf(key)
	return session, is && keys.Opens(key, d.config.Secret, session, agentAPI{d.Gateway}.known(session).generationNow())
}

// Key returns the key of a session.
func (d Door) Key(session string) string {
	return keys.Of(d.config.Secret, session, agentAPI{d.Gateway}.known(session).generationNow())
}

// Start makes sessions, as [Gateway.Make] does. With Spec.Join it makes one in the newest
// group of that Join, or in a new one if that is full.
func (d Door) Start(c *web.Call, spec Spec) (*Made, error) {
	caller := callerAPI{d.Gateway}
	if spec.Join == "" {
		out, err := d.Make(c.Context(), spec, waitOf(c), d.config.Settings.base(c.R))
		return out, caller.explain(c, err)
	}
	turn := &d.joins[maphash.String(d.seed, spec.Join)%uint64(len(d.joins))]
	turn.Lock()
	defer turn.Unlock()
	spec.Count = 1
	d.mu.Lock()
	of := d.groups[d.joining[spec.Join]]
	d.mu.Unlock()
	if of != nil {
		out, err := d.more(c.Context(), of, demand{1, d.config.Settings.base(c.R), spec.As, spec.Key, nil})
		if full, is := errors.AsType[*web.Error](err); !is || full.Status != http.StatusConflict {
			return out, caller.explain(c, err)
		}
	}
	out, err := d.Make(c.Context(), spec, waitOf(c), d.config.Settings.base(c.R))
	return out, caller.explain(c, err)
}

// A Look is what the routes of other projects see of a session.
type Look struct {
	ID           string
	As           string // another ID of it; empty: none
	State        State
	Over         bool // it takes no calls any more
	Rewarded     bool // as a whole
	Reward       float64
	Failed       bool // it ended without success
	AgentRewards bool // its agent may reward it
	Group        string
	Of           int // sessions of the group
	Created      time.Time
	Problem      string // its ID
	Prompt       string // its question; empty: the agent has it
	Metadata     json.RawMessage
	Replies      int
}

// A CallLook is a reply of a session.
type CallLook struct {
	ID     string
	At     time.Time // its end
	Reward *float64  // for this reply alone; nil: none
}

func (s *session) look() Look {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Look{
		ID: s.id, As: s.as, State: s.state, Over: s.over() != nil, Rewarded: s.rewarded, Reward: s.reward.Reward,
		Failed: s.ended.Failed != "" || s.outcome != "" && !s.outcome.Rewarded(), AgentRewards: s.group.AgentRewards,
		Group: s.group.Name, Of: s.group.Of, Created: s.created,
		Problem: s.group.Problem.ID(), Prompt: s.group.Prompt, Metadata: s.group.Metadata, Replies: len(s.tree.Nodes),
	}
}

// Calls returns the replies of a session, in the order of their ends. The error is that of
// [Door.Look].
func (d Door) Calls(id string) ([]CallLook, error) {
	s, err := d.find(id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]CallLook, len(s.tree.Nodes))
	for i, n := range s.tree.Nodes {
		all[i] = CallLook{n.ID, n.At, n.Reward}
	}
	return all, nil
}

// Look returns what there is of a session by its ID, or by another ID of it. The error is a
// [*web.Error].
func (d Door) Look(id string) (Look, error) {
	s, err := d.find(id)
	if err != nil {
		return Look{}, err
	}
	return s.look(), nil
}

// find returns a session by its ID, or by another ID of it.
func (d Door) find(id string) (*session, error) {
	if s := (agentAPI{d.Gateway}).known(id); s != nil {
		return s, nil
	}
	return nil, noSession(id)
}

// LooksOf returns the sessions of a group.
func (d Door) LooksOf(group string) (all []Look) {
	d.mu.Lock()
	of := d.groups[group]
	if of == nil {
		d.mu.Unlock()
		return nil
	}
	sessions := of.sessions
	d.mu.Unlock()
	for _, s := range sessions {
		all = append(all, s.look())
	}
	return all
}

// Close closes a group, which is then formed of the sessions that it has.
func (d Door) Close(group string) {
	d.mu.Lock()
	of := d.groups[group]
	d.mu.Unlock()
	if of == nil {
		return
	}
	if err := (callerAPI{d.Gateway}).close(context.Background(), of); err != nil {
		d.config.Log.Warn("a group cannot be closed: it waits for its time", "group", group, "err", err)
	}
}

// Looks returns the sessions whose other ID begins with a text, in the order of their
// creation; empty: all sessions.
func (d Door) Looks(prefix string) (all []Look) {
	var some []*session
	d.mu.Lock()
	for _, s := range d.sessions {
		if strings.HasPrefix(s.as, prefix) {
			some = append(some, s)
		}
	}
	d.mu.Unlock()
	for _, s := range some {
		all = append(all, s.look())
	}
	slices.SortFunc(all, func(a, b Look) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
	return all
}

// Await waits until a session has ended, and is sealed if it has a reward. The error is that
// of ctx, or of [Door.Look].
func (d Door) Await(ctx context.Context, id string) error {
	for {
		s, err := d.find(id)
		if err != nil {
			return err
		}
		s.mu.Lock()
		ended := s.state == Sealed || s.state == Awaiting && !s.rewarded
		changed := s.changed
		s.mu.Unlock()
		if ended {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Played returns a session as an episode, as it is now. Its rewards are there once it is
// sealed.
func (d Door) Played(id string) (quintain.Trajectory, error) {
	s, err := d.find(id)
	if err != nil {
		return quintain.Trajectory{}, err
	}
	return s.played(d.Gateway)
}

// Opened is closed when the gateway answers calls.
func (d Door) Opened() <-chan struct{} { return d.opened }

// Elsewhere is the address of the agents' routes if they have a port of their own; else empty.
func (d Door) Elsewhere(c *web.Call) string {
	if d.config.Settings.Port == 0 {
		return ""
	}
	return d.config.Settings.base(c.R)
}

// Health is a route that says that the server runs, in the forms of several projects.
func (d Door) Health() web.Route {
	return web.Route{Method: "GET", Path: "/health", Serve: func(c *web.Call) error {
		return answer(c, http.StatusOK, map[string]any{"status": "ok", "initialized": d.Ready()})
	}}
}

// Room is the number of sessions that can still be made.
func (d Door) Room() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return max(0, d.config.Settings.MaxSessions-d.live)
}

// Version is the newest version of the weights that sampled a token of the sessions; -1:
// unknown.
func (d Door) Version() int32 {
	return d.newest.Load() - 1
}

// ModelName is the name of the policy in replies.
func (d Door) ModelName() string { return d.config.Model }
