package hub

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/quintain-rl/quintain/queue"
)

// recordVersion is the version of the records in which a hub keeps itself, beside the
// groups of its queues.
const recordVersion = 1

// saveRecord keeps a record in a queue.
func saveRecord(ctx context.Context, q *queue.Queue, key string, record any) error {
	text, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("state %s: %w", key, err)
	}
	return q.SetState(ctx, key, text)
}

// readRecord reads a record of a queue. It leaves record unchanged if none was kept.
func readRecord(ctx context.Context, q *queue.Queue, key string, record any) error {
	text, err := q.State(ctx, key)
	if err != nil || text == nil {
		return err
	}
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return fmt.Errorf("state %s: %w", key, err)
	}
	if head.Version != recordVersion {
		return fmt.Errorf("state %s: has version %d, and this program reads version %d", key, head.Version, recordVersion)
	}
	if err := json.Unmarshal(text, record); err != nil {
		return fmt.Errorf("state %s: %w", key, err)
	}
	return nil
}
