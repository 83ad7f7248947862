package nemogym

import (
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// repliesOf returns the replies in a response of OpenAI's Responses API: the text of the
// assistant's messages and the calls, in one reply per turn; a message of the user or the result of
// a call begins the next. There is at least one reply, perhaps an empty one. They are valid until
// the next call.
func (r *reader) repliesOf(response []byte) ([]quintain.Reply, error) {
	if response == nil {
		return nil, errors.New("response: is missing")
	}
	if err := r.response.Read(response); err != nil {
		return nil, fmt.Errorf("response: %w", err)
	}
	r.replies, r.parts, r.calls = r.replies[:0], r.parts[:0], nil
	items, err := 0, error(nil)
	listed := strictjson.Elements(r.response.Value(0), func(item []byte) bool {
		if err = r.take(item); err != nil {
			err = fmt.Errorf("response.output.%d%w", items, err)
		}
		items++
		return err == nil
	})
	switch {
	case err != nil:
		return nil, err
	case !listed:
		return nil, errors.New("response.output: want a list")
	}
	if len(r.replies) == 0 {
		r.endTurn(true)
	}
	r.endTurn(false)
	return r.replies, nil
}

// endTurn makes a reply of the texts and the calls so far, if there are any or it must be one.
func (r *reader) endTurn(must bool) {
	if len(r.parts) == 0 && r.calls == nil && !must {
		return
	}
	reply := quintain.Reply{Text: strings.Join(r.parts, ""), ToolCalls: r.calls, Finish: quintain.Stop}
	r.replies, r.parts, r.calls = append(r.replies, reply), r.parts[:0], nil
}

// take reads an item of the output. It ignores items other than messages and calls. Errors begin with
// the path of the fault below the item.
func (r *reader) take(item []byte) error {
	if err := r.item.Read(item); err != nil {
		return fmt.Errorf(": %w", err)
	}
	switch kind := string(r.item.Value(0)); kind {
	case `"message"`, "":
	case `"function_call"`:
		return r.takeCall()
	case `"function_call_output"`:
		r.endTurn(false)
		return nil
	default:
		return nil
	}
	switch string(r.item.Value(1)) {
	case `"user"`:
		r.endTurn(false)
	case `"assistant"`:
		return r.takeContent(r.item.Value(2))
	}
	return nil
}

// takeCall reads a call of a tool.
func (r *reader) takeCall() error {
	var c quintain.ToolCall
	for _, one := range []struct {
		name  string
		value []byte
		to    *string
	}{{"name", r.item.Value(3), &c.Name}, {"arguments", r.item.Value(4), &c.Arguments}, {"call_id", r.item.Value(5), &c.ID}} {
		s, err := text(one.value)
		if err != nil {
			return fmt.Errorf(".%s: %w", one.name, err)
		}
		*one.to = s
	}
	r.calls = append(r.calls, c)
	return nil
}

// takeContent reads the content of an assistant's message: a text, or parts.
func (r *reader) takeContent(content []byte) error {
	if len(content) > 0 && content[0] == '"' {
		return r.takeText(".content", content)
	}
	n, err := 0, error(nil)
	listed := strictjson.Elements(content, func(part []byte) bool {
		if err = r.takePart(part); err != nil {
			err = fmt.Errorf(".content.%d%w", n, err)
		}
		n++
		return err == nil
	})
	if err != nil {
		return err
	}
	if !listed {
		return errors.New(".content: want a text or a list")
	}
	return nil
}

// takePart reads a part of a message. It ignores parts other than output texts.
func (r *reader) takePart(part []byte) error {
	if err := r.part.Read(part); err != nil {
		return fmt.Errorf(": %w", err)
	}
	if string(r.part.Value(0)) != `"output_text"` {
		return nil
	}
	return r.takeText(".text", r.part.Value(1))
}

// takeText reads a text of the assistant.
func (r *reader) takeText(at string, value []byte) error {
	s, err := text(value)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	r.parts = append(r.parts, s)
	return nil
}
