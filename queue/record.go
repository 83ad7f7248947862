package queue

import (
	"encoding/json"
	"fmt"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// NewRecord returns a state with record as JSON. The record should have a member "version",
// for [State.Record].
func NewRecord(key string, record any) (State, error) {
	text, err := json.Marshal(record)
	if err != nil {
		return State{}, fmt.Errorf("state %s: %w", key, err)
	}
	return State{key, text}, nil
}

// Record decodes a state of NewRecord, and refuses any other version. Without a value, it
// leaves record unchanged.
func (s State) Record(version int, record any) error {
	if s.Value == nil {
		return nil
	}
	var head struct {
		Version int `json:"version"`
	}
	if err := strictjson.Unmarshal(s.Value, &head); err != nil {
		return fmt.Errorf("state %s: %w", s.Key, err)
	}
	if head.Version != version {
		return fmt.Errorf("state %s: has version %d, want %d: use the program that wrote it, or another folder",
			s.Key, head.Version, version)
	}
	if err := strictjson.Unmarshal(s.Value, record); err != nil {
		return fmt.Errorf("state %s: %w", s.Key, err)
	}
	return nil
}
