package external

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// protocol is the supported version of docs/formats/scenario.md.
const protocol = 1

// A request has one of Hello, Open, Step, Close and Solve.
type request struct {
	ID    uint64            `json:"id"` // of the episode, or of the request
	Hello *greeting         `json:"hello,omitempty"`
	Open  *quintain.Problem `json:"open,omitempty"`
	Step  *reply            `json:"step,omitempty"`
	Close *struct{}         `json:"close,omitempty"`
	Solve *quintain.Problem `json:"solve,omitempty"`
}

// A greeting is the first request.
type greeting struct {
	Protocol int `json:"protocol"`
}

// A reply is a reply of the policy.
type reply struct {
	Text      string              `json:"text"`
	ToolCalls []quintain.ToolCall `json:"tool_calls,omitempty"`
	CallFault string              `json:"call_fault,omitempty"`
	Finish    quintain.Finish     `json:"finish"`
}

// line returns the request as a line.
func (r *request) line() ([]byte, error) {
	text, err := strictjson.Legible(r)
	return append(text, '\n'), err
}

// An answer is a line from the program. Its fields depend on the request.
type answer struct {
	ID    uint64 `json:"id"`
	Error string `json:"error"` // the program failed; all else is ignored

	Hello    *hello             `json:"hello"`
	Solution *string            `json:"solution"`
	Messages []quintain.Message `json:"messages"` // the next messages for the policy
	Tools    []tool             `json:"tools"`    // of an episode that begins

	Grade     *string      `json:"grade"` // an answer for the task to grade: the verdict replaces the program's own
	Reward    *float64     `json:"reward"`
	Answer    string       `json:"answer"`
	Right     bool         `json:"right"`
	Malformed bool         `json:"malformed"`
	End       quintain.End `json:"end"`
	Why       string       `json:"why"`
}

// A tool is offered by the program.
type tool struct {
	Name       string          `json:"name"`
	Doc        string          `json:"description"`
	Parameters json.RawMessage `json:"parameters"` // JSON Schema; nil: there are none
}

// A hello introduces the program.
type hello struct {
	Protocol int               `json:"protocol"`
	Name     string            `json:"name"`
	Version  int               `json:"version"`
	Doc      string            `json:"doc"`
	Settings json.RawMessage   `json:"settings"` // those that differ from the program's defaults, an object; nil: none
	Parallel int               `json:"parallel"` // concurrent requests; 0: 1
	Levels   []json.RawMessage `json:"levels"`   // parameters of the levels of its own problems; nil: it plays those of tasks
	Solves   bool              `json:"solves"`   // it can solve its own problems

	Replayable bool `json:"replayable"` // see [quintain.ScenarioInfo]
}

// id identifies the program, like [quintain.ScenarioInfo.ID].
func (h *hello) id() string {
	info := h.info()
	return info.ID()
}

// info describes the program as a scenario.
func (h *hello) info() quintain.ScenarioInfo {
	info := quintain.ScenarioInfo{Name: h.Name, Doc: h.Doc, Source: "A program of its own.", Version: h.Version, Settings: h.Settings, Default: h.Settings == nil, Replayable: h.Replayable}
	if info.Default {
		info.Settings = json.RawMessage("{}")
	}
	return info
}

// readAnswer reads a line of the program. It accepts only what every reader understands alike:
// known fields, each once, in UTF-8.
func readAnswer(line []byte) (*answer, error) {
	if fault := strictjson.Check(line, mostDepth); fault != nil {
		return nil, fault
	}
	a := new(answer)
	if err := strictjson.UnmarshalKnown(line, a); err != nil {
		return nil, err
	}
	return a, nil
}

// mostDepth is the greatest depth of nested values in an answer.
const mostDepth = 100

var nameForm = compiled.Regexp(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// Limits of levels and of concurrent requests.
const (
	mostLevels   = 1000
	mostParallel = 1 << 16
)

// isHello checks the answer to a greeting, and fills in its defaults.
func (a *answer) isHello() error {
	h := a.Hello
	switch {
	case a.Error != "":
		return errors.New(clip(a.Error))
	case h == nil:
		return errors.New("hello: the program did not introduce itself")
	case h.Protocol != protocol:
		return fmt.Errorf("hello: protocol is %d, want %d", h.Protocol, protocol)
	case len(h.Name) > 64 || !nameForm().MatchString(h.Name):
		return fmt.Errorf("hello: name is %q, want one in snake_case, of at most 64 characters", clip(h.Name))
	case h.Version < 1:
		return fmt.Errorf("hello: version is %d, want 1 or more", h.Version)
	case h.Parallel < 0 || h.Parallel > mostParallel:
		return fmt.Errorf("hello: parallel is %d, want 1 to %d", h.Parallel, mostParallel)
	case h.Levels != nil && len(h.Levels) == 0 || len(h.Levels) > mostLevels:
		return fmt.Errorf("hello: it has %s, want 1 to %d", stats.Count(len(h.Levels), "level"), mostLevels)
	}
	if h.Parallel == 0 {
		h.Parallel = 1
	}
	if string(h.Settings) == "null" {
		h.Settings = nil
	}
	return h.compact()
}

// compact strips levels and settings, which must be objects, of white space: IDs depend on
// them.
func (h *hello) compact() error {
	objects := []*json.RawMessage{&h.Settings}
	for i := range h.Levels {
		objects = append(objects, &h.Levels[i])
	}
	for _, object := range objects {
		if *object == nil {
			continue
		}
		var b bytes.Buffer
		if err := json.Compact(&b, *object); err != nil || b.Bytes()[0] != '{' {
			return fmt.Errorf("hello: settings or level are %s, want an object", clip(string(*object)))
		}
		*object = b.Bytes()
	}
	return nil
}

// opening returns the opening messages of an episode.
func (a *answer) opening() ([]quintain.Message, error) {
	if a.Error != "" {
		return nil, errors.New(clip(a.Error))
	}
	if a.Reward != nil || a.End != quintain.Going {
		return nil, errors.New("it opens an episode with a reward or an end")
	}
	return a.Messages, checkTalk(a.Messages)
}

// judge lets a task grade the program's Grade as an answer to problem p. A nil task means
// that the problem is the program's own.
func (a *answer) judge(t quintain.Task, p quintain.Problem) error {
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

// step converts the answer to a reply.
func (a *answer) step() (s quintain.Step, err error) {
	switch {
	case a.Error != "":
		return s, errors.New(clip(a.Error))
	case a.End != quintain.Going && a.End != quintain.Terminated && a.End != quintain.Truncated:
		return s, fmt.Errorf("end is %q, want %q, %q or nothing", clip(string(a.End)), quintain.Terminated, quintain.Truncated)
	case a.End != quintain.Going && a.Reward == nil:
		return s, errors.New("an episode ends without a reward")
	}
	s = quintain.Step{Answer: a.Answer, Right: a.Right, Malformed: a.Malformed, End: a.End, Why: a.Why}
	if a.Reward != nil {
		s.Reward = *a.Reward
		if err := quintain.CheckReward(s.Reward); err != nil {
			return s, err
		}
	}
	if a.End == quintain.Going {
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
