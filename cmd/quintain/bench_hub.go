package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// A hubBench is a load on a hub.
type hubBench struct {
	load hubLoad
	main *benchConn
	env  int
}

// newHubBench begins a run on the hub: a trainer registers and asks for a batch, then
// an environment.
func newHubBench(ctx context.Context, load hubLoad, scenario string) (*hubBench, error) {
	small := scenario == "backlog"
	if load.length == 0 {
		load.length = map[bool]int{false: 2048, true: 64}[small]
	}
	if load.groups == 0 {
		load.groups = map[bool]int{false: 320, true: 20000}[small]
	}
	c, err := dialBench(ctx, load.url)
	if err != nil {
		return nil, err
	}
	b := &hubBench{load: load, main: c}
	for _, step := range []struct{ method, path, body string }{
		{"GET", "/reset_data", ""},
		{"POST", "/register", fmt.Sprintf(`{"wandb_group":"bench","wandb_project":"bench","batch_size":%d,"max_token_len":65536,`+
			`"checkpoint_dir":"c","save_checkpoint_interval":0,"starting_step":0,"num_steps":1000000}`, load.batch)},
		{"GET", "/batch", ""},
	} {
		if _, err := c.ask(step.method, step.path, step.body); err != nil {
			return nil, fmt.Errorf("%s: %w", step.path, err)
		}
	}
	b.env, err = b.register()
	return b, err
}

// register registers an environment and returns its id.
func (b *hubBench) register() (int, error) {
	text, err := b.main.ask("POST", "/register-env", fmt.Sprintf(`{"max_token_length":65536,"desired_name":"bench","weight":1.0,"group_size":%d}`, b.load.sequences))
	var reply struct {
		Status string `json:"status"`
		EnvID  int    `json:"env_id"`
	}
	if err == nil {
		err = json.Unmarshal(text, &reply)
	}
	if err == nil && reply.Status != "success" {
		err = fmt.Errorf("/register-env: %s", text)
	}
	return reply.EnvID, err
}

// An ingestRow is what ingest measures.
type ingestRow struct {
	Scenario    string  `json:"scenario"`
	Form        string  `json:"form"`
	Connections int     `json:"connections"`
	Groups      int64   `json:"groups"` // that were posted, before the clock was started among them
	GroupsPerS  float64 `json:"groups_per_s"`
	JSONMBPerS  float64 `json:"json_mb_per_s"` // of the JSON of the groups, whatever their form
	WireKB      float64 `json:"wire_kb_per_group"`
	Latency     latency `json:"latency"`
	Polls       latency `json:"polls,omitzero"`
	Environs    int     `json:"environments,omitempty"`
}

// target is where groups are posted to, and as what.
func (b *hubBench) target(per int) (path, kind string) {
	switch {
	case b.load.form == "binary":
		return "/v1/runs/default/groups", "application/vnd.quintain.groups"
	case per > 1:
		path = "/scored_data_list"
	default:
		path = "/scored_data"
	}
	if b.load.form == "gzip" {
		return path, "gzip"
	}
	return path, "application/json"
}

// ingest posts groups on all connections for a while, and until one is measured.
func (b *hubBench) ingest(ctx context.Context) (any, error) { return b.post(ctx) }

func (b *hubBench) post(ctx context.Context) (*ingestRow, error) {
	bodies, plain, err := benchBodies(b.load, 1)
	if err != nil {
		return nil, err
	}
	path, kind := b.target(1)
	var spans watch
	var sent, all atomic.Int64
	warm := time.Now().Add(b.load.seconds / 5)
	end := warm.Add(b.load.seconds)
	err = b.each(ctx, b.load.connections, func(ctx context.Context, k int, c *benchConn) error {
		for i := k; ctx.Err() == nil && (time.Now().Before(end) || sent.Load() == 0); i++ {
			body := bodies[i%len(bodies)]
			start := time.Now()
			if _, err := c.do(c.head("POST", path, kind, len(body)), body); err != nil {
				return err
			}
			if all.Add(1); start.After(warm) {
				spans.note(time.Since(start))
				sent.Add(1)
			}
		}
		return nil
	})
	rate := float64(sent.Load()) / time.Since(warm).Seconds()
	return &ingestRow{
		Scenario: "ingest", Form: b.load.form, Connections: b.load.connections, Groups: all.Load(),
		GroupsPerS: rate, JSONMBPerS: rate * float64(plain) / 1e6, WireKB: float64(len(bodies[0])) / 1e3, Latency: spans.latency(),
	}, err
}

// pollers is how many connections the polls of all environments share.
const pollers = 100

// polls posts groups while many environments ask for their status.
func (b *hubBench) polls(parent context.Context) (any, error) {
	for range b.load.envs - 1 {
		if _, err := b.register(); err != nil {
			return nil, err
		}
	}
	ctx, stop := context.WithCancel(parent)
	defer stop()
	var spans watch
	var polling sync.WaitGroup
	var pollErr error
	polling.Go(func() {
		pollErr = b.each(ctx, pollers, func(ctx context.Context, k int, c *benchConn) error {
			tick := time.NewTicker(100 * time.Millisecond * pollers / time.Duration(b.load.envs))
			defer tick.Stop()
			for env := k; ; env = (env + pollers) % b.load.envs {
				select {
				case <-ctx.Done():
					return nil
				case <-tick.C:
				}
				start := time.Now()
				if _, err := c.ask("GET", "/status-env", fmt.Sprintf(`{"env_id":%d}`, env)); err != nil {
					return err
				}
				spans.note(time.Since(start))
			}
		})
	})
	row, err := b.post(parent)
	stop()
	polling.Wait()
	if err := errors.Join(err, pollErr); err != nil {
		return nil, err
	}
	row.Scenario, row.Polls, row.Environs = "polls", spans.latency(), b.load.envs
	return row, nil
}

// A batchRow is what is measured of batches.
type batchRow struct {
	Scenario    string  `json:"scenario"`
	Groups      int     `json:"groups"`
	Taken       int     `json:"taken"`
	FillPerS    float64 `json:"fill_groups_per_s"`
	GroupsPerS  float64 `json:"groups_per_s"`
	MBPerS      float64 `json:"mb_per_s"` // of the replies as they came, while they came
	FirstMS     float64 `json:"first_ms"`
	LastQuarter float64 `json:"last_quarter_groups_per_s"`
	Latency     latency `json:"latency"`
	Info        latency `json:"info"` // of GET /info meanwhile
}

// batches posts large groups and takes them.
func (b *hubBench) batches(ctx context.Context) (any, error) {
	row := &batchRow{Scenario: "batch"}
	return row, b.fillAndTake(ctx, row, 1)
}

// backlog posts many small groups and takes them.
func (b *hubBench) backlog(ctx context.Context) (any, error) {
	row := &batchRow{Scenario: "backlog"}
	return row, b.fillAndTake(ctx, row, 16)
}

// fillAndTake posts groups, per in a request, and takes them in batches.
func (b *hubBench) fillAndTake(ctx context.Context, row *batchRow, per int) error {
	bodies, _, err := benchBodies(b.load, per)
	if err != nil {
		return err
	}
	path, kind := b.target(per)
	requests := (b.load.groups + per - 1) / per
	var next atomic.Int64
	start := time.Now()
	err = b.each(ctx, b.load.connections, func(ctx context.Context, _ int, c *benchConn) error {
		for i := next.Add(1); ctx.Err() == nil && int(i) <= requests; i = next.Add(1) {
			body := bodies[int(i)%len(bodies)]
			if _, err := c.do(c.head("POST", path, kind, len(body)), body); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	row.Groups = requests * per
	row.FillPerS = float64(row.Groups) / time.Since(start).Seconds()
	return b.take(ctx, row)
}

// take takes batches until there is none, while another client asks for /info.
func (b *hubBench) take(parent context.Context, row *batchRow) error {
	ctx, stop := context.WithCancel(parent)
	defer stop()
	var info, spans watch
	var asking sync.WaitGroup
	var infoErr error
	asking.Go(func() {
		infoErr = b.each(ctx, 1, func(ctx context.Context, _ int, c *benchConn) error {
			tick := time.NewTicker(2 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-ctx.Done():
					return nil
				case <-tick.C:
				}
				start := time.Now()
				if _, err := c.ask("GET", "/info", ""); err != nil {
					return err
				}
				info.note(time.Since(start))
			}
		})
	})
	err := b.takeAll(parent, row, &spans)
	stop()
	asking.Wait()
	row.Latency, row.Info = spans.latency(), info.latency()
	return errors.Join(err, infoErr)
}

// takeAll takes batches until there is none.
func (b *hubBench) takeAll(ctx context.Context, row *batchRow, spans *watch) error {
	c, err := dialBench(ctx, b.load.url) // the first one may have been closed, being idle for long
	if err != nil {
		return err
	}
	defer c.Close()
	c.gzip = b.load.gzip
	size, wait := 0, time.Duration(0)
	per := b.load.batch / b.load.sequences
	begin := time.Now()
	var late time.Time // when the last quarter began
	for {
		start := time.Now()
		text, err := c.ask("GET", "/batch", "")
		if err != nil {
			return err
		}
		if bytes.Equal(text, []byte(`{"batch":null}`)) {
			break
		}
		took := time.Since(start)
		if row.Taken == 0 {
			row.FirstMS = float64(took.Microseconds()) / 1000
		}
		if row.Taken += per; late.IsZero() && row.Taken >= row.Groups*3/4 {
			late = time.Now()
			row.LastQuarter = -float64(row.Taken)
		}
		spans.note(took)
		size += len(text)
		wait += took
	}
	row.GroupsPerS = float64(row.Taken) / time.Since(begin).Seconds()
	row.MBPerS = float64(size) / 1e6 / max(1e-9, wait.Seconds())
	row.LastQuarter = (row.LastQuarter + float64(row.Taken)) / max(1e-9, time.Since(late).Seconds())
	return nil
}
