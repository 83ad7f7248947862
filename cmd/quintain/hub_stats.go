package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/web"
)

// statsTimeout is how long a hub may take to answer.
const statsTimeout = 10 * time.Second

// A statsRequest says which hub is asked, and for what.
type statsRequest struct {
	url, run, keyFile string
	json              bool
}

func newHubStats(w *world) *cobra.Command {
	var ask statsRequest
	c := &cobra.Command{
		Use:   "stats",
		Short: "Show what a running hub holds and has done",
		Long: `Stats asks a running hub what waits in a run, what trainers have, and what the hub
has done since it started.`,
		Example: `  quintain hub stats
  quintain hub stats --url http://hub:8000 --key-file key --run exp2 --json`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return showStats(c.Context(), w, ask) },
	}
	f := c.Flags()
	f.StringVar(&ask.url, "url", "http://127.0.0.1:8000", "the hub")
	f.StringVar(&ask.run, "run", "default", "name of the run")
	f.StringVar(&ask.keyFile, "key-file", "", "file with the keys of the hub, or with one of them")
	f.BoolVar(&ask.json, "json", false, "print the hub's answer as it is")
	return c
}

// A hubStats is what a hub answers.
type hubStats struct {
	hub.Stats
	Run     string `json:"run"`
	Batches []struct {
		Number  uint64    `json:"batch"`
		State   string    `json:"state"`
		Trainer string    `json:"trainer"`
		Groups  int       `json:"groups"`
		Until   time.Time `json:"until"`
	} `json:"open_batches"`
}

// showStats asks a hub and prints what it says.
func showStats(ctx context.Context, w *world, ask statsRequest) error {
	text, err := ask.fetch(ctx)
	if err != nil {
		return err
	}
	if ask.json {
		_, err := fmt.Fprintf(w.stdout, "%s\n", text)
		return err
	}
	var st hubStats
	if err := json.Unmarshal(text, &st); err != nil {
		return fmt.Errorf("%s: the answer is not statistics of a hub: %w", ask.url, err)
	}
	st.print(w.stdout, time.Now())
	return nil
}

// fetch asks the hub.
func (a statsRequest) fetch(ctx context.Context) ([]byte, error) {
	keys, err := web.ReadKeys(a.keyFile, hub.Producer, hub.Trainer)
	if err != nil {
		return nil, fmt.Errorf("--key-file: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, statsTimeout)
	defer cancel()
	target := strings.TrimRight(a.url, "/") + "/v1/runs/" + url.PathEscape(a.run) + "/stats"
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody)
	if err != nil {
		return nil, usagef("--url: %w", err)
	}
	if len(keys) > 0 { // any will do
		r.Header.Set("X-API-Key", keys[0].Secret)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, 16<<20))
	if err != nil {
		return nil, err
	}
	if reply.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s: %s", target, reply.Status, text)
	}
	return text, nil
}

// print prints the statistics for people: what the run holds now, then what it has done
// since the hub started.
func (st *hubStats) print(out io.Writer, now time.Time) {
	line := func(name, format string, values ...any) {
		fmt.Fprintf(out, "%-13s %s\n", name, fmt.Sprintf(format, values...))
	}
	if st.Registered {
		line("run", "%s: batches of %s, step %d", st.Run, some(st.BatchSize, "sequence"), st.Step)
	} else {
		line("run", "%s: no trainer has registered", st.Run)
	}
	timeout := time.Duration(st.EnvTimeout * float64(time.Second))
	line("environments", "%d, %d heard from in the last %s", st.Envs, st.Connected, span(timeout))
	q := st.Queue
	line("waiting", "%s, %s, %s, %.1f MB", some(q.Waiting.Groups, "group"), some(q.Waiting.Sequences, "sequence"), some(q.Waiting.Tokens, "token"), float64(q.Waiting.Bytes)/1e6)
	if !q.OldestPut.IsZero() {
		before := ""
		if q.OldestPut.Before(st.Since) {
			before = ", before the hub started"
		}
		line("", "the oldest came %s ago%s", span(now.Sub(q.OldestPut)), before)
	}
	if st.Held > 0 {
		line("", "%d of them until others make up the group size of their environment", st.Held)
	}
	for _, size := range slices.Sorted(maps.Keys(st.Unpackable)) {
		line("", "%d of them, of %s, fit into no batch", st.Unpackable[size], some(size, "sequence"))
	}
	if q.Aside.Groups > 0 {
		line("set aside", "%s that cannot be read", some(q.Aside.Groups, "group"))
	}
	for _, b := range st.Batches {
		until := ""
		if !b.Until.IsZero() {
			until = ", until " + b.Until.Local().Format(time.DateTime)
		}
		line("batch", "%d of %s: %s, %s%s", b.Number, some(b.Groups, "group"), b.State, b.Trainer, until)
	}
	fmt.Fprintf(out, "since the hub started %s ago:\n", span(now.Sub(st.Since)))
	line("  received", "%s and %s in %s; %s came again", some(st.GroupsIn, "group"), some(st.TokensIn, "token"), some(st.Posts, "post"), some(q.Duplicates, "group"))
	line("  refused", "%s as invalid, %d for lack of room", some(st.Refused, "request"), st.Full)
	line("  handed out", "%s, %d more than once; %s and %s", some(st.Stats.Batches, "batch"), st.Again, some(st.GroupsOut, "group"), some(st.TokensOut, "token"))
	line("  of these", "%d acknowledged, %d given back; %s did not arrive, %s ran out", st.Acked, st.Nacked, some(st.Torn, "reply"), some(st.Expired, "lease"))
	if st.Dropped > 0 {
		line("  dropped", "%s to make room", some(st.Dropped, "group"))
	}
}

// some writes a number of things.
func some[T int | uint64](n T, thing string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(thing, "ch"):
		thing += "es"
	case strings.HasSuffix(thing, "ply"):
		thing = strings.TrimSuffix(thing, "y") + "ies"
	default:
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// span writes how long something is, roughly.
func span(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}
