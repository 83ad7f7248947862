package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A hubAsk names the statistics to fetch.
type hubAsk struct {
	URL string // of the hub
	Run string // name of the run
	Key string // any of the hub's keys; empty: none
}

// hubTimeout bounds the answer of a hub.
const hubTimeout = 10 * time.Second

// fetch fetches something of the run as JSON. The error is an [*httpclient.Error].
func (a hubAsk) fetch(ctx context.Context, what string) ([]byte, error) {
	ctx, cancel := httpclient.Within(ctx, hubTimeout)
	defer cancel()
	client := httpclient.New(httpclient.Config{Key: a.Key})
	defer client.CloseIdle()
	r, err := client.Request(ctx, http.MethodGet, strings.TrimRight(a.URL, "/")+"/v1/runs/"+url.PathEscape(a.Run)+"/"+what, nil)
	if err != nil {
		return nil, err
	}
	reply, err := client.Do(r, 16<<20)
	switch status := httpclient.StatusOf(err); {
	case status == http.StatusUnauthorized:
		return nil, fmt.Errorf("%w (--key-file names the file with the key)", err)
	case err != nil && status == 0:
		return nil, fmt.Errorf("%w (is the hub running? --url names another one)", err)
	}
	return reply.Body, err
}

// readHubStats decodes the statistics.
func readHubStats(text []byte) (*hub.RunStats, error) {
	var st hub.RunStats
	if err := strictjson.Unmarshal(text, &st); err != nil {
		return nil, fmt.Errorf("the answer is not statistics of a hub: %w", err)
	}
	return &st, nil
}

// showStats asks a hub for the state of a run and prints it, or the reply of the hub as it is.
func (a hubAsk) showStats(ctx context.Context, out io.Writer, asJSON bool) error {
	text, err := a.fetch(ctx, "stats")
	if err != nil {
		return err
	}
	if asJSON {
		_, err := fmt.Fprintf(out, "%s\n", text)
		return err
	}
	st, err := readHubStats(text)
	if err != nil {
		return fmt.Errorf("%s: %w", a.URL, err)
	}
	st.Print(out, time.Now())
	return nil
}
