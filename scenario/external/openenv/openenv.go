// Package openenv plays the environments of a server of OpenEnv: each episode has a WebSocket of its own.
// Its server side is in serve/openenv.
package openenv

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/wire"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenario/external/guest"
	"github.com/quintain-rl/quintain/scenario/external/ors"
)

// A client plays the environment of a server. It implements [external.Guest].
type client struct {
	server ors.Server // its lists of tasks are those of that standard
	how    external.Settings
	args   arguments
	hello  *external.Hello
	acts   *actions // nil: the environment is a toolbox
	dialer *http.Client
	places places
	log    *slog.Logger

	episodes external.Episodes[*episode]

	work  sync.WaitGroup  // readers of sockets, and ends of sessions
	ended context.Context //nolint:containedctx // ends with the client
	stop  context.CancelFunc
}

// arguments are those of [guest.Settings].
type arguments struct {
	Reset map[string]any `json:"reset"` // further fields of each reset
	Show  []string       `json:"show"`  // the fields of an observation that the policy reads; empty: see text
	Form  string         `json:"form"`  // of a reply that is an action: formXML, formText, or empty: JSON
}

// Open returns the client of the environment at the URL that an address names. It asks the server what
// there is, within the settings' StartTime. The caller must Close the client.
func Open(ctx context.Context, a guest.Address, s guest.Settings, log *slog.Logger) (external.Guest, error) {
	if !a.Remote() {
		return nil, errors.New("start its server, and name the URL of that: openenv:http://HOST:PORT")
	}
	pool := httpclient.Pool(0, 0)
	c := &client{
		how: s.Limits, log: log,
		server: ors.Server{Client: httpclient.New(httpclient.Config{Transport: pool}), URL: strings.TrimSuffix(a.Name, "/"), Most: s.Limits.MaxBytes},
		dialer: &http.Client{Transport: pool, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
	asking, cancel := httpclient.Within(ctx, s.Limits.StartTime)
	defer cancel()
	if err := c.prepare(asking, s.Args); err != nil {
		c.server.Client.CloseIdle()
		return nil, err
	}
	c.ended, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	return c, nil
}

// prepare reads the arguments, and asks the server what there is.
func (c *client) prepare(ctx context.Context, args map[string]any) error {
	c.hello = &external.Hello{Protocol: 2, Version: 1, Parallel: external.MostParallel}
	if err := ors.Arguments(args, c.hello, &c.args); err != nil {
		return err
	}
	var about struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Version     string `json:"version"`
	}
	var forms struct {
		Action      json.RawMessage `json:"action"`
		Observation json.RawMessage `json:"observation"`
	}
	if err := c.server.Ask(ctx, "/metadata", nil, &about); err != nil {
		return fmt.Errorf("does not answer as a server of OpenEnv; does it run? %w", err)
	}
	err := c.server.Ask(ctx, "/schema", nil, &forms)
	if err != nil {
		return err
	}
	if c.acts, err = newActions(forms.Action, c.args.Form); err != nil {
		return err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %s %s", about.Name, about.Version, forms.Action, forms.Observation))
	c.hello.Name, c.hello.Doc = external.Snake("openenv_"+about.Name), fmt.Sprintf("%.500s", about.Description)
	c.hello.Source = &external.Source{System: "openenv", Package: about.Name, Version: about.Version, Digest: fmt.Sprintf("%x", sum[:8])}
	return c.split(ctx)
}

// split asks for the splits of the environment. A server without lists of tasks makes one of each seed.
func (c *client) split(ctx context.Context) error {
	var names []string
	err := c.server.Ask(ctx, "/list_environments", nil, &names)
	if err == nil && len(names) == 1 { // several are those of another protocol at the same address
		c.hello.Splits, err = c.server.Splits(ctx, names[0])
	}
	if status := httpclient.StatusOf(err); status == http.StatusNotFound || status == http.StatusNotImplemented {
		err = nil
	}
	if c.hello.Splits == nil {
		c.hello.Levels = []json.RawMessage{json.RawMessage("{}")}
	}
	return err
}

// Hello implements [external.Guest].
func (c *client) Hello(context.Context) (*external.Hello, error) { return c.hello, nil }

// An episode is a session at the server.
type episode struct {
	*socket
	seed     int32
	patience external.Patience
}

// Open implements [external.Guest]. It waits while the server has as many sessions as it lets in.
func (c *client) Open(ctx context.Context, number uint64, p *quintain.Problem) (*external.Answer, error) {
	var params struct {
		Split string `json:"split"`
	}
	if err := strictjson.Unmarshal(p.Params, &params); err != nil {
		return nil, err
	}
	e := &episode{seed: external.Seed31(p)}
	reset := map[string]any{"seed": e.seed, "episode_id": p.ID() + "." + rand.Text()[:8]}
	if c.hello.Splits != nil {
		reset["split"], reset["index"] = params.Split, p.Index
	}
	maps.Copy(reset, c.args.Reset)
	first, err := c.enter(ctx, e, reset)
	if err != nil {
		return nil, external.Lost(err)
	}
	a, err := c.begin(ctx, e, first)
	if err != nil || a.End != quintain.Going {
		c.leave(e.socket)
		if err != nil {
			err = external.Lost(err)
		}
		return a, err
	}
	c.episodes.Put(number, e)
	return a, nil
}

// full are the pauses before a full server is asked again.
var full = pause.Backoff{First: 100 * time.Millisecond, Most: 5 * time.Second}

// enter opens a session once the server has room for it, and resets its environment.
func (c *client) enter(ctx context.Context, e *episode, reset map[string]any) (first *result, err error) {
	for failures := 1; ; failures++ {
		if err := c.places.take(ctx); err != nil {
			return nil, fmt.Errorf("the server lets in few sessions at once, and all are taken: %w", err)
		}
		if e.socket, err = c.dial(ctx); err != nil {
			c.places.leave()
			return nil, err
		}
		if first, err = e.observe(ctx, wire.OpenEnvReset, reset); err == nil {
			return first, nil
		}
		refusal, refused := errors.AsType[*wire.OpenEnvRefusal](err)
		isFull := refused && refusal.Code == wire.OpenEnvCapacity
		if isFull && c.places.learn(refusal.Sessions) {
			c.log.Info("the environment's server is full; more episodes wait", "sessions", refusal.Sessions)
		}
		c.leave(e.socket)
		if !isFull || !pause.For(ctx, full.After(failures)) {
			return nil, err
		}
	}
}

// begin returns how an episode opens.
func (c *client) begin(ctx context.Context, e *episode, first *result) (*external.Answer, error) {
	s, err := c.say(first)
	if err != nil {
		return nil, err
	}
	a := &external.Answer{}
	switch {
	case first.Done:
		return a, a.Take(s)
	case c.acts == nil:
		a.Tools, err = e.tools(ctx)
	default:
		s.Message.Content += c.acts.asks
	}
	a.Messages = []quintain.Message{s.Message}
	return a, err
}

// Step implements [external.Guest].
func (c *client) Step(ctx context.Context, number uint64, r *external.Reply) (*external.Answer, error) {
	e, err := c.episodes.Get(number)
	if err != nil {
		return nil, err
	}
	a, err := c.play(ctx, e, r)
	if err != nil || a.End == quintain.Going {
		return a, err
	}
	if m, err := e.ask(ctx, wire.OpenEnvState, nil); err == nil && len(m.Data) < external.MostKept {
		a.Record = fmt.Appendf(nil, `{"seed":%d,"state":%s}`, e.seed, m.Data)
	}
	c.Forget(ctx, number)
	return a, nil
}

// play plays a reply: its calls, if the environment is a toolbox, and else the action in it.
func (c *client) play(ctx context.Context, e *episode, r *external.Reply) (*external.Answer, error) {
	if c.acts == nil {
		return e.patience.Calls(r, func(name string, arguments json.RawMessage) (external.Saying, error) {
			got, err := e.step(ctx, wire.OpenEnvAction{Type: wire.OpenEnvCallTool, Name: name, Arguments: arguments})
			if err != nil {
				return external.Saying{}, err
			}
			return c.called(got)
		})
	}
	action, why := c.acts.read(r.Text)
	if why != "" {
		return e.patience.Misfit("your reply is no action: " + why), nil
	}
	got, err := e.step(ctx, action)
	if err != nil {
		return nil, err
	}
	s, err := c.say(got)
	if err != nil {
		return nil, err
	}
	a := &external.Answer{}
	return a, a.Take(s)
}

// Forget implements [external.Guest].
func (c *client) Forget(_ context.Context, number uint64) {
	if e, ok := c.episodes.Take(number); ok {
		c.leave(e.socket)
	}
}

// leave ends a session, and gives back its place once the server has; nobody waits for that.
func (c *client) leave(s *socket) {
	c.work.Go(func() {
		s.end()
		c.places.leave()
	})
}

// Close implements [external.Guest].
func (c *client) Close() {
	c.episodes.All(func(e *episode) { e.stop() })
	c.work.Wait()
	c.stop()
	c.server.Client.CloseIdle()
}
