package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/internal/stats"
)

// A SessionLoad describes the load on a server.
type SessionLoad struct {
	URL      string        // of the server, http://HOST:PORT
	Sessions int           // at once
	Episodes int           // successive ones of each session: a reset and a step each
	Wait     time.Duration // of a session before each message, as for a policy's reply; the first wait is a random part of it
	Task     string        // played with its default settings
	Dialing  int           // connections being opened at once
}

// DefaultSessions returns the load of the figures in docs/benchmarks.md.
func DefaultSessions() SessionLoad {
	return SessionLoad{URL: "http://127.0.0.1:8000", Sessions: 16384, Episodes: 3, Wait: 10 * time.Second, Task: "chain_sum", Dialing: 64}
}

// Flags returns flags that set the load.
func (l *SessionLoad) Flags() *flag.FlagSet {
	f := flag.NewFlagSet("openenv", flag.ExitOnError)
	f.StringVar(&l.URL, "url", l.URL, "the server")
	f.IntVar(&l.Sessions, "sessions", l.Sessions, "sessions at once")
	f.IntVar(&l.Episodes, "episodes", l.Episodes, "episodes of each session, one after another")
	f.DurationVar(&l.Wait, "wait", l.Wait, "pause of a session before each message, as for a policy's reply")
	f.StringVar(&l.Task, "task", l.Task, "task to play")
	f.IntVar(&l.Dialing, "dialing", l.Dialing, "connections to open at once")
	return f
}

// Check reports the first invalid field.
func (l SessionLoad) Check() error {
	for _, field := range []struct {
		name string
		n    int
	}{{"sessions", l.Sessions}, {"episodes", l.Episodes}, {"dialing", l.Dialing}} {
		if field.n < 1 {
			return fmt.Errorf("%s: is %d, want 1 or more", field.name, field.n)
		}
	}
	if l.Wait < 0 {
		return fmt.Errorf("wait: is %v, want 0 or more", l.Wait)
	}
	return nil
}

// A SessionRow is the result. Times exclude waits. A session fails with its first message that
// gets no observation.
type SessionRow struct {
	Sessions  int     `json:"sessions"` // open together
	Failed    int     `json:"failed"`   // of all requested
	LastError string  `json:"last_error,omitempty"`
	Opening   float64 `json:"opening_s"` // until all were open
	Seconds   float64 `json:"seconds"`   // from then on
	Steps     int     `json:"steps"`
	ResetP50  float64 `json:"reset_p50_ms"`
	ResetP99  float64 `json:"reset_p99_ms"`
	StepP50   float64 `json:"step_p50_ms"`
	StepP99   float64 `json:"step_p99_ms"`
	StepMost  float64 `json:"step_max_ms"`
}

// Run opens all sessions, plays their episodes, and closes them. An error is about the
// load; the row has the server's failures.
func (l SessionLoad) Run(ctx context.Context) (*SessionRow, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	r := &round{SessionLoad: l, address: "ws" + strings.TrimPrefix(strings.TrimSuffix(l.URL, "/"), "http") + "/ws"}
	start := time.Now()
	conns := r.open(ctx)
	row := &SessionRow{Sessions: len(conns), Opening: time.Since(start).Seconds()}
	start = time.Now()
	var all sync.WaitGroup
	for i, c := range conns {
		first := l.Wait * time.Duration(i) / time.Duration(len(conns))
		all.Go(func() {
			r.note(r.play(ctx, c, first))
			_ = c.CloseNow() // its episodes are over
		})
	}
	all.Wait()
	row.Seconds, row.Failed, row.LastError, row.Steps = time.Since(start).Seconds(), r.failed, r.last, len(r.steps)
	if len(r.steps) > 0 {
		slices.Sort(r.resets)
		slices.Sort(r.steps)
		row.ResetP50, row.ResetP99 = stats.Quantile(r.resets, 0.5), stats.Quantile(r.resets, 0.99)
		row.StepP50, row.StepP99, row.StepMost = stats.Quantile(r.steps, 0.5), stats.Quantile(r.steps, 0.99), r.steps[len(r.steps)-1]
	}
	return row, nil
}

// A round is one measurement.
type round struct {
	SessionLoad
	address string

	mu            sync.Mutex
	resets, steps []float64 // milliseconds
	failed        int
	last          string
}

// note records the end of a session.
func (r *round) note(err error) {
	if err == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed, r.last = r.failed+1, err.Error()
}

// open opens the sessions.
func (r *round) open(ctx context.Context) []*websocket.Conn {
	var (
		all   sync.WaitGroup
		mu    sync.Mutex
		conns []*websocket.Conn
		turns = make(chan struct{}, r.Dialing)
	)
	for range r.Sessions {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			c, _, err := websocket.Dial(ctx, r.address, nil) //nolint:bodyclose // there is none
			if err != nil {
				r.note(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			conns = append(conns, c)
		})
	}
	all.Wait()
	return conns
}

// play plays the episodes of a session.
func (r *round) play(ctx context.Context, c *websocket.Conn, first time.Duration) error {
	reset := fmt.Appendf(nil, `{"type":"reset","data":{"dataset_name":%q,"seed":1,"size":1000}}`, r.Task)
	step := []byte(`{"type":"step","data":{"answer":"12"}}`)
	resets, steps := make([]float64, r.Episodes), make([]float64, r.Episodes)
	for i := range r.Episodes {
		var err error
		if resets[i], err = ask(ctx, c, reset, first); err != nil {
			return err
		}
		if steps[i], err = ask(ctx, c, step, r.Wait); err != nil {
			return err
		}
		reset, first = []byte(`{"type":"reset","data":{}}`), r.Wait
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.resets, r.steps = append(r.resets, resets...), append(r.steps, steps...)
	return nil
}

// ask sends a message after a wait, and returns the time until the observation came, in
// milliseconds.
func ask(ctx context.Context, c *websocket.Conn, text []byte, wait time.Duration) (took float64, err error) {
	if !pause.For(ctx, wait) {
		return 0, context.Cause(ctx)
	}
	start := time.Now()
	if err := c.Write(ctx, websocket.MessageText, text); err != nil {
		return 0, err
	}
	_, reply, err := c.Read(ctx)
	took = float64(time.Since(start)) / float64(time.Millisecond)
	if err != nil {
		return took, err
	}
	if !json.Valid(reply) || !bytes.HasPrefix(reply, []byte(`{"type":"observation"`)) {
		return took, fmt.Errorf("the server answers %.200s", reply)
	}
	return took, nil
}

// measureOpenEnv opens sessions with a running OpenEnv server, ours or any other with the
// environment reasoning_gym_env, plays episodes in all sessions at once, and prints its
// measurements as one line of JSON.
//
//	quintain serve --max-connections 20000 &
//	go run ./bench/load openenv -sessions 16384
func measureOpenEnv(ctx context.Context, args []string) error {
	load := DefaultSessions()
	_ = load.Flags().Parse(args) // it ends the program
	row, err := load.Run(ctx)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(row)
}
