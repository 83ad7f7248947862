package mcptools

import (
	"fmt"
	"time"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/scenario/external/guest"
)

// Settings names the servers and their limits.
type Settings struct {
	Servers   guest.Addresses // mcp:COMMAND or mcp:URL; none: there are no tools
	Calls     int             // most of an episode, over all servers
	CallTime  time.Duration   // of a call
	StartTime time.Duration   // of a server, until it has told its tools
	Output    int             // most characters of a result
	Share     int             // episodes in one session at once
	Restarts  int             // consecutive failures to begin a session
}

// Default returns the settings without a server.
func Default() Settings {
	return Settings{Calls: 16, CallTime: time.Minute, StartTime: 5 * time.Minute, Output: 8000, Share: 1, Restarts: 5}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Value(&s.Servers, "servers", "servers of MCP whose tools the policy may call before it answers: mcp:COMMAND or mcp:URL; repeatable (docs/environments.md)").Flag("tools")
	d.Int(&s.Calls, "calls", "most calls of an episode; the policy is told when none is left").AtLeast(1)
	d.Duration(&s.CallTime, "call_time", "time limit of a call; then the environment has failed").Above(0)
	d.Duration(&s.StartTime, "start_time", "time limit of a server's start").Above(0)
	d.Int(&s.Output, "output", "most characters of a result, which is cut in its middle").AtLeast(100)
	d.Int(&s.Share, "share", "episodes in one session of a server at once; more than 1 only for servers without state").AtLeast(1)
	d.Int(&s.Restarts, "restarts", "consecutive failures to begin a session of a server; more end the run").AtLeast(0)
}

// Check implements [settings.Checker].
func (s *Settings) Check() error {
	for _, a := range s.Servers {
		if a.Scheme != "mcp" {
			return fmt.Errorf("servers: is %s, want mcp:COMMAND or mcp:URL", a)
		}
	}
	return nil
}
