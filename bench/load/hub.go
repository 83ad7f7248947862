package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// A HubLoad is a load on a hub.
type HubLoad struct {
	URL          string        // of the hub, http://HOST:PORT; its groups will be lost
	Form         string        // of posts: json, gzip, or binary, which only our hub takes
	Sequences    int           // of a group
	Length       int           // tokens of a sequence; 0: 2048, or 64 for a backlog
	Connections  int           // to post groups
	Time         time.Duration // duration of ingest and polls
	Groups       int           // to post and take; 0: 320, or 20000 for a backlog
	Batch        int           // sequences in a batch
	Gzip         bool          // take batches zipped
	Environments int           // to poll
}

// DefaultHub returns the load of the figures in docs/benchmarks.md.
func DefaultHub() HubLoad {
	return HubLoad{
		URL: "http://127.0.0.1:8000", Form: "json", Sequences: 8, Connections: 8,
		Time: 5 * time.Second, Batch: 256, Environments: 1000,
	}
}

// Flags returns flags that set the load.
func (l *HubLoad) Flags() *flag.FlagSet {
	f := flag.NewFlagSet("hub", flag.ExitOnError)
	f.StringVar(&l.URL, "url", l.URL, "the hub, whose groups are deleted")
	f.StringVar(&l.Form, "form", l.Form, "form of posted groups: json, gzip, or binary, which only our hub takes")
	f.IntVar(&l.Sequences, "sequences", l.Sequences, "sequences in a group")
	f.IntVar(&l.Length, "length", l.Length, "tokens of a sequence; 0: 2048, or 64 for a backlog")
	f.IntVar(&l.Connections, "connections", l.Connections, "connections that post groups")
	f.DurationVar(&l.Time, "time", l.Time, "duration of ingest and polls")
	f.IntVar(&l.Groups, "groups", l.Groups, "groups to post and take; 0: 320, or 20000 for a backlog")
	f.IntVar(&l.Batch, "batch", l.Batch, "sequences in a batch")
	f.BoolVar(&l.Gzip, "accept-gzip", l.Gzip, "take gzipped batches")
	f.IntVar(&l.Environments, "environments", l.Environments, "environments that poll")
	return f
}

// Check reports the first invalid field, or unknown scenario.
func (l HubLoad) Check(scenarios ...string) error {
	for _, name := range scenarios {
		if !slices.Contains(Scenarios(), name) {
			return fmt.Errorf("scenario: is %q, want some of %s", name, strings.Join(Scenarios(), ", "))
		}
	}
	if l.Form != "json" && l.Form != "gzip" && l.Form != "binary" {
		return fmt.Errorf("form: is %q, want json, gzip or binary", l.Form)
	}
	for name, n := range map[string]int{"sequences": l.Sequences, "connections": l.Connections, "batch": l.Batch, "environments": l.Environments} {
		if n < 1 {
			return fmt.Errorf("%s: is %d, want 1 or more", name, n)
		}
	}
	for name, n := range map[string]int{"length": l.Length, "groups": l.Groups} {
		if n < 0 {
			return fmt.Errorf("%s: is %d, want 0 or more", name, n)
		}
	}
	if l.Time <= 0 {
		return fmt.Errorf("time: is %v, want more than 0", l.Time)
	}
	return nil
}

// Scenarios are the names of the measurements:
//
//   - ingest: connections post groups, one after another
//   - polls: ingest, while each environment asks for its status ten times a second
//   - batch: groups are posted, then taken in batches, while another client keeps asking for
//     /info
//   - backlog: small groups are posted, sixteen in a request, then taken in batches
func Scenarios() []string { return []string{"ingest", "batch", "backlog", "polls"} }

// Run resets a hub, puts the load of a scenario on it, and returns the measurement: an
// [*Ingest] of ingest and polls, a [*Batches] of batch and backlog.
func (l HubLoad) Run(ctx context.Context, scenario string) (row any, err error) {
	if err := l.Check(scenario); err != nil {
		return nil, err
	}
	s, err := begin(ctx, l, scenario)
	if err != nil {
		return nil, err
	}
	defer s.main.Close()
	switch scenario {
	case "ingest":
		return s.post(ctx)
	case "polls":
		return s.polls(ctx)
	case "batch":
		return s.fillAndTake(ctx, scenario, 1)
	}
	return s.fillAndTake(ctx, scenario, 16)
}

// measureHub puts a load on a running hub, ours or any with the API of Atropos, and prints a line
// of JSON for each of [Scenarios]. Each begins with /reset_data, which deletes the groups of the
// hub. bench/hub.py runs it on two servers, side by side.
//
//	go run ./bench/load hub -url http://127.0.0.1:8000 -scenario ingest
//	go run ./bench/load hub -scenario ingest -form binary -connections 16
//	go run ./bench/load hub -scenario batch -groups 320 -batch 256
func measureHub(ctx context.Context, args []string) error {
	load := DefaultHub()
	f := load.Flags()
	names := f.String("scenario", strings.Join(Scenarios(), ","), "scenarios, separated by commas")
	_ = f.Parse(args) // it ends the program
	scenarios := strings.Split(*names, ",")
	if err := load.Check(scenarios...); err != nil {
		return err
	}
	for _, name := range scenarios {
		row, err := load.Run(ctx, name)
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(row)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}
