// Package serve is the HTTP server of all tasks and scenarios. It speaks several protocols
// on one port: plain JSON, and those of other projects.
package serve

import (
	"cmp"
	"context"
	_ "embed" // for the description of the routes
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/policy/judge"
	"github.com/quintain-rl/quintain/run/watch"
	"github.com/quintain-rl/quintain/sandbox/backend"
	"github.com/quintain-rl/quintain/serve/coderun"
	"github.com/quintain-rl/quintain/serve/mcp"
	"github.com/quintain-rl/quintain/serve/names"
	"github.com/quintain-rl/quintain/serve/nemogym"
	"github.com/quintain-rl/quintain/serve/openenv"
	"github.com/quintain-rl/quintain/serve/ors"
	"github.com/quintain-rl/quintain/serve/sessions"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// A protocol is the routes for one kind of client.
type protocol struct {
	name     string
	routes   []web.Route
	sessions sessions.AnyTable // nil: it has none
}

// parts are what some protocols need, and a server closes.
type parts struct {
	jury *judge.Jury     // nil: none
	code *coderun.Server // which opens the sandbox when it is asked

	guests []names.Guest // not closed
}

// protocols returns all protocols.
func protocols(book *names.Book, s Settings, with parts) []protocol {
	limits := sessions.Limits{Most: s.MaxSessions, Each: s.MaxSessionsPerKey, Idle: s.Idle}
	graders := plain{book, s, with.jury}
	gym, agents := nemogym.Routes(book, limits, graders.ask)
	env, sockets := openenv.Routes(book, limits)
	standard, episodes := ors.Routes(book, limits)
	return []protocol{
		{"plain", graders.routes(), nil},
		{"nemogym", gym, agents},
		{"openenv", env, sockets},
		{"ors", standard, episodes},
		{"mcp", mcp.New(book).Routes(), nil},
		{"code", with.code.Routes(), nil},
	}
}

// Routes returns the routes of the protocols in s, for a server of package web. The error
// names an unknown protocol. Only a [Server] has a judge.
func Routes(s Settings, box backend.Settings) ([]web.Route, error) {
	code, err := openCode(s, box)
	if err != nil {
		return nil, err
	}
	routes, _, err := routesWith(s, parts{code: code})
	return routes, err
}

// openCode returns what runs and judges programs, with the data sets of the settings.
func openCode(s Settings, box backend.Settings) (*coderun.Server, error) {
	sets, err := coderun.Open(s.Problems)
	if err != nil {
		return nil, fmt.Errorf("serve.problems: %w", err)
	}
	return &coderun.Server{Sets: sets, Settings: box}, nil
}

// routesWith returns the routes of the protocols in s, and those of the protocols that have sessions.
func routesWith(s Settings, with parts) (all []web.Route, keep []protocol, err error) {
	book, err := catalog.Book(cmp.Or(s.Scores, reasoninggym.Ours), with.guests...)
	if err != nil {
		return nil, nil, err
	}
	book.Sandbox = with.code.Settings
	var known []string
	for _, p := range protocols(book, s, with) {
		known = append(known, p.name)
		if len(s.Protocols) > 0 && !slices.Contains(s.Protocols, p.name) {
			continue
		}
		all = append(all, p.routes...)
		if p.sessions != nil {
			keep = append(keep, p)
		}
	}
	for _, name := range s.Protocols {
		if !slices.Contains(known, name) {
			return nil, nil, fmt.Errorf("protocols: no protocol %q, want some of %s", name, strings.Join(known, ", "))
		}
	}
	return append(all, web.Route{Method: "GET", Path: "/serve/openapi.json", Serve: openAPI}), keep, nil
}

// openAPIText describes the routes of the protocols that do not describe themselves.
//
//go:embed openapi.json
var openAPIText []byte

// openAPI shows the description of the routes.
func openAPI(c *web.Call) error { return c.JSON(http.StatusOK, openAPIText) }

// A Config configures a [Server].
type Config struct {
	Settings Settings         // zeros mean the values of [Default]
	Sandbox  backend.Settings // of the programs of clients
	Web      web.Settings     // zeros mean the values of [web.Default]
	Keys     []web.Key        // for the server's clients; none: it is open to all
	Log      *slog.Logger     // default: none
	Guests   []names.Guest    // environments of others, which the caller closes after the server
}

// A Server answers the requests of all protocols. Many goroutines may use it at once.
type Server struct {
	web  *web.Server
	keep []protocol // those with sessions
	parts
}

// New returns a server.
func New(c Config) (*Server, error) {
	d := Default()
	c.Settings.MaxProblems = cmp.Or(c.Settings.MaxProblems, d.MaxProblems)
	c.Settings.MaxSessions = cmp.Or(c.Settings.MaxSessions, d.MaxSessions)
	c.Settings.Idle = cmp.Or(c.Settings.Idle, d.Idle)
	s := &Server{parts: parts{guests: c.Guests}}
	var err error
	if s.code, err = openCode(c.Settings, c.Sandbox); err != nil {
		return nil, err
	}
	if s.jury, err = openJury(c.Settings); err != nil {
		return nil, fmt.Errorf("serve.judge: %w", err)
	}
	var routes []web.Route
	routes, s.keep, err = routesWith(c.Settings, s.parts)
	if err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	pages, err := watch.New(watch.Config{TasksOnly: true, Tasks: catalog.Tasks, Log: c.Log})
	if err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	ok := func(c *web.Call) error { return c.JSON(http.StatusOK, []byte(`{"status":"ok"}`)) }
	routes = append(append(routes, pages.Routes()...),
		web.Route{Method: "GET", Path: "/", Serve: root},
		web.Route{Method: "GET", Path: "/healthz", Serve: ok},
		web.Route{Method: "GET", Path: "/openapi.json", For: web.AnyKey, Serve: func(c *web.Call) error { return c.JSON(http.StatusOK, []byte(openenv.OpenAPI)) }},
		web.Route{Method: "GET", Path: "/metrics", For: web.AnyKey, Serve: func(c *web.Call) error { return s.web.Metrics(c) }},
	)
	s.web, err = web.New(web.Config{Settings: c.Web, Name: "serve", Routes: routes, Keys: c.Keys, Log: c.Log})
	if err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	if s.jury != nil {
		s.web.Register(s.jury)
	}
	for _, p := range s.keep {
		s.web.Register(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "quintain_serve_sessions", Help: "Open sessions, by protocol.", ConstLabels: prometheus.Labels{"protocol": p.name},
		}, func() float64 { return float64(p.sessions.Count()) }))
	}
	return s, nil
}

// root says that the server runs, and sends browsers to the pages of tasks.
func root(c *web.Call) error {
	if c.SendBrowser(watch.Tasks) {
		return nil
	}
	return c.JSON(http.StatusOK, []byte(`{"status":"ok"}`))
}

// Handler answers the requests of the server.
func (s *Server) Handler() http.Handler { return s.web }

// Run serves on l until ctx ends or l fails, and closes l; see [web.Server.Run].
func (s *Server) Run(ctx context.Context, l net.Listener) error {
	err := s.web.Run(ctx, l)
	for _, p := range s.keep {
		err = errors.Join(err, p.sessions.Close())
	}
	err = errors.Join(err, s.code.Close())
	if s.jury != nil {
		err = errors.Join(err, s.jury.Close())
	}
	return err
}
