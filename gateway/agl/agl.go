// Package agl answers programs that were written for the server of agent-lightning 1.0: they
// change an address, and the attempts of their rollouts are sessions of the gateway.
// docs/gateway-aliases.md lists the routes and what differs.
package agl

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/internal/web"
)

// A table answers the routes. What it remembers beside the sessions is gone after a restart:
// rollouts are then those of the sessions that the gateway kept.
type table struct {
	gateway.Door

	mu       sync.Mutex
	rollouts map[string]*rollout
	terminal []string // rollouts that ended, in the order in which that was seen
}

// Routes are the routes of agent-lightning. Its one key is a caller's key, also for model
// calls.
func Routes(d gateway.Door) []web.Route {
	t := &table{Door: d, rollouts: map[string]*rollout{}}
	all := []web.Route{
		d.Caller("POST", "/api/rollouts", t.create),
		d.Caller("GET", "/api/rollouts", t.list),
		d.Caller("GET", "/api/rollouts/terminal", t.ended),
		d.Caller("GET", "/api/rollouts/{rollout}", t.get),
		d.Caller("PATCH", "/api/rollouts/{rollout}", t.patch),
		d.Caller("DELETE", "/api/rollouts/{rollout}", t.remove),
		d.Caller("GET", "/api/rollouts/{rollout}/events", t.events),
		d.Caller("POST", "/api/rollouts/{rollout}/attempt/{attempt}/events", t.event),
		d.Caller("POST", "/api/models", t.fixed),
		d.Caller("DELETE", "/api/models", t.fixed),
		d.Caller("GET", "/proxy/state", t.state),
		d.Caller("POST", "/proxy/pause", t.fixed),
		d.Caller("POST", "/proxy/resume", t.state),
	}
	for path, of := range map[string]dialect.Dialect{"chat/completions": dialect.Chat(), "completions": dialect.Completions()} {
		all = append(all, d.Caller("POST", "/proxy/rollout/{rollout}/attempt/{attempt}/mode/{mode}/openai/v1/"+path, func(c *web.Call) error { return t.call(c, of) }))
	}
	return all
}

// fixed refuses to change the servers of the policy: the run does so.
func (t *table) fixed(c *web.Call) error {
	c.SkipBody()
	return web.Errorf(http.StatusConflict, "the servers of the policy and their weights are the run's: calls wait while weights change")
}

// state says that calls are answered.
func (t *table) state(c *web.Call) error {
	c.SkipBody()
	return gateway.Answer(c, http.StatusOK, map[string]any{"paused": false, "retry_after_seconds": 1, "reason": nil, "inflight": 0})
}

// create makes a session for each rollout. Those of a request with equal inputs are a group.
func (t *table) create(c *web.Call) error {
	in, err := gateway.Decode[[]creating](c)
	if err != nil {
		return err
	}
	if len(in) > mostRollouts {
		return web.Errorf(http.StatusUnprocessableEntity, "has %d rollouts, want at most %d", len(in), mostRollouts)
	}
	for i := range in {
		if err := in[i].check(i); err != nil {
			return err
		}
	}
	m := making{in: in, made: make([]*rollout, len(in))}
	for _, group := range groupsOf(in) {
		if err := t.createGroup(c, &m, group); err != nil {
			t.undo(m.fresh)
			return err
		}
	}
	shown := make([]any, len(in))
	for i, r := range m.made {
		shown[i] = t.shown(r)
	}
	return gateway.Answer(c, http.StatusCreated, shown)
}

// A making is a request that makes rollouts.
type making struct {
	in    []creating
	made  []*rollout // by the index of in
	fresh []*rollout // those that were not there before
}

// createGroup makes the rollouts at some indices of a request, whose inputs are equal.
func (t *table) createGroup(c *web.Call, m *making, group []int) error {
	spec, err := m.in[group[0]].spec(len(group))
	if err != nil {
		return err
	}
	for _, i := range group {
		if old := t.find(m.in[i].ID); old != nil && t.shown(old).Status.State != failed {
			m.made[i] = old // its client asks again
			continue
		}
		r := newRollout(&m.in[i])
		spec.As, spec.Count = r.as(), 1
		out, err := t.Start(c, spec)
		if err != nil {
			return err
		}
		spec.Group, r.session = out.Group, out.Sessions[0].ID
		m.made[i], m.fresh = r, append(m.fresh, r)
		t.mu.Lock()
		t.rollouts[r.ID] = r
		t.mu.Unlock()
	}
	return nil
}

// undo takes back the rollouts of a request that failed midway.
func (t *table) undo(fresh []*rollout) {
	for _, r := range fresh {
		if l, err := t.Look(r.session); err == nil {
			t.Close(l.Group)
		}
		_ = t.End(context.Background(), r.session, gateway.End{Failed: "cancelled", Why: "the request that made it failed"}) // at worst it idles
		t.mu.Lock()
		delete(t.rollouts, r.ID)
		t.mu.Unlock()
	}
}

// find returns a rollout; nil: there is none.
func (t *table) find(id string) *rollout {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.rollouts[id]; r != nil {
		return r
	}
	l, err := t.Look(prefix + id)
	if err != nil || id == "" {
		return nil
	}
	r := restored(id, &l)
	t.rollouts[id] = r
	return r
}

// of returns the rollout of a request.
func (t *table) of(c *web.Call) (*rollout, error) {
	id := c.Param("rollout")
	if r := t.find(id); r != nil {
		return r, nil
	}
	c.SkipBody()
	return nil, web.Errorf(http.StatusNotFound, "Rollout not found: %.60s", id)
}

// all returns the rollouts, first those that began first.
func (t *table) all() []*rollout {
	for _, l := range t.Looks(prefix) {
		t.find(l.As[len(prefix):])
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]*rollout, 0, len(t.rollouts))
	for _, r := range t.rollouts {
		all = append(all, r)
	}
	slices.SortFunc(all, compare)
	return all
}

// limitOf is how many of many a request wants; 0: all.
func limitOf(c *web.Call, name string) (int, error) {
	text := c.R.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, web.Errorf(http.StatusUnprocessableEntity, "%s: is %.40q, want a number", name, text)
	}
	return n, nil
}

// list lists the rollouts in some states.
func (t *table) list(c *web.Call) error {
	limit, err := limitOf(c, "limit")
	if err != nil {
		return err
	}
	states := c.R.URL.Query()["state_in"]
	if len(states) == 0 {
		return web.Errorf(http.StatusUnprocessableEntity, "state_in: want states, such as ?state_in=queuing&state_in=running")
	}
	for _, s := range states {
		if !slices.Contains(everyState(), s) {
			return web.Errorf(http.StatusUnprocessableEntity, "state_in: is %.40q, want queuing, running, succeeded or failed", s)
		}
	}
	shown := []rolloutForm{}
	for _, r := range t.all() {
		if s := t.shown(r); slices.Contains(states, s.Status.State) && (limit == 0 || len(shown) < limit) {
			shown = append(shown, s)
		}
	}
	return gateway.Answer(c, http.StatusOK, shown)
}

// An endedForm is a rollout that ended.
type endedForm struct {
	ID    string `json:"rollout_id"`
	State string `json:"state"`
	Data  string `json:"data_id"`
	Train bool   `json:"is_train"`
}

// ended lists the rollouts that ended, in the order of their ends.
func (t *table) ended(c *web.Call) error {
	after, err := limitOf(c, "after")
	if err != nil {
		return err
	}
	limit, err := limitOf(c, "limit")
	if err != nil {
		return err
	}
	forms := map[string]endedForm{}
	for _, r := range t.all() {
		if s := t.shown(r); s.Status.State == succeeded || s.Status.State == failed {
			forms[r.ID] = endedForm{ID: r.ID, State: s.Status.State, Train: s.Train}
			t.note(r.ID)
		}
	}
	t.mu.Lock()
	all := slices.Clone(t.terminal)
	t.mu.Unlock()
	items := []endedForm{}
	next := min(after, len(all))
	for ; next < len(all) && (limit == 0 || len(items) < limit); next++ {
		if f, is := forms[all[next]]; is {
			items = append(items, f)
		}
	}
	return gateway.Answer(c, http.StatusOK, map[string]any{"items": items, "next_after": next, "total_terminal": len(all)})
}

// note remembers that a rollout ended.
func (t *table) note(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.rollouts[id]; r != nil && !r.noted {
		r.noted = true
		t.terminal = append(t.terminal, id)
	}
}

// get shows a rollout and its attempts.
func (t *table) get(c *web.Call) error {
	r, err := t.of(c)
	if err != nil {
		return err
	}
	shown := t.shown(r)
	t.mu.Lock()
	attempts := append([]string{}, r.attempts...)
	t.mu.Unlock()
	return gateway.Answer(c, http.StatusOK, map[string]any{"rollout": shown, "attempts": attempts})
}

// remove cancels a rollout.
func (t *table) remove(c *web.Call) error {
	if r := t.find(c.Param("rollout")); r != nil {
		t.mu.Lock()
		session := r.session
		t.mu.Unlock()
		if err := t.End(c.Context(), session, gateway.End{Failed: "cancelled", Why: "its caller deleted it"}); err != nil {
			return err
		}
		t.closeGroup(r)
	}
	c.W.WriteHeader(http.StatusNoContent)
	return nil
}

// call answers a model call of an attempt.
func (t *table) call(c *web.Call, of dialect.Dialect) error {
	r, err := t.of(c)
	if err == nil && c.Param("mode") != "train" && c.Param("mode") != "val" {
		c.SkipBody()
		err = web.Errorf(http.StatusNotFound, "Unsupported proxy mode: %.40s", c.Param("mode"))
	}
	if err != nil {
		return err
	}
	session, err := t.attempt(c, r)
	if err != nil {
		c.SkipBody()
		return err
	}
	return t.Serve(c, of, session)
}

// now is the time as agent-lightning writes it.
func now() float64 { return float64(time.Now().UnixMicro()) / 1e6 }
