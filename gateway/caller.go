package gateway

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/rollout"
)

// Sessions is the role of keys that make and reward sessions.
const Sessions web.Role = "sessions"

// A callerAPI answers those who make sessions and reward them.
type callerAPI struct{ *Gateway }

// Routes are the routes of a gateway, for callers and for agents; a nil gateway has none.
func (g *Gateway) Routes() []web.Route {
	if g == nil {
		return nil
	}
	return append(callerAPI{g}.routes(), g.AgentRoutes()...)
}

func (g callerAPI) routes() []web.Route {
	caller := g.route
	return []web.Route{
		caller("POST", "/v1/sessions", g.postSessions),
		caller("GET", "/v1/sessions/events", g.events.Stream),
		caller("GET", "/v1/sessions/{session}", g.getSession),
		caller("DELETE", "/v1/sessions/{session}", g.deleteSession),
		caller("POST", "/v1/sessions/{session}/reward", g.postReward),
		caller("POST", "/v1/sessions/{session}/end", g.postEnd),
		caller("POST", "/v1/sessions/{session}/key", g.postKey),
		caller("GET", "/v1/sessions/{session}/calls", g.getCalls),
		caller("GET", "/v1/sessions/{session}/sequences", g.getSequences),
		caller("GET", "/v1/groups/{group}", g.getGroup),
		caller("POST", "/v1/groups/{group}/sessions", g.postMore),
		caller("POST", "/v1/groups/{group}/close", g.postClose),
		caller("POST", "/v1/groups/{group}/rewards", g.postRewards),
	}
}

// route is a route of callers.
func (g callerAPI) route(method, path string, serve func(*web.Call) error) web.Route {
	return web.Route{Method: method, Path: path, For: Sessions, Serve: func(c *web.Call) error {
		if !g.Ready() {
			c.W.Header().Set("Retry-After", "1")
			c.SkipBody()
			return web.Errorf(http.StatusServiceUnavailable, "the gateway begins, or ends")
		}
		return serve(c)
	}}
}

// A Made is the answer to a request for sessions.
type Made struct {
	Group    string        `json:"group"`
	Sessions []MadeSession `json:"sessions"`
}

// A MadeSession is a new session, with what its agent needs.
type MadeSession struct {
	ID        string          `json:"id"`
	Key       string          `json:"key"`
	OpenAI    string          `json:"openai"`    // base address for OpenAI's SDKs
	Anthropic string          `json:"anthropic"` // and for Anthropic's
	Prompt    string          `json:"prompt,omitempty"`
	Problem   string          `json:"problem"` // its ID
	Metadata  json.RawMessage `json:"metadata,omitempty"`
	Expires   time.Time       `json:"expires"`
}

// answer answers with JSON.
func answer(c *web.Call, status int, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return c.JSON(status, body)
}

// postSessions makes sessions.
func (g callerAPI) postSessions(c *web.Call) error {
	spec, sum, err := web.ReadStrict[Spec](c)
	if err != nil {
		return err
	}
	order := orderRecord{Key: c.R.Header.Get("Idempotency-Key"), Sum: sum}
	spec.Key, spec.sum = order.Key, sum
	g.mu.Lock()
	old, known := g.orders[order.Key]
	if known = known && order.Key != ""; !known {
		g.orders[order.Key] = order
	}
	g.mu.Unlock()
	switch {
	case known && old.Sum != nil && !bytes.Equal(old.Sum, sum):
		return errKeyUsed()
	case known && old.Made != nil:
		return answer(c, http.StatusCreated, old.Made)
	case known:
		return g.explain(c, web.Errorf(http.StatusTooManyRequests, "Idempotency-Key: a request with this key is under way"))
	}
	order.Made, err = g.Make(c.Context(), spec, waitOf(c), g.config.Settings.base(c.R))
	g.mu.Lock()
	if g.orders[order.Key] = order; err != nil || order.Key == "" {
		delete(g.orders, order.Key)
	}
	g.mu.Unlock()
	if err != nil {
		return g.explain(c, err)
	}
	return answer(c, http.StatusCreated, order.Made)
}

// errKeyUsed refuses a request whose key of idempotency another one has.
func errKeyUsed() error {
	return web.Errorf(http.StatusConflict, "Idempotency-Key: another request had this key: use a new one for each request")
}

// explain adds to a refusal when the client should ask again.
func (g callerAPI) explain(c *web.Call, err error) error {
	if e, ok := errors.AsType[*web.Error](err); ok && e.Status == http.StatusTooManyRequests {
		c.W.Header().Set("Retry-After", "1")
	}
	return err
}

// waitOf is how long a request may wait, from its query.
func waitOf(c *web.Call) time.Duration {
	seconds, err := strconv.ParseFloat(c.R.URL.Query().Get("wait"), 64)
	if err != nil || !(seconds > 0) {
		return 0
	}
	return time.Duration(min(seconds, 60) * float64(time.Second))
}

// base is the address of the agents' routes for a client: that by which it reached this server,
// or the port of agents at the same name.
func (s *Settings) base(r *http.Request) string {
	if s.Port != 0 {
		return web.AddressAt(s.Host, s.Port, r)
	}
	return web.Address(r)
}

// find returns the session of a request.
func (g callerAPI) find(c *web.Call) (*session, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	id := c.Param("session")
	if s := g.sessions[id]; s != nil {
		return s, nil
	}
	if s := g.sessions[g.names[id]]; s != nil {
		return s, nil
	}
	return nil, noSession(id)
}

// getSession shows a session, and waits for a state if the client asks.
func (g callerAPI) getSession(c *web.Call) error {
	s, err := g.find(c)
	if err != nil {
		return err
	}
	until := State(c.R.URL.Query().Get("state"))
	ctx, cancel := context.WithTimeout(c.Context(), waitOf(c))
	defer cancel()
	c.Waits = true
	for {
		v, changed := s.seen()
		if until == "" || reached(v.State, until) || ctx.Err() != nil {
			return answer(c, http.StatusOK, v)
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// reached reports whether a session is at a state or beyond it; "ended" is any state after
// its end.
func reached(at, until State) bool {
	order := []State{Created, Live, Draining, Awaiting, Sealed}
	if until == "ended" {
		until = Awaiting
	}
	wanted := slices.Index(order, until)
	return wanted >= 0 && slices.Index(order, at) >= wanted
}

// postReward takes a reward.
func (g callerAPI) postReward(c *web.Call) error {
	s, err := g.find(c)
	if err != nil {
		c.SkipBody()
		return err
	}
	if err := g.takeReward(c, s); err != nil {
		return err
	}
	return g.show(c, s)
}

// takeReward takes the reward in the body of a request.
func (g callerAPI) takeReward(c *web.Call, s *session) error {
	in, _, err := web.ReadStrict[struct {
		Reward
		Number  *float64        `json:"reward"`
		Metrics json.RawMessage `json:"metrics"`
	}](c)
	if err != nil {
		return err
	}
	if in.Number == nil {
		return web.Errorf(http.StatusUnprocessableEntity, "reward: want a number: what has no reward is not a 0")
	}
	r := in.Reward
	r.Reward = *in.Number
	r.Key = cmp.Or(c.R.Header.Get("Idempotency-Key"), r.Key)
	return g.Reward(c.Context(), s.id, r)
}

// show answers with the state of a session.
func (g callerAPI) show(c *web.Call, s *session) error {
	v, _ := s.seen()
	return answer(c, http.StatusOK, v)
}

// postEnd ends a session.
func (g callerAPI) postEnd(c *web.Call) error {
	s, err := g.find(c)
	if err != nil {
		c.SkipBody()
		return err
	}
	if err := g.takeEnd(c, s); err != nil {
		return err
	}
	return g.show(c, s)
}

// takeEnd ends a session by the body of a request.
func (g callerAPI) takeEnd(c *web.Call, s *session) error {
	e, _, err := web.ReadStrict[End](c)
	if err != nil {
		return err
	}
	switch e.Failed {
	case "", failedAgent, failedInfra, failedCancelled:
	default:
		return web.Errorf(http.StatusUnprocessableEntity, "failed: is %.40q, want agent, infra or cancelled", e.Failed)
	}
	e.Limit = false
	return g.End(c.Context(), s.id, e)
}

// deleteSession cancels a session.
func (g callerAPI) deleteSession(c *web.Call) error {
	s, err := g.find(c)
	if err != nil {
		return err
	}
	if err := g.End(c.Context(), s.id, End{Failed: failedCancelled, Why: "its caller deleted it"}); err != nil {
		return err
	}
	return g.show(c, s)
}

// postKey gives a session a new key, and makes the one before void.
func (g callerAPI) postKey(c *web.Call) error {
	c.SkipBody()
	s, err := g.find(c)
	if err != nil {
		return err
	}
	key, err := s.newKey(c.Context())
	if err != nil {
		return err
	}
	return answer(c, http.StatusOK, map[string]string{"key": key})
}

// getCalls lists the calls of a session, a line each.
func (g callerAPI) getCalls(c *web.Call) error {
	s, err := g.find(c)
	if err != nil {
		return err
	}
	t, err := s.played()
	if err != nil {
		return err
	}
	var out []byte
	for i := range t.Turns {
		line, err := json.Marshal(&t.Turns[i])
		if err != nil {
			return err
		}
		out = append(append(out, line...), '\n')
	}
	return c.Body(http.StatusOK, "application/x-ndjson", out)
}

// A shownSequence is a training sequence of a session, as it would be now.
type shownSequence struct {
	Branch string           `json:"branch"`
	Calls  []string         `json:"calls"`
	Tokens []quintain.Token `json:"tokens"`
	Masks  []int32          `json:"masks"` // the token itself, or -100
}

// getSequences shows what training would get of a session now.
func (g callerAPI) getSequences(c *web.Call) error {
	s, err := g.find(c)
	if err != nil {
		return err
	}
	t, err := s.played()
	if err != nil {
		return err
	}
	all := []shownSequence{}
	for one := range rollout.WholeEpisodes.Tokens(&t) {
		shown := shownSequence{Tokens: one.Tokens, Masks: one.Masks, Branch: t.Turns[one.Turns[len(one.Turns)-1]].Call.Branch}
		for _, k := range one.Turns {
			shown.Calls = append(shown.Calls, t.Turns[k].Call.ID)
		}
		all = append(all, shown)
	}
	return answer(c, http.StatusOK, map[string]any{"sequences": all})
}

// groupOf returns the group of a request.
func (g callerAPI) groupOf(c *web.Call) (*group, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if of := g.groups[c.Param("group")]; of != nil {
		return of, nil
	}
	return nil, web.Errorf(http.StatusNotFound, "there is no group %.60q, or it was finished a while ago", c.Param("group"))
}

// getGroup shows a group with its sessions, and waits until it is done if the client asks.
func (g callerAPI) getGroup(c *web.Call) error {
	of, err := g.groupOf(c)
	if err != nil {
		return err
	}
	c.Waits = true
	select {
	case <-of.finished:
	case <-time.After(waitOf(c)):
	case <-c.Context().Done():
	}
	return g.showGroup(c, of)
}

func (g callerAPI) showGroup(c *web.Call, of *group) error {
	g.mu.Lock()
	sessions, done, closed := of.sessions, of.done, of.closed
	g.mu.Unlock()
	views := make([]View, len(sessions))
	for i, s := range sessions {
		views[i], _ = s.seen()
	}
	return answer(c, http.StatusOK, map[string]any{"id": of.Name, "of": of.Of, "done": done, "dropped": of.drop(), "closed": closed, "sessions": views})
}

// postMore adds a session to a group: one that is missing, or one in the place of a failed
// one.
func (g callerAPI) postMore(c *web.Call) error {
	of, err := g.groupOf(c)
	if err != nil {
		return err
	}
	out, err := g.more(c.Context(), of, demand{count: 1, base: g.config.Settings.base(c.R)})
	if err != nil {
		return g.explain(c, err)
	}
	return answer(c, http.StatusCreated, out)
}

// postClose closes a group: it is formed of the sessions that it has.
func (g callerAPI) postClose(c *web.Call) error {
	of, err := g.groupOf(c)
	if err != nil {
		return err
	}
	if err := g.close(c.Context(), of); err != nil {
		return notKept(err)
	}
	return g.showGroup(c, of)
}

// close closes a group, for good.
func (g callerAPI) close(ctx context.Context, of *group) error {
	g.mu.Lock()
	done := of.done
	g.mu.Unlock()
	if done {
		return nil
	}
	if err := g.book.write(ctx, journal.Record{Session: groupKey(of.Name), Kind: kindClosed, Data: []byte(of.Name)}); err != nil {
		return err
	}
	g.mu.Lock()
	of.closed = true
	g.mu.Unlock()
	g.due.add(of)
	return nil
}

// postRewards rewards all sessions of a group at once, for judges that compare them.
func (g callerAPI) postRewards(c *web.Call) error {
	of, err := g.groupOf(c)
	if err != nil {
		c.SkipBody()
		return err
	}
	all, _, err := web.ReadStrict[[]*float64](c)
	if err != nil {
		return err
	}
	g.mu.Lock()
	sessions := of.sessions
	g.mu.Unlock()
	if len(all) != len(sessions) {
		return web.Errorf(http.StatusUnprocessableEntity, "%s for %s: want one for each, or null", stats.Count(len(all), "reward"), stats.Count(len(sessions), "session"))
	}
	for i, r := range all {
		if r == nil {
			continue
		}
		if err := g.Reward(c.Context(), sessions[i].id, Reward{Reward: *r}); err != nil {
			return fmt.Errorf("session %d: %w", i, err)
		}
	}
	return g.showGroup(c, of)
}
