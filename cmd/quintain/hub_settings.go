package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/queue/nats"
	"github.com/quintain-rl/quintain/web"
)

// hubSettings are the settings of the hub beside those of every server.
type hubSettings struct {
	Compat         string        `yaml:"atropos_compat"` // loose, or strict: as the original also where its ways are odd
	Lease          time.Duration `yaml:"lease"`          // of a batch
	EnvTimeout     time.Duration `yaml:"env_timeout"`    // without a sign of life, after which an environment counts as gone
	Stall          time.Duration `yaml:"stall"`          // for which a connection may not move in a request
	Drain          time.Duration `yaml:"drain"`          // for requests under way when the hub is stopped
	MaxBody        int64         `yaml:"max_body"`       // bytes of a request
	MaxInflated    int64         `yaml:"max_inflated"`   // bytes of a request after gzip
	MaxGroups      int           `yaml:"max_groups"`     // of a request
	MaxSequences   int           `yaml:"max_sequences"`  // of a group
	MaxTokens      int           `yaml:"max_tokens"`     // of a sequence
	MaxWaiting     int           `yaml:"max_waiting"`    // groups; 0: no limit
	WhenFull       string        `yaml:"when_full"`      // refuse, or drop-oldest
	MaxConnections int           `yaml:"max_connections"`
	Origins        originList    `yaml:"origins"`    // of web pages that may call; none: CORS is off
	AccessLog      bool          `yaml:"access_log"` // log every request at level info

	maxLag *int // of what a trainer gets from the hub of a run; nil: any
}

// Words of hub settings.
const (
	compatLoose  = "loose"
	compatStrict = "strict"
	fullRefuse   = "refuse"
	fullDrop     = "drop-oldest"
)

// An originList is the origins of web pages. As a flag it is written ORIGIN,….
type originList []string

// Set implements pflag.Value.
func (l *originList) Set(text string) error {
	*l = strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	return nil
}

// String implements pflag.Value.
func (l *originList) String() string { return strings.Join(*l, ",") }

// Type implements pflag.Value.
func (l *originList) Type() string { return "ORIGIN,…" }

func defaultHub() hubSettings {
	return hubSettings{
		Compat: compatLoose, Lease: 30 * time.Minute, EnvTimeout: 2 * time.Minute, Stall: time.Minute, Drain: 5 * time.Second,
		MaxBody: 256 << 20, MaxInflated: 512 << 20, MaxGroups: queue.MaxPutAll, MaxSequences: 1 << 16, MaxTokens: 16 << 20,
		WhenFull: fullRefuse, MaxConnections: 8192,
	}
}

// hubFlags gives c the flags of the hub.
func (l *loader) hubFlags(c *cobra.Command) {
	f, h := c.Flags(), &l.Hub
	f.StringVar(&h.Compat, "atropos-compat", h.Compat, "strict: also where the ways of Atropos are odd (packing, newest batch first); or loose")
	f.DurationVar(&h.Lease, "lease", h.Lease, "how long a batch is a trainer's before another may get it")
	f.DurationVar(&h.EnvTimeout, "env-timeout", h.EnvTimeout, "time without a sign of life after which an environment counts as gone")
	f.DurationVar(&h.Stall, "stall", h.Stall, "time for which a connection may not move in the middle of a request")
	f.DurationVar(&h.Drain, "drain", h.Drain, "time for requests under way when the hub is stopped")
	f.Int64Var(&h.MaxBody, "max-body", h.MaxBody, "bytes of a request")
	f.Int64Var(&h.MaxInflated, "max-inflated", h.MaxInflated, "bytes of a request after gzip")
	f.IntVar(&h.MaxGroups, "max-groups", h.MaxGroups, "groups of a request")
	f.IntVar(&h.MaxSequences, "max-sequences", h.MaxSequences, "sequences of a group")
	f.IntVar(&h.MaxTokens, "max-tokens-each", h.MaxTokens, "tokens of a sequence")
	f.IntVar(&h.MaxWaiting, "max-waiting", h.MaxWaiting, "groups that wait; 0: no limit")
	f.StringVar(&h.WhenFull, "when-full", h.WhenFull, "what becomes of groups for which there is no room: refuse (status 429) or drop-oldest")
	f.IntVar(&h.MaxConnections, "max-connections", h.MaxConnections, "connections at once")
	f.Var(&h.Origins, "origins", "origins of web pages that may call, https://example.org; * for any; none where it is empty")
	f.BoolVar(&h.AccessLog, "access-log", h.AccessLog, "log every request")
}

// check reports all settings that make no sense.
func (h hubSettings) check(want func(ok bool, name string, value any, wanted string)) {
	want(h.Compat == compatLoose || h.Compat == compatStrict, "hub.atropos_compat", h.Compat, "loose or strict")
	want(h.WhenFull == fullRefuse || h.WhenFull == fullDrop, "hub.when_full", h.WhenFull, "refuse or drop-oldest")
	for name, span := range map[string]time.Duration{"lease": h.Lease, "env_timeout": h.EnvTimeout, "stall": h.Stall, "drain": h.Drain} {
		want(span > 0, "hub."+name, span, "more than 0")
	}
	for name, n := range map[string]int64{
		"max_body": h.MaxBody, "max_inflated": h.MaxInflated, "max_sequences": int64(h.MaxSequences),
		"max_tokens": int64(h.MaxTokens), "max_connections": int64(h.MaxConnections),
	} {
		want(n > 0, "hub."+name, n, "1 or more")
	}
	want(h.MaxGroups > 0 && h.MaxGroups <= queue.MaxPutAll, "hub.max_groups", h.MaxGroups, fmt.Sprintf("1 to %d", queue.MaxPutAll))
	want(h.MaxWaiting >= 0, "hub.max_waiting", h.MaxWaiting, "0 or more")
	for _, origin := range h.Origins {
		want(origin == "*" || strings.Contains(origin, "://"), "hub.origins", origin, "* or https://HOST")
	}
}

// hubConfig is how the hub of a station behaves.
func (st *station) hubConfig(s settings) hub.Config {
	h := s.Hub
	return hub.Config{
		Queue: st.Queue, OpenRun: st.openRun(s), Keys: st.door.Keys, MaxLag: h.maxLag, Log: st.log, Web: s.web(),
		Settings: hub.Settings{
			Compat: hub.Compat(h.Compat), Lease: h.Lease, EnvTimeout: h.EnvTimeout,
			MaxGroups: h.MaxGroups, MaxSequences: h.MaxSequences, MaxTokens: h.MaxTokens,
			MaxWaiting: h.MaxWaiting, WhenFull: hub.Overflow(h.WhenFull),
		},
	}
}

// web are the settings of the server itself.
func (s settings) web() web.Settings {
	h := s.Hub
	return web.Settings{
		Host: s.Server.Host, Port: s.Server.Port, KeyFile: s.Server.KeyFile,
		MaxConnections: h.MaxConnections, MaxBody: h.MaxBody, MaxInflated: h.MaxInflated,
		Stall: h.Stall, Drain: h.Drain, Origins: h.Origins, AccessLog: h.AccessLog,
	}
}

// openRun returns what opens the queues of further runs: each has a folder of its own,
// or streams of its own on a NATS server.
func (st *station) openRun(s settings) func(ctx context.Context, name string) (*queue.Queue, error) {
	return func(ctx context.Context, name string) (q *queue.Queue, err error) {
		if q, err = st.openQueue(ctx, s, filepath.Join("runs", name), "quintain-"+name); err == nil {
			st.runs = append(st.runs, q) // the hub opens one at a time
		}
		return q, err
	}
}

// openQueue opens a queue: in a folder of the data folder, or in the streams of a name
// if there is a NATS server.
func (st *station) openQueue(ctx context.Context, s settings, dir, name string) (*queue.Queue, error) {
	var store queue.Store
	var err error
	if s.Server.NATSURL != "" {
		store, err = nats.Open(ctx, s.Server.NATSURL, nats.Options{Name: name, Replicas: s.Server.NATSReplicas, Log: st.log})
	} else {
		store, err = files.Open(st.data.join(dir), files.Options{Log: st.log})
	}
	if err != nil {
		return nil, err
	}
	return queue.Open(ctx, store, queue.Options{Log: st.log})
}
