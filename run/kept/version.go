package kept

import (
	"context"
	"fmt"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/queue"
)

// The keys of the record of a run, and of the changes that follow it.
const (
	RunKey       = "run"
	ChangePrefix = "run-change-"
)

// VersionOf is the version of the run whose record is in a queue; 0: there is none.
func VersionOf(ctx context.Context, of *queue.Queue) (int, error) {
	type record struct {
		RunID   string `json:"run_id"`
		Number  uint64 `json:"number"`
		Version int    `json:"version"`
	}
	var head record
	data, err := of.State(ctx, RunKey)
	if err != nil || data == nil {
		return 0, err
	}
	if err := strictjson.Unmarshal(data, &head); err != nil {
		return 0, fmt.Errorf("record of the run: %w", err)
	}
	changes, err := of.States(ctx, ChangePrefix)
	for _, s := range changes {
		var c record
		if strictjson.Unmarshal(s.Value, &c) == nil && c.RunID == head.RunID && c.Number > head.Number {
			head.Version = max(head.Version, c.Version)
		}
	}
	return head.Version, err
}
