package fleet

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run/rollout"
)

// A fingerprint tells the problems of a stream from those of others.
type fingerprint struct {
	Scenario string           `json:"scenario"`
	Task     string           `json:"task"`
	Version  int              `json:"version"`
	Params   json.RawMessage  `json:"params"`
	Size     int              `json:"size"` // of a file
	ID       string           `json:"id"`
	First    quintain.Problem `json:"first"`
}

// Digest stands for the problems of streams: processes with equal digests make the same
// problems, as far as the first of each stream shows. It makes those.
func Digest(streams []rollout.Stream) (string, error) {
	sum := sha256.New()
	for i, s := range streams {
		mark, err := fingerprintOf(s)
		if err != nil {
			return "", fmt.Errorf("stream %d, %s: %w", i, s.Scenario.TaskInfo().Name, err)
		}
		text, err := strictjson.Canonical(mark)
		if err != nil {
			return "", fmt.Errorf("problem %s: %w", mark.ID, err)
		}
		sum.Write(append(text, '\n'))
	}
	return fmt.Sprintf("%.16x", sum.Sum(nil)), nil
}

// fingerprintOf makes the first problem of a stream.
func fingerprintOf(s rollout.Stream) (f fingerprint, err error) {
	task := s.Scenario.TaskInfo()
	f = fingerprint{Scenario: s.Scenario.Info().ID(), Task: task.Name, Version: task.Version, Size: s.Size()}
	if s.Level < 0 || s.Level >= len(task.Levels) {
		return f, fmt.Errorf("level is %d, want 0 to %d", s.Level, len(task.Levels)-1)
	}
	f.Params = task.Levels[s.Level]
	f.First, err = s.Scenario.Problem(quintain.Draw{Seed: s.Seed, Level: s.Level})
	f.ID = f.First.ID()
	return f, err
}

// Runs names what runs programs in the episodes of streams: workers must run them alike. Empty:
// nothing runs any.
func Runs(streams []rollout.Stream) string {
	var marks []string
	for _, s := range streams {
		if mark := s.Scenario.Info().Mark; mark != "" && !slices.Contains(marks, mark) {
			marks = append(marks, mark)
		}
	}
	return strings.Join(marks, " and ")
}

// without returns the marks of what [Runs] returns that the other one lacks.
func without(runs, other string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(runs, " and "), func(mark string) bool { return strings.Contains(other, mark) }), " and ")
}
