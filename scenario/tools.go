package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/nearest"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Tool is what the policy may call.
type Tool struct {
	Name   string // as the model calls it
	Doc    string // for the model
	Params []Param
	Schema json.RawMessage // JSON Schema of the arguments in place of Params, which Do then checks; nil: Params

	// Do does what the tool does. args is a JSON object that keeps to Params, if there is no Schema. A [Refusal] is told to
	// the policy; any other error is one of the environment.
	Do func(ctx context.Context, args []byte) (result string, err error)
}

// Of returns a tool whose arguments are the fields of a struct, found as in encoding/json.
func Of[In any](name, doc string, params []Param, do func(ctx context.Context, in In) (string, error)) Tool {
	return Tool{Name: name, Doc: doc, Params: params, Do: func(ctx context.Context, args []byte) (string, error) {
		var in In
		if err := strictjson.Unmarshal(args, &in); err != nil {
			return "", Refusef("the arguments of %s: %v", name, err) // a number beyond the field's, say
		}
		return do(ctx, in)
	}}
}

// A Refusal is why a call is not done, for the policy.
type Refusal struct{ Why string }

// Error returns why.
func (r *Refusal) Error() string { return r.Why }

// Refusef returns a [*Refusal].
func Refusef(format string, args ...any) error { return &Refusal{fmt.Sprintf(format, args...)} }

// A Kit is the tools of an episode.
type Kit []Tool

// Offer returns the tools as [quintain.Tooled] does.
func (k Kit) Offer() []quintain.Tool {
	all := make([]quintain.Tool, len(k))
	for i, t := range k {
		all[i] = quintain.Tool{Name: t.Name, Doc: t.Doc, Params: t.Schema}
		if t.Schema == nil {
			all[i].Params = schema(t.Params)
		}
	}
	return all
}

// Answer does a call, and returns the message that answers it. The error is one of the environment.
func (k Kit) Answer(ctx context.Context, c quintain.ToolCall) (quintain.Message, error) {
	text, name, err := k.do(ctx, c)
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		text, err = failed(refusal.Why), nil
	}
	return quintain.Message{Role: quintain.RoleTool, ToolCallID: c.ID, Name: name, Content: text}, err
}

// do does a call, and returns the result and the tool's name; empty: there is no such tool.
func (k Kit) do(ctx context.Context, c quintain.ToolCall) (text, name string, err error) {
	var names []string
	for _, t := range k {
		if t.Name != c.Name {
			names = append(names, t.Name)
			continue
		}
		args, err := t.checked(c.Arguments)
		if err == nil {
			text, err = t.Do(ctx, args)
		}
		return text, t.Name, err
	}
	return "", "", Refusef("there is no tool %.40q%s; there are: %s", c.Name, nearest.Suggest(c.Name[:min(len(c.Name), longest)], names), strings.Join(names, ", "))
}

// Cut returns a text that has up to most characters as it is. In the middle of a longer one, a line says how
// many are left out.
func Cut(text string, most int) string {
	n := utf8.RuneCountInString(text)
	if n <= most {
		return text
	}
	runes := []rune(text)
	return fmt.Sprintf("%s\n… %d characters are left out …\n%s", string(runes[:most/2]), n-most/2*2, string(runes[n-most/2:]))
}

// longest is more than any tool's name has, in bytes.
const longest = 100

// failed is the text of a call that is not done.
func failed(why string) string { return "Error: " + strings.ToValidUTF8(why, "\uFFFD") }

// A Desk answers the calls of one episode, up to a limit.
type Desk struct {
	Kit
	Most int // calls in the episode; 0: no limit

	made int
	told bool // that none is left
}

// Made returns the number of calls so far.
func (d *Desk) Made() int { return d.made }

// Closed reports whether a reply calls although the policy was told that no call is left: the
// environment then judges it, as if it called nothing.
func (d *Desk) Closed(reply quintain.Reply) bool {
	return d.told && (len(reply.ToolCalls) > 0 || reply.CallFault != "")
}

// Step answers the calls of a reply, one message each. A call that cannot be read counts as one. Without
// messages, the reply has no calls.
func (d *Desk) Step(ctx context.Context, reply quintain.Reply) (answers []quintain.Message, err error) {
	if reply.CallFault != "" {
		if d.spent() {
			return []quintain.Message{{Role: quintain.RoleUser, Content: failed(d.none())}}, nil
		}
		d.made++
		return []quintain.Message{{Role: quintain.RoleUser, Content: failed("your call cannot be read: " + reply.CallFault)}}, nil
	}
	for _, c := range reply.ToolCalls {
		one := quintain.Message{Role: quintain.RoleTool, ToolCallID: c.ID, Content: failed(d.none())}
		if !d.spent() {
			d.made++
			if one, err = d.Answer(ctx, c); err != nil {
				return nil, err
			}
		}
		answers = append(answers, one)
	}
	return answers, nil
}

// spent reports whether no call is left; the policy is then told so.
func (d *Desk) spent() bool {
	d.told = d.told || d.Most > 0 && d.made >= d.Most
	return d.told
}

func (d *Desk) none() string {
	return fmt.Sprintf("no call is left, of %d. Give your answer.", d.Most)
}
