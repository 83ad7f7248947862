package watch

import (
	"encoding/json"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A talk is a conversation, or the text of one message.
type talk []quintain.Message

// UnmarshalJSON implements [json.Unmarshaler]. A text has no role yet.
func (t *talk) UnmarshalJSON(data []byte) error {
	var text string
	if strictjson.Unmarshal(data, &text) == nil {
		*t = talk{{Content: text}}
		return nil
	}
	return strictjson.Unmarshal(data, (*[]quintain.Message)(t))
}

// as returns the conversation; a text becomes a message of role.
func (t talk) as(role string) []quintain.Message {
	if len(t) == 1 && t[0].Role == "" {
		t[0].Role = role
	}
	return t
}

// A result is a line of verifiers' results.jsonl, or of AReaL's trajectories.
type result struct {
	ID         json.RawMessage `json:"example_id"` // of verifiers
	TaskID     json.RawMessage `json:"task_id"`    // of AReaL, which writes texts with special tokens
	Task       string          `json:"task"`
	Prompt     talk            `json:"prompt"`
	Completion talk            `json:"completion"`
	Reward     float64         `json:"reward"`
	Error      json.RawMessage `json:"error"`
	Stop       string          `json:"stop_condition"`
	Answer     json.RawMessage `json:"answer"`
}

// addResult reads a line of verifiers or AReaL. Lines of one example are a group.
func (r *reader) addResult(line []byte) error {
	var v result
	if err := strictjson.Unmarshal(line, &v); err != nil {
		return err
	}
	key := string(v.ID)
	if key == "" {
		key = string(v.TaskID)
	}
	record := r.examples[key]
	if record == nil || key == "" {
		record = r.begin(v.Task)
		record.Problem.Instance = quintain.RawRecord(v.Answer)
		r.examples[key] = record
	}
	turns := turnsOf(append(v.Prompt.as(quintain.RoleUser), v.Completion.as(quintain.RoleAssistant)...))
	if len(turns) > 0 {
		turns[len(turns)-1].Why = v.Stop
	}
	r.addEpisode(record, turns, v.Reward)
	if text := string(v.Error); text != "" && text != "null" {
		e := &record.Episodes[len(record.Episodes)-1]
		e.Outcome, e.Error = quintain.EnvFailed, text
	}
	return nil
}
