package trace

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/jsonform"
)

// A Head describes the run of a trace. It begins every segment, so each can be understood
// alone.
type Head struct {
	Run       string                  `json:"run"`       // ID of the run
	Program   string                  `json:"program"`   // the writing program, with its version
	Scenarios []quintain.ScenarioInfo `json:"scenarios"` // played in the run
	Settings  json.RawMessage         `json:"settings"`  // of the run; nil: unknown
	Began     time.Time               `json:"began"`     // start of the segment; the writer sets it
}

// pack returns the payload of the head's frame.
func (h Head) pack(p *packer) ([]byte, error) {
	text, err := jsonform.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("head: %w", err)
	}
	p.begin()
	p.put(text)
	return p.end(), nil
}
