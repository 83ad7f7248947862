package exact

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
)

// sure is the length of a text, in bytes, that is in a prompt for one reason only.
const sure = 24

// A piece is a text of a message, or one of its calls, that a prompt must have.
type piece struct {
	message int
	part    int // -1: none
	call    int // -1: it is a text
}

// whole reports a piece of r's fresh messages that is not in text, the template's of t: r's
// conversation. Thoughts may be missing, as templates leave out those of earlier replies.
//
// Texts are looked for in order. What is not found, and what is short or a call, is marked and
// rendered again.
func (c *Chat) whole(r quintain.Request, t talk, text string) error {
	var doubtful []piece
	rest := text
	for i := r.Fresh; i < len(r.Messages); i++ {
		for _, p := range piecesOf(&r.Messages[i], i) {
			said := strings.TrimSpace(p.text(&r.Messages[i]))
			if _, after, found := strings.Cut(rest, said); found && p.call < 0 && len(said) >= sure {
				rest = after
			} else {
				doubtful = append(doubtful, p)
			}
		}
	}
	if len(doubtful) == 0 {
		return nil
	}
	mark, err := unusedMark(t, text)
	if err != nil {
		return err
	}
	if marked, err := c.marksOf(r, t, mark, doubtful...); err == nil && marked >= len(doubtful) {
		return nil
	}
	for _, p := range doubtful {
		if c.drops(r, t, text, mark, p) {
			return p.lost(&r.Messages[p.message])
		}
	}
	return nil
}

// drops reports whether the template does not write the end of a text, or writes the same without
// a call.
func (c *Chat) drops(r quintain.Request, t talk, text, mark string, p piece) bool {
	if p.call < 0 {
		marked, err := c.marksOf(r, t, mark, p)
		return err == nil && marked == 0
	}
	without := r.Messages[p.message]
	without.ToolCalls = slices.Delete(slices.Clone(without.ToolCalls), p.call, p.call+1)
	some := talk{t.vars, slices.Clone(t.messages)}
	var err error
	if some.messages[p.message], err = message(without); err != nil {
		return false
	}
	shorter, err := c.prompt(some)
	return err == nil && shorter == text
}

// piecesOf returns the pieces of message number i.
func piecesOf(m *quintain.Message, i int) (all []piece) {
	if m.Parts == nil && strings.TrimSpace(m.Content) != "" {
		all = append(all, piece{i, -1, -1})
	}
	for k := range m.Parts {
		if strings.TrimSpace(m.Parts[k].Text) != "" {
			all = append(all, piece{i, k, -1})
		}
	}
	for k := range m.ToolCalls {
		all = append(all, piece{i, -1, k})
	}
	return all
}

// text returns the text of a piece of m, or the name of the call.
func (p piece) text(m *quintain.Message) string {
	switch {
	case p.call >= 0:
		return m.ToolCalls[p.call].Name
	case p.part >= 0:
		return m.Parts[p.part].Text
	}
	return m.Content
}

// lost is the error for a piece of m that the template drops.
func (p piece) lost(m *quintain.Message) error {
	what := "text"
	if p.call >= 0 {
		what = "call of"
	}
	return &policy.UnreadError{Message: p.message, Part: p.part, Why: fmt.Sprintf("the chat template drops the %s %.60q of the role %s", what, p.text(m), m.Role)}
}

// marksOf returns how many marks the template writes of r's conversation if pieces of it end with
// them.
func (c *Chat) marksOf(r quintain.Request, t talk, mark string, pieces ...piece) (n int, err error) {
	marked, messages := talk{t.vars, slices.Clone(t.messages)}, slices.Clone(r.Messages)
	for _, p := range pieces {
		m := &messages[p.message]
		switch {
		case p.call >= 0:
			m.ToolCalls = slices.Clone(m.ToolCalls)
			call := m.ToolCalls[p.call]
			m.ToolCalls[p.call] = quintain.ToolCall{ID: call.ID, Name: call.Name + mark, Arguments: call.Arguments}
		case p.part >= 0:
			m.Parts = slices.Clone(m.Parts)
			m.Parts[p.part] = quintain.Part{Type: quintain.PartText, Text: m.Parts[p.part].Text + mark}
		default:
			m.Content += mark
		}
		if marked.messages[p.message], err = message(*m); err != nil {
			return 0, err
		}
	}
	text, err := c.prompt(marked)
	return strings.Count(text, mark), err
}
