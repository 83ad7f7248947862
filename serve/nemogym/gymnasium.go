package nemogym

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/scenario/external/nemogym"
)

// reset begins an episode. The observation is its opening, unless the row already has it.
func (s *server) reset(c *web.Call) error {
	return answerBody(c, func(body []byte) ([]byte, error) {
		r, _ := s.readers.Get().(*reader)
		defer s.readers.Put(r)
		it, err := s.read(c, r, bytes.Clone(body)) // the episode keeps the problem
		if err != nil {
			return nil, err
		}
		if err := s.book.Check(it.problem); err != nil { // now, not at the first step
			return nil, invalid(err)
		}
		var messages []quintain.Message
		err = s.begin(c, func() (e quintain.Env, err error) {
			e, messages, err = s.open(c, it)
			return e, err
		})
		if err != nil {
			return nil, err
		}
		o := nemogym.Observation{Info: map[string]any{"supports_explicit_close": true, "supports_step_idempotency": false}}
		if !asks(r.row.Value(rowParams)) {
			o.Observation = saying(messages)
		}
		return json.Marshal(o)
	})
}

// asks reports whether the parameters of a request to a model contain a message.
func asks(params []byte) bool {
	var p struct {
		Input json.RawMessage `json:"input"`
	}
	if strictjson.Unmarshal(params, &p) != nil {
		return false
	}
	return len(p.Input) > 0 && string(p.Input) != "null" && string(p.Input) != "[]" && string(p.Input) != `""`
}

// saying returns the text of messages; nil: none.
func saying(messages []quintain.Message) *string {
	if len(messages) == 0 {
		return nil
	}
	var texts []string
	for _, m := range messages {
		texts = append(texts, m.Text())
	}
	text := strings.Join(texts, "\n\n")
	return &text
}

// errOver says that a step has no session.
var errOver = web.Errorf(http.StatusNotFound, "the session is over: its episode has ended, nobody asked for as long as serve.idle, or the server was restarted; begin another by /reset")

// step answers one reply of the model.
func (s *server) step(c *web.Call) error {
	return answerBody(c, func(body []byte) ([]byte, error) {
		r, _ := s.readers.Get().(*reader)
		defer s.readers.Put(r)
		if err := r.row.Read(body); err != nil {
			return nil, web.Errorf(http.StatusBadRequest, "the body is not a row: %v", err)
		}
		replies, err := r.repliesOf(r.row.Value(rowResponse))
		if err != nil {
			return nil, invalid(err)
		}
		if _, err := c.R.Cookie(sessionCookie); err != nil {
			return nil, invalid(errors.New("there is no cookie of a session: begin one by /reset, and send its cookie with every step"))
		}
		step, err := s.play(c, len(body), replies[len(replies)-1], errOver)
		if err != nil {
			return nil, err
		}
		return json.Marshal(nemogym.Stepped{
			Observation: observe(step), Reward: &step.Reward, Terminated: step.End == quintain.Terminated, Truncated: step.End == quintain.Truncated,
		})
	})
}

// observe returns what a step shows: the results of calls by their IDs, and the other messages as text.
func observe(step quintain.Step) nemogym.Observation {
	info := map[string]any{"extracted_answer": step.Answer, "reason": step.Why, "malformed": step.Malformed}
	var outputs []map[string]string
	var others []quintain.Message
	for _, m := range step.Observe {
		if m.Role == quintain.RoleTool {
			outputs = append(outputs, map[string]string{"call_id": m.ToolCallID, "output": m.Text()})
		} else {
			others = append(others, m)
		}
	}
	if outputs != nil {
		info["tool_outputs"] = outputs
	}
	return nemogym.Observation{Observation: saying(others), Info: info}
}

// close ends an episode before its end.
func (s *server) close(c *web.Call) error {
	c.MaxBody = maxBody
	c.SkipBody()
	if cookie, err := c.R.Cookie(sessionCookie); err == nil {
		if err := s.sessions.End(cookie.Value, c.Owner); err != nil {
			return err
		}
	}
	return c.JSON(http.StatusOK, []byte("{}"))
}
