package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/settings"
)

// hubSettings are the settings of the hub beside those of every server.
type hubSettings struct {
	Compat         string        // compatLoose, or compatStrict: as the original also where its ways are odd
	Lease          time.Duration // of a batch
	EnvTimeout     time.Duration // after which an environment that was not heard from counts as gone
	Stall          time.Duration // for which a connection may not move in a request
	Drain          time.Duration // for requests under way when the hub is stopped
	MaxBody        int64         // bytes of a request
	MaxInflated    int64         // bytes of a request after gzip
	MaxGroups      int           // of a request
	MaxSequences   int           // of a group
	MaxTokens      int           // of a sequence
	MaxWaiting     int           // groups; 0: no limit
	WhenFull       string        // fullRefuse or fullDrop
	MaxConnections int
	Origins        []string // of web pages that may call; none: CORS is off
	AccessLog      bool     // log every request at level info
}

// Words of hub settings.
const (
	compatLoose  = "loose"
	compatStrict = "strict"
	fullRefuse   = "refuse"
	fullDrop     = "drop-oldest"
)

func defaultHub() hubSettings {
	return hubSettings{
		Compat: compatLoose, Lease: 30 * time.Minute, EnvTimeout: 2 * time.Minute, Stall: time.Minute, Drain: 5 * time.Second,
		MaxBody: 256 << 20, MaxInflated: 512 << 20, MaxGroups: queue.MaxPutAll, MaxSequences: 1 << 16, MaxTokens: 16 << 20,
		WhenFull: fullRefuse, MaxConnections: 8192,
	}
}

// Declare implements [settings.Declarer].
func (h *hubSettings) Declare(d *settings.Section) {
	d.Text(&h.Compat, "atropos_compat", "whether batches are packed as Atropos packs them, also where its ways are odd").OneOf(compatLoose, compatStrict)
	d.Duration(&h.Lease, "lease", "how long a batch is a trainer's before another may get it").Above(0)
	d.Duration(&h.EnvTimeout, "env_timeout", "time after which an environment that was not heard from counts as gone").Above(0)
	d.Duration(&h.Stall, "stall", "time for which a connection may not move in the middle of a request").Above(0)
	d.Duration(&h.Drain, "drain", "time for requests under way when the hub is stopped").Above(0)
	d.Int64(&h.MaxBody, "max_body", "bytes of a request").AtLeast(1)
	d.Int64(&h.MaxInflated, "max_inflated", "bytes of a request after gzip").AtLeast(1)
	d.Int(&h.MaxGroups, "max_groups", "groups of a request").Between(1, queue.MaxPutAll)
	d.Int(&h.MaxSequences, "max_sequences", "sequences of a group").AtLeast(1)
	d.Int(&h.MaxTokens, "max_tokens", "tokens of a sequence").AtLeast(1).Flag("max-tokens-each")
	d.Int(&h.MaxWaiting, "max_waiting", "groups that wait; 0: no limit").AtLeast(0)
	d.Text(&h.WhenFull, "when_full", "what becomes of groups for which there is no room (refused: status 429)").OneOf(fullRefuse, fullDrop)
	d.Int(&h.MaxConnections, "max_connections", "connections at once").AtLeast(1)
	d.Texts(&h.Origins, "origins", "origins of web pages that may call, https://example.org; * for any")
	d.Bool(&h.AccessLog, "access_log", "log every request")
}

// Check implements [settings.Checker].
func (h *hubSettings) Check() error {
	for _, origin := range h.Origins {
		if origin != "*" && !strings.Contains(origin, "://") {
			return fmt.Errorf("origins: %q is not one, want * or https://HOST", origin)
		}
	}
	return nil
}

// hubConfig is how the hub of a server behaves. In a run, its trainer gets nothing that
// is older than the run's bound.
func (s *server) hubConfig(c *config) hub.Config {
	h := c.Hub
	out := hub.Config{
		Queue: s.queue, Keys: s.keys, Strict: h.Compat == compatStrict,
		Lease: h.Lease, EnvTimeout: h.EnvTimeout, Stall: h.Stall, Drain: h.Drain,
		Limits: hub.Limits{
			Body: h.MaxBody, Inflated: h.MaxInflated, Groups: h.MaxGroups, Sequences: h.MaxSequences, Tokens: h.MaxTokens,
			Waiting: h.MaxWaiting, Connections: h.MaxConnections, DropOldest: h.WhenFull == fullDrop,
		},
		Origins: h.Origins, AccessLog: h.AccessLog, Log: s.log,
		OpenRun: func(ctx context.Context, name string) (*queue.Queue, error) {
			q, err := s.openQueue(ctx, c, name)
			if err == nil {
				s.runs = append(s.runs, q) // the hub opens one at a time
			}
			return q, err
		},
	}
	if c.Run.Consumer == consumerHub {
		out.MaxLag = &c.Run.Of.MaxLag
	}
	return out
}

// readKeys reads the keys of a server from a file, a key a line: "KEY" is good for
// everything, "producer KEY", "trainer KEY" and "admin KEY" for a part. No file is no
// key.
func readKeys(path string) (keys hub.Keys, err error) {
	if path == "" {
		return keys, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return keys, err
	}
	for i, line := range strings.Split(string(data), "\n") {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || strings.HasPrefix(words[0], "#"):
		case len(words) == 1:
			keys.All = append(keys.All, words[0])
		case len(words) == 2 && words[0] == "producer":
			keys.Producer = append(keys.Producer, words[1])
		case len(words) == 2 && words[0] == "trainer":
			keys.Trainer = append(keys.Trainer, words[1])
		case len(words) == 2 && words[0] == "admin":
			keys.Admin = append(keys.Admin, words[1])
		default:
			return keys, fmt.Errorf("%s: line %d is no key: want KEY, or producer, trainer or admin and a KEY", path, i+1)
		}
	}
	if !keys.Any() {
		return keys, errors.New(path + " is empty")
	}
	return keys, nil
}
