package play

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/harbor"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/sandbox/box"
)

// unbound returns why a task is not played that wants a folder of the machine, unless an empty one will do; nil: it is.
func (s *Set) unbound(t *harbor.Task) error {
	for _, b := range t.Config.Binds {
		if !slices.Contains(s.how.BindEmpty, b.At) {
			return b.Refusal
		}
	}
	return nil
}

// folders returns a command that makes the empty folders of a task, and goes on whatever stands there.
func (e *entry) folders() (text string) {
	all := e.Config.Folders
	for _, b := range e.Config.Binds {
		all = append(all, b.At)
	}
	for _, at := range all {
		text += "mkdir -p -- '" + strings.ReplaceAll(at, "'", `'\''`) + "'; "
	}
	return text
}

// prepare makes the folders, and waits until the task is healthy. None of it counts toward the agent's time.
func (r *run) prepare(ctx context.Context) error {
	if text := r.of.folders(); text != "" {
		if _, err := r.aside(ctx, text, time.Minute); err != nil {
			return err
		}
	}
	h := r.of.Config.Health
	if h == nil {
		return nil
	}
	grace := time.Now().Add(r.set.scaled(h.Start))
	for failures := 0; ; {
		early := time.Now().Before(grace)
		got, err := r.aside(ctx, h.Command, r.set.scaled(h.Time))
		pause := h.Every
		switch {
		case err != nil:
			return err
		case got.Exit == 0 && got.Signal == 0 && !got.TimedOut:
			return nil
		case early:
			pause = h.StartEvery
		default:
			failures++
		}
		if failures >= h.Retries && !early {
			return lost(fmt.Errorf("the health check fails %s, with status %d: %s", stats.Count(failures, "time"), got.Exit, lastLines(string(got.Output), 1)))
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// aside runs a command of the agent's phase that is not the agent's.
func (r *run) aside(ctx context.Context, text string, limit time.Duration) (box.Result, error) {
	spent, strayed := r.spent, r.strayed
	got, err := r.command(ctx, box.Command{Args: []string{bash, "-c", text}, Time: limit, Output: 4 << 10})
	r.spent, r.strayed = spent, strayed
	if err != nil && ctx.Err() == nil {
		err = lost(err)
	}
	return got, err
}
