package policytest

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
)

// The special tokens of the fake server. The tokens of text are 1<<24 and above.
const (
	endOfTurn quintain.Token = 1
	startTurn quintain.Token = 2 // before the pieces of a role
	endOfRole quintain.Token = 3
)

// pieces returns the tokens of text. A token holds the number of its bytes, one to three,
// in its highest byte, and the bytes themselves below.
func (s *Server) pieces(text string) []quintain.Token {
	size := s.PieceBytes
	if size == 0 {
		size = 3
	}
	var tokens []quintain.Token
	for len(text) > 0 {
		n := min(size, len(text))
		token := quintain.Token(n) << 24
		for i := range n {
			token |= quintain.Token(text[i]) << (8 * i)
		}
		tokens = append(tokens, token)
		text = text[n:]
	}
	return tokens
}

// bytesOf returns a token's bytes in a reply, and the token's name.
func bytesOf(token quintain.Token) (raw []byte, name string) {
	n := int(token >> 24)
	if n == 0 {
		name = fmt.Sprintf("<|special_%d|>", token)
		return []byte(name), name
	}
	for i := range n {
		raw = append(raw, byte(token>>(8*i)))
	}
	return raw, strings.ToValidUTF8(string(raw), "\uFFFD")
}

// spell returns the text of tokens without special ones.
func spell(tokens []quintain.Token) string {
	var raw []byte
	for _, token := range tokens {
		if token >= 1<<24 {
			piece, _ := bytesOf(token)
			raw = append(raw, piece...)
		}
	}
	return strings.ToValidUTF8(string(raw), "\uFFFD")
}

// prompt is the chat template. It encodes each message separately, so that a longer
// conversation extends a shorter one token by token.
func (s *Server) prompt(talk []quintain.Message) []quintain.Token {
	var tokens []quintain.Token
	for _, m := range talk {
		content := m.Content
		if _, rest, thought := strings.Cut(content, "</think>"); thought && s.Forgets && m.Role == quintain.RoleAssistant {
			content = strings.TrimLeft(rest, "\n")
		}
		tokens = append(tokens, s.opening(m.Role)...)
		tokens = append(tokens, s.pieces(content)...)
		tokens = append(tokens, endOfTurn)
	}
	return append(tokens, s.opening(quintain.RoleAssistant)...)
}

func (s *Server) opening(role string) []quintain.Token {
	return append(append([]quintain.Token{startTurn}, s.pieces(role)...), endOfRole)
}

// entries returns the log-probabilities of tokens, which depend only on the tokens.
func entries(tokens []quintain.Token, byID bool) []any {
	list := make([]any, len(tokens))
	for i, token := range tokens {
		raw, name := bytesOf(token)
		codes := make([]int, len(raw))
		for j, b := range raw {
			codes[j] = int(b)
		}
		if byID {
			name = fmt.Sprintf("token_id:%d", token)
		}
		list[i] = map[string]any{"token": name, "logprob": LogProb(token), "bytes": codes, "top_logprobs": []any{}}
	}
	return list
}

// LogProb returns the log-probability that the fake server reports for token.
func LogProb(token quintain.Token) float64 { return -float64(token%97) / 64 }
