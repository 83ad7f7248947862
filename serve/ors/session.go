package ors

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/internal/wire"
	"github.com/quintain-rl/quintain/scenario"
	"github.com/quintain-rl/quintain/serve/names"
)

// A session is an episode.
type session struct {
	opening []quintain.Message // the first messages for the policy
	tools   []quintain.Tool    // of the scenario

	env  quintain.Env // its calls are alone with the rest
	over bool
	task string // name of the last call
	said []byte // the reply to it
}

// Close ends the episode.
func (s *session) Close() error { return s.env.Close() }

// idOf returns the name of a call's session.
func idOf(c *web.Call) (string, error) {
	id := c.R.Header.Get("X-Session-ID")
	if id == "" || len(id) > 200 {
		return "", web.Errorf(http.StatusBadRequest, "X-Session-ID: want the ID that POST /create_session gives")
	}
	return id, nil
}

// errNone says that a session has no environment.
var errNone = web.Errorf(http.StatusNotFound, "the session has no environment: it has ended, nobody used it for long, or the server was restarted; begin another by POST /create")

// session returns the session of a call.
func (s *server) session(c *web.Call) (*session, error) {
	id, err := idOf(c)
	if err != nil {
		return nil, err
	}
	of, ok := s.sessions.Get(id, c.Owner)
	if !ok {
		return nil, errNone
	}
	return of, nil
}

// create opens the episode of a session.
func (s *server) create(c *web.Call) error {
	return answer(c, func(body []byte) (any, error) {
		var asked struct {
			Name  string          `json:"env_name"`
			Spec  json.RawMessage `json:"task_spec"`
			Split string          `json:"split"`
			Index *int            `json:"index"`
		}
		id, err := idOf(c)
		if err != nil {
			return nil, err
		}
		if err := decode(body, &asked); err != nil {
			return nil, err
		}
		if (asked.Spec == nil) == (asked.Index == nil) {
			return nil, web.Errorf(http.StatusUnprocessableEntity, "want either task_spec or split and index")
		}
		if asked.Spec == nil {
			of, err := s.split(asked.Name, asked.Split)
			if err != nil {
				return nil, err
			}
			if asked.Spec, err = marshalOne(of, *asked.Index); err != nil {
				return nil, err
			}
		}
		return map[string]string{"sid": id}, s.sessions.Open(id, c.Owner, func() (*session, error) {
			return s.open(c.Context(), asked.Name, asked.Spec)
		})
	})
}

// marshalOne returns the JSON of the problem of an index.
func marshalOne(of split, index int) ([]byte, error) {
	if _, err := one(of, wish{Index: index}); err != nil {
		return nil, err
	}
	return json.Marshal(of.at(index))
}

// maxSpec limits the bytes of a task_spec: the session keeps some of them.
const maxSpec = 64 << 10

// open opens the episode of the problem in a spec, by default of an environment.
func (s *server) open(ctx context.Context, environment string, text []byte) (*session, error) {
	if len(text) > maxSpec {
		return nil, web.Errorf(http.StatusRequestEntityTooLarge, "task_spec: has %d bytes, want %d at most", len(text), maxSpec)
	}
	draw := names.Draw{}
	if err := strictjson.UnmarshalKnown(text, &draw); err != nil {
		return nil, web.Errorf(http.StatusUnprocessableEntity, "task_spec: %v", strictjson.Explain(err))
	}
	if draw.Task == "" {
		var err error
		if draw.Task, err = s.environment(environment); err != nil {
			return nil, err
		}
	}
	e, err := s.episode(draw)
	if err != nil {
		return nil, web.Errorf(http.StatusUnprocessableEntity, "task_spec: %v", err)
	}
	opening, err := e.Open(ctx)
	if err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return &session{env: e, opening: opening, tools: names.ToolsOf(e)}, nil
}

// episode returns the episode of a problem. Without a scenario, it judges the answer as it
// is.
func (s *server) episode(draw names.Draw) (quintain.Env, error) {
	problem, err := s.book.Draw(draw)
	if err != nil {
		return nil, err
	}
	p, err := problem(draw.Index)
	if err != nil {
		return nil, err
	}
	if p.Scenario != "" {
		return s.book.Env(p, "")
	}
	t, err := s.book.Tasks().Get(p.Task)
	return scenario.OneTurn{}.Env(t, p), err
}

// ping marks a session as used.
func (s *server) ping(c *web.Call) error {
	return answer(c, func([]byte) (any, error) {
		_, err := s.session(c)
		return map[string]string{"status": "ok"}, err
	})
}

// end ends a session, if there is one.
func (s *server) end(c *web.Call) error {
	return answer(c, func([]byte) (any, error) {
		id, err := idOf(c)
		if err != nil {
			return nil, err
		}
		return map[string]string{"sid": id}, s.sessions.End(id, c.Owner)
	})
}

// blocks returns the texts of messages.
func blocks(messages []quintain.Message) []wire.ORSBlock {
	list := []wire.ORSBlock{}
	for _, m := range messages {
		list = append(list, wire.ORSBlock{Text: m.Text(), Type: wire.ORSText})
	}
	return list
}

// prompt answers with the first messages for the policy, as blocks.
func (s *server) prompt(c *web.Call) error {
	return answer(c, func([]byte) (any, error) {
		of, err := s.session(c)
		if err != nil {
			return nil, err
		}
		return blocks(of.opening), nil
	})
}

// messages answers with the same, by role.
func (s *server) messages(c *web.Call) error {
	return answer(c, func([]byte) (any, error) {
		of, err := s.session(c)
		if err != nil {
			return nil, err
		}
		var list []wire.ORSMessage
		for _, m := range of.opening {
			list = append(list, wire.ORSMessage{Role: m.Role, Blocks: blocks([]quintain.Message{m})})
		}
		return list, nil
	})
}

// answerIn returns the answer in the input of the tool, or its fault.
func answerIn(input json.RawMessage) (text, wrong string) {
	var given struct {
		Answer *string `json:"answer"`
	}
	if err := strictjson.UnmarshalKnown(input, &given); err != nil {
		return "", strictjson.Explain(err).Error()
	}
	if given.Answer == nil {
		return "", "answer is missing"
	}
	return *given.Answer, ""
}

// call carries out a call of the tool, once, and streams the reply.
func (s *server) call(c *web.Call) error {
	c.MaxBody = maxBody
	id := ""
	asked, err := web.ReadBody(c, func(body []byte) (asked wire.ORSCalling, err error) {
		if id, err = idOf(c); err != nil {
			return asked, err
		}
		err = decode(body, &asked)
		return asked, err
	})
	if err != nil {
		return err
	}
	var task string
	var said []byte
	ok, err := s.sessions.Call(id, c.Owner, func(of *session) (over bool, err error) {
		return false, c.Compute(func() error {
			task, said, err = of.call(c.Context(), asked)
			return err
		})
	})
	if !ok {
		return errNone
	}
	if err != nil {
		return err
	}
	return stream(c, task, said)
}

// call carries out a call, or repeats the reply to the last one.
func (s *session) call(ctx context.Context, asked wire.ORSCalling) (task string, said []byte, err error) {
	switch {
	case asked.Task != "" && asked.Task == s.task:
		return s.task, s.said, nil
	case asked.Task != "":
		return "", nil, web.Errorf(http.StatusNotFound, "task_id: the session has no call of this ID")
	}
	reply, err := s.play(ctx, asked)
	if err != nil {
		return "", nil, err
	}
	if said, err = json.Marshal(reply); err != nil {
		return "", nil, err
	}
	s.task, s.said = newTask(), said
	return s.task, said, nil
}

// reply reads a call as a reply of the policy, or says why it is none.
func (s *session) reply(asked wire.ORSCalling) (reply quintain.Reply, no *wire.ORSRefusal) {
	reply.Finish = quintain.Stop
	ofScenario := slices.ContainsFunc(s.tools, func(t quintain.Tool) bool { return t.Name == asked.Name })
	switch {
	case asked.Name != submit && !ofScenario:
		return reply, &wire.ORSRefusal{Error: fmt.Sprintf("there is no tool %.100q", asked.Name), Reason: wire.ORSNotFound}
	case s.over:
		return reply, &wire.ORSRefusal{Error: "the episode is over", Reason: wire.ORSOver}
	case ofScenario:
		reply.ToolCalls = []quintain.ToolCall{{ID: "call", Name: asked.Name, Arguments: string(asked.Input)}}
		return reply, nil
	}
	answer, wrong := answerIn(asked.Input)
	if wrong != "" {
		return reply, &wire.ORSRefusal{Error: "input: " + wrong, Reason: wire.ORSInvalid}
	}
	reply.Text = answer
	return reply, nil
}

// play plays a call. The error is our own fault: the episode then has no reward.
func (s *session) play(ctx context.Context, asked wire.ORSCalling) (any, error) {
	reply, no := s.reply(asked)
	if no != nil {
		return no, nil
	}
	step, err := s.env.Step(ctx, reply)
	if err != nil {
		s.over = true
		return nil, err
	}
	s.over = step.End != quintain.Going
	said := blocks(step.Observe)
	if s.over {
		said = append(said, wire.ORSBlock{Text: fmt.Sprintf("The score is %v.", step.Reward), Type: wire.ORSText})
	}
	metadata := map[string]any{"right": step.Right, "malformed": step.Malformed, "reason": step.Why, "end": step.End}
	return map[string]any{"ok": true, "output": wire.ORSOutput{Blocks: said, Metadata: metadata, Reward: &step.Reward, Finished: s.over}}, nil
}
