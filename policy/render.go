// Package policy holds the common parts of policies: the check of a request, and the byte
// vocabulary, whose tokens are the bytes of a conversation's text.
//
// In that vocabulary a message is its role in brackets, its content and [End], with nothing
// between messages. The opening of a reply is the bracketed role alone:
//
//	<|user|>How many legs has a horse?␃<|assistant|>
//
// Tools stand before the first message, as one with the role tools, whose content is their JSON. Calls
// of them are in the content of a reply, in the form plain of package toolcall.
// The policy then samples the bytes of its reply, and [End] if it ends the reply itself.
package policy

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// End closes a message in the byte vocabulary: ETX, "end of text", which no
// ordinary text holds.
const End quintain.Token = 0x03

// opening begins the policy's reply.
const opening = "<|" + quintain.RoleAssistant + "|>"

// Encode returns the bytes of text as tokens. The result is never nil.
func Encode(text string) []quintain.Token {
	return appendText(make([]quintain.Token, 0, len(text)+1), text)
}

// Decode returns the text of tokens of the byte vocabulary, without the closing [End]. Each
// run of bytes that is not UTF-8, such as a truncated character, becomes one U+FFFD. So
// does a token that is not a byte.
func Decode(tokens []quintain.Token) string {
	if n := len(tokens); n > 0 && tokens[n-1] == End {
		tokens = tokens[:n-1]
	}
	raw := make([]byte, len(tokens))
	for i, t := range tokens {
		if raw[i] = byte(t); t < 0 || t > 0xff {
			raw[i] = 0xff // occurs in no UTF-8 text
		}
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}

// Read returns the tokens that follow r's Context: [End] if the last reply in Context lacks
// it, then the fresh messages and the opening of the next reply.
func Read(r quintain.Request) []quintain.Token {
	fresh := slices.Clone(r.Messages[r.Fresh:])
	tools := ""
	if len(r.Context) == 0 && len(r.Tools) > 0 {
		tools = "<|tools|>" + string(r.Tools)
	}
	size := 1 + len(opening) + len(tools)
	for i, m := range fresh {
		if m.Content = m.Text(); len(m.ToolCalls) > 0 {
			m.Content = toolcall.AppendPlain(m.Content, m.ToolCalls)
		}
		fresh[i].Content = m.Content
		size += len(m.Role) + len(m.Content) + len("<||>") + 1
	}
	tokens := make([]quintain.Token, 0, size)
	if n := len(r.Context); n > 0 && r.Context[n-1] != End {
		tokens = append(tokens, End)
	}
	if tools != "" {
		tokens = append(appendText(tokens, tools), End)
	}
	for _, m := range fresh {
		tokens = appendText(tokens, "<|")
		tokens = appendText(tokens, m.Role)
		tokens = appendText(tokens, "|>")
		tokens = appendText(tokens, m.Content)
		tokens = append(tokens, End)
	}
	return appendText(tokens, opening)
}

func appendText(tokens []quintain.Token, text string) []quintain.Token {
	for i := range len(text) {
		tokens = append(tokens, quintain.Token(text[i]))
	}
	return tokens
}
