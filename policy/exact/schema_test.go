package exact_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
	"github.com/quintain-rl/quintain/policy/exact"
)

// A scribe is a script of a server that keeps to schemas.
type scribe struct{ script }

func (s *scribe) Can() policy.Abilities { return policy.Abilities{Schema: true} }

func (s *scribe) Generate(ctx context.Context, p policy.Prompt) ([]policy.Output, error) {
	return s.script.Generate(ctx, p)
}

// A server begins at the start of the schema: a reply that was cut begins anew, and none is cut
// into chunks.
func TestRepliesThatKeepToASchema(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why     string
		outputs []policy.Output
		stops   []string
		asked   int
		text    string
		version int32
	}{
		{"whole", []policy.Output{output(`{"a":1}`, 1, quintain.Stop)}, nil, 1, `{"a":1}`, 1},
		{"longer than a chunk", []policy.Output{output(`{"a":12345}`, 1, quintain.Stop)}, nil, 1, `{"a":12345}`, 1},
		{"cut for new weights", []policy.Output{output(`{"a"`, 1, quintain.Aborted), output(`{`, 2, quintain.Aborted), output(`{"b":2}`, 3, quintain.Stop)}, nil, 3, `{"b":2}`, 3},
		{"with a stop text, to a server that knows none", []policy.Output{output(`{"a":1}`, 1, quintain.Stop)}, []string{"1"}, 1, `{"a":`, 1},
	} {
		s := &scribe{script{outputs: test.outputs}}
		p := exact.New(s, exact.Bytes{})
		p.Settings.NewTokensPerChunk = 3
		r := request(0)
		r.Schema, r.Stop = json.RawMessage(`{"type":"object"}`), test.stops
		samples, err := p.Sample(t.Context(), r)
		if err != nil {
			t.Errorf("%s: %v", test.why, err)
			continue
		}
		one := samples[0]
		if one.Text != test.text || one.Finish != quintain.Stop || one.Versions[0] != test.version || len(s.asked) != test.asked {
			t.Errorf("%s: %+v after %d requests", test.why, one, len(s.asked))
		}
		for _, asked := range s.asked {
			if string(asked.Schema) != `{"type":"object"}` || len(asked.Tokens) != len(s.asked[0].Tokens) || asked.Sampling.MaxTokens != 0 {
				t.Errorf("%s: asked with the schema %q, %d tokens, at most %d more", test.why, asked.Schema, len(asked.Tokens), asked.Sampling.MaxTokens)
			}
		}
	}
}

func TestUnguidedRequestsAreRefused(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		server policy.Generator
		change func(*quintain.Request)
	}{
		{"a schema, to a server that knows none", &script{}, func(r *quintain.Request) { r.Schema = json.RawMessage(`{}`) }},
		{"a tool to be called", &scribe{}, func(r *quintain.Request) { r.ToolChoice = "required" }},
	} {
		r := request(0)
		test.change(&r)
		if _, err := exact.New(test.server, exact.Bytes{}).Sample(t.Context(), r); !errors.Is(err, quintain.ErrUnguided) || !errors.Is(err, quintain.ErrFinal) {
			t.Errorf("%s: error %v", test.why, err)
		}
	}
}
