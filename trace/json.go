package trace

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A jsonText is JSON being written. Unlike encoding/json, it preserves raw values byte for
// byte: a problem's name has a hash of its parameters' bytes.
type jsonText struct {
	b   []byte
	err error // about the first invalid value
}

// fail records the first error.
func (j *jsonText) fail(format string, args ...any) {
	if j.err == nil {
		j.err = fmt.Errorf(format, args...)
	}
}

// put appends s as it is.
func (j *jsonText) put(s string) { j.b = append(j.b, s...) }

// text appends s as a string. Bytes that are not UTF-8 become U+FFFD.
func (j *jsonText) text(before, s string) { j.b = strictjson.AppendLegible(append(j.b, before...), s) }

// given appends s as a string unless it is empty.
func (j *jsonText) given(before, s string) {
	if s != "" {
		j.text(before, s)
	}
}

// int appends a whole number.
func (j *jsonText) int(before string, v int64) {
	j.b = strconv.AppendInt(append(j.b, before...), v, 10)
}

// count appends a length, or null if it is negative.
func (j *jsonText) count(before string, n int) {
	if n < 0 {
		j.put(before)
		j.put("null")
		return
	}
	j.int(before, int64(n))
}

// float appends a number, which must be finite.
func (j *jsonText) float(before, field string, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		j.fail("%s is %v, want a finite number", field, v)
	}
	j.b = strconv.AppendFloat(append(j.b, before...), v, 'g', -1, 64)
}

// raw appends a JSON value as it is, unless it is empty.
func (j *jsonText) raw(before, field string, value json.RawMessage) {
	if len(value) == 0 {
		return
	}
	if !json.Valid(value) {
		j.fail("%s is not JSON", field)
	}
	j.b = append(append(j.b, before...), value...)
}

// lengthOf returns the length of a list, or -1 for nil.
func lengthOf[T any](list []T) int {
	if list == nil {
		return -1
	}
	return len(list)
}

// list appends a list of n elements, or null if n is negative.
func (j *jsonText) list(before string, n int, each func(i int)) {
	j.put(before)
	if n < 0 {
		j.put("null")
		return
	}
	j.put("[")
	for i := range n {
		if i > 0 {
			j.put(",")
		}
		each(i)
	}
	j.put("]")
}

// message appends a message in the form of [quintain.Message].
func (j *jsonText) message(m *quintain.Message) {
	j.text(`{"role":`, m.Role)
	switch {
	case m.Parts != nil:
		j.list(`,"content":`, len(m.Parts), func(i int) { j.part(&m.Parts[i]) })
	case m.Content == "" && m.ToolCalls != nil:
		j.put(`,"content":null`)
	default:
		j.text(`,"content":`, m.Content)
	}
	j.given(`,"reasoning_content":`, m.Reasoning)
	j.calls(m.ToolCalls)
	j.given(`,"tool_call_id":`, m.ToolCallID)
	j.given(`,"name":`, m.Name)
	for _, name := range slices.Sorted(maps.Keys(m.Extra)) {
		j.text(",", name)
		j.raw(":", "a field of a message", m.Extra[name])
	}
	j.put("}")
}

// part appends a part of a message.
func (j *jsonText) part(p *quintain.Part) {
	if p.Raw != nil {
		j.raw("", "a part of a message", p.Raw)
		return
	}
	j.text(`{"type":`, p.Type)
	j.text(`,"text":`, p.Text)
	j.put("}")
}

// call appends the place of turn k in a tree, if it has one.
func (j *jsonText) call(c *quintain.Call, k int) {
	if c == nil {
		return
	}
	if err := checkParent(c, k); err != nil {
		j.fail("%w", err)
	}
	j.text(`,"call":{"id":`, c.ID)
	j.int(`,"parent":`, int64(c.Parent))
	j.given(`,"class":`, c.Class)
	j.given(`,"branch":`, c.Branch)
	j.given(`,"unused":`, c.Unused)
	if c.Took != 0 {
		j.int(`,"took":`, int64(c.Took))
	}
	j.raw(`,"tools":`, "tools", c.Tools)
	j.put("}")
}

// match appends the place of an episode in a match, if it has one.
func (j *jsonText) match(m *quintain.Match) {
	if m == nil {
		return
	}
	j.text(`,"match":{"id":`, m.ID)
	j.int(`,"seat":`, int64(m.Seat))
	j.list(`,"players":`, lengthOf(m.Players), func(i int) { j.text("", m.Players[i]) })
	j.talks(`,"others":`, m.Others)
	j.put("}")
}

// talks appends conversations of other policies, if there are any.
func (j *jsonText) talks(before string, all []quintain.Talk) {
	if len(all) == 0 {
		return
	}
	j.list(before, len(all), func(i int) {
		of := &all[i]
		j.int(`{"seat":`, int64(of.Seat))
		j.given(`,"player":`, of.Player)
		j.list(`,"messages":`, lengthOf(of.Messages), func(k int) { j.message(&of.Messages[k]) })
		j.int(`,"replies":`, int64(of.Replies))
		j.int(`,"tokens":`, int64(of.Tokens))
		j.int(`,"took":`, int64(of.Took))
		j.put("}")
	})
}

// checkParent reports whether turn k, which c places in a tree, continues no earlier turn.
func checkParent(c *quintain.Call, k int) error {
	if c.Parent < -1 || c.Parent >= k {
		return fmt.Errorf("the parent of turn %d is %d, want an earlier turn, or -1 for none", k, c.Parent)
	}
	return nil
}

// calls appends the tool calls of a message or a turn, if it has a list of them.
func (j *jsonText) calls(list []quintain.ToolCall) {
	if list == nil {
		return
	}
	j.list(`,"tool_calls":`, len(list), func(i int) {
		if list[i].Raw != nil {
			j.raw("", "a tool call", list[i].Raw)
			return
		}
		j.text(`{"id":`, list[i].ID)
		j.text(`,"type":"function","function":{"name":`, list[i].Name)
		j.text(`,"arguments":`, list[i].Arguments)
		j.put("}}")
	})
}
