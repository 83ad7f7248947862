package queue

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Memory is a [Store] that ends with the process, for tests and expendable runs. Close
// keeps its content, so it can be opened again.
type Memory struct {
	mu     sync.Mutex
	last   uint64
	bodies map[uint64]Record
	places map[Key]uint64
	log    [][]byte
	states map[string][]byte
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{bodies: make(map[uint64]Record), places: make(map[Key]uint64), states: make(map[string][]byte)}
}

// Put implements [Bodies].
func (m *Memory) Put(ctx context.Context, records []Record) ([]uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	seqs := make([]uint64, len(records))
	for i, r := range records {
		if _, ok := m.places[r.Key]; ok {
			continue
		}
		m.last++
		seqs[i] = m.last
		r.Body = slices.Clone(r.Body)
		m.bodies[m.last] = r
		m.places[r.Key] = m.last
	}
	return seqs, nil
}

// Body implements [Bodies].
func (m *Memory) Body(ctx context.Context, seq uint64) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r, ok := m.bodies[seq]
	if !ok {
		return nil, fmt.Errorf("sequence number %d: %w", seq, ErrUnknown)
	}
	return slices.Clone(r.Body), nil
}

// Delete implements [Bodies].
func (m *Memory) Delete(_ context.Context, below uint64, seqs []uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	maps.DeleteFunc(m.bodies, func(seq uint64, r Record) bool {
		if seq >= below && !slices.Contains(seqs, seq) {
			return false
		}
		delete(m.places, r.Key)
		return true
	})
	return nil
}

// List implements [Bodies].
func (m *Memory) List(_ context.Context, show func(Listed)) (last uint64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, seq := range slices.Sorted(maps.Keys(m.bodies)) {
		r := m.bodies[seq]
		show(Listed{Seq: seq, Key: r.Key, Meta: r.Meta, Size: len(r.Body)})
	}
	return m.last, nil
}

// Clear implements [Bodies].
func (m *Memory) Clear(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.bodies)
	clear(m.places)
	return nil
}

// Append implements [Log].
func (m *Memory) Append(ctx context.Context, record []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	m.log = append(m.log, slices.Clone(record))
	return nil
}

// Replay implements [Log].
func (m *Memory) Replay(_ context.Context, show func([]byte) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.log {
		if err := show(r); err != nil {
			return err
		}
	}
	return nil
}

// Rewrite implements [Log].
func (m *Memory) Rewrite(_ context.Context, records [][]byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.log = slices.Clone(records)
	return nil
}

// State implements [States].
func (m *Memory) State(_ context.Context, key string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.states[key]), nil
}

// States implements [States].
func (m *Memory) States(_ context.Context, prefix string) (list []State, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(m.states)) {
		if strings.HasPrefix(key, prefix) {
			list = append(list, State{key, slices.Clone(m.states[key])})
		}
	}
	return list, nil
}

// SetStates implements [States].
func (m *Memory) SetStates(_ context.Context, list []State) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range list {
		if s.Value == nil {
			delete(m.states, s.Key)
		} else {
			m.states[s.Key] = append([]byte{}, s.Value...)
		}
	}
	return nil
}

// Close does nothing.
func (m *Memory) Close() error { return nil }
