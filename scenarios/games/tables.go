package games

import (
	"container/list"
	"sync"
)

// mostTables bounds the tables that a game keeps.
const mostTables = 64

// Tables keeps what the solver of a game worked out, for all its episodes. Many goroutines may use
// it. The zero value is empty.
type Tables struct {
	mu   sync.Mutex
	by   map[any]*list.Element // of *table
	used list.List             // last used first
}

// A table is built once.
type table struct {
	key   any
	build sync.Once
	value any
}

// Table returns the table of a key, which is comparable. Build makes it, if it is not kept; tables
// that were not used for long are forgotten.
func Table[T any](of *Tables, key any, build func() T) T {
	t := of.find(key)
	t.build.Do(func() { t.value = build() })
	return t.value.(T)
}

func (of *Tables) find(key any) *table {
	of.mu.Lock()
	defer of.mu.Unlock()
	if of.by == nil {
		of.by = map[any]*list.Element{}
	}
	if at, kept := of.by[key]; kept {
		of.used.MoveToFront(at)
		return at.Value.(*table)
	}
	t := &table{key: key}
	of.by[key] = of.used.PushFront(t)
	if len(of.by) > mostTables {
		last := of.used.Back()
		delete(of.by, of.used.Remove(last).(*table).key)
	}
	return t
}
