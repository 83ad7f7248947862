package tree

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"hash"
	"regexp"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Digest stands for a conversation: equal digests mean equal conversations, whatever a
// client changed in passing.
type Digest [sha256.Size]byte

// A Canon makes digests. Clients re-serialize arguments, trim texts and send dates: all that
// makes no difference.
type Canon struct {
	Ignore []*regexp.Regexp // matches in system messages make no difference
}

// Volatile returns the forms of what coding agents change in their system messages between
// calls: lines of billing, and dates.
func Volatile() []*regexp.Regexp {
	return []*regexp.Regexp{
		regexp.MustCompile(`(?m)^x-anthropic-billing-header:.*$`),
		regexp.MustCompile(`(?mi)^\s*(today['’]s date|current date|date|current time)(\s+is\b|\s*:).*$`),
	}
}

// StartOf is the digest of a conversation without messages. The variables of the template are
// not in it: where they matter, the tokens differ, and tokens decide.
func (c *Canon) StartOf(tools json.RawMessage) Digest {
	h := sha256.New()
	put(h, Compact(tools))
	return Digest(h.Sum(nil))
}

// After is the digest of a conversation with one message more.
func (c *Canon) After(d Digest, m quintain.Message) Digest {
	h := sha256.New()
	h.Write(d[:])
	put(h, m.Role)
	text := m.Text()
	if m.Role == quintain.RoleSystem {
		for _, form := range c.Ignore {
			text = form.ReplaceAllLiteralString(text, "")
		}
	}
	put(h, strings.TrimSpace(text))
	for _, p := range m.Parts {
		if p.Type != quintain.PartText {
			put(h, Compact(p.Raw))
		}
	}
	for _, call := range m.ToolCalls {
		put(h, call.Name)
		put(h, Compact([]byte(call.Arguments)))
	}
	return Digest(h.Sum(nil))
}

// all returns the digests after each message.
func (c *Canon) all(d Digest, talk []quintain.Message) []Digest {
	each := make([]Digest, len(talk))
	for i, m := range talk {
		d = c.After(d, m)
		each[i] = d
	}
	return each
}

// Sum is the digest of parts.
func Sum(parts ...[]byte) Digest {
	h := sha256.New()
	for _, part := range parts {
		put(h, part)
	}
	return Digest(h.Sum(nil))
}

// put writes a text with its length, so that texts cannot run together.
func put[T string | []byte](h hash.Hash, text T) {
	n := len(text)
	h.Write([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
	h.Write([]byte(text))
}

// Compact returns JSON in one form: without white space, members sorted, numbers as
// JavaScript writes them, because clients parse and write arguments anew. What is no JSON stays,
// without white space around it.
func Compact(text []byte) string {
	text = bytes.TrimSpace(text)
	var v any
	if strictjson.Unmarshal(text, &v) != nil {
		return string(text)
	}
	out, err := json.Marshal(v)
	if err != nil {
		return string(text)
	}
	return string(out)
}
