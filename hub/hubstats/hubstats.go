// Package hubstats fetches the statistics of a running hub and the workers of its run, and prints them.
package hubstats

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/hub"
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

// A refusal is a reply other than 200.
type refusal struct {
	status int
	text   string
}

// Error implements error.
func (r *refusal) Error() string { return r.text }

// Fetch fetches the statistics as JSON.
func (a Request) Fetch(ctx context.Context) ([]byte, error) { return a.fetch(ctx, "stats") }

// fetch fetches something of the run as JSON. The error is a [*refusal] if the hub refuses it.
func (a Request) fetch(ctx context.Context, what string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	target := strings.TrimRight(a.URL, "/") + "/v1/runs/" + url.PathEscape(a.Run) + "/" + what
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody)
	if err != nil {
		return nil, err
	}
	if a.Key != "" {
		r.Header.Set("X-API-Key", a.Key)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%w (is the hub running? --url names another one)", err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, 16<<20))
	if err != nil {
		return nil, err
	}
	if reply.StatusCode != http.StatusOK {
		why := fmt.Sprintf("%s: %s: %s", target, reply.Status, text)
		if reply.StatusCode == http.StatusUnauthorized {
			why += " (--key-file names the file with the key)"
		}
		return nil, &refusal{reply.StatusCode, why}
	}
	return text, nil
}

// Read decodes the statistics.
func Read(text []byte) (*hub.RunStats, error) {
	var st hub.RunStats
	if err := strictjson.Unmarshal(text, &st); err != nil {
		return nil, fmt.Errorf("the answer is not statistics of a hub: %w", err)
	}
	return &st, nil
}
