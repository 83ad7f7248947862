package exact

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/text/chattemplate"
	"github.com/quintain-rl/quintain/text/tokenizer"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// A Chat is a [Renderer] with a model's chat template and tokenizer. It keeps no state of a
// conversation; do not change it after the first use.
//
// The template renders the whole conversation for each reply, as it must. Only its new text
// is encoded, and only the last reply is decoded.
type Chat struct {
	Template  *chattemplate.Chat
	Tokenizer *tokenizer.Tokenizer
	Model     string            // names the vocabulary
	Calls     *toolcall.Format  // of the tool calls in replies; nil: that of the template
	Vars      chattemplate.Vars // further variables of the template, such as tools or enable_thinking; those of a request go before them

	// Now is the time for templates that ask for it: one for all turns, because a changing
	// date forks every conversation. Zero: such a template is refused.
	Now time.Time

	// TrustMessages takes special tokens and the template's tags that are written out in messages,
	// tools and variables of a request for control tokens, as of prompts that were rendered
	// beforehand. Otherwise they are plain text.
	TrustMessages bool
}

// Render implements [Renderer]. Its errors are [quintain.ErrFinal]: they would recur.
//
// Some templates refuse a reply with several calls: it is then rendered with the first.
func (c *Chat) Render(r quintain.Request) (Rendering, error) {
	read, err := c.render(r)
	_, lost := errors.AsType[*policy.UnreadError](err)
	if single, several := firstCalls(r.Messages); err != nil && !lost && several {
		r.Messages = single
		read, err = c.render(r)
	}
	if err != nil {
		return Rendering{}, fmt.Errorf("%w; %w", err, quintain.ErrFinal)
	}
	return read, nil
}

// Prompt returns the template's text of r's conversation, with the opening of a reply. Its
// errors are those of Render.
func (c *Chat) Prompt(r quintain.Request) (text string, err error) {
	r = c.plainly(r)
	t, err := talkOf(r)
	if err == nil {
		text, err = c.prompt(t)
	}
	if err == nil {
		err = c.whole(r, t, text)
	}
	if err != nil {
		return "", fmt.Errorf("%w; %w", err, quintain.ErrFinal)
	}
	return text, nil
}

// OpensThoughts reports whether the prompt of a reply ends inside an open thinking tag, under
// these variables of the template.
func (c *Chat) OpensThoughts(vars map[string]any) bool {
	text, err := c.Prompt(quintain.Request{Messages: []quintain.Message{{Role: quintain.RoleUser, Content: "?"}}, Vars: vars, N: 1})
	return err == nil && strings.HasSuffix(strings.TrimSpace(text), "<think>")
}

func (c *Chat) render(r quintain.Request) (Rendering, error) {
	asked := r
	r = c.plainly(r)
	t, err := talkOf(r)
	if err != nil {
		return Rendering{}, err
	}
	if r.Alone && len(r.Context) > 0 {
		return c.alone(r, t.some(r.Fresh, len(t.messages)))
	}
	full, err := c.prompt(t)
	if err == nil {
		err = c.whole(r, t, full)
	}
	if err != nil {
		return Rendering{}, err
	}
	quoted, err := c.quoted(t, full)
	if err != nil {
		return Rendering{}, err
	}
	if len(r.Context) == 0 {
		tokens, err := c.encode(full, quoted)
		return Rendering{Tokens: tokens, Text: full, Drift: Clean}, err
	}
	last, err := c.last(r)
	if err != nil {
		return Rendering{}, err
	}
	before, err := c.prompt(t.some(0, r.Fresh-1))
	if err != nil {
		return Rendering{}, err
	}
	rest, drift := c.follow(r, last, before, full)
	if drift == Forked {
		rest, drift = c.retold(asked, t.some(0, r.Fresh-1), last, shown{before, full, quoted})
	}
	if drift == Forked {
		tokens, err := c.encode(full, quoted)
		return Rendering{Tokens: tokens, Text: full, Drift: Forked, Why: difference(before+last.text+last.end, full)}, err
	}
	tokens, err := c.encodeAfter(r.Context[len(r.Context)-1], last.end, rest, after(quoted, len(full)-len(rest)))
	return Rendering{Tokens: tokens, Text: rest, Drift: drift}, err
}

// follow returns the new text in full after r's last reply, and how it follows.
func (c *Chat) follow(r quintain.Request, last reply, before, full string) (rest string, d Drift) {
	rest, d = last.follow(before, full, c.closes)
	if d != Forked {
		return rest, d
	}
	cut, ok := c.cut(r, last)
	if !ok {
		return "", Forked
	}
	rest, d = cut.follow(before, full, c.closes)
	if !c.closes(strings.TrimLeftFunc(rest, unicode.IsSpace)) {
		return "", Forked
	}
	return rest, d
}

// alone renders fresh messages as a conversation of their own; see [quintain.Step].
func (c *Chat) alone(r quintain.Request, t talk) (Rendering, error) {
	text, err := c.prompt(t)
	if err == nil {
		err = c.whole(quintain.Request{Messages: r.Messages[r.Fresh:]}, t, text)
	}
	if err != nil {
		return Rendering{}, err
	}
	quoted, err := c.quoted(t, text)
	if err != nil {
		return Rendering{}, err
	}
	for i := range quoted {
		quoted[i]++
	}
	text = "\n" + text
	ids, err := c.Tokenizer.EncodeQuoted(text, true, quoted)
	return Rendering{Tokens: tokens(ids), Text: text, Drift: Clean}, err
}

// prompt returns the template's text of t, with the opening of a reply.
func (c *Chat) prompt(t talk) (string, error) { return c.text(t, true) }

// text returns the template's text of t.
func (c *Chat) text(t talk, opens bool) (string, error) {
	var vars chattemplate.Vars
	vars.SetList("messages", t.messages)
	if err := vars.Set("add_generation_prompt", opens); err != nil {
		return "", err
	}
	vars.Merge(t.vars)
	vars.Merge(c.Vars)
	out, err := c.Template.Render(vars, chattemplate.Options{Now: c.Now})
	if err != nil {
		return "", fmt.Errorf("chat template: %w", err)
	}
	return out.Text, nil
}

// last returns the text of r's last reply as its tokens spell it in place: many tokenizers
// drop a space at the start of a text.
func (c *Chat) last(r quintain.Request) (reply, error) {
	if r.Wrote == 0 {
		return reply{}, errors.New("request with a context, but without the length of its last reply (Wrote)")
	}
	if m := r.Messages[r.Fresh-1]; m.Role != quintain.RoleAssistant {
		return reply{}, fmt.Errorf("message %d of the request has the role %q, want the policy's last reply", r.Fresh-1, m.Role)
	}
	from := len(r.Context) - r.Wrote
	wrote := ids(r.Context[from:])
	end := c.special(wrote[len(wrote)-1])
	if end != "" {
		wrote = wrote[:len(wrote)-1]
	}
	lead := ids(r.Context[max(from-1, 0):from])
	text, follows := strings.CutPrefix(c.Tokenizer.Decode(slices.Concat(lead, wrote), false), c.Tokenizer.Decode(lead, false))
	if !follows {
		text = c.Tokenizer.Decode(wrote, false)
	}
	return reply{text, end}, nil
}

// cut returns r's last reply, which did not end itself, as its message has it if a stop text
// ended it: before the first of r's stops or, if there is none, the start that the message
// quotes.
func (c *Chat) cut(r quintain.Request, last reply) (reply, bool) {
	if last.end != "" {
		return last, false
	}
	if begin, _ := policy.Stopped(last.text, r.Stop); begin >= 0 {
		return reply{text: last.text[:begin]}, true
	}
	m := r.Messages[r.Fresh-1]
	said := m.Text()
	plain := m.Reasoning == "" && m.ToolCalls == nil
	return reply{text: said}, plain && len(said) < len(last.text) && strings.HasPrefix(last.text, said)
}

// special returns the text of a special token; "": an ordinary one.
func (c *Chat) special(id int32) string {
	if c.Tokenizer.Decode([]int32{id}, true) != "" {
		return ""
	}
	return c.Tokenizer.Decode([]int32{id}, false)
}

// closes reports whether text begins with a special token.
func (c *Chat) closes(text string) bool {
	ids, err := c.Tokenizer.Encode(text, false)
	return err == nil && len(ids) > 0 && c.special(ids[0]) != ""
}

// encode returns the tokens of text, with plain text at the offsets quoted. The tokenizer adds
// no opening tokens: the template has written them.
func (c *Chat) encode(text string, quoted []int) ([]quintain.Token, error) {
	ids, err := c.Tokenizer.EncodeQuoted(text, false, quoted)
	return tokens(ids), err
}

// encodeAfter returns the tokens of text after the token last; end is last's text if it is
// special. A special token may absorb the white space after it, and many tokenizers put a
// space at the start of a text.
func (c *Chat) encodeAfter(last quintain.Token, end, text string, quoted []int) ([]quintain.Token, error) {
	if end == "" {
		return c.encode(text, quoted)
	}
	shifted := make([]int, len(quoted))
	for i, at := range quoted {
		shifted[i] = at + len(end)
	}
	all, err := c.encode(end+text, shifted)
	if err != nil || len(all) == 0 || all[0] != last {
		return c.encode(text, quoted)
	}
	return all[1:], nil
}

// Text implements [Renderer].
func (c *Chat) Text(reply []quintain.Token) string { return c.Tokenizer.Decode(ids(reply), true) }

// Whole implements [Renderer].
func (c *Chat) Whole(reply []quintain.Token, closed bool) string {
	of := ids(reply)
	if n := len(of); closed && n > 0 && c.special(of[n-1]) != "" {
		of = of[:n-1]
	}
	return c.Tokenizer.Decode(of, false)
}

// Vocabulary implements [Renderer].
func (c *Chat) Vocabulary() string { return c.Model }

// Size implements [Renderer].
func (c *Chat) Size() int { return c.Tokenizer.Size() }

func ids(tokens []quintain.Token) []int32 {
	ids := make([]int32, len(tokens))
	for i, t := range tokens {
		ids[i] = int32(t)
	}
	return ids
}

func tokens(ids []int32) []quintain.Token {
	tokens := make([]quintain.Token, len(ids))
	for i, id := range ids {
		tokens[i] = quintain.Token(id)
	}
	return tokens
}

// Encode returns the tokens of a text without a template. If it opens a sequence, it has the
// opening tokens of the tokenizer.
func (c *Chat) Encode(text string, opens bool) ([]quintain.Token, error) {
	ids, err := c.Tokenizer.Encode(text, opens)
	return tokens(ids), err
}
