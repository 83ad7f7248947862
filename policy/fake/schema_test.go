package fake_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
)

// guided asks for a reply that keeps to a schema.
func guided(schema string) quintain.Request {
	return quintain.Request{
		N: 1, Sampling: quintain.Sampling{Temperature: 1}, Schema: json.RawMessage(schema), Messages: []quintain.Message{{Role: "user", Content: "?"}},
	}
}

// Every kind of server gets the schema where it reads it.
func TestSchemasArrive(t *testing.T) {
	t.Parallel()
	const schema = `{"type":"object","properties":{"é":{"enum":["<a>"]}}}`
	policies := map[string]func(url string) quintain.Policy{}
	for kind := range kinds() {
		policies[kind] = func(url string) quintain.Policy { return exact.New(connect(t, kind, url), exact.Bytes{}) }
	}
	policies["chat completions"] = func(url string) quintain.Policy {
		var of engines.OpenAIConfig
		of.Server.URL, of.Model = url+"/v1", "fake"
		c, err := engines.NewOpenAI(of)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.CloseIdle)
		return c
	}
	for kind, make := range policies {
		s, web := serve(t, func(c *fake.Config) { c.Server.Replies = replyFile(t, `{"text":"{}"}`) })
		p := make(web.URL)
		if samples, err := p.Sample(t.Context(), guided("")); err != nil || len(samples) != 1 || s.Schema() != nil {
			t.Errorf("%s: without a schema: %d samples, schema %s, error %v", kind, len(samples), s.Schema(), err)
		}
		samples, err := p.Sample(t.Context(), guided(schema))
		if err != nil || samples[0].Text != "{}" {
			t.Errorf("%s: %+v, error %v", kind, samples, err)
			continue
		}
		var got, want any
		if err := errors.Join(json.Unmarshal(s.Schema(), &got), json.Unmarshal([]byte(schema), &want)); err != nil {
			t.Fatal(err)
		}
		if a, b := asJSON(t, got), asJSON(t, want); a != b {
			t.Errorf("%s: the server read %s, want %s", kind, a, b)
		}
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
