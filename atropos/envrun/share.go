package envrun

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/quintain-rl/quintain/atropos/uplink"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/task/rng"
)

// A Share is an environment's share of the problems among all environments of a hub, so that
// no two play the same ones. It is kept in the environment's queue.
type Share struct {
	Version  int    `json:"version"`
	Instance string `json:"instance"` // names the environment, in all its processes
	Number   int    `json:"share"`    // 0 until the hub gives another

	queue *queue.Queue
}

const (
	shareKey     = "env-share"
	shareVersion = 1
)

// OpenShare returns the share kept in q, or the share 0 of a new instance.
func OpenShare(ctx context.Context, q *queue.Queue) (*Share, error) {
	s := &Share{queue: q}
	text, err := q.State(ctx, shareKey)
	if err != nil {
		return nil, err
	}
	if err := (queue.State{Key: shareKey, Value: text}).Record(shareVersion, s); err != nil {
		return nil, err
	}
	if s.Instance != "" {
		return s, nil
	}
	s.Version, s.Instance = shareVersion, rand.Text()
	return s, s.save(ctx)
}

// Claim takes the share that the hub of a registered link gives, durably when it returns, and
// returns the seed of its streams, given the seed of the settings. Streams of different seeds
// have nothing in common. Share 0 has the seed itself; so has an environment whose hub shares
// out nothing.
func (s *Share) Claim(ctx context.Context, link *uplink.Link, seed uint64) (uint64, error) {
	number, given := link.Share()
	if !given {
		return seed, nil
	}
	if s.Number != number {
		s.Number = number
		if err := s.save(ctx); err != nil {
			return 0, err
		}
	}
	if number == 0 {
		return seed, nil
	}
	return rng.New(seed, shareKey, fmt.Sprint(number)).Uint64(), nil
}

func (s *Share) save(ctx context.Context) error {
	record, err := queue.NewRecord(shareKey, s)
	if err != nil {
		return err
	}
	return s.queue.SetStates(ctx, []queue.State{record})
}
