package rllm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/gatewaytest"
	"github.com/quintain-rl/quintain/gateway/rllm"
)

const key = gatewaytest.Key

func open(t *testing.T) *gatewaytest.Bench { return gatewaytest.Open(t, "", rllm.Routes) }

// A record is what the tests read of a trace.
type record struct {
	ID       string `json:"trace_id"`
	Session  string `json:"session_id"`
	Messages []quintain.Message
	Prompt   []quintain.Token `json:"prompt_token_ids"`
	Reply    quintain.Message `json:"response_message"`
	Tokens   []quintain.Token `json:"completion_token_ids"`
	LogProbs []float32
	Finish   string         `json:"finish_reason"`
	Version  int            `json:"weight_version"`
	Counts   map[string]int `json:"token_counts"`
	Time     float64        `json:"timestamp"`
}

// A session of a name of the caller's own leaves its calls, token by token.
func TestTraces(t *testing.T) {
	b := open(t)
	b.Want(200, key, "GET /admin/weight_version", "")
	if text := b.Want(200, key, "POST /sessions", `{"session_id": "task:0", "metadata": {"a": 1}}`); !strings.Contains(text, `"session_id":"task:0","url":"/sessions/task:0/v1"`) {
		t.Errorf("made %s", text)
	}
	const path = "/sessions/task:0/v1/chat/completions"
	b.Ask("", path, "one")
	b.Want(200, "", "POST "+path, `{"model": "m", "messages": [{"role": "user", "content": "one"}, {"role": "assistant", "content": "reply 1"}, {"role": "user", "content": "two"}]}`)
	text := b.Want(200, key, "GET /sessions/task:0/traces", "")
	all := gatewaytest.Parse[[]record](t, text)
	if len(all) != 2 {
		t.Fatalf("traces %s", text)
	}
	r := all[1]
	if got, want := gatewaytest.Text(r.Prompt)+"|"+gatewaytest.Text(r.Tokens), "<user>onereply 1\n<user>two|reply 2\n"; got != want {
		t.Errorf("tokens say %q, want %q", got, want)
	}
	if r.Session != "task:0" || len(r.Messages) != 3 || r.Reply.Content != "reply 2" || len(r.LogProbs) != 8 || r.Finish != "stop" || r.Version != 3 || r.Counts["prompt"] != 26 || r.Counts["completion"] != 8 {
		t.Errorf("%s", text)
	}
	if one := gatewaytest.Parse[record](t, b.Want(200, key, "GET /traces/"+r.ID, "")); one.ID != r.ID || one.Time != r.Time {
		t.Errorf("%+v, want %+v", one, r)
	}
	for query, n := range map[string]int{"?limit=1": 1, "?since=0": 2, "?since=1e18": 0, fmt.Sprintf("?since=%f", r.Time): 1} {
		if got := gatewaytest.Parse[[]record](t, b.Want(200, key, "GET /sessions/task:0/traces"+query, "")); len(got) != n {
			t.Errorf("%s: %d traces, want %d", query, len(got), n)
		}
	}
	if v := b.Want(200, key, "POST /admin/weight_version", `{"weight_version": 9}`); v != `{"weight_version":3}` {
		t.Errorf("version %s: the servers tell it", v)
	}
}

// Sessions live under their name until they are deleted; another then takes it over.
func TestSessionsHaveNames(t *testing.T) {
	b := open(t)
	b.Want(200, key, "POST /sessions", `{"session_id": "mine"}`)
	b.Ask("", "/sessions/mine/v1/chat/completions", "one")
	b.Want(200, key, "POST /sessions", `{"session_id": "mine"}`)
	info := func() string { return b.Want(200, key, "GET /sessions/mine", "") }
	if !strings.Contains(info(), `"trace_count":1`) || !strings.Contains(info(), `"metadata":{}`) {
		t.Errorf("the session: %s", info())
	}
	if n := b.Want(200, key, "DELETE /sessions/mine", ""); n != `{"deleted":1}` {
		t.Errorf("deleted %s", n)
	}
	b.Want(410, "", "POST /sessions/mine/v1/chat/completions", `{"model": "m", "messages": [{"role": "user", "content": "?"}]}`)
	b.Want(200, key, "POST /sessions", `{"session_id": "mine"}`)
	if !strings.Contains(info(), `"trace_count":0`) {
		t.Errorf("the second session: %s", info())
	}
	if list := gatewaytest.Parse[[]any](t, b.Want(200, key, "GET /sessions", "")); len(list) != 2 {
		t.Errorf("%d sessions", len(list))
	}
	if list := gatewaytest.Parse[[]any](t, b.Want(200, key, "GET /sessions?limit=1", "")); len(list) != 1 {
		t.Errorf("%d sessions, want 1", len(list))
	}
}

// Sessions that name a question are a group; their caller rewards them by the gateway's own
// route.
func TestSessionsOfANameAreAGroup(t *testing.T) {
	b := open(t)
	for i := range 2 {
		b.Want(200, key, "POST /sessions", fmt.Sprintf(`{"session_id": "sum:%d", "metadata": {"name": "sum"}}`, i))
		b.Ask("", fmt.Sprintf("/sessions/sum:%d/v1/chat/completions", i), "1+1?")
		b.Want(200, key, fmt.Sprintf("POST /v1/sessions/sum:%d/reward", i), fmt.Sprintf(`{"reward": %d}`, i))
		b.Want(200, key, fmt.Sprintf("DELETE /sessions/sum:%d", i), "")
	}
	if r := b.Result(); r.Drop != "" || len(r.Trajectories) != 2 || r.Trajectories[1].Reward() != 1 {
		t.Errorf("%+v", r)
	}
}

func TestRefusals(t *testing.T) {
	b := open(t)
	id := gatewaytest.Parse[struct {
		ID string `json:"session_id"`
	}](t, b.Want(200, key, "POST /sessions", `{}`)).ID
	for _, test := range []struct {
		key, request, body string
		status             int
		says               string
	}{
		{"", "POST /sessions", `{}`, 401, "Not authenticated"},
		{"", "GET /sessions/" + id + "/traces", "", 401, "Not authenticated"},
		{key, "POST /sessions", `[]`, 422, ""},
		{key, "POST /sessions", `{"session_id": "a b"}`, 422, "session_id: is"},
		{key, "POST /sessions", `{"metadata": []}`, 422, "metadata"},
		{key, "POST /sessions", `{"metadata": {"name": 7}}`, 422, "metadata: name"},
		{key, "POST /sessions", fmt.Sprintf(`{"session_id": %q}`, id), 409, "another session has"},
		{key, "GET /sessions/none", "", 404, "there is no session"},
		{key, "GET /sessions/none/traces", "", 200, "[]"},
		{key, "DELETE /sessions/none", "", 200, `{"deleted":0}`},
		{key, "GET /traces/none", "", 404, "there is no trace"},
		{key, "GET /traces/" + id + ".none", "", 404, "there is no trace"},
		{key, "GET /sessions?since=x", "", 422, "since: is"},
		{key, "GET /sessions?limit=0", "", 422, "limit: is"},
		{key, "POST /admin/workers", `{"url": "http://127.0.0.1:1"}`, 409, "--url"},
		{key, "GET /admin/workers", "", 200, `"worker_id":"policy"`},
		{key, "POST /admin/flush", "", 200, `{"status":"flushed"}`},
		{key, "GET /admin/weight_version", "", 200, `{"weight_version":-1}`},
		{"", "GET /health", "", 200, `"status":"ok"`},
	} {
		if status, text := b.Do(test.key, test.request, test.body); status != test.status || !strings.Contains(text, test.says) {
			t.Errorf("%s %s: %d %s, want %d %s", test.request, test.body, status, text, test.status, test.says)
		}
	}
}
