package engines

import (
	"encoding/json"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy"
)

// SGLang takes a schema as a text.
func TestSchemaInARequestToSGLang(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, schema, want string }{
		{"none", "", `{"max_new_tokens":null,"temperature":1,"top_p":1,"top_k":-1,"min_p":0}`},
		{"one", `{"type":"object"}`, `{"max_new_tokens":null,"temperature":1,"top_p":1,"top_k":-1,"min_p":0,"json_schema":"{\"type\":\"object\"}"}`},
	} {
		p := policy.Prompt{Tokens: []quintain.Token{1}, N: 1, Sampling: quintain.Sampling{Temperature: 1}, Schema: json.RawMessage(test.schema)}
		got, err := json.Marshal(sglangSampling(p))
		if err != nil || string(got) != test.want {
			t.Errorf("%s:\n%s, error %v, want\n%s", test.why, got, err, test.want)
		}
	}
}
