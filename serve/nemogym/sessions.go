package nemogym

import (
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
)

// A session is an episode.
type session struct {
	mu   sync.Mutex // one step at a time
	env  quintain.Env
	over bool
}

// step plays a reply.
func (s *session) step(c *web.Call, reply quintain.Reply) (quintain.Step, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return quintain.Step{}, errOver
	}
	return s.env.Step(c.Context(), reply)
}

// Close ends the episode, after a step in progress.
func (s *session) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	return s.env.Close()
}
