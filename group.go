package quintain

import (
	"encoding/json"
	"fmt"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Untrained masks a token out of training.
const Untrained = -100

// A Group is several sequences that answer one problem, with their scores: the unit of
// training, of the queue and of the hub. The first fields are those of the Atropos API; an
// absent one is null in JSON. n is the number of sequences, L the length of each.
//
// Raw JSON fields are passed on byte for byte. The methods only read the group.
type Group struct {
	Tokens [][]Token `json:"tokens"` // n × L
	Masks  [][]int32 `json:"masks"`  // n × L; the token itself, or Untrained
	Scores []float64 `json:"scores"` // n; finite

	Advantages      [][]float64       `json:"advantages"`         // n × L, or n × 1: one for the whole sequence; nil: absent
	RefLogProbs     [][]float64       `json:"ref_logprobs"`       // n × L; nil: absent
	LogProbs        [][]float64       `json:"inference_logprobs"` // n × L, natural logarithms, as sampled; 1 for an unsampled token; n × 0: unknown for the whole sequence; nil: absent
	Messages        json.RawMessage   `json:"messages"`           // n conversations, an array; nil: absent
	Generation      json.RawMessage   `json:"generation_params"`  // object; nil: absent
	Overrides       []json.RawMessage `json:"overrides"`          // n objects; nil: absent
	GroupOverrides  json.RawMessage   `json:"group_overrides"`    // object; nil: absent
	Images          json.RawMessage   `json:"images"`             // any JSON value; nil: absent
	EnvID           *int32            `json:"env_id"`             // ID of the environment it came from; nil: none
	DistillTokens   [][][]Token       `json:"distill_token_ids"`  // n × L × k; nil: absent
	DistillLogProbs [][][]float64     `json:"distill_logprobs"`   // n × L × k; nil: absent

	// The fields below are ours; the Atropos API has none of them.

	ID       string    `json:"id"`                 // a queue keeps one group per ID; empty: the queue chooses one
	Versions [][]int32 `json:"versions,omitempty"` // n × L, version of the weights that sampled each token; -1: not sampled, or by unknown weights; nil: all unknown
	Episodes []int32   `json:"episodes,omitempty"` // n, each sequence's episode: 0 first, then the same or the next; nil: one per sequence
	Origin   Origin    `json:"origin"`
}

// An Origin names the problem that a group answers. A group from outside has a zero Origin.
type Origin struct {
	Scenario string `json:"scenario,omitempty"` // ID of the scenario; see [ScenarioInfo]
	Task     string `json:"task,omitempty"`
	Version  int    `json:"version,omitempty"` // of the task
	Seed     uint64 `json:"seed,string,omitempty"`
	Level    int    `json:"level"` // -1: the task has settings of its own
	Index    int    `json:"index"`

	Worker string `json:"worker,omitempty"` // that played it for the run; empty: the run itself
	Model  string `json:"model,omitempty"`  // of that worker
}

// MarshalJSON implements [json.Marshaler]. A zero Origin is an empty object.
func (o Origin) MarshalJSON() ([]byte, error) {
	if o == (Origin{}) {
		return []byte("{}"), nil
	}
	type fields Origin
	return json.Marshal(fields(o))
}

// Sequences returns the number of sequences.
func (g *Group) Sequences() int { return len(g.Tokens) }

// EpisodeCount returns the number of episodes. One episode may give several sequences.
func (g *Group) EpisodeCount() int {
	if len(g.Episodes) == 0 {
		return len(g.Tokens)
	}
	return int(g.Episodes[len(g.Episodes)-1]) + 1
}

// TokenCount returns the number of tokens in all sequences.
func (g *Group) TokenCount() int {
	n := 0
	for _, seq := range g.Tokens {
		n += len(seq)
	}
	return n
}

// Oldest returns the lowest version of the weights that sampled any token, or -1 if no
// version is known or a trained token has an unknown one, which may be older than all
// others.
func (g *Group) Oldest() int32 {
	oldest := ^uint32(0) // as unsigned numbers, those that are not known come last
	for i, seq := range g.Versions {
		mask := g.mask(i)
		for j, v := range seq {
			if v < 0 && j < len(mask) && mask[j] != Untrained {
				return -1
			}
			oldest = min(oldest, uint32(v))
		}
	}
	return max(-1, int32(oldest))
}

// MeanVersion returns the mean version of the weights that sampled the trained tokens, or -1 if
// no version is known or a trained token has an unknown one.
func (g *Group) MeanVersion() float64 {
	sum, n := int64(0), 0
	for i, seq := range g.Versions {
		mask := g.mask(i)
		for j, of := range mask[:min(len(mask), len(seq))] {
			switch v := seq[j]; {
			case of == Untrained:
			case v < 0:
				return -1
			default:
				sum, n = sum+int64(v), n+1
			}
		}
	}
	if n == 0 {
		return float64(g.Oldest())
	}
	return float64(sum) / float64(n)
}

// mask returns the mask of sequence i, nil without one.
func (g *Group) mask(i int) []int32 {
	if i < len(g.Masks) {
		return g.Masks[i]
	}
	return nil
}

// MeanScore returns the mean score of the sequences that are trained on, 0 without any.
func (g *Group) MeanScore() float64 {
	sum, n := 0.0, 0
	for i, s := range g.Scores {
		if masked, err := g.Masked(i); err != nil || !masked {
			sum, n = sum+s, n+1
		}
	}
	return sum / float64(max(1, n))
}

// Masked reports whether the overrides of sequence i say that it is not trained on: its advantage
// is 0 whatever its score. An error means that they cannot be read.
func (g *Group) Masked(i int) (bool, error) {
	var override struct {
		Zero bool `json:"set_advantage_to_zero"`
	}
	if i >= len(g.Overrides) || len(g.Overrides[i]) == 0 {
		return false, nil
	}
	if err := strictjson.Unmarshal(g.Overrides[i], &override); err != nil {
		return false, &FieldError{Field: fmt.Sprintf("overrides[%d]", i), Why: err.Error()}
	}
	return override.Zero, nil
}

// A FieldError reports an invalid field of a group.
type FieldError struct {
	Field string // path, such as "scores[3]"
	Why   string
}

// Error names the field and the fault.
func (e *FieldError) Error() string { return e.Field + ": " + e.Why }

// Check returns a [*FieldError] for the first invalid field: a wrong length, a non-finite
// number, an episode out of order.
func (g *Group) Check() error {
	n := len(g.Tokens)
	for _, f := range []struct {
		name string
		len  int
		set  bool
	}{
		{"masks", len(g.Masks), true},
		{"scores", len(g.Scores), true},
		{"advantages", len(g.Advantages), g.Advantages != nil},
		{"ref_logprobs", len(g.RefLogProbs), g.RefLogProbs != nil},
		{"inference_logprobs", len(g.LogProbs), g.LogProbs != nil},
		{"overrides", len(g.Overrides), g.Overrides != nil},
		{"distill_token_ids", len(g.DistillTokens), g.DistillTokens != nil},
		{"distill_logprobs", len(g.DistillLogProbs), g.DistillLogProbs != nil},
		{"versions", len(g.Versions), g.Versions != nil},
		{"episodes", len(g.Episodes), g.Episodes != nil},
	} {
		if f.set && f.len != n {
			return &FieldError{f.name, fmt.Sprintf("has %d elements, want one for each of the %d sequences in tokens", f.len, n)}
		}
	}
	if err := checkFinite(g.Scores, "scores"); err != nil {
		return err
	}
	if err := g.checkEpisodes(); err != nil {
		return err
	}
	return g.checkSequences()
}

// checkEpisodes reports the first sequence that neither continues the episode before it nor
// starts the next.
func (g *Group) checkEpisodes() error {
	last := int32(-1)
	for i, e := range g.Episodes {
		if e != last && e != last+1 || e < 0 {
			return &FieldError{fmt.Sprintf("episodes[%d]", i), fmt.Sprintf("is %d, want 0 for the first sequence, then the same number or the next", e)}
		}
		last = e
	}
	return nil
}

// checkSequences reports the first fault within a sequence.
func (g *Group) checkSequences() error {
	for i, seq := range g.Tokens {
		if len(g.Masks[i]) != len(seq) {
			return lengthError("masks", i, len(g.Masks[i]), len(seq))
		}
		if g.Versions != nil && len(g.Versions[i]) != len(seq) {
			return lengthError("versions", i, len(g.Versions[i]), len(seq))
		}
	}
	for _, f := range []struct {
		name string
		rows [][]float64
		also int // another length that rows may have; -1: none
	}{
		{"advantages", g.Advantages, 1}, // one for the whole sequence
		{"ref_logprobs", g.RefLogProbs, -1},
		{"inference_logprobs", g.LogProbs, 0}, // unknown
	} {
		for i, row := range f.rows {
			if len(row) != len(g.Tokens[i]) && len(row) != f.also {
				return lengthError(f.name, i, len(row), len(g.Tokens[i]))
			}
			if err := checkFinite(row, f.name, i); err != nil {
				return err
			}
		}
	}
	for i, rows := range g.DistillLogProbs {
		for j, row := range rows {
			if err := checkFinite(row, "distill_logprobs", i, j); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkFinite reports the first non-finite number of row. place holds the indices of row
// within the field.
func checkFinite(row []float64, field string, place ...int) error {
	for i, v := range row {
		if finite(v) {
			continue
		}
		for _, at := range append(place, i) {
			field += fmt.Sprintf("[%d]", at)
		}
		return &FieldError{field, fmt.Sprintf("is %v, want a finite number", v)}
	}
	return nil
}

func lengthError(field string, i, got, want int) error {
	return &FieldError{fmt.Sprintf("%s[%d]", field, i), fmt.Sprintf("has %d elements, but tokens[%d] has %d", got, i, want)}
}

// finite reports whether v is neither infinite nor NaN: only for those is v-v NaN.
func finite(v float64) bool { return v-v == 0 }
