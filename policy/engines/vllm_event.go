package engines

import (
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/policy"
)

// An eventReader reads vLLM's stream events, several times as fast as encoding/json. It is
// for one stream, and reuses an event's memory for the next.
type eventReader struct {
	event, choice, probs *strictjson.Picker
	choices              []vllmChoice
}

// The known members of an event,
const (
	inChoices = iota
	inError
)

// of a choice,
const (
	inIndex = iota
	inTokens
	inFinish
	inProbs
	inPrompt
	inPromptProbs
	inVersions
)

// and of its log-probabilities.
const (
	inList = iota
	inContent
)

func newEventReader() *eventReader {
	return &eventReader{
		event:  strictjson.NewPicker("choices", "error"),
		choice: strictjson.NewPicker("index", "token_ids", "finish_reason", "logprobs", "prompt_token_ids", "prompt_logprobs", "weight_versions"),
		probs:  strictjson.NewPicker("token_logprobs", "content"),
	}
}

// read returns the choices of an event, which are valid until the next. It returns false
// for an unusual form, which encoding/json must read.
func (r *eventReader) read(data []byte) ([]vllmChoice, bool) {
	r.choices = r.choices[:0]
	usual := r.event.Pick(data) && absent(r.event.Value(inError)) && strictjson.Elements(r.event.Value(inChoices), r.add)
	return r.choices, usual
}

// add reads a choice.
func (r *eventReader) add(value []byte) bool {
	of := r.choice
	if !of.Pick(value) || !absent(of.Value(inPrompt)) || !absent(of.Value(inPromptProbs)) || !absent(of.Value(inVersions)) {
		return false
	}
	at := len(r.choices)
	r.choices = slices.Grow(r.choices, 1)[:at+1]
	c := &r.choices[at]
	*c = vllmChoice{TokenIDs: c.TokenIDs[:0], probs: c.probs[:0]}
	var usual bool
	if c.Index, usual = strictjson.Int(of.Value(inIndex)); !usual {
		return false
	}
	if finish := of.Value(inFinish); !absent(finish) {
		text, usual := strictjson.Text(finish)
		if c.FinishReason = &text; !usual {
			return false
		}
	}
	c.TokenIDs, usual = policy.ReadTokens(c.TokenIDs, of.Value(inTokens))
	return usual && (absent(of.Value(inProbs)) || r.addProbs(c, of.Value(inProbs)))
}

// addProbs reads the log-probabilities of a choice.
func (r *eventReader) addProbs(c *vllmChoice, value []byte) bool {
	return r.probs.Pick(value) && absent(r.probs.Value(inContent)) && strictjson.Elements(r.probs.Value(inList), c.addProb)
}

// addProb reads a log-probability.
func (c *vllmChoice) addProb(value []byte) bool {
	if value[0] != '-' && value[0]-'0' > 9 {
		return false
	}
	n, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		return false
	}
	p, err := policy.LogProb(&n)
	c.probs = append(c.probs, p)
	return err == nil
}

// absent reports whether a member is missing or null.
func absent(value []byte) bool { return value == nil || string(value) == "null" }
