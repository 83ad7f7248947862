package toolbox

import (
	"encoding/json"
	"fmt"

	"github.com/quintain-rl/quintain/task/rng"
)

// A Case is a problem of service_desk with what is right, for a comparison with another reading of
// the same record.
type Case struct {
	Service  json.RawMessage `json:"service"`
	Features json.RawMessage `json:"features"` // the numbers of the features by name
	Actions  []string        `json:"actions"`  // by request; nil: the customer cannot be verified
	Told     string          `json:"told"`     // in the end
}

// NewCase returns a problem of a level.
func NewCase(level, index int) (c Case, err error) {
	if level < 0 || level >= len(serviceDesk.Levels) {
		return c, fmt.Errorf("level is %d, want 0 to %d", level, len(serviceDesk.Levels)-1)
	}
	v, err := makeService(serviceDesk.Levels[level], rng.New(uint64(index), "service_desk", "cases", fmt.Sprint(level)))
	if err != nil {
		return c, err
	}
	numbers := map[string]int{}
	for f, feature := range features {
		numbers[feature.name] = f
	}
	if c.Features, err = json.Marshal(numbers); err != nil {
		return c, err
	}
	c.Actions, c.Told = v.right(), v.wants()["told"]
	c.Service, err = json.Marshal(v)
	return c, err
}
