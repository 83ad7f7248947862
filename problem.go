package quintain

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A Problem is one question with everything needed to grade an answer. It is plain data:
// every process that reads it grades an answer alike.
type Problem struct {
	Task     string          `json:"task"`               // name of the task, such as "word_ladder"
	Scenario string          `json:"scenario,omitempty"` // ID of the scenario; empty: the bare task
	Version  int             `json:"version"`            // version of the task's Make and Prompt
	Seed     uint64          `json:"seed,string"`        // a string in JSON: some readers round numbers above 2^53
	Level    int             `json:"level"`              // index into the task's levels, or OwnParams
	Index    int             `json:"index"`              // position among the problems of Seed and Params, from 0
	Params   json.RawMessage `json:"params"`             // of the task
	Prompt   string          `json:"prompt"`             // the text for the policy
	Instance Record          `json:"instance"`           // the task's own record, with the solution; never shown to a policy
	Seat     *int            `json:"seat,omitempty"`     // whose group it is, if a match gives a group for each seat; nil: the problem of all
}

// ID names the problem among those of all tasks and scenarios: equal IDs mean equal
// problems, played alike. It reads "task.v1.s7.l0.12", with the scenario's ID and a slash
// before it if there is a scenario. That of a seat's group ends with "@" and the seat.
func (p Problem) ID() string {
	b := make([]byte, 0, 80)
	if p.Scenario != "" {
		b = append(append(b, p.Scenario...), '/')
	}
	b = strconv.AppendInt(append(append(b, p.Task...), ".v"...), int64(p.Version), 10)
	b = strconv.AppendUint(append(b, ".s"...), p.Seed, 10)
	b = append(b, ".l"...)
	if p.Level == OwnParams {
		b = fmt.Appendf(b, "-%.6x", sha256.Sum256(p.Params))
	} else {
		b = strconv.AppendInt(b, int64(p.Level), 10)
	}
	b = strconv.AppendInt(append(b, '.'), int64(p.Index), 10)
	if p.Seat != nil {
		b = strconv.AppendInt(append(b, '@'), int64(*p.Seat), 10)
	}
	return string(b)
}

// At returns the problem of a seat's group.
func (p Problem) At(seat int) Problem {
	p.Seat = &seat
	return p
}

// ParseID splits an ID that [Problem.ID] wrote into scenario, task and draw. A bare task
// has no scenario. A task with its own parameters has level OwnParams. The seat is left out.
func ParseID(id string) (scenario, task string, d Draw, err error) {
	rest := id
	if at := strings.LastIndexByte(id, '/'); at >= 0 {
		scenario, rest = id[:at], id[at+1:]
	}
	at := idForm.FindStringSubmatch(rest)
	if at == nil {
		return "", "", d, fmt.Errorf("%q is not the ID of a problem", id)
	}
	if d, err = parseDraw(at[2], at[3], at[4]); err != nil {
		return "", "", d, fmt.Errorf("%q is not the ID of a problem: %w", id, err)
	}
	return scenario, at[1], d, nil
}

// parseDraw reads the numbers of an ID. A hash for a level means OwnParams.
func parseDraw(seed, level, index string) (d Draw, err error) {
	if d.Seed, err = strconv.ParseUint(seed, 10, 64); err != nil {
		return d, err
	}
	d.Level = OwnParams
	if level[0] != '-' {
		if d.Level, err = strconv.Atoi(level); err != nil {
			return d, err
		}
	}
	d.Index, err = strconv.Atoi(index)
	return d, err
}

// idForm matches the ID of a bare task.
var idForm = regexp.MustCompile(`^([^./]+)\.v-?\d+\.s(\d+)\.l(\d+|-[0-9a-f]{12})\.(\d+)(?:@\d+)?$`)

// OwnParams is the Level of a problem made with its own parameters instead of a level's.
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

// Wrong is the verdict on a readable but wrong answer.
func Wrong(reason string) Verdict { return Verdict{Reason: reason} }

// Malformed is the verdict on a text without a readable answer.
func Malformed(reason string) Verdict { return Verdict{Malformed: true, Reason: reason} }

// Partial is the verdict on an answer that earns part of the score, above 0 and below 1. It
// panics on any other score.
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
	Many     bool              `json:"many,omitempty"`    // problems may have several right answers
	Surface  string            `json:"surface,omitempty"` // why learned guesses earn much above level 1, if they do
	Few      []string          `json:"few,omitempty"`     // by level: why it has few problems by nature; empty: it has many
	Refuses  map[string]string `json:"refuses,omitempty"` // forms of a right answer refused on purpose, and why
	Levels   []json.RawMessage `json:"levels"`            // parameters of each level, easiest first
}

// A Task makes problems and grades answers. Many goroutines may call its methods at once.
// They use no clock, file or network, and never depend on map order.
type Task interface {
	Info() Info

	// Problem makes the problem that d names. Equal draws give equal bytes, on every
	// machine and in every process. The error names the invalid field of d.
	Problem(d Draw) (Problem, error)

	// With returns the task with params, a JSON object of settings by name, instead of its
	// levels. It has one level, and its problems have Level OwnParams. Settings missing
	// from params keep the task's defaults. The error names an unknown or invalid setting.
	With(params json.RawMessage) (Task, error)

	// Grade judges answer, the policy's final answer to p. A wrong answer is a Verdict. An
	// error means that p itself is unreadable: drop the rollout rather than train on it
	// with a reward of zero.
	Grade(p Problem, answer string) (Verdict, error)

	// Solve returns an answer that Grade gives a score of 1.
	Solve(p Problem) (string, error)
}

// A Shortener is a [Task] that can shorten its questions to a few characters, for policies
// with a short context.
type Shortener interface {
	// Short returns the short question of p. The answer has the form that p.Prompt demands.
	Short(p Problem) (string, error)
}

// A Keyer is a [Task] that knows which of its problems ask the same question.
type Keyer interface {
	// Key returns the key of p's question, independent of its wording.
	Key(p Problem) (Key, error)
}

// A Chooser is a [Task] with prompts that may offer a few answers, one of them right.
type Chooser interface {
	// Choices returns the number of answers that p's prompt offers, all equally likely; 0:
	// the prompt offers none.
	Choices(p Problem) (int, error)
}

// A Finite is a [Task] or a [Scenario] that may have a known number of problems.
type Finite interface {
	// Size returns the number of problems of a level: for any one seed, the indices below
	// Size give each problem once. 0: unknown.
	Size(level int) int
}

// A Key identifies the question of a problem.
type Key [16]byte

// NewKey returns the key of a canonical form: a text shared by exactly those problems that
// ask the same question.
func NewKey(canonical string) Key {
	sum := sha256.Sum256([]byte(canonical))
	return Key(sum[:16])
}

// heldOutShare says that one in ten problems is held out.
const heldOutShare = 10

// HeldOut reports whether the problems of k are kept for evaluations and must not be
// trained on. A key stands for the question, so all wordings of it are on one side. Its second
// half decides, which all problems of a family share ([NewFamilyKey]).
func (k Key) HeldOut() bool {
	return binary.BigEndian.Uint64(k[len(k)/2:])%heldOutShare == 0
}

// NewFamilyKey is NewKey for a problem of a family, whose problems are trained on or held out
// all together: they share the second half of the key, by which problems are split.
func NewFamilyKey(family, canonical string) Key {
	key, of := NewKey(family+"\x00"+canonical), NewKey(family)
	copy(key[len(key)/2:], of[len(of)/2:])
	return key
}

// KeyOf returns the key of p, a problem of t. Without a [Keyer], it is the key of the
// prompt.
func KeyOf(t Task, p Problem) (Key, error) {
	if keyer, can := t.(Keyer); can {
		return keyer.Key(p)
	}
	return NewKey(p.Prompt), nil
}
