package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/internal/pause"
	"github.com/quintain-rl/quintain/run"
)

// longPoll is the wait of an idle worker for a lease.
const longPoll = 30 * time.Second

// apart runs the idle workers of the coordinator at an address in a second process, this measurement
// with the flag at, until ctx ends. It calls all when all have come.
func (l *LeaseLoad) apart(ctx context.Context, addr string, all func()) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.CommandContext(ctx, self, "leases", "-at", addr, "-workers", fmt.Sprint(l.Workers), "-beat", l.Beat.String())
	var said strings.Builder
	child.Stderr = &said
	says, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	in := bufio.NewReader(says)
	if _, err := in.ReadString('\n'); err == nil {
		all()
	}
	_, _ = io.Copy(io.Discard, in) // until it ends
	if err = child.Wait(); ctx.Err() == nil {
		return errors.Join(fmt.Errorf("the idle workers ended: %.500s", said.String()), err)
	}
	return nil
}

// A Come says that all idle workers have come.
type Come struct {
	Workers int `json:"workers"`
}

// waiting is the work of idle workers.
type waiting struct {
	load *LeaseLoad
	come atomic.Int64 // workers that wait
	all  chan struct{}
}

// idlers are idle workers of a coordinator in another process, until ctx ends.
func (l *LeaseLoad) idlers(ctx context.Context, show func(row any) error) error {
	w := &waiting{load: l, all: make(chan struct{})}
	parts := []func(context.Context) error{func(ctx context.Context) error {
		select {
		case <-w.all:
		case <-ctx.Done():
			return nil
		}
		if err := show(&Come{l.Workers}); err != nil {
			return err
		}
		<-ctx.Done()
		return nil
	}}
	for k := range l.Workers {
		parts = append(parts, func(ctx context.Context) error { return w.wait(ctx, k) })
	}
	return run.Together(ctx, parts...)
}

// wait is worker k. They come evenly within the time between two signs of life.
func (w *waiting) wait(ctx context.Context, k int) error {
	if !pause.For(ctx, w.load.Beat*time.Duration(k)/time.Duration(w.load.Workers)) {
		return nil
	}
	c, err := dialLeases(ctx, w.load.At)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.register(ctx, k); err != nil {
		return err
	}
	if w.come.Add(1) == int64(w.load.Workers) {
		close(w.all)
	}
	held := make(chan []uint64, 1)
	return run.Together(ctx, func(ctx context.Context) error { return w.beat(ctx, c, k, held) }, func(ctx context.Context) error { return w.poll(ctx, k, held) })
}

// beat gives signs of life until ctx ends: half as many while it holds nothing, as a worker does.
func (w *waiting) beat(ctx context.Context, c *leaseConn, k int, held <-chan []uint64) error {
	var leases []uint64
	for spare := true; pause.For(ctx, w.load.Beat); {
		select {
		case leases = <-held:
		default:
		}
		if spare = !spare && len(leases) == 0; spare {
			continue
		}
		if err := c.beat(k, leases); err != nil {
			return err
		}
	}
	return nil
}

// poll asks for leases until ctx ends. The one that is granted stays open.
func (w *waiting) poll(ctx context.Context, k int, held chan<- []uint64) error {
	c, err := dialLeases(ctx, w.load.At)
	if err != nil {
		return err
	}
	defer c.Close()
	for ctx.Err() == nil {
		g, err := c.take(k, 5, longPoll)
		if err != nil {
			return err
		}
		if len(g.Leases) > 0 {
			held <- numbersOf(g)
		}
	}
	return nil
}
