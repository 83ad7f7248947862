package external

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/stats"
)

// A Hello introduces the program.
type Hello struct {
	Protocol int               `json:"protocol"` // 1 or 2
	Name     string            `json:"name"`
	Version  int               `json:"version"`
	Doc      string            `json:"doc"`
	Settings json.RawMessage   `json:"settings"` // those that differ from the program's defaults, an object; nil: none
	Parallel int               `json:"parallel"` // concurrent requests; 0: 1
	Levels   []json.RawMessage `json:"levels"`   // parameters of the levels of its own problems; nil: it plays those of tasks
	Solves   bool              `json:"solves"`   // it can solve its own problems

	Replayable bool `json:"replayable"` // see [quintain.ScenarioInfo]

	// Of protocol 2.
	Splits      []Split     `json:"splits"`       // in place of Levels: each split is a level, its name the parameter
	MaxTurns    int         `json:"max_turns"`    // most replies of an episode; 0: Settings.MaxTurns
	RewardRange *[2]float64 `json:"reward_range"` // of the sum of an episode's rewards; nil: unknown
	RightAt     *float64    `json:"right_at"`     // sum of rewards from which an episode is right; nil: the program says so
	Source      *Source     `json:"source"`       // where the environment is from; nil: it is the program's own
	Drives      bool        `json:"drives"`       // it calls the policy itself: [Program.Play] in place of Open and Step
	Models      []string    `json:"models"`       // roles of the models that it calls besides the policy
	Grades      bool        `json:"grades"`       // it grades episodes that were played before: [Program.Grade]
}

// A Split is a part of the program's problems.
type Split struct {
	Name    string `json:"name"`
	Size    int    `json:"size"`     // its problems have the indices 0 to Size−1; 0: they do not end
	HeldOut bool   `json:"held_out"` // never trained on
}

// A Source says whose environment plays.
type Source struct {
	System  string `json:"system"`  // such as textarena
	Package string `json:"package"` // such as textarena, or an address
	Version string `json:"version"` // of the package
	Digest  string `json:"digest"`  // of what makes the problems; part of the scenario's ID
}

// id identifies the program, like [quintain.ScenarioInfo.ID].
func (h *Hello) id() string {
	info := h.info()
	return info.ID()
}

// info describes the program as a scenario.
func (h *Hello) info() quintain.ScenarioInfo {
	info := quintain.ScenarioInfo{Name: h.Name, Doc: h.Doc, Source: "A program of its own.", Version: h.Version, Settings: h.Settings, Default: h.Settings == nil, Replayable: h.Replayable}
	if info.Default {
		info.Settings = json.RawMessage("{}")
	}
	if h.Source != nil {
		info.Source = strings.TrimSpace(fmt.Sprintf("%s: %s %s", h.Source.System, h.Source.Package, h.Source.Version))
		if h.Source.Digest != "" {
			info.Mark = h.Source.Package + " " + h.Source.Digest
		}
	}
	return info
}

var nameForm = compiled.Regexp(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)

// Limits of levels and of concurrent requests.
const (
	mostLevels   = 1000
	mostParallel = 1 << 16
)

// isHello checks the answer to a greeting, and fills in its defaults.
func (a *Answer) isHello() error {
	h := a.Hello
	switch {
	case a.Error != "":
		return errors.New(clip(a.Error))
	case h == nil:
		return errors.New("hello: the program did not introduce itself")
	case h.Protocol < least || h.Protocol > protocol:
		return fmt.Errorf("hello: protocol is %d, want %d or %d", h.Protocol, least, protocol)
	case len(h.Name) > 64 || !nameForm().MatchString(h.Name):
		return fmt.Errorf("hello: name is %q, want one in snake_case, of at most 64 characters", clip(h.Name))
	case h.Version < 1:
		return fmt.Errorf("hello: version is %d, want 1 or more", h.Version)
	case h.Parallel < 0 || h.Parallel > mostParallel:
		return fmt.Errorf("hello: parallel is %d, want 1 to %d", h.Parallel, mostParallel)
	case h.Levels != nil && len(h.Levels) == 0 || len(h.Levels) > mostLevels:
		return fmt.Errorf("hello: it has %s, want 1 to %d", stats.Count(len(h.Levels), "level"), mostLevels)
	}
	if err := h.checkLoop(); err != nil {
		return err
	}
	if err := h.checkSecond(); err != nil {
		return fmt.Errorf("hello: %w", err)
	}
	if h.Parallel == 0 {
		h.Parallel = 1
	}
	if string(h.Settings) == "null" {
		h.Settings = nil
	}
	return h.compact()
}

// compact strips levels and settings, which must be objects, of white space: IDs depend on
// them.
func (h *Hello) compact() error {
	objects := []*json.RawMessage{&h.Settings}
	for i := range h.Levels {
		objects = append(objects, &h.Levels[i])
	}
	for _, object := range objects {
		if *object == nil {
			continue
		}
		var b bytes.Buffer
		if err := json.Compact(&b, *object); err != nil || b.Bytes()[0] != '{' {
			return fmt.Errorf("hello: settings or level are %s, want an object", clip(string(*object)))
		}
		*object = b.Bytes()
	}
	return nil
}
