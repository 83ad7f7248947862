package pipe

import (
	"sync"

	"github.com/quintain-rl/quintain"
)

// A memory keeps the latest problems by name, so that those that come back need not be
// read. Many goroutines may use it.
type memory struct {
	most int // bytes of JSON in each half

	mu         sync.RWMutex
	young, old map[string]*quintain.Problem
	size       int // bytes of JSON in young
}

// put stores a problem with the size of its JSON in bytes, and drops the oldest ones if
// there is no room.
func (m *memory) put(name []byte, size int, p quintain.Problem) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.size+size > m.most || m.young == nil {
		m.young, m.old, m.size = map[string]*quintain.Problem{}, m.young, 0
	}
	if _, known := m.young[string(name)]; !known && size <= m.most {
		m.size += size
		m.young[string(name)] = &p
	}
}

// get returns the problem of a name; nil: unknown. Do not change it.
func (m *memory) get(name []byte) *quintain.Problem {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if p := m.young[string(name)]; p != nil {
		return p
	}
	return m.old[string(name)]
}
