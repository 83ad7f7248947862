package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"hash/maphash"
	"net/http"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/gateway/grader"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
)

// A Door is what the routes of another project need of a gateway: they are a table over the
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
		if err := strictjson.Unmarshal(body, &v); err != nil {
			return v, web.Errorf(http.StatusUnprocessableEntity, "%v", strictjson.Explain(err))
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
func (d Door) Owner(key string) (session string, ok bool) {
	session, ok = sessionOfKey(key)
	return session, ok && opensSession(key, d.config.Secret, session, agentAPI{d.Gateway}.known(session).generationNow())
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
		if full, ok := errors.AsType[*web.Error](err); !ok || full.Status != http.StatusConflict {
			return out, caller.explain(c, err)
		}
	}
	out, err := d.Make(c.Context(), spec, waitOf(c), d.config.Settings.base(c.R))
	return out, caller.explain(c, err)
}

// A Look is what the routes of another project see of a session.
type Look struct {
	ID           string
	Over         bool // it takes no calls any more
	Rewarded     bool // as a whole
	Reward       float64
	AgentRewards bool   // its agent may reward it
	Problem      string // its ID
	Prompt       string // its question; empty: the agent has it
	Metadata     json.RawMessage
	Replies      int
}

// A CallLook is a reply of a session.
type CallLook struct {
	ID     string
	Reward *float64 // for this reply alone; nil: none
}

// Calls returns the replies of a session, in the order of their ends. The error is that of
// [Door.Look].
func (d Door) Calls(id string) ([]CallLook, error) {
	s, err := d.find(id)
	if err != nil {
		return nil, err
	}
	return s.calls(), nil
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

// Await waits until a session has ended, and is sealed if it has a reward. The error is that
// of ctx, or of [Door.Look].
func (d Door) Await(ctx context.Context, id string) error {
	for {
		s, err := d.find(id)
		if err != nil {
			return err
		}
		ended, changed := s.awaited()
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

// Submit has the task of a session judge an answer of its agent, and rewards the session by it,
// once. A grader that fails gives no reward: another answer may be submitted. The error is for the
// agent to read.
func (d Door) Submit(ctx context.Context, session, answer string) (r Reward, err error) {
	s, err := d.find(session)
	if err != nil {
		return r, err
	}
	if err := s.beginJudging(); err != nil {
		return r, err
	}
	step, fault := grader.Task(ctx, s.group.job.Scenario, s.group.job.Problem, quintain.Reply{Finish: quintain.Stop}, answer)
	return s.submitted(context.WithoutCancel(ctx), step, fault)
}

func errRewarded() error {
	return web.Errorf(http.StatusConflict, "the session has its reward: an answer counts once")
}

// Played returns a session as an episode, as it is now. Its rewards are there once it is
// sealed.
func (d Door) Played(id string) (quintain.Trajectory, error) {
	s, err := d.find(id)
	if err != nil {
		return quintain.Trajectory{}, err
	}
	return s.played()
}

// Opened is closed when the gateway answers calls.
func (d Door) Opened() <-chan struct{} { return d.opened }

// Health is a route that says that the server runs.
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

// ModelName is the name of the policy in replies.
func (d Door) ModelName() string { return d.config.Model }
