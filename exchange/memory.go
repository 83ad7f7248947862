package exchange

import (
	"sync"

	"github.com/quintain-rl/quintain"
)

// memoryMost is how many bytes of problems a memory has in each of its halves.
const memoryMost = 16 << 20

// A memory keeps the last problems that a desk has drawn, by the JSON in which they went
// out, so that those that come back need not be read. Many goroutines may use it.
type memory struct {
	most int // bytes of JSON in each half

	mu         sync.RWMutex
	young, old map[string]quintain.Problem
	size       int // bytes of JSON in young
}

// put keeps a problem, in place of the oldest if there is no room.
func (m *memory) put(text []byte, p quintain.Problem) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size+len(text) > m.most || m.young == nil {
		m.young, m.old, m.size = map[string]quintain.Problem{}, m.young, 0
	}
	if _, known := m.young[string(text)]; !known && len(text) <= m.most {
		m.young[string(text)] = p
		m.size += len(text)
	}
}

// get returns the problem that went out as text.
func (m *memory) get(text []byte) (p quintain.Problem, known bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if p, known = m.young[string(text)]; !known {
		p, known = m.old[string(text)]
	}
	return p, known
}
