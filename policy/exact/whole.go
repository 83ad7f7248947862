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

// A search looks for the fresh messages of a request in what the template made of them.
type search struct {
	*Chat
	r    quintain.Request
	t    talk   // of r
	text string // of t
	mark string // a character that is not in it
}

// whole reports a piece of r's fresh messages that is not in text, the template's of t: r's
// conversation. Thoughts may be missing, as templates leave out those of earlier replies.
//
// Texts are looked for in order. What is not found, and what is short or a call, is marked and
// rendered again.
func (c *Chat) whole(r quintain.Request, t talk, text string) (err error) {
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
	s := search{c, r, t, text, ""}
	if s.mark, err = unusedMark(t, text); err != nil {
		return err
	}
	if marks, err := s.marks(doubtful...); err == nil && marks >= len(doubtful) {
		return nil
	}
	for _, p := range doubtful {
		if s.drops(p) {
			return p.lost(&r.Messages[p.message])
		}
	}
	return nil
}

// drops reports whether the template does not write the end of a text, or writes the same without
// a call.
func (s *search) drops(p piece) bool {
	if p.call < 0 {
		marks, err := s.marks(p)
		return err == nil && marks == 0
	}
	without := s.r.Messages[p.message]
	without.ToolCalls = slices.Delete(slices.Clone(without.ToolCalls), p.call, p.call+1)
	some := talk{s.t.vars, slices.Clone(s.t.messages), s.t.roles}
	var err error
	if some.messages[p.message], err = message(without); err != nil {
		return false
	}
	shorter, err := s.prompt(some)
	return err == nil && shorter == s.text
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

// marks returns how many marks the template writes of the conversation if pieces of it end with
// them.
func (s *search) marks(pieces ...piece) (n int, err error) {
	marked, messages := talk{s.t.vars, slices.Clone(s.t.messages), s.t.roles}, slices.Clone(s.r.Messages)
	for _, p := range pieces {
		m := &messages[p.message]
		switch {
		case p.call >= 0:
			m.ToolCalls = slices.Clone(m.ToolCalls)
			call := m.ToolCalls[p.call]
			m.ToolCalls[p.call] = quintain.ToolCall{ID: call.ID, Name: call.Name + s.mark, Arguments: call.Arguments}
		case p.part >= 0:
			m.Parts = slices.Clone(m.Parts)
			m.Parts[p.part] = quintain.Part{Type: quintain.PartText, Text: m.Parts[p.part].Text + s.mark}
		default:
			m.Content += s.mark
		}
		if marked.messages[p.message], err = message(*m); err != nil {
			return 0, err
		}
	}
	text, err := s.prompt(marked)
	return strings.Count(text, s.mark), err
}
