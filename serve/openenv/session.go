package openenv

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/internal/wire"
	"github.com/quintain-rl/quintain/interop/reasoninggym"
	"github.com/quintain-rl/quintain/serve/names"
	"github.com/quintain-rl/quintain/tasks/list"
)

// A session is an environment of one client. It is for one goroutine.
type session struct {
	server *server
	asked  options                                   // the choice of problems
	draw   func(index int) (quintain.Problem, error) // nil: no task chosen
	next   int                                       // index of the next problem, from the first one requested

	problem quintain.Problem
	episode quintain.Env    // of a scenario; nil: the answer is graded as it is
	offered []quintain.Tool // by the episode
	id      string          // of the episode
	steps   int
	done    bool
	score   number
}

// usualTask is the default task, as in OpenEnv's environment.
const usualTask = "leg_counting"

// session returns a new session.
func (s *server) session() *session { return &session{server: s, id: newID(), done: true} }

// newID returns a new ID for an episode.
func newID() string {
	var b [16]byte
	for i := range b {
		b[i] = byte(rand.Uint32())
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80 // a random one: RFC 9562, 5.4
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// play carries out a message. An error is a [*wire.OpenEnvRefusal], and leaves the session as it is.
func (s *session) play(ctx context.Context, m wire.OpenEnvMessage) (reply, error) {
	switch m.Type {
	case wire.OpenEnvReset:
		return s.reset(ctx, m.Data)
	case wire.OpenEnvStep:
		return s.step(ctx, m.Data)
	case wire.OpenEnvState:
		return reply{wire.OpenEnvState, s.state()}, nil
	case wire.OpenEnvMCP:
		return s.rpc(ctx, m.Data)
	}
	return reply{}, &wire.OpenEnvRefusal{Message: "Unknown message type: " + m.Type, Code: wire.OpenEnvUnknownType}
}

// failed returns the refusal of a failed message.
func failed(err error) error {
	return &wire.OpenEnvRefusal{Message: err.Error(), Code: wire.OpenEnvExecution}
}

// observe returns the reply with an observation.
func (s *session) observe(observation any) reply {
	return reply{wire.OpenEnvObservation, outcome{observation, s.score, s.done}}
}

// A state is the state of a session.
type state struct {
	Episode string `json:"episode_id"`
	Steps   int    `json:"step_count"`
}

func (s *session) state() state { return state{s.id, s.steps} }

// options choose the problems of a session. A reset keeps the options that it leaves out.
type options struct {
	Task     *string         `json:"dataset_name"`
	Config   json.RawMessage `json:"dataset_config"` // settings of the task
	Specs    json.RawMessage `json:"dataset_specs"`  // a list of {"name", "weight", "config"}: tasks to mix
	Size     *int            `json:"size"`           // problems, after which they begin again; nil: without end
	Seed     *json.Number    `json:"seed"`           // nil: any
	Scenario *string         `json:"scenario"`       // nil: the answer is graded as it is
	Level    *int            `json:"level"`          // instead of settings
	Index    *int            `json:"index"`          // of the first problem; nil: 0
}

// A resetting is the data of a reset. The later form of OpenEnv's environment has other
// names.
type resetting struct {
	options
	Episode     string          `json:"episode_id"`
	TaskName    *string         `json:"task_name"`
	TaskConfig  json.RawMessage `json:"task_config"`
	TaskSpecs   json.RawMessage `json:"task_specs"`
	DatasetSize *int            `json:"dataset_size"`
}

// maxReset limits the bytes of a reset: the session keeps some of them.
const maxReset = 64 << 10

// reset opens the next episode, of the problems chosen in data.
func (s *session) reset(ctx context.Context, data json.RawMessage) (reply, error) {
	var r resetting
	if len(data) > maxReset {
		return reply{}, refuse(fmt.Sprintf("has %d bytes, want %d at most", len(data), maxReset), "data")
	}
	if given(data) {
		if err := strictjson.Unmarshal(data, &r); err != nil { // other fields are ignored, as in OpenEnv
			return reply{}, refuse(err.Error(), "data")
		}
	}
	asked, draw, next := r.over(s.asked), s.draw, s.next
	if draw == nil || r.Task != nil || !reflect.DeepEqual(asked, s.asked) {
		if asked.Seed == nil {
			seed := json.Number(strconv.FormatUint(rand.Uint64(), 10))
			asked.Seed = &seed
		}
		var err error
		if draw, err = s.server.draws(asked); err != nil {
			return reply{}, failed(err)
		}
		next = 0
	}
	if asked.Size != nil {
		next %= *asked.Size
	}
	p, err := draw(deref(asked.Index) + next)
	if err != nil {
		return reply{}, failed(err)
	}
	return s.begin(ctx, p, func() {
		s.asked, s.draw, s.next = asked, draw, next+1
		s.id = cmp.Or(r.Episode, newID())
	})
}

// begin opens the episode of p. If that succeeds, it calls then and returns the messages
// for the policy.
func (s *session) begin(ctx context.Context, p quintain.Problem, then func()) (reply, error) {
	var episode quintain.Env
	var observation any = single{Question: &p.Prompt}
	if p.Scenario != "" {
		var err error
		if episode, err = s.server.book.Env(p, ""); err != nil {
			return reply{}, failed(err)
		}
		messages, err := episode.Open(ctx)
		if err != nil {
			return reply{}, failed(errors.Join(err, episode.Close()))
		}
		observation = played{Messages: messages}
	}
	s.close()
	then()
	s.problem, s.episode, s.offered, s.steps, s.done, s.score = p, episode, names.ToolsOf(episode), 0, false, 0
	return s.observe(observation), nil
}

// close ends the episode.
func (s *session) close() {
	if s.episode != nil {
		_ = s.episode.Close() // its reward, if any, is known
		s.episode = nil
	}
}

// A single is an observation of OpenEnv's environment: a question, or a score.
type single struct {
	Question *string         `json:"question"`
	Score    *number         `json:"score"`
	Correct  *string         `json:"correct_answer"`
	Metadata json.RawMessage `json:"dataset_metadata"`
}

// A played is an observation of a scenario.
type played struct {
	Messages []quintain.Message `json:"messages"` // the next messages for the policy
	Reason   string             `json:"reason"`   // for the reward
	End      quintain.End       `json:"end"`
}

// step plays an action.
func (s *session) step(ctx context.Context, data json.RawMessage) (reply, error) {
	var kind struct {
		Type string `json:"type"`
	}
	if strictjson.Unmarshal(data, &kind) == nil && (kind.Type == wire.OpenEnvListTools || kind.Type == wire.OpenEnvCallTool) {
		return s.tool(ctx, kind.Type, data)
	}
	var action struct {
		Answer   *string         `json:"answer"`
		Metadata json.RawMessage `json:"metadata"`
	}
	if err := strict(data, &action); err != nil {
		return reply{}, err
	}
	if action.Answer == nil {
		return reply{}, refuse("Field required", "answer")
	}
	observation, err := s.submit(ctx, *action.Answer)
	if err != nil {
		return reply{}, failed(err)
	}
	return s.observe(observation), nil
}

// errOver says that an answer has no question.
var errOver = errors.New("no question is open: send a reset first")

// submit judges an answer, or plays a reply in a scenario. After an error there is no
// score.
func (s *session) submit(ctx context.Context, answer string) (observation any, err error) {
	if s.done {
		return nil, errOver
	}
	if s.episode != nil {
		return s.reply(ctx, quintain.Reply{Text: answer, Finish: quintain.Stop})
	}
	v, err := s.server.book.Grade(s.problem, &answer)
	if err != nil {
		return nil, err
	}
	right, metadata, err := s.solution()
	if err != nil {
		return nil, err
	}
	s.steps, s.done, s.score = s.steps+1, true, number(v.Score)
	return single{Score: &s.score, Correct: &right, Metadata: metadata}, nil
}

// reply plays a reply in a scenario.
func (s *session) reply(ctx context.Context, reply quintain.Reply) (observation any, err error) {
	step, err := s.episode.Step(ctx, reply)
	if err != nil {
		return nil, err
	}
	s.steps, s.done, s.score = s.steps+1, step.End != quintain.Going, number(step.Reward)
	return played{append([]quintain.Message{}, step.Observe...), step.Why, step.End}, nil
}

// solution returns a right answer to the problem, with the metadata of reasoning-gym.
func (s *session) solution() (right string, metadata json.RawMessage, err error) {
	t, err := s.server.book.Tasks().Get(s.problem.Task)
	if err != nil {
		return "", nil, err
	}
	if right, err = t.Solve(s.problem); err != nil {
		return "", nil, err
	}
	text, err := new(reasoninggym.Writer).Append(nil, s.problem, right)
	if err != nil {
		return "", nil, err
	}
	var entry reasoninggym.Entry
	err = strictjson.Unmarshal(text, &entry)
	return right, entry.Metadata, err
}

// over returns the options of r, completed with the previous ones. Nothing stays if a
// dataset is named, no settings of another task, and no task if several are mixed.
func (r resetting) over(before options) options {
	switch {
	case r.Task != nil:
		before = options{}
	case r.TaskName == nil && first(r.Specs, r.TaskSpecs) != nil:
		before.Task = nil
	case r.TaskName != nil && *r.TaskName != deref(before.Task):
		before.Config, before.Specs, before.Level = nil, nil, nil
	}
	return options{
		Task: cmp.Or(r.Task, r.TaskName, before.Task), Size: cmp.Or(r.Size, r.DatasetSize, before.Size),
		Seed: cmp.Or(r.Seed, before.Seed), Scenario: cmp.Or(r.Scenario, before.Scenario),
		Level: cmp.Or(r.Level, before.Level), Index: cmp.Or(r.Index, before.Index),
		Config: first(r.Config, r.TaskConfig, before.Config), Specs: first(r.Specs, r.TaskSpecs, before.Specs),
	}
}

// draws returns a function that makes the problems of o.
func (s *server) draws(o options) (func(index int) (quintain.Problem, error), error) {
	if o.Size != nil && *o.Size < 1 {
		return nil, fmt.Errorf("size: is %d, want 1 or more", *o.Size)
	}
	d := names.Draw{Task: s.book.Usual(usualTask), Scenario: deref(o.Scenario), Seed: deref(o.Seed), Params: first(o.Config, json.RawMessage("{}"))}
	switch {
	case o.Specs != nil && cmp.Or(deref(o.Task), list.Composite) != list.Composite:
		return nil, fmt.Errorf("dataset_specs: are for composite, not for %s", *o.Task)
	case o.Specs != nil:
		d.Task, d.Params = list.Composite, fmt.Appendf(nil, `{"datasets":%s}`, o.Specs)
	case o.Task != nil:
		d.Task = *o.Task
	}
	if o.Level != nil {
		d.Level, d.Params = *o.Level, nil
	}
	return s.book.Draw(d)
}

// deref returns the value at p, or zero.
func deref[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// given reports whether a value is present and not null.
func given(value json.RawMessage) bool { return len(value) > 0 && string(value) != "null" }

// first returns the first given value, or nil.
func first(values ...json.RawMessage) json.RawMessage {
	for _, v := range values {
		if given(v) {
			return v
		}
	}
	return nil
}
