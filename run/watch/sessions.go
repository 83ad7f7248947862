package watch

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/rollout"
)

// Agents are the sessions of agents elsewhere. Many goroutines may call its methods at once.
type Agents interface {
	// Views returns what can be said of each session.
	Views() []gateway.View

	// Session returns a session and its calls so far.
	Session(id string) (gateway.View, quintain.Trajectory, error)
}

// ShowAgents adds the pages of agents' sessions. Call it before the first request.
func (s *Server) ShowAgents(a Agents) {
	s.agents = a
}

// A sessionsPage is the content of the page of sessions.
type sessionsPage struct {
	Rows []gateway.View
	Live int
}

// refreshSessions makes a browser load the page again: what it shows is not in the folder
// that the others follow.
func refreshSessions(c *web.Call, live bool) {
	if live {
		c.W.Header().Set("Refresh", "2")
	}
}

// An agentPages shows the sessions of agents.
type agentPages struct{ *Server }

// errNoAgents says that there are no sessions, and how there could be.
func errNoAgents() error {
	return web.Errorf(http.StatusNotFound, "this run plays its problems itself: with quintain gateway, agents elsewhere do")
}

// sessions answers with the page of sessions.
func (s agentPages) sessions(c *web.Call) error {
	if s.agents == nil {
		return errNoAgents()
	}
	p := sessionsPage{Rows: s.agents.Views()}
	slices.SortFunc(p.Rows, func(a, b gateway.View) int {
		return cmp.Or(cmp.Compare(a.IdleFor, b.IdleFor), cmp.Compare(a.ID, b.ID))
	})
	for _, v := range p.Rows {
		if v.Outcome == "" {
			p.Live++
		}
	}
	refreshSessions(c, true)
	return s.show(c, view{"Sessions of agents", "sessions", p})
}

// A sessionPage is the content of the page of a session.
type sessionPage struct {
	View   gateway.View
	Prompt excerpt
	Turns  []turn
}

// session answers with the page of a session.
func (s agentPages) session(c *web.Call) error {
	if s.agents == nil {
		return errNoAgents()
	}
	v, t, err := s.agents.Session(c.R.URL.Query().Get("id"))
	if err != nil {
		return err
	}
	w := &pen{room: mostOnPage}
	p := sessionPage{View: v, Prompt: w.write(t.Problem.Prompt, "")}
	_, sequences := rollout.WholeEpisodes.Trained(&t)
	tree := callsOf(&t, sequences)
	for k := range t.Turns {
		one := newTurn(w, &t.Turns[k], place{0, k, 0}, nil)
		one.Call, one.Anchor = &tree[k], "c-"
		if one.Reward != nil && *one.Reward == 0 {
			one.Reward = nil // most calls have none of their own
		}
		p.Turns = append(p.Turns, one)
	}
	refreshSessions(c, v.Outcome == "")
	return s.show(c, view{fmt.Sprintf("Session %.8s", v.ID), "session", p})
}
