package trace

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
)

// A Head describes the run of a trace. It begins every segment, so each can be understood
// alone.
type Head struct {
	Run       string                  `json:"run"`       // ID of the run
	Program   string                  `json:"program"`   // the writing program, with its version
	Scenarios []quintain.ScenarioInfo `json:"scenarios"` // played in the run
	Settings  json.RawMessage         `json:"settings"`  // of the run; nil: unknown
	Began     time.Time               `json:"began"`     // start of the segment; the writer sets it

	// Levels are the levels, in the run, of problems with parameters of their own, by their IDs
	// without the number at the end. See [Head.Call].
	Levels map[string]int `json:"levels,omitempty"`
}

// Call sets the level, in the run, of problems that differ from p in their index alone. It
// does nothing if p's level is that of its task.
func (h *Head) Call(p quintain.Problem, level int) {
	if p.Level != quintain.OwnParams || level == quintain.OwnParams {
		return
	}
	if h.Levels == nil {
		h.Levels = map[string]int{}
	}
	prefix, _ := splitID(p.ID())
	h.Levels[prefix] = level
}

// Level returns the level of the group with an ID: of its task, or in the run.
// quintain.OwnParams: it has neither.
func (h *Head) Level(group string) int {
	prefix, _ := splitID(group)
	return h.level(prefix)
}

// level returns the level of groups by their IDs without the number at the end.
func (h *Head) level(prefix string) int {
	if whose, _, seated := strings.Cut(prefix, "@"); seated { // the group of a seat
		prefix, _ = splitID(whose)
	}
	if level, called := h.Levels[prefix]; called {
		return level
	}
	if _, _, draw, err := quintain.ParseID(prefix + "0"); err == nil {
		return draw.Level
	}
	return quintain.OwnParams
}

// pack returns the payload of the head's frame.
func (h Head) pack(p *packer) ([]byte, error) {
	text, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("head: %w", err)
	}
	p.begin()
	p.put(text)
	return p.end(), nil
}
