// Package nemogym plays the rows of a data set for NeMo Gym, which one of its resources servers judges: by
// seed_session, the routes of the tools, and verify; or by reset and step, if the server has these.
// docs/environments.md says what is lost.
//
// The forms are those of NeMo Gym (NVIDIA, Apache-2.0); the code is our own. messages.go holds those that
// package serve/nemogym, a server, writes too.
package nemogym

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/httpclient"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenario/external/guest"
)

// The kinds of servers.
const (
	Verify    = "verify"
	Gymnasium = "gymnasium"
)

// parallel requests are sent at once.
const parallel = 256

// A client plays with a server. It implements [external.Guest].
type client struct {
	url    string
	kind   string
	http   *httpclient.Client
	hello  external.Hello
	splits [][]row

	episodes external.Episodes[*episode]
}

// Open reads the rows that the argument "data" names, a file or files by split, and asks the server for its kind, if
// the argument "kind" does not tell it. The error names the row or the argument that is wrong.
func Open(ctx context.Context, a guest.Address, how guest.Settings, _ *slog.Logger) (external.Guest, error) {
	if !a.Remote() {
		return nil, errors.New("only servers that run are played: start it by NeMo Gym, and give its URL")
	}
	u, err := httpclient.ParseURL(a.Name)
	if err != nil {
		return nil, err
	}
	g := &client{url: strings.TrimSuffix(u.String(), "/"), http: httpclient.New(httpclient.Config{Connections: parallel})}
	files, err := g.args(how.Args)
	if err != nil {
		return nil, fmt.Errorf("args: %w", err)
	}
	sum := sha256.New()
	for _, f := range files {
		rows, err := readRows(f.path, sum)
		if err != nil {
			return nil, fmt.Errorf("args.data: %w", err)
		}
		g.splits = append(g.splits, rows)
		g.hello.Splits = append(g.hello.Splits, external.Split{Name: f.split, Size: len(rows), HeldOut: f.split != "train" && f.split != "example"})
	}
	if g.kind == "" {
		if g.kind, err = g.ask(ctx); err != nil {
			return nil, err
		}
	}
	digest := fmt.Sprintf("%.8x", sum.Sum(nil))
	h := &g.hello
	h.Protocol, h.Name, h.Version, h.Parallel = 2, "nemogym_"+digest[:8], 1, parallel
	h.Doc = fmt.Sprintf("Rows for NeMo Gym, judged by its resources server (%s).", g.kind)
	h.Source = &external.Source{System: "nemogym", Package: httpclient.Plain(u), Digest: digest + "-" + g.kind}
	return g, nil
}

// ask returns the kind of the server, from the routes that it describes; Verify, if it describes none.
func (g *client) ask(ctx context.Context) (string, error) {
	r, err := g.http.Request(ctx, "GET", g.url+"/openapi.json", nil)
	if err != nil {
		return "", err
	}
	reply, err := g.http.Do(r, mostReply)
	if err != nil && httpclient.StatusOf(err) == 0 {
		return "", fmt.Errorf("it does not answer; does it run? %w", err)
	}
	var about struct {
		Paths map[string]any `json:"paths"`
	}
	if err != nil || strictjson.Unmarshal(reply.Body, &about) != nil {
		return Verify, nil //nolint:nilerr // it may still play
	}
	if about.Paths["/reset"] != nil && about.Paths["/step"] != nil && about.Paths["/verify"] == nil {
		return Gymnasium, nil
	}
	return Verify, nil
}

// Hello implements [external.Guest].
func (g *client) Hello(context.Context) (*external.Hello, error) {
	h := g.hello
	return &h, nil
}

// Open implements [external.Guest].
func (g *client) Open(ctx context.Context, id uint64, p *quintain.Problem) (*external.Answer, error) {
	if p.Level < 0 || p.Level >= len(g.splits) || p.Index < 0 || p.Index >= len(g.splits[p.Level]) {
		return nil, fmt.Errorf("there is no row %d of split %d", p.Index, p.Level)
	}
	e := &episode{on: g, row: g.splits[p.Level][p.Index]}
	a, err := e.open(ctx)
	if err != nil {
		return nil, err
	}
	g.episodes.Put(id, e)
	return a, nil
}

// Step implements [external.Guest].
func (g *client) Step(ctx context.Context, id uint64, reply *external.Reply) (*external.Answer, error) {
	e, err := g.episodes.Get(id)
	if err != nil {
		return nil, err
	}
	play := e.verifies
	if g.kind == Gymnasium {
		play = e.steps
	}
	a, err := play(ctx, reply)
	if err != nil || a.End != quintain.Going {
		g.episodes.Take(id)
	}
	return a, err
}

// Forget implements [external.Guest].
func (g *client) Forget(ctx context.Context, id uint64) {
	if e, ok := g.episodes.Take(id); ok && e.closes {
		_, _ = e.post(ctx, "/close", []byte("{}")) // one that is not told forgets by itself
	}
}

// Close implements [external.Guest].
func (g *client) Close() { g.http.CloseIdle() }
