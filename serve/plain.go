package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/pipe"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/judge"
	"github.com/quintain-rl/quintain/serve/names"
)

// maxBody limits the bytes of a request to grade.
const maxBody = 32 << 20

// plain is our own protocol: problems, and grades.
type plain struct {
	book *names.Book
	of   Settings
	jury *judge.Jury // nil: none
}

// routes returns the routes of the protocol.
func (p plain) routes() []web.Route {
	return []web.Route{
		{Method: "GET", Path: "/v1/tasks", For: web.AnyKey, Serve: p.tasks},
		{Method: "POST", Path: "/v1/problems", For: web.AnyKey, Serve: answer(p.problems)},
		{Method: "POST", Path: "/v1/grade", For: web.AnyKey, Serve: p.answerGrade},
	}
}

// answer returns the handler of a route that answers the body of a request. An error from
// outside package web is about the request.
func answer(reply func(c *web.Call, body []byte) ([]byte, error)) func(*web.Call) error {
	return func(c *web.Call) error {
		c.MaxBody = maxBody
		return c.Answer(func(body []byte) ([]byte, error) { return reply(c, body) })
	}
}

// invalid returns the error of a request for something that does not exist.
func invalid(format string, args ...any) error {
	return web.Errorf(http.StatusUnprocessableEntity, format, args...)
}

// tasks describes the tasks: all, or those of a category or with a text.
func (p plain) tasks(c *web.Call) error {
	type row struct {
		Name     string            `json:"name"`
		Version  int               `json:"version"`
		Category string            `json:"category"`
		Doc      string            `json:"doc"`
		Levels   []json.RawMessage `json:"levels"` // the settings of each, easiest first
	}
	q := c.R.URL.Query()
	found, err := p.book.List(q.Get("category"), q.Get("search"))
	if err != nil {
		return invalid("%v", err)
	}
	rows := make([]row, len(found))
	for i, info := range found {
		rows[i] = row{info.Name, info.Version, info.Category, info.Doc, info.Levels}
	}
	text, err := json.Marshal(map[string]any{"tasks": rows})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, text)
}

// problems draws problems.
func (p plain) problems(c *web.Call, body []byte) ([]byte, error) {
	asked := struct {
		names.Draw
		Count int `json:"count"`
	}{Count: 1}
	if err := decode(body, &asked); err != nil {
		return nil, err
	}
	if asked.Count < 0 || asked.Count > p.of.MaxProblems {
		return nil, invalid("count: is %d, want 0 to %d", asked.Count, p.of.MaxProblems)
	}
	draw, err := p.book.Draw(asked.Draw)
	if err != nil {
		return nil, invalid("%v", err)
	}
	text, messages := []byte(`{"problems":[`), []byte(nil)
	for i := range asked.Count {
		if err := c.Context().Err(); err != nil {
			return nil, err
		}
		problem, err := draw(asked.Index + i)
		if err != nil {
			return nil, invalid("%v", err)
		}
		if i > 0 {
			text = append(text, ',')
		}
		if text, err = p.book.Append(text, problem); err != nil {
			return nil, err
		}
		if problem.Scenario != "" {
			if i > 0 {
				messages = append(messages, ',')
			}
			if messages, err = p.open(c, messages, problem); err != nil {
				return nil, err
			}
		}
	}
	text = append(text, ']')
	if len(messages) > 0 {
		text = append(append(append(text, `,"messages":[`...), messages...), ']')
	}
	return append(text, '}'), nil
}

// open appends the opening messages for a model.
func (p plain) open(c *web.Call, dst []byte, problem quintain.Problem) ([]byte, error) {
	e, err := p.book.Env(problem, "")
	if err != nil {
		return dst, err
	}
	defer e.Close()
	messages, err := e.Open(c.Context())
	if err != nil {
		return dst, err
	}
	text, err := json.Marshal(messages)
	return append(dst, text...), err
}

// An item is a problem with an answer, or with a whole reply of a model.
type item struct {
	Problem  json.RawMessage `json:"problem"`
	Scenario string          `json:"scenario"` // judges the reply; empty: the problem's, or the usual one
	Answer   json.RawMessage `json:"answer"`
	Reply    json.RawMessage `json:"reply"`
}

// grade grades an item, or several.
func (p plain) grade(c *web.Call, body []byte) ([]byte, error) {
	var asked struct {
		item
		Items []item `json:"items"`
	}
	if err := decode(body, &asked); err != nil {
		return nil, err
	}
	if asked.Items == nil {
		v, err := p.judge(c, asked.item)
		if err != nil {
			return nil, refused("", err)
		}
		return json.Marshal(v)
	}
	if len(asked.Items) > p.of.MaxProblems {
		return nil, web.Errorf(http.StatusRequestEntityTooLarge, "items: has %d members, want %d at most: send several requests", len(asked.Items), p.of.MaxProblems)
	}
	verdicts := make([]pipe.Verdict, len(asked.Items))
	err := p.all(c, asked.Items, func(i int) (err error) {
		if verdicts[i], err = p.judge(c, asked.Items[i]); err != nil {
			return refused(fmt.Sprintf("items.%d.", i), err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(verdicts)
	return fmt.Appendf(nil, `{"verdicts":%s}`, text), err
}

// judge grades one item.
func (p plain) judge(c *web.Call, it item) (v pipe.Verdict, err error) {
	problem, err := p.book.Problem(it.Problem)
	if err != nil {
		return v, err
	}
	if (it.Answer == nil) == (it.Reply == nil) {
		return v, errors.New("answer: want it, or reply, and not both; null for none")
	}
	if it.Answer != nil {
		answer, err := text("answer", it.Answer)
		if err != nil {
			return v, err
		}
		return p.book.Grade(problem, answer)
	}
	reply, err := text("reply", it.Reply)
	if err != nil {
		return v, err
	}
	if reply == nil {
		reply = new(string)
	}
	if it.Scenario == byJudge {
		return p.ask(c, problem, *reply)
	}
	step, err := p.book.Judge(c.Context(), problem, it.Scenario, policy.PlainReply(*reply))
	return pipe.Verdict{Score: step.Reward, Malformed: step.Malformed, Reason: step.Why}, err
}

// text reads a string, or null for none.
func text(name string, value []byte) (s *string, err error) {
	if err := strictjson.Unmarshal(value, &s); err != nil {
		return nil, fmt.Errorf("%s: want a string, or null for none", name)
	}
	return s, nil
}

// decode reads the body of a request, without unknown members.
func decode(body []byte, v any) error {
	if err := strictjson.UnmarshalKnown(body, v); errors.As(err, new(*json.UnmarshalTypeError)) {
		return invalid("%v", strictjson.Explain(err))
	} else if err != nil {
		return web.Errorf(http.StatusBadRequest, "the body cannot be read: %v", strictjson.Explain(err))
	}
	return nil
}
