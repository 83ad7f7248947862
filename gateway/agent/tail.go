package agent

import (
	"strings"
	"sync"
)

// The ends of the output that are kept, in bytes.
const (
	mostOutput    = 64 << 10
	mostComplaint = 2 << 10 // of standard error, for the reason of a failure
)

// A tail is a writer that keeps the end. Many goroutines may write.
type tail struct {
	most int

	mu  sync.Mutex
	end []byte
}

// Write implements [io.Writer].
func (t *tail) Write(text []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(text)
	text = text[max(0, n-t.most):]
	if more := len(t.end) + len(text) - 2*t.most; more > 0 {
		t.end = append(t.end[:0], t.end[min(len(t.end), max(0, len(t.end)+len(text)-t.most)):]...)
	}
	t.end = append(t.end, text...)
	return n, nil
}

// String returns the end, as valid text.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.end[max(0, len(t.end)-t.most):]), "\uFFFD")
}
