package nemogym

import (
	"net/http"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/serve/names"
)

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
	return s.begin(c, func() (quintain.Env, error) { return e, nil })
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
	name := c.Param("tool")
	if rest, server := strings.CutPrefix(name, "mcp__"); server {
		_, name, _ = strings.Cut(rest, "__")
	}
	step, err := s.play(c, len(args), quintain.Reply{ToolCalls: []quintain.ToolCall{{ID: "call", Name: name, Arguments: args}}, Finish: quintain.Stop}, errNoSession)
	if err != nil {
		return err
	}
	told := ""
	if text := saying(step.Observe); text != nil {
		told = *text
	}
	return c.Text(http.StatusOK, told)
}
