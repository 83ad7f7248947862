package command

import (
	"strings"
	"sync"
)

// A Tail is a writer that keeps the end of what is written. Many goroutines may write.
type Tail struct {
	Most int // bytes to keep

	mu  sync.Mutex
	end []byte
}

// Write implements [io.Writer].
func (t *Tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(text)
	text = text[max(0, n-t.Most):]
	if more := len(t.end) + len(text) - 2*t.Most; more > 0 {
		t.end = append(t.end[:0], t.end[min(len(t.end), max(0, len(t.end)+len(text)-t.Most)):]...)
	}
	t.end = append(t.end, text...)
	return n, nil
}

// String returns the end, as valid text.
func (t *Tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.end[max(0, len(t.end)-t.Most):]), "\uFFFD")
}
