// Package hubstats fetches the statistics of a running hub and the workers of its run, and prints them.
package hubstats

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/hub"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Request names the statistics to fetch.
type Request struct {
	URL string // of the hub
	Run string // name of the run
	Key string // any of the hub's keys; empty: none
}

// timeout bounds the answer of a hub.
const timeout = 10 * time.Second

// Fetch fetches the statistics as JSON.
func (a Request) Fetch(ctx context.Context) ([]byte, error) { return a.fetch(ctx, "stats") }

// fetch fetches something of the run as JSON. The error is an [*httpclient.Error].
func (a Request) fetch(ctx context.Context, what string) ([]byte, error) {
	ctx, cancel := httpclient.Within(ctx, timeout)
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

// Read decodes the statistics.
func Read(text []byte) (*hub.RunStats, error) {
	var st hub.RunStats
	if err := strictjson.Unmarshal(text, &st); err != nil {
		return nil, fmt.Errorf("the answer is not statistics of a hub: %w", err)
	}
	return &st, nil
}
