package envrun

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/quintain-rl/quintain/atropos/uplink"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/task/rng"
)

// Register registers an environment with its hub, and returns the link with the seed of its
// problems, given the seed of the settings. It waits until the hub has a trainer, as
// [uplink.Open] does.
//
// Quintain's hub gives each environment a share of the problems, so that no two play the same
// ones: share 0 has the seed itself, each other one a seed of its own, and streams of
// different seeds have nothing in common. The environment's name and share are kept in its
// queue, so the next process gets the same share.
func Register(ctx context.Context, q *queue.Queue, c uplink.Config, seed uint64) (*uplink.Link, uint64, error) {
	s := &share{Version: shareVersion, Instance: rand.Text()}
	text, err := q.State(ctx, shareKey)
	if err != nil {
		return nil, 0, err
	}
	if err := (queue.State{Key: shareKey, Value: text}).Record(shareVersion, s); err != nil {
		return nil, 0, err
	}
	c.Registration.Instance, c.Registration.Share = s.Instance, s.Number
	link, err := uplink.Open(ctx, c)
	if err != nil {
		return nil, 0, err
	}
	number, given := link.Share()
	if !given {
		return link, seed, nil
	}
	s.Number = number
	record, err := queue.NewRecord(shareKey, s)
	if err != nil {
		return nil, 0, err
	}
	if err := q.SetStates(ctx, []queue.State{record}); err != nil {
		return nil, 0, err
	}
	if number > 0 {
		seed = rng.New(seed, shareKey, fmt.Sprint(number)).Uint64()
	}
	return link, seed, nil
}

const (
	shareKey     = "env-share"
	shareVersion = 1
)

// A share is the stored share of an environment.
type share struct {
	Version  int    `json:"version"`
	Instance string `json:"instance"` // names the environment, in all its processes
	Number   int    `json:"share"`
}
