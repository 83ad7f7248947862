package quintain

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Problem is one question with everything that is needed to grade an answer. It is
// plain data: every process that reads it grades an answer the same.
type Problem struct {
	Task     string          `json:"task"`               // name of the task that made it, such as "word_ladder"
	Scenario string          `json:"scenario,omitempty"` // ID of the scenario that plays it; empty: the bare task
	Version  int             `json:"version"`            // version of the task's Make and Prompt
	Seed     uint64          `json:"seed,string"`        // a string in JSON, because some readers round numbers above 2^53
	Level    int             `json:"level"`              // index into the task's levels, or OwnParams
	Index    int             `json:"index"`              // position among the problems of Seed and Params, from 0
	Params   json.RawMessage `json:"params"`             // the parameters it was made with
	Prompt   string          `json:"prompt"`             // the text that the policy reads
	Instance Record          `json:"instance"`           // the task's own record, with the solution; never shown to a policy
}

// ID names the problem among all problems of all tasks and scenarios: equal IDs mean
// equal problems, played alike. It has the form "task.v1.s7.l0.12", after the
// scenario's ID and a slash if there is a scenario.
func (p Problem) ID() string {
	level := fmt.Sprint(p.Level)
	if p.Level == OwnParams {
		level = fmt.Sprintf("-%x", sha256.Sum256(p.Params))[:13]
	}
	id := fmt.Sprintf("%s.v%d.s%d.l%s.%d", p.Task, p.Version, p.Seed, level, p.Index)
	if p.Scenario != "" {
		return p.Scenario + "/" + id
	}
	return id
}

// ParseID reads what [Problem.ID] wrote: scenario, task and draw. The scenario is empty
// for a bare task. The level is OwnParams if the task had its own parameters.
func ParseID(id string) (scenario, task string, d Draw, err error) {
	rest := id
	if at := strings.LastIndexByte(id, '/'); at >= 0 {
		scenario, rest = id[:at], id[at+1:]
	}
	at := idForm.FindStringSubmatch(rest)
	if at == nil {
		return "", "", d, fmt.Errorf("%q is not the ID of a problem", id)
	}
	d.Level = OwnParams
	if d.Seed, err = strconv.ParseUint(at[2], 10, 64); err == nil && at[3][0] != '-' {
		d.Level, err = strconv.Atoi(at[3])
	}
	if err == nil {
		d.Index, err = strconv.Atoi(at[4])
	}
	if err != nil {
		return "", "", d, fmt.Errorf("%q is not the ID of a problem: %w", id, err)
	}
	return scenario, at[1], d, nil
}

// idForm is what ID writes for a bare task.
var idForm = regexp.MustCompile(`^([^./]+)\.v-?\d+\.s(\d+)\.l(\d+|-[0-9a-f]{12})\.(\d+)$`)

// OwnParams is the Level of a problem that was made with its own parameters, not with
// those of a level.
const OwnParams = -1

// A Draw names one problem of a task. Different draws are unrelated: seeds 1 and 2
// share no more problems than chance allows.
type Draw struct {
	Seed  uint64
	Level int // index into the task's levels
	Index int // 0 or more
}

// A Verdict is the grade of one answer.
type Verdict struct {
	Score     float64 `json:"score"`               // 0 to 1; 1 only if the answer is fully right
	Malformed bool    `json:"malformed,omitempty"` // the text has no readable answer
	Reason    string  `json:"reason,omitempty"`    // why Score is below 1, for people
}

// Right is the verdict on a fully right answer.
func Right() Verdict { return Verdict{Score: 1} }

// Wrong is the verdict on an answer that was read but is not right.
func Wrong(reason string) Verdict { return Verdict{Reason: reason} }

// Malformed is the verdict on a text without an answer of the required form.
func Malformed(reason string) Verdict { return Verdict{Malformed: true, Reason: reason} }

// Partial is the verdict on an answer that earns part of the score: above 0 and below
// 1. It panics on any other score.
func Partial(score float64, reason string) Verdict {
	if !(score > 0 && score < 1) {
		panic(fmt.Sprintf("quintain: a partial score is %v, want above 0 and below 1", score))
	}
	return Verdict{Score: score, Reason: reason}
}

// Info describes a task to people and to catalogues.
type Info struct {
	Name     string            `json:"name"`
	Category string            `json:"category"` // kind of task: "arithmetic", "games", …
	Doc      string            `json:"doc"`      // one sentence, then anything else worth knowing
	Source   string            `json:"source"`
	Version  int               `json:"version"`
	Many     bool              `json:"many,omitempty"`    // a problem may have many right answers
	Surface  string            `json:"surface,omitempty"` // why learned guesses earn much at some level above 1, if they do
	Refuses  map[string]string `json:"refuses,omitempty"` // forms of a right answer that are refused on purpose, and why
	Levels   []json.RawMessage `json:"levels"`            // parameters of each level, easiest first
}

// A Task makes problems and grades answers to them. Many goroutines may call its
// methods at once. They use no clock, file or network, and do not depend on the order
// of maps.
type Task interface {
	Info() Info

	// Problem makes the problem that d names. Equal draws give equal bytes, on
	// every machine and in every process. The error names the invalid field of d.
	Problem(d Draw) (Problem, error)

	// With returns the task with params, a JSON object of settings by name, in
	// place of its levels: it has one level, and its problems have Level
	// OwnParams. A setting that params leaves out has the task's default. The
	// error names the setting that is unknown or invalid.
	With(params json.RawMessage) (Task, error)

	// Grade judges answer, the policy's final answer to p. A wrong answer is a
	// Verdict. An error means that p itself could not be read: the rollout must
	// then be dropped, not trained on with a reward of zero.
	Grade(p Problem, answer string) (Verdict, error)

	// Solve returns an answer to p that Grade gives 1.
	Solve(p Problem) (string, error)
}

// A Shortener is a [Task] that can ask its questions in a few characters, for
// policies with a short context.
type Shortener interface {
	// Short returns the question of p. The form of the answer is that of p.Prompt.
	Short(p Problem) (string, error)
}

// A Keyer is a [Task] that knows which of its problems ask the same thing.
type Keyer interface {
	// Key returns the key of what p asks, in whatever words: problems that ask the
	// same thing have the same key.
	Key(p Problem) (Key, error)
}

// A Chooser is a [Task] whose prompts may name the few answers of which one is right.
type Chooser interface {
	// Choices returns the number of answers that the prompt of p leaves, all equally
	// likely; 0: the prompt does not limit them.
	Choices(p Problem) (int, error)
}

// A Finite is a [Task] or a [Scenario] that may have a known number of problems.
type Finite interface {
	// Size returns the number of problems of a level: with any one seed, the indices
	// below it give each problem once. 0: the number is unknown.
	Size(level int) int
}

// A Key stands for what a problem asks.
type Key [16]byte

// NewKey returns the key of a canonical form: a text that is the same for all problems
// that ask the same thing, and for no others.
func NewKey(canonical string) Key {
	sum := sha256.Sum256([]byte(canonical))
	return Key(sum[:16])
}

// KeyOf returns the key of p, a problem of t. If t is not a [Keyer], it is the key of
// the prompt.
func KeyOf(t Task, p Problem) (Key, error) {
	if keyer, can := t.(Keyer); can {
		return keyer.Key(p)
	}
	return NewKey(p.Prompt), nil
}
