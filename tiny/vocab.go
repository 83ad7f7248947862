package tiny

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// A Vocabulary is what the tokens of a model mean. Many goroutines may call its methods at once.
type Vocabulary interface {
	exact.Renderer

	// Ends reports whether a token closes a reply.
	Ends(token quintain.Token) bool
}

// Own is the vocabulary of the starter: characters and tags. Samples and weights files name it with its
// version, [OwnName]; docs/formats/vocabulary.md describes it.
type Own struct{}

// OwnName is the name of [Own].
const OwnName = "quintain-tiny-1"

// Render implements [exact.Renderer]; the drift is always Clean.
func (Own) Render(r quintain.Request) (exact.Rendering, error) {
	read, err := Read(r)
	return exact.Rendering{Tokens: read, Drift: exact.Clean}, err
}

// Text implements [exact.Renderer].
func (Own) Text(reply []quintain.Token) string { return strings.ToValidUTF8(Decode(reply), "\uFFFD") }

// Whole implements [exact.Renderer].
func (v Own) Whole(reply []quintain.Token, _ bool) string { return v.Text(reply) }

// Form implements [exact.Renderer].
func (Own) Form() *toolcall.Format { return toolcall.Plain() }

// Thinking implements [exact.Renderer].
func (Own) Thinking([]quintain.Token) bool { return false }

// Vocabulary implements [exact.Renderer].
func (Own) Vocabulary() string { return OwnName }

// Size implements [exact.Renderer].
func (Own) Size() int { return Size }

// Ends implements [Vocabulary].
func (Own) Ends(token quintain.Token) bool { return token == End }

// A Chat is the vocabulary of a language model: its chat template and tokenizer, and the tokens that
// close its replies.
type Chat struct {
	*exact.Chat
	Closing []quintain.Token
}

// Ends implements [Vocabulary].
func (c Chat) Ends(token quintain.Token) bool { return slices.Contains(c.Closing, token) }

// The tokens after the bytes of text, which are tokens 0 to 255.
const (
	Think     quintain.Token = 256 + iota // <think>
	EndThink                              // </think>
	Answer                                // <answer>
	EndAnswer                             // </answer>
	System                                // opens a message of the system
	User                                  // opens a message of the user
	Assistant                             // opens a reply
	Tool                                  // opens a message of a tool
	End                                   // closes a message
	tokens                                // the number of tokens; not a token itself
)

// Size is the number of tokens of the vocabulary.
const Size = int(tokens)

// tags lists the texts with a token of their own: Think and those after it.
var tags = [...]string{"<think>", "</think>", "<answer>", "</answer>"}

// Encode returns the tokens of text: one token per tag, wherever it occurs and whoever
// wrote it, and the bytes of everything else. No text has tokens that open or close a
// message. The result is never nil.
func Encode(text string) []quintain.Token {
	return appendText(make([]quintain.Token, 0, len(text)+1), text)
}

// appendText appends the tokens of text.
func appendText(to []quintain.Token, text string) []quintain.Token {
	for i := 0; i < len(text); i++ {
		token := quintain.Token(text[i])
		if text[i] == '<' {
			if tag := tagAt(text[i:]); tag >= 0 {
				token = Think + quintain.Token(tag)
				i += len(tags[tag]) - 1
			}
		}
		to = append(to, token)
	}
	return to
}

// tagAt returns the index of the tag at the start of text; -1: none.
func tagAt(text string) int {
	for i, tag := range tags {
		if strings.HasPrefix(text, tag) {
			return i
		}
	}
	return -1
}

// Decode returns the text of tokens, byte for byte: Decode(Encode(s)) is s for any s,
// even if s is not UTF-8. Tokens that open or close a message have no text. A number
// that is not a token of the vocabulary becomes U+FFFD.
func Decode(tokens []quintain.Token) string {
	var text strings.Builder
	text.Grow(len(tokens))
	for _, token := range tokens {
		switch {
		case token >= 0 && token < Think:
			text.WriteByte(byte(token))
		case token >= Think && token <= EndAnswer:
			text.WriteString(tags[token-Think])
		case !known(token):
			text.WriteString("\uFFFD")
		}
	}
	return text.String()
}

// known reports whether token is in the vocabulary.
func known(token quintain.Token) bool { return token >= 0 && token < tokens }

// Render returns the tokens of complete messages: for each, the token of its role, those
// of its content with its tool calls, in the form plain of package toolcall, and [End]. The error names a role without a token.
func Render(messages ...quintain.Message) ([]quintain.Token, error) {
	room := 1 // Read appends one
	for _, m := range messages {
		room += len(m.Content) + 2
	}
	rendered := make([]quintain.Token, 0, room)
	for i, m := range messages {
		role, err := opening(m.Role)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		rendered = append(appendText(append(rendered, role), toolcall.AppendPlain(m.Content, m.ToolCalls)), End)
	}
	return rendered, nil
}

// Read renders the additions of r to its Context: [End] if the last reply in Context was
// cut before its own, then the fresh messages and the opening of the next reply. If
// Context is empty, that is the whole prompt, with the tools before it as a system message.
func Read(r quintain.Request) ([]quintain.Token, error) {
	messages := r.Messages[r.Fresh:]
	if len(r.Context) == 0 && len(r.Tools) > 0 {
		messages = append([]quintain.Message{{Role: quintain.RoleSystem, Content: string(r.Tools)}}, messages...)
	}
	fresh, err := Render(messages...)
	if err != nil {
		return nil, err
	}
	fresh = append(fresh, Assistant)
	if n := len(r.Context); n > 0 && r.Context[n-1] != End {
		return append([]quintain.Token{End}, fresh...), nil
	}
	return fresh, nil
}

// opening returns the token of a role.
func opening(role string) (quintain.Token, error) {
	switch role {
	case quintain.RoleSystem:
		return System, nil
	case quintain.RoleUser:
		return User, nil
	case quintain.RoleAssistant:
		return Assistant, nil
	case quintain.RoleTool:
		return Tool, nil
	}
	return 0, fmt.Errorf("role %q has no token in the vocabulary %s", role, OwnName)
}
