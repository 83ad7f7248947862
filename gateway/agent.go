package gateway

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/gateway/tree"
	"github.com/quintain-rl/quintain/internal/traceparent"
	"github.com/quintain-rl/quintain/internal/web"
)

// keepAliveEvery is how often a waiting stream shows that its reply is under way.
const keepAliveEvery = 3 * time.Second

// An agentAPI answers agents.
type agentAPI struct{ *Gateway }

// AgentRoutes are the routes of agents: those below the address of a session, and the same
// without it, where the key names the session.
func (g *Gateway) AgentRoutes() []web.Route { return agentAPI{g}.routes() }

func (g agentAPI) routes() []web.Route {
	var all []web.Route
	for _, base := range []string{"/sessions/{session}", ""} {
		for _, d := range []struct {
			path string
			of   dialect.Dialect
		}{
			{"/v1/chat/completions", dialect.Chat()},
			{"/v1/completions", dialect.Completions()},
			{"/v1/responses", dialect.Responses()},
			{"/v1/messages", dialect.Messages()},
		} {
			all = append(all, web.Route{Method: "POST", Path: base + d.path, Serve: func(c *web.Call) error { return g.serve(c, d.of) }})
		}
		all = append(all,
			web.Route{Method: "GET", Path: base + "/v1/models", Serve: g.models},
			web.Route{Method: "GET", Path: base + "/v1/models/{model}", Serve: g.model},
			web.Route{Method: "POST", Path: base + "/v1/messages/count_tokens", Serve: g.count},
		)
	}
	return append(all,
		web.Route{Method: "POST", Path: "/sessions/{session}/reward", Serve: g.agentReward},
		web.Route{Method: "POST", Path: "/sessions/{session}/end", Serve: g.agentEnd},
	)
}

// sessionOf returns the session of an agent's request. On a port without keys the address
// is enough; a key of another session is refused even there.
func (g agentAPI) sessionOf(c *web.Call) (*session, *dialect.Error) {
	if !g.Ready() {
		return nil, dialect.Errorf(http.StatusServiceUnavailable, "the gateway begins, or ends")
	}
	key, id := keyFrom(c.R), c.Param("session")
	named, ok := sessionOfKey(key)
	switch {
	case id == "" && !ok:
		return nil, dialect.Errorf(http.StatusUnauthorized, "want the key of a session as the API key")
	case id == "":
		id = named
	case ok && named != id && (g.known(id) == nil || g.known(named) != g.known(id)):
		return nil, dialect.Errorf(http.StatusForbidden, "the key is that of another session")
	case !ok && g.config.Keys:
		return nil, dialect.Errorf(http.StatusUnauthorized, "want the key of this session as the API key")
	}
	s := g.known(id)
	if ok && !opensSession(key, g.config.Secret, named, s.generationNow()) {
		return nil, dialect.Errorf(http.StatusUnauthorized, "the key is not that of a session")
	}
	if s == nil {
		return nil, sessionEnded("there is no such session, or it has ended")
	}
	return s, nil
}

// known returns the session that has an ID, or that took it over; nil: there is none.
func (g agentAPI) known(id string) *session {
	g.mu.Lock()
	defer g.mu.Unlock()
	if now := g.names[id]; now != "" {
		id = now
	}
	return g.sessions[id]
}

// refuse answers with an error in the form of a dialect.
func refuse(c *web.Call, d dialect.Dialect, e *dialect.Error) error {
	if e.Status == http.StatusTooManyRequests || e.Status == http.StatusServiceUnavailable {
		c.W.Header().Set("Retry-After", "1")
	}
	status, body := d.ErrorBody(e)
	return c.JSON(status, body)
}

// asError returns an error as one of a dialect.
func asError(err error) *dialect.Error {
	if e, ok := errors.AsType[*dialect.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[*web.Error](err); ok {
		return &dialect.Error{Status: e.Status, Message: e.Detail}
	}
	return &dialect.Error{Status: http.StatusInternalServerError, Message: err.Error()}
}

// maxBody bounds the body of a call, in bytes.
const maxBody = 64 << 20

// bound limits the body of a request, and has it refused in the form of a dialect.
func bound(c *web.Call, d dialect.Dialect) {
	c.MaxBody = maxBody
	c.Refusal = func(status int, why string) (int, []byte) { return d.ErrorBody(dialect.Errorf(status, "%s", why)) }
}

// serve answers a model call.
func (g agentAPI) serve(c *web.Call, d dialect.Dialect) error {
	bound(c, d)
	s, refused := g.sessionOf(c)
	if refused != nil {
		c.SkipBody()
		return refuse(c, d, refused)
	}
	return g.serveIn(c, d, s)
}

// serveIn answers a model call of a session.
func (g agentAPI) serveIn(c *web.Call, d dialect.Dialect, s *session) error {
	req, sum, err := g.decode(c, d, s)
	if err != nil {
		return fail(c, d, err)
	}
	if name := c.R.Header.Get("Quintain-Branch"); name != "" {
		req.Branch = name
	}
	req.Span = traceparent.Parse(c.R.Header.Get(traceparent.Header))
	f, landed, err := s.begin(req, sum, dialect.AsksAgain(c.R.Header))
	if err != nil {
		return refuse(c, d, asError(err))
	}
	c.Waits = true
	x := exchange{agentAPI: g, c: c, d: d, session: s, flight: f, landed: landed, req: req}
	defer x.leave()
	if req.Stream {
		return x.stream()
	}
	return x.whole()
}

// guides reports whether calls of the session may bind their replies.
func (s *sessionState) guides(how *Settings) bool { return how.Guided && s.group.Mode == Exam }

// decode reads the request of a call, with its digest: of the route, the client's key for it, and
// the body, byte by byte.
func (g agentAPI) decode(c *web.Call, d dialect.Dialect, s *session) (req *dialect.Request, sum tree.Digest, err error) {
	limits := dialect.StandardLimits()
	limits.Choices, limits.Guided, limits.TextOnly = g.config.Settings.MaxChoices, s.guides(&g.config.Settings), !g.player.Images
	req, err = web.ReadBody(c, func(body []byte) (*dialect.Request, error) {
		sum = tree.Sum([]byte(d.Name()), []byte(dialect.KeyOf(c.R.Header)), body)
		req, refused := d.Decode(body, limits)
		if refused != nil {
			return nil, refused
		}
		return req, nil
	})
	return req, sum, err
}

// fail answers a request that cannot be read: in the form of the dialect if that is why.
func fail(c *web.Call, d dialect.Dialect, err error) error {
	if refused, ok := errors.AsType[*dialect.Error](err); ok {
		return refuse(c, d, refused)
	}
	return err
}

// modelOf is the name of the model in a reply: that of the request, or another if it has none.
func modelOf(req *dialect.Request, other string) string { return cmp.Or(req.Model, other) }

// dialectOf is the dialect of a client that asks for models.
func dialectOf(r *http.Request) dialect.Dialect {
	if r.Header.Get("Anthropic-Version") != "" {
		return dialect.Messages()
	}
	return dialect.Chat()
}

// models lists the one model there is.
func (g agentAPI) models(c *web.Call) error {
	d := dialectOf(c.R)
	if _, refused := g.sessionOf(c); refused != nil {
		return refuse(c, d, refused)
	}
	return c.JSON(http.StatusOK, d.Models([]dialect.Model{{ID: g.config.Model}}))
}

// model describes a model: any name is that of the policy.
func (g agentAPI) model(c *web.Call) error {
	d := dialectOf(c.R)
	if _, refused := g.sessionOf(c); refused != nil {
		return refuse(c, d, refused)
	}
	return c.JSON(http.StatusOK, d.Model(dialect.Model{ID: c.Param("model")}))
}

// count counts the tokens that a call would read, those of the session that it continues among
// them. It is not recorded.
func (g agentAPI) count(c *web.Call) error {
	d := dialect.Messages()
	bound(c, d)
	s, refused := g.sessionOf(c)
	if refused != nil {
		c.SkipBody()
		return refuse(c, d, refused)
	}
	req, _, err := g.decode(c, d, s)
	if err != nil {
		return fail(c, d, err)
	}
	if g.player.Count == nil {
		return refuse(c, d, dialect.Errorf(http.StatusNotImplemented, "the policy does not count tokens"))
	}
	p, ask, err := s.wouldAsk(req)
	if err != nil {
		return refuse(c, d, asError(err))
	}
	n, err := tree.OrInParts(p, ask, g.player.Count)
	if err != nil {
		return refuse(c, d, dialect.Errorf(http.StatusBadRequest, "%v", err))
	}
	return c.JSON(http.StatusOK, dialect.CountTokens(n))
}

// agentReward takes a reward from the agent, if it may give one.
func (g agentAPI) agentReward(c *web.Call) error {
	return g.byAgent(c, callerAPI(g).takeReward)
}

// agentEnd lets an agent end its session.
func (g agentAPI) agentEnd(c *web.Call) error { return g.byAgent(c, callerAPI(g).takeEnd) }

func (g agentAPI) byAgent(c *web.Call, do func(*web.Call, *session) error) error {
	s, refused := g.sessionOf(c)
	if refused != nil {
		c.SkipBody()
		return web.Errorf(refused.Status, "%s", refused.Message)
	}
	if !s.group.AgentRewards {
		c.SkipBody()
		return web.Errorf(http.StatusForbidden, "agents may not reward or end their sessions here: agent_rewards is off")
	}
	if err := do(c, s); err != nil {
		return err
	}
	v, _ := s.seen()
	return answer(c, http.StatusOK, map[string]any{"state": v.State}) // no more: the view tells why an outcome is so
}
