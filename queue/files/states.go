package files

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/queue"
)

// State implements [queue.States].
func (s *store) State(ctx context.Context, key string) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s.state.Lock()
	defer s.state.Unlock()
	value, ok := s.values[key]
	if !ok {
		return nil, nil
	}
	return append([]byte{}, value...), nil
}

// States implements [queue.States].
func (s *store) States(ctx context.Context, prefix string) (list []queue.State, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	s.state.Lock()
	defer s.state.Unlock()
	for _, key := range slices.Sorted(maps.Keys(s.values)) {
		if strings.HasPrefix(key, prefix) {
			list = append(list, queue.State{Key: key, Value: append([]byte{}, s.values[key]...)})
		}
	}
	return list, nil
}

// SetStates implements [queue.States]. It writes all of list together.
func (s *store) SetStates(ctx context.Context, list []queue.State) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	s.ops.RLock()
	defer s.ops.RUnlock()
	s.state.Lock()
	defer s.state.Unlock()
	frames := make([]wal.Frame, len(list))
	for i, one := range list {
		frames[i] = stateFrame(one.Key, one.Value)
	}
	if err := s.insist(func() error { return s.states.write(frames) }); err != nil {
		return s.here(err)
	}
	for _, one := range list {
		s.set(one)
	}
	if err := s.shorten(); err != nil {
		s.o.logger().Warn("the file of states could not be shortened", "err", err)
	}
	return nil
}

// set updates the value of a written state. s.state is held.
func (s *store) set(one queue.State) {
	if old, there := s.values[one.Key]; there {
		s.live -= stateSize(one.Key, old)
		delete(s.values, one.Key)
	}
	if one.Value != nil {
		s.live += stateSize(one.Key, one.Value)
		s.values[one.Key] = append([]byte{}, one.Value...)
	}
}

// stateSize is the size of a state in the file, in bytes.
func stateSize(key string, value []byte) int64 {
	return int64(wal.PrefixLen + 1 + len(key) + len(value))
}

// stateFrame is the frame of a state; a nil value deletes the key.
func stateFrame(key string, value []byte) wal.Frame {
	if value == nil {
		return wal.NewFrame(append([]byte{0}, key...))
	}
	return wal.NewFrame(append([]byte{1}, key...), value)
}

// shorten rewrites the file of states once most of it is obsolete. s.state is held.
func (s *store) shorten() error {
	if s.states.Size() < 1<<20+4*s.live {
		return nil
	}
	frames := make([]wal.Frame, 0, len(s.values))
	for key, value := range s.values {
		frames = append(frames, stateFrame(key, value))
	}
	return replace(&s.states, frames)
}
