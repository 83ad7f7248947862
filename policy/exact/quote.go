package exact

import (
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/text/chattemplate"
)

// A talk is the conversation of a request in the form of templates.
type talk struct {
	vars     chattemplate.Vars // tools and further variables of the request
	messages []chattemplate.Vars
}

// talkOf returns r's conversation.
func talkOf(r quintain.Request) (t talk, err error) {
	if t.messages, err = messages(r.Messages); err != nil {
		return t, err
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
func (t talk) some(from, to int) talk { return talk{t.vars, t.messages[from:to]} }

// anyText reports whether is holds for any text in t.
func (t talk) anyText(is func(string) bool) bool {
	return t.vars.AnyText(is) || slices.ContainsFunc(t.messages, func(m chattemplate.Vars) bool { return m.AnyText(is) })
}

// texts returns a copy of t in which change has changed every text.
func (t talk) texts(change func(string) string) talk {
	to := talk{t.vars.Texts(change), make([]chattemplate.Vars, len(t.messages))}
	for i, m := range t.messages {
		to.messages[i] = m.Texts(change)
	}
	return to
}

// quoted returns the offsets in text, the template's text of t, of the special tokens that t
// writes out: they are text, whoever wrote them, and only the template writes control tokens.
//
// It renders t again with a mark within each of them, a character that occurs nowhere else,
// and fails if the rest of the text is another.
func (c *Chat) quoted(t talk, text string) (offsets []int, err error) {
	written := func(text string) bool { return len(c.Tokenizer.Written(text)) > 0 }
	if c.TrustMessages || !t.anyText(written) {
		return nil, nil
	}
	mark, err := unusedMark(t, text)
	if err != nil {
		return nil, err
	}
	marked, err := c.prompt(t.texts(func(text string) string { return c.marked(text, mark) }))
	if err != nil {
		return nil, err
	}
	parts := strings.Split(marked, mark)
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

// marked returns text with the mark after the first character of each special token in it.
func (c *Chat) marked(text, mark string) string {
	var b strings.Builder
	from := 0
	for _, at := range c.Tokenizer.Written(text) {
		_, width := utf8.DecodeRuneInString(text[at:])
		b.WriteString(text[from:at+width] + mark)
		from = at + width
	}
	return b.String() + text[from:]
}

// unusedMark returns a character for private use that occurs neither in t nor in text.
func unusedMark(t talk, text string) (string, error) {
	used := map[rune]bool{}
	note := func(text string) bool {
		for _, r := range text {
			used[r] = true
		}
		return false
	}
	note(text)
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
