package engines

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
)

func TestSchemaInARequest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why    string
		native bool
		schema string
		want   string // part of the body; "": no such field
	}{
		{"none", false, "", ""},
		{"completions", false, `{"type":"object"}`, `,"structured_outputs":{"json":{"type":"object"}}`},
		{"none, by the native route", true, "", ""},
		{"the native route", true, `{"type":"object"}`, `"sampling_params":{"logprobs":0,"max_tokens":null,"min_p":0,"n":1,"structured_outputs":{"json":{"type":"object"}},"temperature":0,`},
	} {
		q := vllmQuery{prompt: policy.Prompt{Tokens: []quintain.Token{1}, N: 1, Schema: json.RawMessage(test.schema)}, config: &VLLMConfig{Native: test.native}}
		call, err := q.call()
		if err != nil || !json.Valid(call.Body) {
			t.Fatalf("%s: %s, error %v", test.why, call.Body, err)
		}
		if has := strings.Contains(string(call.Body), "structured_outputs"); has != (test.want != "") || !strings.Contains(string(call.Body), test.want) || call.Guided != has {
			t.Errorf("%s: guided %v, %s", test.why, call.Guided, call.Body)
		}
	}
}
