package exact

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/text/chattemplate"
	"github.com/quintain-rl/quintain/text/tokenizer"
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
	Vars      chattemplate.Vars // further variables of the template, such as tools or enable_thinking

	// Now is the time for templates that ask for it: one for all turns, because a changing
	// date forks every conversation. Zero: such a template is refused.
	Now time.Time
}

// Render implements [Renderer]. Its errors are [quintain.ErrFinal]: they would recur.
func (c *Chat) Render(r quintain.Request) (Rendering, error) {
	read, err := c.render(r)
	if err != nil {
		return Rendering{}, fmt.Errorf("%w; %w", err, quintain.ErrFinal)
	}
	return read, nil
}

// Prompt returns the template's text of a conversation, with the opening of a reply. Its
// errors are those of Render.
func (c *Chat) Prompt(talk []quintain.Message) (text string, err error) {
	vars, err := messages(talk)
	if err != nil {
		return "", fmt.Errorf("%w; %w", err, quintain.ErrFinal)
	}
	if text, err = c.prompt(vars); err != nil {
		return "", fmt.Errorf("%w; %w", err, quintain.ErrFinal)
	}
	return text, nil
}

func (c *Chat) render(r quintain.Request) (Rendering, error) {
	talk, err := messages(r.Messages)
	if err != nil {
		return Rendering{}, err
	}
	if r.Alone && len(r.Context) > 0 {
		return c.alone(talk[r.Fresh:])
	}
	full, err := c.prompt(talk)
	if err != nil {
		return Rendering{}, err
	}
	if len(r.Context) == 0 {
		tokens, err := c.encode(full)
		return Rendering{Tokens: tokens, Text: full, Drift: Clean}, err
	}
	last, err := c.last(r)
	if err != nil {
		return Rendering{}, err
	}
	before, err := c.prompt(talk[:r.Fresh-1])
	if err != nil {
		return Rendering{}, err
	}
	rest, drift := last.follow(before, full, c.closes)
	if drift == Forked {
		tokens, err := c.encode(full)
		return Rendering{Tokens: tokens, Text: full, Drift: Forked, Why: difference(before+last.text+last.end, full)}, err
	}
	tokens, err := c.encodeAfter(r.Context[len(r.Context)-1], last.end, rest)
	return Rendering{Tokens: tokens, Text: rest, Drift: drift}, err
}

// alone renders fresh messages as a conversation of their own; see [quintain.Step].
func (c *Chat) alone(fresh []chattemplate.Vars) (Rendering, error) {
	text, err := c.prompt(fresh)
	if err != nil {
		return Rendering{}, err
	}
	text = "\n" + text
	ids, err := c.Tokenizer.Encode(text, true)
	return Rendering{Tokens: tokens(ids), Text: text, Drift: Clean}, err
}

// prompt returns the template's text of a conversation, with the opening of a reply.
func (c *Chat) prompt(talk []chattemplate.Vars) (string, error) {
	var vars chattemplate.Vars
	vars.SetList("messages", talk)
	if err := vars.Set("add_generation_prompt", true); err != nil {
		return "", err
	}
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

// encode returns the tokens of text. The tokenizer adds no opening tokens: the template has
// written them.
func (c *Chat) encode(text string) ([]quintain.Token, error) {
	ids, err := c.Tokenizer.Encode(text, false)
	return tokens(ids), err
}

// encodeAfter returns the tokens of text after the token last; end is last's text if it is
// special. A special token may absorb the white space after it, and many tokenizers put a
// space at the start of a text.
func (c *Chat) encodeAfter(last quintain.Token, end, text string) ([]quintain.Token, error) {
	if end == "" {
		return c.encode(text)
	}
	all, err := c.encode(end + text)
	if err != nil || len(all) == 0 || all[0] != last {
		return c.encode(text)
	}
	return all[1:], nil
}

// Text implements [Renderer].
func (c *Chat) Text(reply []quintain.Token) string { return c.Tokenizer.Decode(ids(reply), true) }

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
