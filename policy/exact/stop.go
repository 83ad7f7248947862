package exact

import (
	"sort"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
)

// stopChunk limits the tokens of a request with stop texts to a server that cannot end a
// reply there: so many may be sampled in vain.
const stopChunk = 64

// stop ends o after the token that completes one of the stop texts, and reports whether
// there is one. A server does not see those that begin in an earlier chunk.
func stop(by Renderer, o *policy.Output, stops []string) bool {
	within := func(n int) bool {
		begin, _ := policy.Stopped(by.Text(o.Tokens[:n]), stops)
		return begin >= 0
	}
	if len(stops) == 0 || !within(len(o.Tokens)) {
		return false
	}
	n := sort.Search(len(o.Tokens), within)
	o.Tokens, o.Versions, o.Finish = o.Tokens[:n], o.Versions[:min(n, len(o.Versions))], quintain.Stop
	if o.LogProbs != nil {
		o.LogProbs = o.LogProbs[:n]
	}
	return true
}

// texts returns the text of o without and with special tokens, up to a stop text.
func texts(by Renderer, o policy.Output, stops []string) (text, whole string) {
	text = by.Text(o.Tokens)
	begin, _ := policy.Stopped(text, stops)
	if begin < 0 {
		return text, by.Whole(o.Tokens, o.Finish == quintain.Stop)
	}
	text = text[:begin]
	for n := len(o.Tokens); ; n-- { // a token may hold more than the stop text
		if rest, starts := strings.CutPrefix(text, by.Text(o.Tokens[:n])); starts {
			return text, by.Whole(o.Tokens[:n], false) + rest
		}
	}
}
