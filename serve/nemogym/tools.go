package nemogym

import (
	"crypto/rand"
	"errors"
	"net/http"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/serve/names"
)

// open opens an episode of a row, whose problem must not refer to a body any more.
func (s *server) open(c *web.Call, it row) (quintain.Env, []quintain.Message, error) {
	e, err := s.book.Env(it.problem, it.scenario)
	if err != nil {
		return nil, nil, invalid(err)
	}
	messages, err := e.Open(c.Context())
	if err != nil {
		return nil, nil, errors.Join(invalid(err), e.Close())
	}
	return e, messages, nil
}

// begin begins the session of an open episode.
func (s *server) begin(c *web.Call, e quintain.Env) error {
	name := rand.Text()
	if err := s.sessions.Add(name, &session{env: e}); err != nil {
		return err
	}
	setCookie(c, sessionCookie, name)
	return nil
}

// offer begins a session for the calls of a rollout, if its problem is played with tools. What cannot
// be played at all, /verify says.
func (s *server) offer(c *web.Call, it row) error {
	if it.entry != nil || it.scenario == byJudge {
		return nil
	}
	e, _, err := s.open(c, it)
	if err != nil {
		return nil //nolint:nilerr // see above
	}
	if len(names.ToolsOf(e)) == 0 {
		return e.Close()
	}
	return s.begin(c, e)
}

// errNoSession says that a call has no session.
var errNoSession = web.Errorf(http.StatusNotFound, "there is no such route, or no session with tools: a rollout begins by /seed_session or /reset, whose cookie comes with every call")

// call makes a call of a tool, whose name is that of the route, and answers with its text. /verify does
// not need the session: it makes the calls of the response again.
func (s *server) call(c *web.Call) error {
	c.MaxBody, c.Plain = maxBody, true
	args, err := web.ReadBody(c, func(body []byte) (string, error) { return string(body), nil })
	if err != nil {
		return err
	}
	cookie, err := c.R.Cookie(sessionCookie)
	if err != nil {
		return errNoSession
	}
	of, ok := s.sessions.Get(cookie.Value)
	if !ok {
		return errNoSession
	}
	name := c.Param("tool")
	if rest, server := strings.CutPrefix(name, "mcp__"); server {
		_, name, _ = strings.Cut(rest, "__")
	}
	var step quintain.Step
	err = compute(c, len(args), func() error {
		step, err = of.step(c, quintain.Reply{ToolCalls: []quintain.ToolCall{{ID: "call", Name: name, Arguments: args}}, Finish: quintain.Stop})
		return err
	})
	if err != nil {
		return errors.Join(err, s.sessions.End(cookie.Value))
	}
	if step.End != quintain.Going {
		if err := s.sessions.End(cookie.Value); err != nil {
			return err
		}
	}
	setCookie(c, sessionCookie, cookie.Value) // agents keep only the cookies of the last reply
	told := ""
	if text := saying(step.Observe); text != nil {
		told = *text
	}
	return c.Text(http.StatusOK, told)
}
