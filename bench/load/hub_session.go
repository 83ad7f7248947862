package main

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A hubSession is a run on the measured hub.
type hubSession struct {
	load HubLoad
	main *hubConn // for registrations
}

// begin resets the hub and begins a run on it: a trainer registers and asks for a batch,
// then an environment registers.
func begin(ctx context.Context, load HubLoad, scenario string) (*hubSession, error) {
	small := scenario == "backlog"
	if load.Length == 0 {
		load.Length = map[bool]int{false: 2048, true: 64}[small]
	}
	if load.Groups == 0 {
		load.Groups = map[bool]int{false: 320, true: 20000}[small]
	}
	c, err := dialHub(ctx, load.URL)
	if err != nil {
		return nil, err
	}
	b := &hubSession{load: load, main: c}
	for _, step := range []struct{ method, path, body string }{
		{"GET", "/reset_data", ""},
		{"POST", "/register", fmt.Sprintf(`{"wandb_group":"bench","wandb_project":"bench","batch_size":%d,"max_token_len":65536,`+
			`"checkpoint_dir":"c","save_checkpoint_interval":0,"starting_step":0,"num_steps":1000000}`, load.Batch)},
		{"GET", "/batch", ""},
	} {
		if _, err := c.ask(step.method, step.path, step.body); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", step.path, err), c.Close())
		}
	}
	if err := b.register(); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return b, nil
}

// register registers an environment. Their ids count from 0.
func (b *hubSession) register() error {
	text, err := b.main.ask("POST", "/register-env", fmt.Sprintf(`{"max_token_length":65536,"desired_name":"bench","weight":1.0,"group_size":%d}`, b.load.Sequences))
	if err != nil {
		return err
	}
	var reply struct {
		Status string `json:"status"`
	}
	if err := strictjson.Unmarshal(text, &reply); err != nil {
		return err
	}
	if reply.Status != "success" {
		return fmt.Errorf("/register-env: %s", text)
	}
	return nil
}

// target is the path and content type of posts; per is the number of groups in a request.
func (b *hubSession) target(per int) (path, kind string) {
	switch {
	case b.load.Form == "binary":
		return "/v1/runs/default/groups", "application/vnd.quintain.groups"
	case per > 1:
		path = "/scored_data_list"
	default:
		path = "/scored_data"
	}
	if b.load.Form == "gzip" {
		return path, "gzip"
	}
	return path, "application/json"
}

// each runs work n times concurrently, each on its own connection, and returns the failures.
// The context of work ends at the first failure.
func (b *hubSession) each(ctx context.Context, n int, work func(ctx context.Context, k int, c *hubConn) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var all sync.WaitGroup
	errs := make([]error, n)
	for k := range n {
		c, err := dialHub(ctx, b.load.URL)
		if err != nil {
			if ctx.Err() == nil { // else the work ended before all had begun
				errs[k] = err
			}
			cancel()
			break
		}
		all.Go(func() {
			defer c.Close()
			if errs[k] = work(ctx, k, c); errs[k] != nil {
				cancel()
			}
		})
	}
	all.Wait()
	return errors.Join(errs...)
}
