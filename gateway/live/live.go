// Package live shows the text of a reply while it is sampled.
package live

import (
	"strings"
	"sync"
)

// A Text is what a reply surely begins with. Any number of goroutines may read it; the zero
// value is empty.
type Text struct {
	mu                 sync.Mutex
	reasoning, content string
	grew               chan struct{} // closed when there is more; nil: nobody waits for it
}

// Show sets what is shown: both texts go on from what they were.
func (t *Text) Show(reasoning, content string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(reasoning)+len(content) == len(t.reasoning)+len(t.content) {
		return
	}
	t.reasoning, t.content = reasoning, content
	if t.grew != nil {
		close(t.grew)
		t.grew = nil
	}
}

// Now returns what is shown, and what is closed when there is more.
func (t *Text) Now() (reasoning, content string, grew <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.grew == nil {
		t.grew = make(chan struct{})
	}
	return t.reasoning, t.content, t.grew
}

// Begins reports whether a reply goes on from what is shown.
func (t *Text) Begins(reasoning, content string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.HasPrefix(reasoning, t.reasoning) && strings.HasPrefix(content, t.content)
}
