package policy

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Check reports the first invalid field of r. A TopP of zero is valid and means the same as
// 1: off.
func Check(r quintain.Request) error {
	switch {
	case r.Fresh < 0 || r.Fresh >= len(r.Messages):
		return fmt.Errorf("request has %s, with the first fresh one at %d: there is none to reply to", stats.Count(len(r.Messages), "message"), r.Fresh)
	case len(r.Context) == 0 && r.Fresh > 0:
		return fmt.Errorf("request with fresh messages from %d on, but no tokens for the earlier ones", r.Fresh)
	case len(r.Context) > 0 && r.Fresh == 0:
		return errors.New("request with a context of tokens, but all messages are fresh: none is in the context")
	case len(r.Tools) > 0 && !isList(r.Tools):
		return fmt.Errorf("tools of the request are %.40q, want a JSON array", r.Tools)
	case len(r.Schema) > 0 && !isObject(r.Schema):
		return fmt.Errorf("schema of the request is %.40q, want a JSON object", r.Schema)
	case slices.Contains(r.Stop, ""):
		return errors.New("an empty text is among the stops of the request")
	case r.Wrote < 0 || r.Wrote > len(r.Context):
		return fmt.Errorf("the last reply of the request has %s, in a context of %d", stats.Count(r.Wrote, "token"), len(r.Context))
	}
	return checkSampling(r.N, r.Sampling)
}

// CheckFree reports a request whose reply is to keep to a schema, or to call a tool: for policies
// that cannot make sure of that.
func CheckFree(r quintain.Request) error {
	if len(r.Schema) == 0 && r.ToolChoice == "" {
		return nil
	}
	return fmt.Errorf("%w; %w", quintain.ErrUnguided, quintain.ErrFinal)
}

// An UnreadError says that a part of a message would be lost: no token of the prompt stands for it.
type UnreadError struct {
	Message int // its index in the request
	Part    int // index of the part of its content; -1: the content is no list, or it is a call
	Why     string
}

// Field is the place of the part.
func (e *UnreadError) Field() string {
	if e.Part < 0 {
		return fmt.Sprintf("messages[%d]", e.Message)
	}
	return fmt.Sprintf("messages[%d].content[%d]", e.Message, e.Part)
}

// Error names the place and the fault.
func (e *UnreadError) Error() string { return e.Field() + ": " + e.Why }

// CheckText reports a part of r's messages that is no text, such as an image: for policies that
// read only texts.
func CheckText(r quintain.Request) error {
	for i := range r.Messages {
		for k, p := range r.Messages[i].Parts {
			if p.Type != quintain.PartText {
				return fmt.Errorf("%w; %w", &UnreadError{i, k, fmt.Sprintf("a part of type %q is not read: this policy reads only texts", p.Type)}, quintain.ErrFinal)
			}
		}
	}
	return nil
}

// checkSampling reports the first invalid field of a request for n samples.
func checkSampling(n int, s quintain.Sampling) error {
	switch {
	case n < 1:
		return fmt.Errorf("request for %s, want 1 or more", stats.Count(n, "sample"))
	case !(s.Temperature >= 0) || math.IsInf(s.Temperature, 1):
		return fmt.Errorf("request with temperature %v, want 0 or more", s.Temperature)
	case !(s.TopP >= 0 && s.TopP <= 1):
		return fmt.Errorf("request with top_p %v, want above 0, and at most 1", s.TopP)
	case s.TopK < 0:
		return fmt.Errorf("request with top_k %d, want 1 or more, or 0 for off", s.TopK)
	case s.MaxTokens < 0:
		return fmt.Errorf("request with max_tokens %d, want 1 or more, or 0 for no limit", s.MaxTokens)
	}
	return nil
}

// isList reports whether text is a JSON array.
func isList(text []byte) bool {
	var list []json.RawMessage
	return strictjson.Unmarshal(text, &list) == nil && list != nil
}

// isObject reports whether text is a JSON object.
func isObject(text []byte) bool {
	var object map[string]json.RawMessage
	return strictjson.Unmarshal(text, &object) == nil && object != nil
}

// Stopped returns the place in text of the stop text that ends first, and of those that end
// together the longest; begin is -1 if there is none.
func Stopped(text string, stops []string) (begin, end int) {
	begin = -1
	for _, stop := range stops {
		at := strings.Index(text, stop)
		if to := at + len(stop); at >= 0 && (begin < 0 || to < end || to == end && at < begin) {
			begin, end = at, to
		}
	}
	return begin, end
}
