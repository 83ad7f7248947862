package service

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"time"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/settings/flags"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/sandbox/backend"
	"github.com/quintain-rl/quintain/serve/coderun"
)

// Settings are those of a server of the sandbox.
type Settings struct {
	Jobs     int           // at the same time
	Waiting  int           // jobs that wait for a turn
	Wait     time.Duration // for a turn
	Sessions int           // open at once
	Idle     time.Duration // after which a session ends

	Sandbox backend.Settings
	Server  web.Settings
	Log     flags.LogSettings
}

// Defaults returns the default settings.
func Defaults() Settings {
	return Settings{
		Jobs: runtime.NumCPU(), Waiting: 1000, Wait: 30 * time.Second, Sessions: 1000, Idle: 10 * time.Minute,
		Server: web.Default(), Log: flags.DefaultLog(),
	}
}

// Declare implements [settings.Declarer].
func (s *Settings) Declare(d *settings.Section) {
	d.Int(&s.Jobs, "jobs", "jobs at the same time").AtLeast(1).Flag("jobs")
	d.Int(&s.Waiting, "waiting", "jobs that wait for a turn; more get status 504").AtLeast(0).Flag("waiting")
	d.Duration(&s.Wait, "wait", "how long a job waits for a turn before it gets status 504").Above(0).Flag("wait")
	d.Int(&s.Sessions, "sessions", "open sessions of interpreters").AtLeast(0).Flag("sessions")
	d.Duration(&s.Idle, "idle", "time without a cell after which a session ends").Above(0).Flag("idle")
	d.Section(&s.Sandbox, "sandbox", "where the programs run")
	d.Section(&s.Server, "server", "the HTTP server")
	d.Section(&s.Log, "log", "log on standard error")
}

// Serve serves until ctx ends. Jobs that wait are refused then, and those that run may go on for most of
// the time that the settings give them.
func (v Verbs) Serve(ctx context.Context, s Settings) (err error) {
	door, err := web.Listen(ctx, s.Server)
	if err != nil {
		return err
	}
	defer door.Close()
	s.Sandbox.Python = codegrade.Python()
	box, err := backend.Open(ctx, s.Sandbox)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, box.Close()) }()
	gate := NewGate(box, Most{Jobs: s.Jobs, Waiting: s.Waiting, Wait: s.Wait})
	defer gate.Cut()
	code, jobs := &coderun.Server{Box: gate}, NewServer(gate, s.Sessions, s.Idle)
	defer func() { err = errors.Join(err, jobs.Close(), code.Close()) }()
	var server *web.Server
	ok := func(c *web.Call) error { return c.JSON(http.StatusOK, []byte(`{"status":"ok"}`)) }
	server, err = web.New(web.Config{
		Settings: s.Server, Name: "sandbox", Keys: door.Keys, Log: s.Log.Logger(v.Stderr),
		Routes: append(jobs.Counted(append(code.Routes(), jobs.Routes()...)),
			web.Route{Method: http.MethodGet, Path: "/", Serve: ok},
			web.Route{Method: http.MethodGet, Path: "/healthz", Serve: ok},
			web.Route{Method: http.MethodGet, Path: "/metrics", For: web.AnyKey, Serve: func(c *web.Call) error { return server.Metrics(c) }}),
	})
	if err != nil {
		return err
	}
	server.Register(jobs)
	defer context.AfterFunc(ctx, gate.Close)()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(s.Server.Drain*4/5, gate.Cut) })()
	if err := door.Announce(ctx); err != nil {
		return err
	}
	fmt.Fprintf(v.Stderr, "quintain sandbox serve: listening on http://%s; Ctrl-C stops\n", door.Addr())
	return server.Run(ctx, door)
}
