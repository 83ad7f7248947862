package quintain

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Problem is one question with everything that is needed to grade it. It is
// plain data: a Problem written by one process is graded the same by another.
type Problem struct {
	Task     string          `json:"task"`               // name of the task that made it, "word_ladder"
	Scenario string          `json:"scenario,omitempty"` // ID of the scenario that plays it; empty: the bare task
	Version  int             `json:"version"`            // version of that task's Make and Prompt
	Seed     uint64          `json:"seed,string"`        // a string: JSON readers round numbers above 2^53
	Level    int             `json:"level"`              // index into the task's levels; OwnParams: own parameters
	Index    int             `json:"index"`              // position in the stream that (Seed, Params) names
	Params   json.RawMessage `json:"params"`             // the parameters it was made with
	Prompt   string          `json:"prompt"`             // the text that the policy reads
	Instance Record          `json:"instance"`           // the task's own record, with the solution; never shown to a policy
}

// ID names the problem among all problems of all tasks and scenarios: equal IDs mean
// equal problems, played alike. It is "task.v1.s7.l0.12", with the scenario's ID and
// a slash before it where there is one.
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

// ParseID reads what [Problem.ID] wrote: scenario, task and draw. The level is OwnParams
// where the task had parameters of its own.
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

// OwnParams is the Level of a problem that was made with parameters of its own.
const OwnParams = -1

// A Draw names one problem of a task. Two different draws are unrelated: seeds 1
// and 2 share no more problems than chance allows.
type Draw struct {
	Seed  uint64
	Level int // index into the task's levels
	Index int // 0 or more, without an end
}

// A Verdict is the grade of one answer.
type Verdict struct {
	Score     float64 `json:"score"`               // 0 to 1; only a fully right answer has 1
	Malformed bool    `json:"malformed,omitempty"` // no answer could be read out of the text
	Reason    string  `json:"reason,omitempty"`    // why Score is below 1, for people
}

// Right is the verdict on a fully right answer.
func Right() Verdict { return Verdict{Score: 1} }

// Wrong is the verdict on an answer that was read and is not right.
func Wrong(reason string) Verdict { return Verdict{Reason: reason} }

// Malformed is the verdict on a text that holds no answer of the asked form.
func Malformed(reason string) Verdict { return Verdict{Malformed: true, Reason: reason} }

// Partial is the verdict on an answer that earns score, above 0 and below 1. It
// panics on any other score: part credit is a decision of the task, made with care.
func Partial(score float64, reason string) Verdict {
	if !(score > 0 && score < 1) {
		panic(fmt.Sprintf("quintain: part credit of %v", score))
	}
	return Verdict{Score: score, Reason: reason}
}

// Info describes a task to people and to catalogues.
type Info struct {
	Name     string            `json:"name"`
	Category string            `json:"category"` // of which kind it is: "arithmetic", "games", …
	Doc      string            `json:"doc"`      // one sentence, then anything else worth knowing
	Source   string            `json:"source"`
	Version  int               `json:"version"`
	Many     bool              `json:"many,omitempty"` // of one problem, many answers are right
	Levels   []json.RawMessage `json:"levels"`         // parameters of each level, easiest first
}

// A Task makes problems and grades answers to them. Its methods may be called
// from many goroutines at once, and read no clock, file, network or map order.
type Task interface {
	Info() Info

	// Problem makes the problem that d names. Equal draws give equal bytes, on
	// every machine and in every process. The error names the setting of d that
	// makes no sense.
	Problem(d Draw) (Problem, error)

	// With returns the task with params, a JSON object of settings by name, in
	// place of its levels: it has one level, and its problems have Level
	// OwnParams. A setting that params leaves out has the task's default. The
	// error names the setting that is unknown or makes no sense.
	With(params json.RawMessage) (Task, error)

	// Grade judges answer, the policy's final answer to p. A wrong answer is a
	// Verdict. An error means that p itself could not be read: the rollout is
	// then dropped, and never trained on as a zero.
	Grade(p Problem, answer string) (Verdict, error)

	// Solve returns an answer to p that Grade gives 1.
	Solve(p Problem) (string, error)
}

// A Shortener is a [Task] that can ask its questions in a few characters, for
// policies whose context is short.
type Shortener interface {
	// Short returns the question of p. The form of the answer is that of p.Prompt.
	Short(p Problem) (string, error)
}

// A Keyer is a [Task] that knows when two of its problems ask the same.
type Keyer interface {
	// Key tells what p asks, however it is worded: problems with one key ask the
	// same.
	Key(p Problem) (Key, error)
}

// A Chooser is a [Task] whose prompts may give away among how few answers the right
// one is.
type Chooser interface {
	// Choices returns how many answers the prompt of p leaves, each as likely as
	// another; 0: it does not say.
	Choices(p Problem) (int, error)
}

// A Finite is a [Task] or a [Scenario] that may have an end.
type Finite interface {
	// Size returns the number of problems of a level: those of one seed and of indices
	// below it are all there are, each once. 0: nobody knows.
	Size(level int) int
}

// A Key stands for what a problem asks.
type Key [16]byte

// NewKey returns the key of a canonical form: of a text that is the same for all
// problems that ask the same, and for no others.
func NewKey(canonical string) Key {
	sum := sha256.Sum256([]byte(canonical))
	return Key(sum[:16])
}

// KeyOf returns the key of p, a problem of t: that of the task's own [Keyer], or else
// that of the prompt.
func KeyOf(t Task, p Problem) (Key, error) {
	if keyer, can := t.(Keyer); can {
		return keyer.Key(p)
	}
	return NewKey(p.Prompt), nil
}
