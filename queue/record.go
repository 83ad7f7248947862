package queue

import (
	"fmt"

	"github.com/quintain-rl/quintain/internal/jsonform"
)

// NewRecord returns the state of key that holds record as JSON. The record should have a
// member "version", for [State.Record].
func NewRecord(key string, record any) (State, error) {
	text, err := jsonform.Marshal(record)
	if err != nil {
		return State{}, fmt.Errorf("state %s: %w", key, err)
	}
	return State{key, text}, nil
}

// Record reads what NewRecord has made. It leaves record unchanged if there is no value,
// and refuses other versions than the given one.
func (s State) Record(version int, record any) error {
	if s.Value == nil {
		return nil
	}
	var head struct {
		Version int `json:"version"`
	}
	if err := jsonform.Unmarshal(s.Value, &head); err != nil {
		return fmt.Errorf("state %s: %w", s.Key, err)
	}
	if head.Version != version {
		return fmt.Errorf("state %s: has version %d, and this program reads version %d: use the program that wrote it, or another folder",
			s.Key, head.Version, version)
	}
	if err := jsonform.Unmarshal(s.Value, record); err != nil {
		return fmt.Errorf("state %s: %w", s.Key, err)
	}
	return nil
}
