package serve

import (
	"time"

	"github.com/quintain-rl/quintain/settings"
)

// Settings are what people may set of the routes.
type Settings struct {
	Hub         bool          // the hub answers the routes, too
	Protocols   []string      // empty: all
	MaxProblems int           // of a request
	MaxSessions int           // at once, of each protocol
	Idle        time.Duration // after which a session without a request ends
}

// Default returns the settings that hold unless something else is said.
func Default() Settings {
	return Settings{MaxProblems: 1000, MaxSessions: 1 << 15, Idle: 10 * time.Minute}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Bool(&s.Hub, "hub", "the hub also answers requests as quintain serve does").Flag("serve")
	d.Texts(&s.Protocols, "protocols", "the protocols that are spoken; none: all")
	d.Int(&s.MaxProblems, "max_problems", "problems of a request, and answers to grade").Between(1, 1<<20)
	d.Int(&s.MaxSessions, "max_sessions", "sessions at once, of each protocol").AtLeast(1)
	d.Duration(&s.Idle, "idle", "after which a session ends if nobody asks anything of it").Above(0)
}
