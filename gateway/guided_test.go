package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/dialect"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/policy/engines"
	"github.com/quintain-rl/quintain/policy/exact"
	"github.com/quintain-rl/quintain/policy/fake"
	"github.com/quintain-rl/quintain/policy/remote"
	"github.com/quintain-rl/quintain/policy/script"
	"github.com/quintain-rl/quintain/run/rollout"
)

const (
	asked  = `{"type":"object","properties":{"a":{"type":"integer"}}}`
	schema = `{"messages": [{"role": "user", "content": "?"}], "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": ` + asked + `}}}`
	forced = `{"messages": [{"role": "user", "content": "?"}], "tools": ` + tools + `, "tool_choice": "required"}`
	exam   = `{"name": "x", "of": 1, "mode": "exam"}`
	train  = `{"name": "x", "of": 1}`
)

func guide(c *Config) { c.Settings.Guided = true }

// refusedAs makes a call that must be refused with a status that SDKs do not retry, and returns
// the message.
func (b *bench) refusedAs(s MadeSession, body, field string) string {
	b.t.Helper()
	e := parse[struct {
		Error struct{ Message, Param string }
	}](b.t, b.post(s, 400, body)).Error
	if e.Param != field {
		b.t.Errorf("the field is %q, want %q: %s", e.Param, field, e.Message)
	}
	return e.Message
}

// A schema holds in examinations alone, and only if the settings say so.
func TestWhoMayNameASchema(t *testing.T) {
	for _, test := range []struct {
		why    string
		guided bool
		spec   string
		want   bool
	}{
		{"an examination, guided", true, exam, true},
		{"an examination, not guided", false, exam, false},
		{"training, guided", true, train, false},
		{"training, not guided", false, train, false},
	} {
		b := open(t, func(c *Config) { c.Settings.Guided = test.guided })
		b.policy.says = []string{`{"a": 1}`}
		s := b.make(test.spec).Sessions[0]
		if test.want {
			if b.post(s, 200, schema); string(b.policy.asked[0].Schema) != asked {
				t.Errorf("%s: the policy is asked for %s", test.why, b.policy.asked[0].Schema)
			}
			b.post(s, 200, ask)
			if got := b.policy.asked[1].Schema; got != nil {
				t.Errorf("%s: the next call has the schema %s", test.why, got)
			}
			continue
		}
		if why := b.refusedAs(s, schema, "response_format.type"); !strings.Contains(why, "sessions.guided") || len(b.policy.asked) > 0 {
			t.Errorf("%s: %s", test.why, why)
		}
		b.post(s, 200, strings.Replace(schema, "json_schema", "json_object", 1)) // a hint
		if got := b.policy.asked[0].Schema; got != nil {
			t.Errorf("%s: a hint became the schema %s", test.why, got)
		}
	}
}

// A tool is forced in examinations, if the policy can. Elsewhere the model is free, which is
// counted, in the next process too.
func TestForcedTools(t *testing.T) {
	for _, test := range []struct {
		why    string
		guided bool
		spec   string
		body   string
		fails  error
		asked  []string // tool_choice of each request to the policy
		count  int
	}{
		{"an examination", true, exam, forced, nil, []string{dialect.ToolsRequired}, 0},
		{"a tool by name", true, exam, strings.Replace(forced, `"required"`, `{"type": "function", "function": {"name": "add"}}`, 1), nil, []string{"add"}, 0},
		{"a policy that cannot", true, exam, forced, fmt.Errorf("no: %w", quintain.ErrUnguided), []string{dialect.ToolsRequired, ""}, 1},
		{"not guided", false, exam, forced, nil, []string{""}, 1},
		{"training", true, train, forced, nil, []string{""}, 1},
		{"as the model likes", true, exam, strings.Replace(forced, "required", "auto", 1), nil, []string{""}, 0},
		{"no tools", true, exam, `{"messages": [{"role": "user", "content": "?"}], "tool_choice": "required"}`, nil, []string{""}, 0},
	} {
		folder := filepath.Join(t.TempDir(), "s")
		b := open(t, func(c *Config) { in(folder)(c); c.Settings.Guided = test.guided })
		if test.fails != nil {
			b.policy.fails = []error{test.fails}
		}
		s := b.make(test.spec).Sessions[0]
		b.post(s, 200, test.body)
		var got []string
		for _, r := range b.policy.asked {
			got = append(got, r.ToolChoice)
		}
		if !slices.Equal(got, test.asked) || b.view(s).Classes["unforced"] != test.count {
			t.Errorf("%s: the policy is asked for %q, %v; want %q, %d unforced", test.why, got, b.view(s).Classes, test.asked, test.count)
		}
		if b = b.again(folder); b.view(s).Classes["unforced"] != test.count {
			t.Errorf("%s: after a restart %v", test.why, b.view(s).Classes)
		}
	}
}

// A policy that cannot keep to the schema, or does not, is no policy for this call: the agent
// gets the field, and may ask otherwise. The session goes on.
func TestSchemasThatAreNotKept(t *testing.T) {
	for _, test := range []struct {
		why, says string
		fails     error
		breaks    func(*quintain.Sample)
		status    int
	}{
		{"JSON", `{"a": 1}`, nil, nil, 200},
		{"JSON after thoughts", `<think>Hm.</think>{"a": 1}`, nil, nil, 200},
		{"a text", "one", nil, nil, 400},
		{"thoughts alone", `<think>{"a": 1}</think>`, nil, nil, 400},
		{"JSON that is cut", `{"a": `, nil, func(s *quintain.Sample) { s.Finish = quintain.Length }, 200},
		{"a policy that cannot", "", fmt.Errorf("it cannot: %w", quintain.ErrUnguided), nil, 400},
		{"a policy that fails", "", context.DeadlineExceeded, nil, 503},
	} {
		b := open(t, guide)
		b.policy.says, b.policy.breaks = []string{test.says}, test.breaks
		if test.fails != nil {
			b.policy.fails = []error{test.fails}
		}
		s := b.make(exam).Sessions[0]
		switch test.status {
		case 400:
			b.refusedAs(s, schema, "response_format")
		default:
			b.post(s, test.status, schema)
		}
		if test.status != 503 {
			b.policy.breaks = nil
			b.post(s, 200, ask)
			b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
			b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
			b.until(func() bool { return b.view(s).Outcome == quintain.Scored })
		}
	}
}

// A script refuses, and is not asked again.
func TestAScriptKeepsToNoSchema(t *testing.T) {
	b := start(t, Config{Settings: Settings{SessionRules: SessionRules{Limits: DefaultLimits(), Guided: true}, MaxSessions: 1, MaxChoices: 1}, GroupSize: 1, Secret: []byte("secret")},
		Player{Policy: script.Always("{}")}, &desk{results: make(chan rollout.Result, 1)})
	s := b.make(exam).Sessions[0]
	b.refusedAs(s, schema, "response_format")
	b.post(s, 200, forced) // the model is free
}

// From the agent to the engine and back: the schema arrives, its reply comes, and nothing of it
// is trained on.
func TestASchemaReachesTheEngine(t *testing.T) {
	replies := filepath.Join(t.TempDir(), "replies")
	if err := os.WriteFile(replies, []byte(`{"text": "{\"a\": 7}"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	how := fake.Config{Server: fake.Defaults()}
	how.Server.Rate, how.Server.FirstToken, how.Server.Replies = 0, 0, replies
	engine, err := fake.New(how)
	if err != nil {
		t.Fatal(err)
	}
	port := httptest.NewServer(engine)
	t.Cleanup(port.Close)
	client, err := engines.NewVLLM(engines.VLLMConfig{Server: remote.Config{URL: port.URL}, Model: how.Server.Model})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdle)
	settings := Defaults()
	settings.Guided = true
	d := &desk{results: make(chan rollout.Result, 2)}
	b := start(t, Config{Settings: settings, GroupSize: 1, Secret: []byte("secret")}, Player{Policy: exact.New(client, exact.Bytes{})}, d)

	s := b.make(exam).Sessions[0]
	reply := parse[chatReply](t, b.post(s, 200, schema))
	if got := reply.Choices[0].Message.Content; got != `{"a": 7}` || string(engine.Schema()) != asked {
		t.Errorf("the reply is %q, the engine got %s", got, engine.Schema())
	}
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
	b.until(func() bool { return b.view(s).Outcome == quintain.Scored })

	// A session that is trained on comes after it.
	s = b.make(`{"name": "y", "prompt": "y?", "of": 1}`).Sessions[0]
	b.refusedAs(s, schema, "response_format.type")
	b.post(s, 200, ask)
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
	b.desk = d
	if r := b.result(); len(r.Trajectories) != 1 || r.Job.Problem.Prompt != "y?" {
		t.Errorf("trained on %+v", r)
	}
	b.stop()
	if len(d.results) > 0 {
		t.Errorf("trained on %+v too", <-d.results)
	}
}

// Each dialect has a field of its own for the schema.
func TestSchemasInAllDialects(t *testing.T) {
	b := open(t, guide)
	s := b.make(exam).Sessions[0]
	for _, test := range []struct{ path, body string }{
		{"/responses", `{"input": "?", "text": {"format": {"type": "json_schema", "name": "n", "schema": ` + asked + `}}}`},
		{"/messages", `{"max_tokens": 9, "messages": [{"role": "user", "content": "?"}], "output_config": {"format": {"type": "json_schema", "schema": ` + asked + `}}}`},
		{"/messages", `{"max_tokens": 9, "messages": [{"role": "user", "content": "?"}], "output_format": {"type": "json_schema", "schema": ` + asked + `}}`},
	} {
		b.policy.says = []string{`{"a": 1}`}
		text := b.want(200, "POST", s.OpenAI+test.path, test.body, "Authorization", "Bearer "+s.Key)
		if !json.Valid([]byte(text)) || !strings.Contains(text, `{\"a\": 1}`) {
			t.Errorf("%s: %s", test.path, text)
		}
		if got := b.policy.asked[len(b.policy.asked)-1].Schema; string(got) != asked {
			t.Errorf("%s: the policy is asked for %s", test.path, got)
		}
	}
}

// An agent that this process starts may name a schema in an evaluation.
func TestSchemasOfASolo(t *testing.T) {
	for _, test := range []struct {
		why          string
		guided, exam bool
		status       int
	}{
		{"an evaluation, guided", true, true, 200},
		{"an evaluation, not guided", false, true, 400},
		{"training, guided", true, false, 400},
	} {
		how := Defaults()
		how.Guided = test.guided
		p := &parrot{says: []string{`{"a": 1}`}}
		s, err := NewSolo(how, quintain.Seat{Policy: p, Key: "a", Exam: test.exam}, quintain.Problem{})
		if err != nil {
			t.Fatal(err)
		}
		server, err := web.New(web.Config{Name: "test", Routes: s.Routes()})
		if err != nil {
			t.Fatal(err)
		}
		port := httptest.NewServer(server)
		b := &bench{t: t, url: port.URL}
		b.want(test.status, "POST", "/v1/chat/completions", schema, "Authorization", "Bearer "+s.Key())
		if sent := len(p.asked) == 1 && string(p.asked[0].Schema) == asked; sent != (test.status == 200) {
			t.Errorf("%s: the policy is asked for %+v", test.why, p.asked)
		}
		port.Close()
	}
}
