// Package hubstats fetches the statistics of a running hub and prints them.
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
	"github.com/quintain-rl/quintain/internal/jsonform"
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
func (a Request) Fetch(ctx context.Context) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	target := strings.TrimRight(a.URL, "/") + "/v1/runs/" + url.PathEscape(a.Run) + "/stats"
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody)
	if err != nil {
		return nil, err
	}
	if a.Key != "" {
		r.Header.Set("X-API-Key", a.Key)
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

// Read decodes the statistics.
func Read(text []byte) (*hub.RunStats, error) {
	var st hub.RunStats
	if err := jsonform.Unmarshal(text, &st); err != nil {
		return nil, fmt.Errorf("the answer is not statistics of a hub: %w", err)
	}
	return &st, nil
}
