// Package hubload puts a load on a hub that is running, ours or any other that speaks the
// API of Atropos, and measures how fast it is.
package hubload

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// A Load says which load is put on a hub.
type Load struct {
	URL          string        // of the hub, http://HOST:PORT; what it holds is lost
	Form         string        // how groups are posted: json, gzip, or binary, which only our hub takes
	Sequences    int           // of a group
	Length       int           // tokens of a sequence; 0: 2048, or 64 for a backlog
	Connections  int           // on which groups are posted
	Time         time.Duration // how long ingest and polls take
	Groups       int           // that are posted and taken; 0: 320, or 20000 for a backlog
	Batch        int           // sequences in a batch
	Gzip         bool          // take batches zipped
	Environments int           // that poll
}

// Default returns the load of the figures in docs/benchmarks.md.
func Default() Load {
	return Load{
		URL: "http://127.0.0.1:8000", Form: "json", Sequences: 8, Connections: 8,
		Time: 5 * time.Second, Batch: 256, Environments: 1000,
	}
}

// Check reports the first invalid field.
func (l Load) Check() error {
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

// Scenarios are the names of what can be measured:
//
//   - ingest: groups are posted, each when the one before on its connection is answered
//   - polls: the same, while environments ask for their status ten times a second each
//   - batch: groups are posted, then taken in batches, while another client asks for
//     /info all the time
//   - backlog: small groups are posted, sixteen in a request, then taken in batches
func Scenarios() []string { return []string{"ingest", "batch", "backlog", "polls"} }

// Run resets a hub, puts the load of a scenario on it, and returns what it measured: an
// [*Ingest] of ingest and polls, a [*Batches] of batch and backlog.
func (l Load) Run(ctx context.Context, scenario string) (row any, err error) {
	if !slices.Contains(Scenarios(), scenario) {
		return nil, fmt.Errorf("scenario: is %q, want one of %v", scenario, Scenarios())
	}
	if err := l.Check(); err != nil {
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
