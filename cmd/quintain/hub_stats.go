package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
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
		Long: `Stats asks a running hub what waits in a run, what trainers have, and what it has
done since it was started.`,
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
		return fmt.Errorf("%s: the answer is no statistics: %w", ask.url, err)
	}
	st.print(w.stdout)
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

// print prints the statistics for people.
func (st *hubStats) print(out io.Writer) {
	line := func(name, format string, values ...any) {
		fmt.Fprintf(out, "%-12s %s\n", name, fmt.Sprintf(format, values...))
	}
	if st.Registered {
		line("run", "%s: batches of %d sequences, step %d", st.Run, st.BatchSize, st.Step)
	} else {
		line("run", "%s: no trainer has registered", st.Run)
	}
	line("environments", "%d, of which %d gave a sign of life of late", st.Envs, st.Connected)
	q := st.Queue
	line("waiting", "%d groups, %d sequences, %d tokens, %d bytes", q.Waiting.Groups, q.Waiting.Sequences, q.Waiting.Tokens, q.Waiting.Bytes)
	if !q.OldestPut.IsZero() {
		line("", "the oldest since %s", q.OldestPut.Local().Format(time.DateTime))
	}
	if st.Held > 0 {
		line("", "%d of them for others that make up a group's size", st.Held)
	}
	for size, n := range st.Unpackable {
		line("", "%d of them, of %d sequences, fit into no batch", n, size)
	}
	if q.Aside.Groups > 0 {
		line("set aside", "%d groups that cannot be read", q.Aside.Groups)
	}
	line("in", "%d groups, %d tokens, in %d posts; %d had come before, %d posts were refused, %d for lack of room", st.GroupsIn, st.TokensIn, st.Posts, q.Duplicates, st.Refused, st.Full)
	line("out", "%d batches, and %d again; %d groups, %d tokens", st.Stats.Batches, st.Again, st.GroupsOut, st.TokensOut)
	line("back", "%d acknowledged, %d given back, %d replies torn, %d leases ran out", st.Acked, st.Nacked, st.Torn, st.Expired)
	if st.Dropped > 0 {
		line("dropped", "%d groups, to make room", st.Dropped)
	}
	for _, b := range st.Batches {
		until := ""
		if !b.Until.IsZero() {
			until = ", until " + b.Until.Local().Format(time.DateTime)
		}
		line("batch", "%d of %d groups: %s, %s%s", b.Number, b.Groups, b.State, b.Trainer, until)
	}
}
