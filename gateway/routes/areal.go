package routes

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"

	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
)

// A table answers AReaL's routes.
type table struct {
	gateway.Door

	mu         sync.Mutex
	refreshing map[string]bool // sessions whose keys are given to new ones
}

// arealRoutes answer programs that were written for AReaL's proxy, or for its inference service:
// they change an address, and their sessions are those of the gateway. docs/gateway-others.md lists
// the routes and what differs. AReaL's admin key is a caller's key; /v1/messages and
// /v1/chat/completions are among the gateway's own.
func arealRoutes(d gateway.Door) []web.Route {
	t := &table{Door: d, refreshing: map[string]bool{}}
	return []web.Route{
		d.Health(),
		d.Caller("POST", "/grant_capacity", t.grant),
		d.Caller("GET", "/models", t.models),
		d.Caller("POST", "/rl/start_session", t.start),
		d.Caller("POST", "/export_trajectories", t.export),
		{Method: "POST", Path: "/rl/set_reward", Serve: t.reward},
		{Method: "POST", Path: "/rl/end_session", Serve: t.end},
		d.Model("/chat/completions", dialect.Chat()),
		d.Model("/responses", dialect.Responses()),
	}
}

// grant answers with the number of free places. The gate of the trainer decides who begins,
// so granting more changes nothing.
func (t *table) grant(c *web.Call) error {
	c.SkipBody()
	return gateway.Answer(c, http.StatusOK, map[string]int{"capacity": t.Room()})
}

func (t *table) models(c *web.Call) error {
	return gateway.Answer(c, http.StatusOK, map[string][]string{"models": {t.ModelName()}})
}

// A beginning is the body of start_session. With group_size it is that of the inference
// service, else of the proxy.
type beginning struct {
	Task string `json:"task_id"`
	Key  string `json:"api_key"`
	Size *int   `json:"group_size"`
}

const (
	longestTask = 1000 // bytes of a task_id
	largest     = 1024 // sessions of a group
)

func (b *beginning) check() error {
	switch {
	case b.Task == "" || len(b.Task) > longestTask:
		return web.Errorf(http.StatusUnprocessableEntity, "task_id: has %d bytes, want 1 to %d: sessions of one task_id make a group", len(b.Task), longestTask)
	case b.Size != nil && (*b.Size < 1 || *b.Size > largest):
		return web.Errorf(http.StatusUnprocessableEntity, "group_size: is %d, want 1 to %d", *b.Size, largest)
	case b.Size != nil && *b.Size > 1 && b.Key != "":
		return web.Errorf(http.StatusBadRequest, "api_key: one key opens one session, not %d: leave it out, or group_size", *b.Size)
	}
	return nil
}

// metadata are kept with a group.
type metadata struct {
	Task string `json:"task_id"`
	Ends bool   `json:"reward_ends"` // the first reward ends a session, as in the inference service
}

// spec is what the gateway makes of a beginning.
func (b *beginning) spec() (gateway.Spec, error) {
	kept, err := json.Marshal(metadata{b.Task, b.Size != nil})
	rewards := true
	s := gateway.Spec{Name: b.Task, AgentRewards: &rewards, Metadata: kept}
	if b.Size == nil {
		s.Join = "areal " + b.Task
	} else {
		s.Count, s.Of = *b.Size, *b.Size
	}
	return s, err
}

// A madeSession is a session in the reply of the inference service.
type madeSession struct {
	ID  string `json:"session_id"`
	Key string `json:"session_api_key"`
}

// start makes sessions. The reply has the fields of both of AReaL's.
func (t *table) start(c *web.Call) error {
	in, err := gateway.Decode[beginning](c)
	if err != nil {
		return err
	}
	if err := in.check(); err != nil {
		return err
	}
	spec, err := in.spec()
	if err != nil {
		return err
	}
	owner, known := t.Owner(in.Key)
	if known {
		if !t.hold(owner) {
			c.W.Header().Set("Retry-After", "1")
			return web.Errorf(http.StatusTooManyRequests, "api_key: another request is giving it to a new session")
		}
		defer t.release(owner)
		if old, err := t.Look(owner); err == nil && !old.Over {
			if err := t.finish(c, old); err != nil {
				return err
			}
		}
		spec.As = owner
	}
	out, err := t.Start(c, spec)
	if err != nil {
		return err
	}
	all := make([]madeSession, len(out.Sessions))
	for i, s := range out.Sessions {
		all[i] = madeSession{s.ID, s.Key}
	}
	if known {
		all[0].Key = in.Key
	}
	status := http.StatusOK
	if in.Size != nil {
		status = http.StatusCreated
	}
	return gateway.Answer(c, status, map[string]any{"session_id": all[0].ID, "api_key": all[0].Key, "group_id": out.Group, "sessions": all})
}

// hold reports whether no other request is giving the key of a session away.
func (t *table) hold(session string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.refreshing[session] {
		return false
	}
	t.refreshing[session] = true
	return true
}

func (t *table) release(session string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.refreshing, session)
}

// errOver refuses what comes after the end.
func errOver() error { return web.Errorf(http.StatusGone, "the session has ended") }

// A rewarding is the body of set_reward.
type rewarding struct {
	Interaction string   `json:"interaction_id"` // empty: the last
	Reward      *float64 `json:"reward"`
}

// reward gives a reply its reward.
func (t *table) reward(c *web.Call) error {
	l, err := t.agent(c)
	if err != nil {
		return err
	}
	in, err := gateway.Decode[rewarding](c)
	if err != nil {
		return err
	}
	if in.Reward == nil {
		return web.Errorf(http.StatusUnprocessableEntity, "reward: want a number: what has no reward is not a 0")
	}
	all, err := t.Calls(l.ID)
	if err != nil {
		return err
	}
	call, err := in.call(all)
	if err != nil {
		return err
	}
	l.Replies = len(all)
	m := metadataOf(&l)
	switch {
	case l.Over && m.Ends && call.Reward != nil && *call.Reward == *in.Reward:
		return rewarded(c, &l, m, false) // its client asks again
	case l.Over:
		return errOver()
	}
	err = t.Reward(c.Context(), l.ID, gateway.Reward{Reward: *in.Reward, Call: call.ID})
	if sealed, ok := errors.AsType[*web.Error](err); ok && sealed.Status == http.StatusConflict {
		return errOver() // meanwhile
	}
	if err != nil {
		return err
	}
	if m.Ends {
		if err := t.finish(c, l); err != nil {
			return err
		}
	}
	return rewarded(c, &l, m, m.Ends)
}

// agent returns the session of an agent that may reward it.
func (t *table) agent(c *web.Call) (gateway.Look, error) {
	l, err := t.Agent(c)
	if err == nil && !l.AgentRewards {
		c.SkipBody()
		err = web.Errorf(http.StatusForbidden, "the session was not begun by /rl/start_session: its caller rewards it")
	}
	return l, err
}

// call returns the reply that is rewarded.
func (r *rewarding) call(all []gateway.CallLook) (gateway.CallLook, error) {
	if len(all) == 0 {
		return gateway.CallLook{}, web.Errorf(http.StatusBadRequest, "the session has no interactions")
	}
	if r.Interaction == "" {
		return all[len(all)-1], nil
	}
	id, _, _ := dialect.Anchor(r.Interaction)
	for _, call := range all {
		if call.ID == id {
			return call, nil
		}
	}
	return gateway.CallLook{}, web.Errorf(http.StatusBadRequest, "interaction_id: there is no interaction %.60q in this session", r.Interaction)
}

// rewarded answers set_reward; news says that the reward ended the session.
func rewarded(c *web.Call, l *gateway.Look, m metadata, news bool) error {
	out := map[string]any{
		"message": "success", "session_id": l.ID, "interaction_count": l.Replies,
		"trajectory_id": nil, "trajectory_ready": m.Ends, "ready_transition": news,
	}
	if m.Ends {
		out["trajectory_id"] = 0
	}
	return gateway.Answer(c, http.StatusOK, out)
}

func metadataOf(l *gateway.Look) (m metadata) {
	_ = strictjson.Unmarshal(l.Metadata, &m) // of other sessions: anything
	return m
}

// end ends a session.
func (t *table) end(c *web.Call) error {
	c.SkipBody()
	l, err := t.agent(c)
	if err != nil {
		return err
	}
	if l.Over {
		return errOver()
	}
	if err := t.finish(c, l); err != nil {
		return err
	}
	return gateway.Answer(c, http.StatusOK, map[string]any{"message": "success", "interaction_count": l.Replies})
}

// finish ends a session. If a reply of it has a reward, the session is rewarded; else it has
// none, which is not a 0.
func (t *table) finish(c *web.Call, l gateway.Look) error {
	all, err := t.Calls(l.ID)
	if err != nil {
		return err
	}
	rewarded := slices.ContainsFunc(all, func(call gateway.CallLook) bool { return call.Reward != nil })
	if rewarded && !l.Rewarded {
		sum := gateway.Reward{Mode: "add", Key: "areal end"} // 0: the replies have theirs
		if err := t.Reward(c.Context(), l.ID, sum); err != nil {
			return err
		}
	}
	return t.End(c.Context(), l.ID, gateway.End{})
}
