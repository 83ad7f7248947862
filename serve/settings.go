package serve

import (
	"time"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
)

// Settings configures the routes.
type Settings struct {
	Hub               bool            // the hub serves the routes too
	Protocols         []string        // empty: all
	MaxProblems       int             // per request
	MaxSessions       int             // open at once, for each protocol
	MaxSessionsPerKey int             // of them, of one key; 0: MaxSessions
	Idle              time.Duration   // after which a session without a request ends
	Judge             string          // file with the settings of a judge, see package jury; empty: none
	Problems          []string        // files of code problems, which requests know by their names
	Scores            reasoninggym.By // of answers without a scenario
}

// Default returns the default settings.
func Default() Settings {
	return Settings{MaxProblems: 1000, Scores: reasoninggym.Ours, MaxSessions: 1 << 15, Idle: 10 * time.Minute}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Bool(&s.Hub, "hub", "serve the requests of quintain serve on the hub too").Flag("serve")
	d.Texts(&s.Protocols, "protocols", "protocols to serve; none: all").Flag("protocols")
	d.Int(&s.MaxProblems, "max_problems", "most problems, or answers to grade, per request").Between(1, 1<<20)
	d.Int(&s.MaxSessions, "max_sessions", "most open sessions of each protocol").AtLeast(1)
	d.Int(&s.MaxSessionsPerKey, "max_sessions_per_key", "most of them that one key has open; 0: max_sessions").AtLeast(0)
	d.Text(&s.Judge, "judge", "file with the settings of a judge, in YAML, which grades replies of the scenario judge (docs/judge.md)").Flag("serve-judge")
	d.Texts(&s.Problems, "problems", "files of code problems, data sets of /submit and /get_prompts by their names without the ending (docs/serve.md)").Flag("serve-problems")
	reasoninggym.Declare(d, &s.Scores)
	d.Duration(&s.Idle, "idle", "time without a request after which a session ends").Above(0)
}
