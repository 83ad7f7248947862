package external

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// This file has what the clients of other systems' servers share.

// MostParallel is the largest [Hello.Parallel]: that of a guest whose server limits itself.
const MostParallel = mostParallel

// MostKept limits the bytes of what a guest has beside its rewards, so that it fits into the record of an answer.
const MostKept = 60 << 10

// Snake returns a name for a [Hello]: text in lower case, with an underscore for all that is neither a
// letter nor a digit of ASCII, and cut at 64 characters. It must begin with a letter.
func Snake(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9') })
	name := strings.Join(words, "_")
	return strings.TrimRight(name[:min(len(name), 64)], "_")
}

// Episodes are the open episodes of a guest by number. Its zero value has none. Many goroutines may use
// it at once.
type Episodes[E any] struct{ open sync.Map }

// Put adds an episode.
func (s *Episodes[E]) Put(number uint64, e E) { s.open.Store(number, e) }

// Get returns an episode. The error is [quintain.ErrLost].
func (s *Episodes[E]) Get(number uint64) (e E, err error) {
	if v, ok := s.open.Load(number); ok {
		return v.(E), nil
	}
	return e, Lost(errors.New("the client does not know the episode"))
}

// Take removes an episode, and reports whether there was one.
func (s *Episodes[E]) Take(number uint64) (e E, ok bool) {
	v, ok := s.open.LoadAndDelete(number)
	if ok {
		e = v.(E)
	}
	return e, ok
}

// All calls each for every episode.
func (s *Episodes[E]) All(each func(E)) {
	s.open.Range(func(_, v any) bool {
		each(v.(E))
		return true
	})
}

// A Saying is what an environment says to an action or to a call.
type Saying struct {
	Message quintain.Message // for the policy
	Reward  *float64         // nil: none
	Over    bool             // it ends the episode
}

// Take adds a saying to an answer: its message, its reward, and the end, which needs one.
func (a *Answer) Take(s Saying) error {
	if a.Reward == nil {
		a.Reward = new(float64)
	}
	if s.Reward != nil {
		if err := quintain.CheckReward(*s.Reward); err != nil {
			return err
		}
		*a.Reward += *s.Reward
	}
	a.Messages = append(a.Messages, s.Message)
	if !s.Over {
		return nil
	}
	if s.Reward == nil {
		return errors.New("the episode ends without a reward (servers write a NaN so, too)")
	}
	a.Messages, a.End, a.Why = nil, quintain.Terminated, clip(s.Message.Text())
	return nil
}

// A Patience bears one reply of an episode that cannot be played. It is for one goroutine.
type Patience struct{ used bool }

// Misfit answers a reply that cannot be played, and says why: the first time with a message for the
// policy, then with the end of the episode. The reply earns nothing.
func (p *Patience) Misfit(why string) *Answer {
	told := "Error: " + strings.ToValidUTF8(why, "\uFFFD") + ". Another reply like this ends the episode."
	return p.bear(&Answer{Reward: new(float64), Messages: []quintain.Message{{Role: quintain.RoleUser, Content: told}}}, why)
}

// bear marks the answer to a reply as a misfit.
func (p *Patience) bear(a *Answer, why string) *Answer {
	a.Malformed, a.Why = true, clip(why)
	if p.used {
		a.Messages, a.End = nil, quintain.Terminated
	}
	p.used = true
	return a
}

// Calls makes the calls of a reply in order, until one ends the episode. Arguments that are not a JSON
// object are the policy's fault; call gets an object.
func (p *Patience) Calls(r *Reply, call func(name string, arguments json.RawMessage) (Saying, error)) (*Answer, error) {
	if r.CallFault != "" || len(r.ToolCalls) == 0 {
		return p.Misfit(strings.TrimSuffix("the reply has no call that can be read: "+r.CallFault, ": ")), nil
	}
	a, wrong := &Answer{}, ""
	for _, c := range r.ToolCalls {
		arguments, err := objectOf(c.Arguments)
		s := Saying{}
		if err != nil {
			wrong = err.Error()
			s.Message.Content = "Error: " + wrong
		} else if s, err = call(c.Name, arguments); err != nil {
			return nil, err
		}
		s.Message.Role, s.Message.ToolCallID, s.Message.Name = quintain.RoleTool, c.ID, c.Name
		if err := a.Take(s); err != nil {
			return nil, err
		}
		if a.End != quintain.Going {
			return a, nil
		}
	}
	if wrong != "" {
		p.bear(a, wrong)
	}
	return a, nil
}

// objectOf returns the arguments of a call; no text stands for an object without members.
func objectOf(arguments string) (json.RawMessage, error) {
	text := strings.TrimSpace(arguments)
	if text == "" {
		return json.RawMessage("{}"), nil
	}
	if fault := strictjson.Check([]byte(text), mostDepth); fault != nil {
		return nil, fmt.Errorf("the arguments: %s", clip(fault.Error()))
	}
	if text[0] != '{' {
		return nil, errors.New("the arguments are no JSON object")
	}
	return json.RawMessage(text), nil
}
