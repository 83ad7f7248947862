// Package ors plays the environments of a server of the Open Reward Standard. Its server side is in
// serve/ors.
//
// The forms are those of the standard (General Reasoning); the code is our own.
package ors

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenario/external/guest"
)

// A client plays one environment of a server. It implements [external.Guest].
type client struct {
	server  Server
	name    string // of the environment
	at      string // its path, with a slash at the end
	hello   *external.Hello
	args    arguments
	secrets string // header that passes them on; empty: there are none
	log     *slog.Logger

	episodes external.Episodes[*episode]

	work  sync.WaitGroup  // pings, and ends of sessions
	ended context.Context //nolint:containedctx // ends with the client
	stop  context.CancelFunc
}

// arguments are those of [guest.Settings].
type arguments struct {
	Images bool `json:"images"` // the policy reads images
}

// Open returns the client of the environment that an address names: the URL of a server, and behind a #
// the name of one of its environments, by default the first. It asks the server what there is, within the
// settings' StartTime. The caller must Close the client.
func Open(ctx context.Context, a guest.Address, s guest.Settings, log *slog.Logger) (external.Guest, error) {
	at, err := httpclient.ParseURL(a.Name)
	if err != nil {
		return nil, err
	}
	c := &client{name: cmp.Or(a.Part, at.Fragment), log: log}
	at.Fragment = ""
	const connections = 1024
	c.server = Server{Client: httpclient.New(httpclient.Config{Connections: connections}), URL: strings.TrimSuffix(at.String(), "/"), Most: s.Limits.MaxBytes}
	asking, cancel := httpclient.Within(ctx, s.Limits.StartTime)
	defer cancel()
	if err := c.prepare(asking, s); err != nil {
		c.server.Client.CloseIdle()
		return nil, err
	}
	c.ended, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.work.Go(c.keep)
	return c, nil
}

// prepare reads the settings, and asks the server what there is.
func (c *client) prepare(ctx context.Context, s guest.Settings) (err error) {
	c.hello = &external.Hello{Protocol: 2, Version: 1, Parallel: external.MostParallel}
	if err := Arguments(s.Args, c.hello, &c.args); err != nil {
		return err
	}
	if c.secrets, err = secrets(s.Keys); err != nil {
		return err
	}
	var names []string
	if err := c.server.Ask(ctx, "/list_environments", nil, &names); err != nil {
		return fmt.Errorf("does not answer as a server of the Open Reward Standard; does it run? %w", err)
	}
	if c.name == "" && len(names) > 0 {
		c.name = names[0]
	}
	if !slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, c.name) }) {
		return fmt.Errorf("the server has no environment %q, only: %.500s", c.name, strings.Join(names, ", "))
	}
	c.at = "/" + url.PathEscape(c.name) + "/"
	c.hello.Name, c.hello.Doc = external.Snake("ors_"+c.name), "Environment "+c.name+" of a server of the Open Reward Standard."
	c.hello.Source = &external.Source{System: "ors", Package: c.name}
	c.hello.Splits, err = c.server.Splits(ctx, c.name)
	return err
}

// Arguments reads the environment's own arguments, which the guest's settings give, into a struct of known
// fields, and adds them to its hello. From a sum of rewards of 1 on, an episode is right.
func Arguments(args map[string]any, hello *external.Hello, into any) error {
	right := 1.0
	hello.RightAt = &right
	if len(args) == 0 {
		return nil
	}
	var err error
	if hello.Settings, err = json.Marshal(args); err != nil {
		return err
	}
	if err := strictjson.UnmarshalKnown(hello.Settings, into); err != nil {
		return fmt.Errorf("environment.args: %w", strictjson.Explain(err))
	}
	return nil
}

// secrets returns the header that passes on variables, by name.
func secrets(keys []string) (string, error) {
	all := map[string]map[string]string{}
	for _, key := range keys {
		value, ok := os.LookupEnv(key)
		if !ok {
			return "", fmt.Errorf("environment.keys: the variable %s is not set", key)
		}
		all[key] = map[string]string{"value": value}
	}
	if len(all) == 0 {
		return "", nil
	}
	text, err := json.Marshal(all)
	return base64.StdEncoding.EncodeToString(text), err
}

// Hello implements [external.Guest].
func (c *client) Hello(context.Context) (*external.Hello, error) { return c.hello, nil }

// Forget implements [external.Guest].
func (c *client) Forget(_ context.Context, number uint64) {
	if e, ok := c.episodes.Take(number); ok {
		c.end(e)
	}
}

// endTime limits the last request of a session, and pings.
const endTime = 10 * time.Second

// end ends a session; nobody waits for that. The server ends a session by itself, too.
func (c *client) end(e *episode) {
	c.work.Go(func() {
		ctx, cancel := httpclient.Within(context.WithoutCancel(c.ended), endTime)
		defer cancel()
		if err := e.server.Ask(ctx, "/delete", struct{}{}, new(any)); err != nil {
			c.log.Debug("a session was not ended", "error", err)
		}
	})
}

// Close implements [external.Guest].
func (c *client) Close() {
	c.stop()
	c.work.Wait()
	c.server.Client.CloseIdle()
}

// pingEvery is the time after which a session without a call is pinged: servers end those that seem
// to be abandoned after two minutes or more.
const pingEvery = 20 * time.Second

// keep keeps sessions alive that wait for the policy.
func (c *client) keep() {
	for pause.For(c.ended, pingEvery) {
		c.ping(time.Now().Add(-pingEvery))
	}
}

// ping pings the sessions that were not used since a time.
func (c *client) ping(since time.Time) {
	var pings sync.WaitGroup
	slots := make(chan struct{}, 16)
	c.episodes.All(func(e *episode) {
		if e.used.Load() > since.UnixNano() {
			return
		}
		slots <- struct{}{}
		pings.Go(func() {
			defer func() { <-slots }()
			ctx, cancel := httpclient.Within(c.ended, endTime)
			defer cancel()
			err := e.server.Ask(ctx, "/ping", struct{}{}, new(any))
			if status := httpclient.StatusOf(err); status == http.StatusNotFound || status == http.StatusGone {
				e.gone.Store(&err)
			}
		})
	})
	pings.Wait()
}
