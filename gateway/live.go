package gateway

import (
	"strings"
	"sync"

	"github.com/quintain-rl/quintain"
)

// A live is what a streamed reply surely begins with, while it is sampled.
type live struct {
	mu                 sync.Mutex
	reasoning, content string
	grew               chan struct{} // closed when there is more; nil: nobody waits for it
}

// show adds to what is shown: both go on from what they were.
func (l *live) show(reasoning, content string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(reasoning)+len(content) == len(l.reasoning)+len(l.content) {
		return
	}
	l.reasoning, l.content = reasoning, content
	if l.grew != nil {
		close(l.grew)
		l.grew = nil
	}
}

// now returns what is shown, and what is closed when there is more.
func (l *live) now() (reasoning, content string, grew <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.grew == nil {
		l.grew = make(chan struct{})
	}
	return l.reasoning, l.content, l.grew
}

// begins reports whether a reply goes on from what was shown of it.
func (l *live) begins(t *quintain.Turn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.HasPrefix(t.Reasoning, l.reasoning) && strings.HasPrefix(t.Reply, l.content)
}

// showing returns what shows a reply while it is sampled.
func (g *Gateway) showing(f *flight) func(text, whole string) {
	format, in := g.form(f.req)
	return func(text, whole string) {
		if format == nil {
			f.live.show("", text)
		} else {
			f.live.show(format.Sure(whole, in))
		}
	}
}
