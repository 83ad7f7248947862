package nemogym

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/serve/names"
	"github.com/quintain-rl/quintain/task/answer"
)

// problemCookie holds the ID of a rollout's problem, all that /seed_session keeps: even a
// restarted server knows it.
const problemCookie = "quintain_problem"

// A reader reads rows. It is for one goroutine.
type reader struct {
	row        *strictjson.Picker
	response   *strictjson.Picker
	item, part *strictjson.Picker

	parts   []string            // of the current turn
	calls   []quintain.ToolCall // of it
	replies []quintain.Reply    // of the current response
}

// newReader returns a reader.
func newReader() *reader {
	return &reader{
		row: strictjson.NewPicker("problem", "scenario", "task", "question", "answer", "metadata", "response", "responses_create_params",
			"reward", "extracted_answer", "reason", "malformed"),
		response: strictjson.NewPicker("output"),
		item:     strictjson.NewPicker("type", "role", "content", "name", "arguments", "call_id"),
		part:     strictjson.NewPicker("type", "text"),
	}
}

// The members of a row, by their place in the picker of rows. From rowOwn on they are added
// by /verify.
const (
	rowProblem = iota
	rowScenario
	rowTask
	rowQuestion
	rowAnswer
	rowMetadata
	rowResponse
	rowParams
	rowOwn
	rowEnd = rowOwn + 4
)

// A row is the request in a row of a data set.
type row struct {
	problem  quintain.Problem    // refers to parts of the body
	scenario string              // empty: the problem's, or the usual one
	entry    *reasoninggym.Entry // for NeMo Gym's own reasoning_gym server; nil: the problem is one of ours
}

// read reads a row. The problem refers to parts of the body.
func (s *server) read(c *web.Call, r *reader, body []byte) (it row, err error) {
	if err := r.row.Read(body); err != nil {
		return it, web.Errorf(http.StatusBadRequest, "the body is not a row: %v", err)
	}
	if scenario := r.row.Value(rowScenario); scenario != nil {
		if it.scenario, err = text(scenario); err != nil {
			return it, invalid(fmt.Errorf("scenario: %w", err))
		}
	}
	if it.problem, it.entry, err = s.problem(c, r.row, body); err != nil {
		return it, invalid(err)
	}
	return it, nil
}

// problem returns the problem of a row, or of the cookie.
func (s *server) problem(c *web.Call, members *strictjson.Picker, body []byte) (p quintain.Problem, entry *reasoninggym.Entry, err error) {
	switch {
	case members.Value(rowProblem) != nil:
		p, err = s.book.Problem(members.Value(rowProblem))
		return p, nil, err
	case members.Value(rowTask) != nil:
		var d names.Draw
		if err := strictjson.Unmarshal(body, &d); err != nil {
			return p, nil, strictjson.Explain(err)
		}
		draw, err := s.book.Draw(d)
		if err != nil {
			return p, nil, err
		}
		p, err = draw(d.Index)
		return p, nil, err
	case bytes.Contains(members.Value(rowMetadata), []byte(`"source_dataset"`)):
		p, e, err := s.book.Entry(members.Value(rowQuestion), members.Value(rowAnswer), members.Value(rowMetadata))
		return p, &e, err
	}
	cookie, err := c.R.Cookie(problemCookie)
	if err != nil {
		return p, nil, errors.New("problem: is missing; want problem, task, or the question, answer and metadata of reasoning-gym")
	}
	p, err = s.book.Problem(strictjson.AppendText(nil, cookie.Value))
	return p, nil, err
}

// seed begins a rollout. If the problem is played with tools, the rollout has a session for them.
func (s *server) seed(c *web.Call) error {
	return answerBody(c, func(body []byte) ([]byte, error) {
		r, _ := s.readers.Get().(*reader)
		defer s.readers.Put(r)
		it, err := s.read(c, r, bytes.Clone(body)) // a session keeps the problem
		if err != nil {
			return nil, err
		}
		if it.problem.Level != quintain.OwnParams && it.entry == nil {
			setCookie(c, problemCookie, it.problem.ID())
		}
		return []byte("{}"), s.offer(c, it)
	})
}

// setCookie sets a cookie for the routes of the server.
func setCookie(c *web.Call, name, value string) {
	http.SetCookie(c.W, &http.Cookie{Name: name, Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

// judge plays the replies of a response.
func (s *server) judge(c *web.Call, it row, replies []quintain.Reply) (quintain.Step, error) {
	if it.entry == nil || it.scenario != "" {
		return s.book.Judge(c.Context(), it.problem, it.scenario, replies...)
	}
	// NeMo Gym's reasoning_gym server reads replies like this, because its prompts do not
	// mention tags.
	found := extract(replies[len(replies)-1].Text)
	v, err := s.book.GradeEntry(it.problem, *it.entry, found)
	return quintain.Step{Answer: found, Reward: v.Score, Malformed: v.Malformed, Why: v.Reason}, err
}

// extract returns the answer of a reply: the tagged one, or else the boxed one, or else all
// but the thinking.
func extract(reply string) string {
	if tagged, why := answer.Tagged(reply); why == "" {
		return tagged
	}
	rest := answer.WithoutThinking(reply)
	if boxed, found := answer.Boxed(rest); found {
		return boxed
	}
	return strings.TrimSpace(rest)
}

// text reads a string.
func text(value []byte) (s string, err error) {
	if s, plain := strictjson.Text(value); plain {
		return s, nil
	}
	if len(value) == 0 || value[0] != '"' || strictjson.Unmarshal(value, &s) != nil {
		return "", errors.New("want a string")
	}
	return s, nil
}
