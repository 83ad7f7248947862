package nemogym

import (
	"crypto/rand"
	"errors"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
)

// sessionCookie holds the name of a session.
const sessionCookie = "quintain_session"

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

// begin begins the session of an episode that open opens.
func (s *server) begin(c *web.Call, open func() (quintain.Env, error)) error {
	name := rand.Text()
	if err := s.sessions.Open(name, c.Owner, open); err != nil {
		return err
	}
	setCookie(c, sessionCookie, name)
	return nil
}

// play plays a reply in the session of a call, whose body has so many bytes. A step that fails ends the
// session, as the last one of the episode does. Without a session, the error is none.
func (s *server) play(c *web.Call, bytes int, reply quintain.Reply, none error) (step quintain.Step, err error) {
	cookie, err := c.R.Cookie(sessionCookie)
	if err != nil {
		return step, none
	}
	ok, err := s.sessions.Call(cookie.Value, c.Owner, func(e quintain.Env) (over bool, err error) {
		err = compute(c, bytes, func() error {
			step, err = e.Step(c.Context(), reply)
			return err
		})
		return err != nil || step.End != quintain.Going, err
	})
	if !ok {
		return step, none
	}
	if err == nil {
		setCookie(c, sessionCookie, cookie.Value) // agents keep only the cookies of the last reply
	}
	return step, err
}
