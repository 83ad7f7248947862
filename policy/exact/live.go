package exact

import (
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/text/tokenizer"
)

// A telling tells a reply's text while it is sampled.
type telling struct {
	chat  *Chat
	stops []string
	tell  func(text, whole string)

	texts [2]struct { // without special tokens, and with them
		from *tokenizer.Stream
		told []byte
	}
	n    int  // tokens in the texts
	over bool // the text has a stop text, or began anew
}

// telling returns what takes the tokens of a reply to r as they are sampled; nil: it cannot be
// told before it is whole.
func (p *Policy) telling(r quintain.Request) func([]quintain.Token) {
	c, ok := p.render.(*Chat)
	if !ok {
		return nil
	}
	t := &telling{chat: c, stops: r.Stop, tell: r.Text}
	t.texts[0].from, t.texts[1].from = c.Tokenizer.Stream(true), c.Tokenizer.Stream(false)
	return t.grow
}

// grow takes all tokens so far. A special token may be the one that closes the reply, unless
// another follows.
func (t *telling) grow(tokens []quintain.Token) {
	if n := len(tokens); n > 0 && t.chat.special(int32(tokens[n-1])) != "" {
		tokens = tokens[:n-1]
	}
	if t.over = t.over || len(tokens) < t.n; t.over || len(tokens) == t.n {
		return
	}
	for i := range t.texts {
		of := &t.texts[i]
		for _, id := range tokens[t.n:] {
			of.told = append(of.told, of.from.Next(int32(id))...)
		}
	}
	t.n = len(tokens)
	text := string(t.texts[0].told)
	if begin, _ := policy.Stopped(text, t.stops); begin >= 0 {
		t.over = true
	} else if !stopping(text, t.stops) {
		t.tell(text, string(t.texts[1].told))
	}
}

// stopping reports whether a text ends with what may become a stop text.
func stopping(text string, stops []string) bool {
	return slices.ContainsFunc(stops, func(stop string) bool {
		for n := min(len(stop)-1, len(text)); n > 0; n-- {
			if strings.HasSuffix(text, stop[:n]) {
				return true
			}
		}
		return false
	})
}

// continued returns what takes the tokens that continue others, and passes on all; nil if nobody
// takes them.
func continued(tokens []quintain.Token, all func([]quintain.Token)) func([]quintain.Token) {
	if all == nil {
		return nil
	}
	all(tokens)
	return func(more []quintain.Token) { all(slices.Concat(tokens, more)) }
}
