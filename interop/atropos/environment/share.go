package environment

import (
	"context"
	"crypto/rand"

	"github.com/quintain-rl/quintain/queue"
)

// Register registers an environment with its hub. It waits until the hub has a trainer, as
// [OpenLink] does. The environment's name is kept in its queue: Quintain's hub deals out
// problems to it, and the next process has the same.
func Register(ctx context.Context, q *queue.Queue, c LinkConfig) (*Link, error) {
	s := &episodeShare{Version: shareVersion, Instance: rand.Text()}
	text, err := q.State(ctx, shareKey)
	if err != nil {
		return nil, err
	}
	if err := (queue.State{Key: shareKey, Value: text}).Record(shareVersion, s); err != nil {
		return nil, err
	}
	record, err := queue.NewRecord(shareKey, s)
	if err != nil {
		return nil, err
	}
	if err := q.SetStates(ctx, []queue.State{record}); err != nil {
		return nil, err
	}
	c.Registration.Instance = s.Instance
	return OpenLink(ctx, c)
}

const (
	shareKey     = "env-share"
	shareVersion = 1
)

// An episodeShare is the stored name of an environment.
type episodeShare struct {
	Version  int    `json:"version"`
	Instance string `json:"instance"` // names the environment, in all its processes
}
