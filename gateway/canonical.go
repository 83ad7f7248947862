package gateway

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"hash"
	"regexp"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonform"
)

// A digest stands for a conversation: equal digests mean equal conversations, whatever a
// client changed in passing.
type digest [sha256.Size]byte

// A canon makes digests. Clients re-serialize arguments, trim texts and send dates: all that
// makes no difference.
type canon struct {
	ignore []*regexp.Regexp // matches in system messages make no difference
}

// start is the digest of a conversation without messages. The variables of the template are
// not in it: where they matter, the tokens differ, and tokens decide.
func (c *canon) start(tools json.RawMessage) digest {
	h := sha256.New()
	put(h, compact(tools))
	return digest(h.Sum(nil))
}

// after is the digest of a conversation with one message more.
func (c *canon) after(d digest, m quintain.Message) digest {
	h := sha256.New()
	h.Write(d[:])
	put(h, m.Role)
	text := m.Text()
	if m.Role == quintain.RoleSystem {
		for _, form := range c.ignore {
			text = form.ReplaceAllLiteralString(text, "")
		}
	}
	put(h, strings.TrimSpace(text))
	for _, p := range m.Parts {
		if p.Type != quintain.PartText {
			put(h, compact(p.Raw))
		}
	}
	for _, call := range m.ToolCalls {
		put(h, call.Name)
		put(h, compact([]byte(call.Arguments)))
	}
	return digest(h.Sum(nil))
}

// all returns the digests after each message.
func (c *canon) all(d digest, talk []quintain.Message) []digest {
	each := make([]digest, len(talk))
	for i, m := range talk {
		d = c.after(d, m)
		each[i] = d
	}
	return each
}

// put writes a text with its length, so that texts cannot run together.
func put(h hash.Hash, text string) {
	n := len(text)
	h.Write([]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)})
	h.Write([]byte(text))
}

// compact returns JSON in one form: without white space, members sorted, numbers as
// JavaScript writes them, because clients parse and write arguments anew. What is no JSON stays, without white space around it.
func compact(text []byte) string {
	text = bytes.TrimSpace(text)
	dec := jsonform.NewDecoder(text)
	var v any
	if err := dec.Decode(&v); err != nil || dec.More() {
		return string(text)
	}
	out, err := jsonform.Marshal(v)
	if err != nil {
		return string(text)
	}
	return string(out)
}
