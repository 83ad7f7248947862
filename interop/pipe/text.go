package pipe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/quintain-rl/quintain/internal/jsonl"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/text/chattemplate"
	"github.com/quintain-rl/quintain/text/tokenizer"
)

// Encode reads lines of {"text": …} and writes {"ids": […]} for each, in order, or
// {"error"} if the line is invalid. With special, it adds the tokens that open and close a
// text. It works on all cores. See [jsonl.Answer] for its limits and errors.
func Encode(ctx context.Context, t *tokenizer.Tokenizer, special bool, in io.Reader, out io.Writer) error {
	return answerJSON(ctx, in, out, func(line []byte) (any, error) {
		var asked struct {
			Text *string `json:"text"`
		}
		if err := strictjson.Unmarshal(line, &asked); err != nil {
			return nil, strictjson.Explain(err)
		}
		if asked.Text == nil {
			return nil, errors.New("text: is missing")
		}
		ids, err := t.Encode(*asked.Text, special)
		if ids == nil {
			ids = []int32{} // null would be no list
		}
		return map[string][]int32{"ids": ids}, err
	})
}

// Decode reads lines of {"ids": […]} and writes {"text": …} for each, like [Encode] the
// other way. It leaves out IDs without a token and, with skip, the special tokens.
func Decode(ctx context.Context, t *tokenizer.Tokenizer, skip bool, in io.Reader, out io.Writer) error {
	return answerJSON(ctx, in, out, func(line []byte) (any, error) {
		var asked struct {
			IDs []int32 `json:"ids"`
		}
		if err := strictjson.Unmarshal(line, &asked); err != nil {
			return nil, strictjson.Explain(err)
		}
		if asked.IDs == nil {
			return nil, errors.New("ids: is missing")
		}
		return map[string]string{"text": t.Decode(asked.IDs, skip)}, nil
	})
}

// answerJSON answers each line with the JSON of answer's result.
func answerJSON(ctx context.Context, in io.Reader, out io.Writer, answer func(line []byte) (any, error)) error {
	return jsonl.Answer(ctx, in, out, func() func(dst, line []byte) ([]byte, error) {
		return func(dst, line []byte) ([]byte, error) {
			reply, err := answer(line)
			if err != nil {
				return dst, err
			}
			text, err := json.Marshal(reply)
			return append(dst, text...), err
		}
	})
}

// Clock returns a clock that always shows a time, given as 2006-01-02T15:04:05, or the local
// clock if the time is empty. The error names the flag now.
func Clock(now string) (func() time.Time, error) {
	if now == "" {
		return time.Now, nil
	}
	at, err := time.Parse("2006-01-02T15:04:05", now)
	if err != nil {
		return nil, fmt.Errorf("now is %q, want a time such as 2006-01-02T15:04:05", now)
	}
	return func() time.Time { return at }, nil
}

// Render reads lines with the variables of a conversation, such as {"messages": […]}, and
// writes {"text": …} for each, in order: chat's rendering at the time now. A line that the
// template refuses gives {"error"}. It works on all cores, which call now. See
// [jsonl.Answer] for its limits and errors.
func Render(ctx context.Context, chat *chattemplate.Chat, now func() time.Time, in io.Reader, out io.Writer) error {
	return jsonl.Answer(ctx, in, out, func() func(dst, line []byte) ([]byte, error) {
		return func(dst, line []byte) ([]byte, error) {
			vars, err := chattemplate.ParseVars(line)
			if err != nil {
				return nil, err
			}
			r, err := chat.Render(vars, chattemplate.Options{Now: now()})
			if err != nil {
				return nil, err
			}
			return append(strictjson.AppendLegible(append(dst, `{"text":`...), r.Text), '}'), nil
		}
	})
}
