package external

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// protocol and least are the newest and the oldest supported versions of docs/formats/scenario.md.
const (
	protocol = 2
	least    = 1
)

// A Request has one of Hello, Open, Step, Close, Solve, Play and Grade.
type Request struct {
	ID    uint64            `json:"id"` // of the episode, or of the request
	Hello *Greeting         `json:"hello,omitempty"`
	Open  *quintain.Problem `json:"open,omitempty"`
	Step  *Reply            `json:"step,omitempty"`
	Close *struct{}         `json:"close,omitempty"`
	Solve *quintain.Problem `json:"solve,omitempty"`
	Play  *quintain.Problem `json:"play,omitempty"`
	Grade *Played           `json:"grade,omitempty"`

	Models map[string]Model `json:"models,omitempty"` // of Play, by their roles
}

// A Greeting is the first request.
type Greeting struct {
	Protocol int `json:"protocol"`
	Least    int `json:"least"` // oldest protocol that is spoken
}

// A Reply is a reply of the policy.
type Reply struct {
	Text      string              `json:"text"`
	ToolCalls []quintain.ToolCall `json:"tool_calls,omitempty"`
	CallFault string              `json:"call_fault,omitempty"`
	Finish    quintain.Finish     `json:"finish"`
}

// line returns the request as a line.
func (r *Request) line() ([]byte, error) {
	text, err := strictjson.Legible(r)
	return append(text, '\n'), err
}

// An Answer is a line from the program. Its fields depend on the request.
type Answer struct {
	ID    uint64  `json:"id"`
	Error string  `json:"error"` // the program failed; all below After is ignored
	Again bool    `json:"again"` // the reply is not the cause of the error: the episode may be played again
	After float64 `json:"after"` // seconds to wait before that

	Hello    *Hello             `json:"hello"`
	Solution *string            `json:"solution"`
	Messages []quintain.Message `json:"messages"` // the next messages for the policy
	Tools    []Tool             `json:"tools"`    // of an episode that begins; or from this reply on

	Grade     *string            `json:"grade"` // an answer for the task to grade: the verdict replaces the program's own
	Reward    *float64           `json:"reward"`
	Answer    string             `json:"answer"`
	Right     bool               `json:"right"`
	Malformed bool               `json:"malformed"`
	End       quintain.End       `json:"end"`
	Why       string             `json:"why"`
	Metrics   map[string]float64 `json:"metrics"` // further numbers of the program, never added to the reward
	Record    json.RawMessage    `json:"record"`  // the program's own record, an object, for people and for grading anew

	NeedsState bool `json:"needs_state"` // in place of a reward for an episode that was played before: see [ErrNeedsState]
}

// A Tool is offered by the program.
type Tool struct {
	Name       string          `json:"name"`
	Doc        string          `json:"description"`
	Parameters json.RawMessage `json:"parameters"` // JSON Schema; nil: there are none
}

// readAnswer reads a line of the program. It accepts only what every reader understands alike:
// known fields, each once, in UTF-8.
func readAnswer(line []byte) (*Answer, error) {
	if fault := strictjson.Check(line, mostDepth); fault != nil {
		return nil, fault
	}
	a := new(Answer)
	if err := strictjson.UnmarshalKnown(line, a); err != nil {
		return nil, err
	}
	return a, nil
}

// mostDepth is the greatest depth of nested values in an answer.
const mostDepth = 100

// fault returns the program's error, which is [quintain.ErrLost] if the reply is not its cause.
func (a *Answer) fault() error {
	err := errors.New(clip(a.Error))
	if a.Again {
		return lost(err)
	}
	return err
}

// opening returns the opening messages of an episode.
func (a *Answer) opening() ([]quintain.Message, error) {
	if a.Error != "" {
		return nil, a.fault()
	}
	switch {
	case a.End != quintain.Going:
		return nil, errors.New("the episode is over before the first reply: there is none that its reward could be for")
	case a.Reward != nil:
		return nil, errors.New("it opens an episode with a reward, and there is no reply that it could be for")
	}
	return a.Messages, checkTalk(a.Messages)
}

// judge lets a task grade the program's Grade as an answer to problem p. A nil task means
// that the problem is the program's own.
func (a *Answer) judge(t quintain.Task, p quintain.Problem) error {
	switch {
	case a.Grade == nil || a.Error != "":
		return nil
	case t == nil:
		return errors.New("grade: there is no task, because the problem is the program's own")
	case a.Reward != nil:
		return errors.New("grade: there is a reward, too")
	}
	v, err := t.Grade(p, *a.Grade)
	a.Reward, a.Answer, a.Right, a.Malformed, a.Why = &v.Score, *a.Grade, v.Score == 1, v.Malformed, v.Reason
	return err
}

// tools returns the tools that the answer offers; nil: it names none.
func (a *Answer) tools() []quintain.Tool {
	if a.Tools == nil {
		return nil
	}
	all := make([]quintain.Tool, len(a.Tools))
	for i, t := range a.Tools {
		all[i] = quintain.Tool{Name: t.Name, Doc: t.Doc, Params: t.Parameters}
	}
	return all
}

// step converts the answer to a reply.
func (a *Answer) step() (s quintain.Step, err error) {
	switch {
	case a.Error != "":
		return s, a.fault()
	case a.End != quintain.Going && a.End != quintain.Terminated && a.End != quintain.Truncated:
		return s, fmt.Errorf("end is %q, want %q, %q or nothing", clip(string(a.End)), quintain.Terminated, quintain.Truncated)
	case a.End != quintain.Going && a.Reward == nil:
		return s, errors.New("an episode ends without a reward")
	}
	if err := a.beside(); err != nil {
		return s, err
	}
	s = quintain.Step{Answer: a.Answer, Right: a.Right, Malformed: a.Malformed, End: a.End, Why: a.Why, Metrics: a.Metrics, Record: a.Record}
	if a.Reward != nil {
		s.Reward = *a.Reward
		if err := quintain.CheckReward(s.Reward); err != nil {
			return s, err
		}
	}
	if a.End == quintain.Going {
		s.Tools = a.tools()
		s.Observe, err = a.Messages, checkTalk(a.Messages)
	}
	return s, err
}

// checkTalk checks messages for the policy.
func checkTalk(talk []quintain.Message) error {
	if len(talk) == 0 {
		return errors.New("there is no message for the policy, and no end")
	}
	roles := []string{quintain.RoleSystem, quintain.RoleUser, quintain.RoleAssistant, quintain.RoleTool}
	for _, m := range talk {
		if !slices.Contains(roles, m.Role) {
			return fmt.Errorf("role of a message is %q, want system, user, assistant or tool", clip(m.Role))
		}
	}
	if talk[len(talk)-1].Role == quintain.RoleAssistant {
		return errors.New("the last message is the policy's own")
	}
	return nil
}

// tooLong returns the fault of an answer longer than most bytes.
func tooLong(most int) error { return fmt.Errorf("an answer is longer than %d bytes", most) }

// clip returns the beginning of a program's text, for an error.
func clip(text string) string {
	const most = 500
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
