package exact

import (
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// A Renderer turns messages into tokens and tokens into text, as the model's chat template
// and tokenizer do. Many goroutines may call its methods at once.
type Renderer interface {
	// Render returns the prompt for the reply to r, a request that [policy.Check] accepts.
	Render(r quintain.Request) (Rendering, error)

	// Text returns the text of a reply, without special tokens.
	Text(reply []quintain.Token) string

	// Whole returns the text of a reply with its special tokens; if it is closed, without a
	// special token at its end.
	Whole(reply []quintain.Token, closed bool) string

	// Form is that of the tool calls in replies, and Thinking reports whether a prompt that ends with
	// these tokens opens the thoughts of its reply.
	Form() *toolcall.Format
	Thinking(prompt []quintain.Token) bool

	// Vocabulary names the tokens' vocabulary, and Size is one more than its greatest token.
	Vocabulary() string
	Size() int
}

// A Rendering is the prompt of a reply.
type Rendering struct {
	// Tokens holds the fresh messages, with the opening of the reply; if Drift is Forked,
	// the whole conversation.
	Tokens []quintain.Token
	Text   string // the encoded text

	Drift Drift
	Why   string // if Drift is Forked: where the template leaves the conversation so far
}

// Bytes renders in the byte vocabulary of package policy, [quintain.UTF8].
type Bytes struct{}

// Render implements [Renderer]; the drift is always Clean.
func (Bytes) Render(r quintain.Request) (Rendering, error) {
	read := policy.Read(r)
	var text strings.Builder
	text.Grow(len(read))
	for _, t := range read {
		text.WriteByte(byte(t))
	}
	return Rendering{Tokens: read, Text: text.String(), Drift: Clean}, nil
}

// Text implements [Renderer].
func (Bytes) Text(reply []quintain.Token) string { return policy.Decode(reply) }

// Whole implements [Renderer].
func (Bytes) Whole(reply []quintain.Token, _ bool) string { return policy.Decode(reply) }

// Form implements [Renderer].
func (Bytes) Form() *toolcall.Format { return toolcall.Plain() }

// Thinking implements [Renderer].
func (Bytes) Thinking([]quintain.Token) bool { return false }

// Vocabulary implements [Renderer].
func (Bytes) Vocabulary() string { return quintain.UTF8 }

// Size implements [Renderer].
func (Bytes) Size() int { return 1 << 8 }

// Encode returns the bytes of a text.
func (Bytes) Encode(text string, _ bool) ([]quintain.Token, error) { return policy.Encode(text), nil }
