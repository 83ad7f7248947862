package ors

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/wire"
	"github.com/quintain-rl/quintain/scenario/external"
)

// A Server has the routes of the standard. It is a value that any number of goroutines may use.
type Server struct {
	Client *httpclient.Client
	URL    string // without a slash at its end
	Most   int    // bytes of an answer

	header http.Header // of each request; nil: none
}

// pauses are those before a server is asked again.
var pauses = pause.Backoff{First: 200 * time.Millisecond, Most: 5 * time.Second}

// Ask asks a route by POST with a body in JSON, or by GET if the body is nil, and decodes the answer.
// While the server is busy, it asks again, until ctx ends. The error of another status than 2xx is an
// [*httpclient.Error].
func (s Server) Ask(ctx context.Context, path string, body, into any) error {
	for failures := 1; ; failures++ {
		r, err := s.request(ctx, path, body)
		if err != nil {
			return err
		}
		reply, err := s.Client.Do(r, int64(s.Most))
		busy := reply.Status == http.StatusServiceUnavailable || reply.Status == http.StatusTooManyRequests
		if busy && pause.For(ctx, pauses.After(failures)) {
			continue
		}
		if err != nil {
			return err
		}
		if err := Decode(reply.Body, into); err != nil {
			return reply.Invalid(err)
		}
		return nil
	}
}

// request returns a request; see [Server.Ask].
func (s Server) request(ctx context.Context, path string, body any) (*http.Request, error) {
	method, text := http.MethodGet, []byte(nil)
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
		method = http.MethodPost
	}
	r, err := s.Client.Request(ctx, method, s.URL+path, text)
	if err != nil {
		return nil, err
	}
	maps.Copy(r.Header, s.header)
	return r, nil
}

// Decode reads JSON of a server.
func Decode(text []byte, into any) error {
	const maxDepth = 100
	if fault := strictjson.Check(text, maxDepth); fault != nil {
		return fault
	}
	return strictjson.Explain(strictjson.Unmarshal(text, into))
}

// mostSplits limits the splits of an environment.
const mostSplits = 100

// Splits returns the splits of an environment, with their sizes. Those for validation and for tests are
// held out, unless there is none to train on: servers call a split of any other name one for validation.
func (s Server) Splits(ctx context.Context, environment string) ([]external.Split, error) {
	at := "/" + url.PathEscape(environment)
	var listed []wire.ORSSplit
	if err := s.Ask(ctx, at+"/splits", nil, &listed); err != nil {
		return nil, err
	}
	if len(listed) == 0 || len(listed) > mostSplits {
		return nil, fmt.Errorf("environment %.100q has %d splits, want 1 to %d", environment, len(listed), mostSplits)
	}
	trains := slices.ContainsFunc(listed, func(l wire.ORSSplit) bool { return l.Type == "train" })
	splits := make([]external.Split, len(listed))
	for i, l := range listed {
		var count struct {
			Tasks int `json:"num_tasks"`
		}
		if err := s.Ask(ctx, at+"/num_tasks", map[string]string{"split": l.Name}, &count); err != nil {
			return nil, err
		}
		if count.Tasks < 1 {
			return nil, fmt.Errorf("split %.100q of environment %.100q has no tasks", l.Name, environment)
		}
		splits[i] = external.Split{Name: l.Name, Size: count.Tasks, HeldOut: l.Type == "test" || l.Type == "validation" && trains}
	}
	return splits, nil
}
