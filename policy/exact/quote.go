package exact

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/text/chattemplate"
)

// A talk is the conversation of a request in the form of templates.
type talk struct {
	vars     chattemplate.Vars // tools and further variables of the request
	messages []chattemplate.Vars
	roles    []string // of the messages
}

// talkOf returns r's conversation.
func talkOf(r quintain.Request) (t talk, err error) {
	if t.messages, err = messages(r.Messages); err != nil {
		return t, err
	}
	for _, m := range r.Messages {
		t.roles = append(t.roles, m.Role)
	}
	if len(r.Tools) > 0 {
		if err := t.vars.Set("tools", r.Tools); err != nil {
			return t, err
		}
	}
	for name, value := range r.Vars {
		if t.vars.Has(name) {
			continue
		}
		if err := t.vars.Set(name, value); err != nil {
			return t, err
		}
	}
	return t, nil
}

// some returns t with its messages from one on, up to another.
func (t talk) some(from, to int) talk {
	return talk{t.vars, t.messages[from:to], t.roles[from:to]}
}

// anyText reports whether is holds for any text in t, with the role of its message; "": none.
func (t talk) anyText(is func(text string, of string) bool) bool {
	of := func(role string) func(string) bool { return func(text string) bool { return is(text, role) } }
	for i, m := range t.messages {
		if m.AnyText(of(t.roles[i])) {
			return true
		}
	}
	return t.vars.AnyText(of(""))
}

// texts returns a copy of t in which change has changed every text.
func (t talk) texts(change func(text string, of string) string) talk {
	of := func(role string) func(string) string { return func(text string) string { return change(text, role) } }
	to := talk{t.vars.Texts(of("")), make([]chattemplate.Vars, len(t.messages)), t.roles}
	for i, m := range t.messages {
		to.messages[i] = m.Texts(of(t.roles[i]))
	}
	return to
}

// quoted returns the offsets in text, the template's text of t, of what t writes out but must not
// become the template's tokens: special tokens, whoever wrote them, and the template's tags, which
// are added tokens that it spells. Replies of the model keep their tags, and so do the instructions of
// the system, which tell the model what to write.
//
// A template may look for tags in messages. Then only those in results of tools are text or,
// if it looks for these too, none.
func (c *Chat) quoted(t talk, text string) (offsets []int, err error) {
	if c.TrustMessages {
		return nil, nil
	}
	for _, plain := range []func(string) bool{
		func(of string) bool { return of != quintain.RoleAssistant && of != quintain.RoleSystem },
		func(of string) bool { return of == quintain.RoleTool },
		func(string) bool { return false },
	} {
		if offsets, err = c.places(t, text, plain); err == nil {
			return offsets, nil
		}
	}
	return nil, err
}

// places returns the offsets in text, the template's text of t, of the special tokens that t
// writes out, and of the template's tags in messages of which plain is true.
//
// It renders t again with a mark within each of them, a character that occurs nowhere else,
// and fails if the rest of the text is another.
func (c *Chat) places(t talk, text string, plain func(of string) bool) (offsets []int, err error) {
	tags := map[string]bool{}
	tag := func(token string) bool {
		is, known := tags[token]
		if !known {
			is = strings.Contains(c.Template.Source(), token)
			tags[token] = is
		}
		return is
	}
	written := func(text string, of string) []int {
		if plain(of) {
			return c.Tokenizer.Written(text, tag)
		}
		return c.Tokenizer.Written(text, nil)
	}
	if !t.anyText(func(text string, of string) bool { return len(written(text, of)) > 0 }) {
		return nil, nil
	}
	mark, err := unusedMark(t, text)
	if err != nil {
		return nil, err
	}
	again, err := c.prompt(t.texts(func(text string, of string) string { return marked(text, mark, written(text, of)) }))
	if err != nil {
		return nil, err
	}
	parts := strings.Split(again, mark)
	if strings.Join(parts, "") != text {
		return nil, errors.New("a message writes out a special token, and the chat template looks for it; if it may be a control token, set trust_messages")
	}
	at := 0
	for _, part := range parts[:len(parts)-1] {
		at += len(part)
		_, width := utf8.DecodeLastRuneInString(text[:at])
		offsets = append(offsets, at-width)
	}
	return offsets, nil
}

// marked returns text with the mark after the first character at each of the offsets.
func marked(text, mark string, offsets []int) string {
	var b strings.Builder
	from := 0
	for _, at := range offsets {
		_, width := utf8.DecodeRuneInString(text[at:])
		b.WriteString(text[from:at+width] + mark)
		from = at + width
	}
	return b.String() + text[from:]
}

// unusedMark returns a character for private use that occurs neither in t nor in text.
func unusedMark(t talk, text string) (string, error) {
	used := map[rune]bool{}
	note := func(text string, _ string) bool {
		for _, r := range text {
			used[r] = true
		}
		return false
	}
	note(text, "")
	t.anyText(note)
	for r := '\uE000'; r <= '\uF8FF'; r++ {
		if !used[r] {
			return string(r), nil
		}
	}
	return "", errors.New("a message writes out a special token, and the conversation has all characters for private use")
}

// after returns the offsets from cut on, counted from there.
func after(offsets []int, cut int) (rest []int) {
	for _, at := range offsets {
		if at >= cut {
			rest = append(rest, at-cut)
		}
	}
	return rest
}
