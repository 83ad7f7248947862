package gateway

import (
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/internal/pause"
)

// A liveText is what a reply surely begins with. Any number of goroutines may read it; the zero
// value is empty.
type liveText struct {
	mu                 sync.Mutex
	reasoning, content string
	grew               pause.Signal // there is more
}

// show sets what is shown: both texts go on from what they were.
func (t *liveText) show(reasoning, content string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(reasoning)+len(content) == len(t.reasoning)+len(t.content) {
		return
	}
	t.reasoning, t.content = reasoning, content
	t.grew.Wake()
}

// now returns what is shown, and what is closed when there is more.
func (t *liveText) now() (reasoning, content string, grew <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reasoning, t.content, t.grew.Next()
}

// begins reports whether a reply goes on from what is shown.
func (t *liveText) begins(reasoning, content string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.HasPrefix(reasoning, t.reasoning) && strings.HasPrefix(content, t.content)
}
