package engines

import (
	"encoding/json"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
)

// llama.cpp takes a schema as it is.
func TestSchemaInARequestToLlamaCpp(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, schema, want string }{
		{"none", "", `{"prompt":[1],"n_predict":-1,"temperature":1,"top_p":1,"top_k":0,"min_p":0,"samplers":["top_k","top_p","temperature"],"n_probs":1,"return_tokens":true,"cache_prompt":true}`},
		{"one", `{"type":"object"}`, `{"prompt":[1],"n_predict":-1,"temperature":1,"top_p":1,"top_k":0,"min_p":0,"samplers":["top_k","top_p","temperature"],"n_probs":1,"return_tokens":true,"cache_prompt":true,"json_schema":{"type":"object"}}`},
	} {
		p := policy.Prompt{Tokens: []quintain.Token{1}, N: 1, Sampling: quintain.Sampling{Temperature: 1}, Schema: json.RawMessage(test.schema)}
		got, err := json.Marshal(requestOf(p))
		if err != nil || string(got) != test.want {
			t.Errorf("%s:\n%s, error %v, want\n%s", test.why, got, err, test.want)
		}
	}
}
