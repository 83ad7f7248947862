package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/rollout"
)

// Which key opens which session, on every route of agents.
func TestKeys(t *testing.T) {
	for _, test := range []struct {
		why         string
		keys        bool
		path        string // with THIS for the session's ID
		header, key string // with THIS and OTHER for keys
		status      int
	}{
		{"its key", true, "/sessions/THIS", "Authorization", "Bearer THIS", 200},
		{"as Anthropic sends it", true, "/sessions/THIS", "X-Api-Key", "THIS", 200},
		{"as Azure sends it", true, "/sessions/THIS", "Api-Key", "THIS", 200},
		{"its key alone", true, "", "Authorization", "Bearer THIS", 200},
		{"no key", true, "/sessions/THIS", "", "", 401},
		{"no key and no path", true, "", "", "", 401},
		{"a key of somebody else", true, "/sessions/THIS", "Authorization", "Bearer sk-123", 401},
		{"of another session", true, "/sessions/THIS", "Authorization", "Bearer OTHER", 403},
		{"forged", true, "/sessions/THIS", "Authorization", "Bearer FORGED", 401},
		{"of an earlier secret", true, "", "Authorization", "Bearer OLD", 401},
		{"of a later generation", true, "", "Authorization", "Bearer NEXT", 401},
		{"cut", true, "/sessions/THIS", "Authorization", "Bearer qs_", 401},
		{"of a session that is gone", true, "", "Authorization", "Bearer GONE", 410},
		{"the address is enough", false, "/sessions/THIS", "", "", 200},
		{"and any key beside it", false, "/sessions/THIS", "Authorization", "Bearer sk-123", 200},
		{"but none of another session", false, "/sessions/THIS", "Authorization", "Bearer OTHER", 403},
		{"nor a forged one", false, "/sessions/THIS", "Authorization", "Bearer FORGED", 401},
		{"no address and no key", false, "", "", "", 401},
		{"an address that is none", false, "/sessions/nobody", "", "", 410},
	} {
		b := open(t, func(c *Config) { c.Keys = test.keys })
		all := b.make(`{"name": "x", "of": 2}`).Sessions
		secret := []byte("secret")
		fill := strings.NewReplacer("THIS", all[0].Key, "OTHER", all[1].Key, "FORGED", all[0].Key[:len(all[0].Key)-1]+"7x", "OLD", keyOf([]byte("old"), all[0].ID, 0),
			"NEXT", keyOf(secret, all[0].ID, 1), "GONE", keyOf(secret, newID(sessionBytes), 0))
		path := strings.ReplaceAll(test.path, "THIS", all[0].ID)
		headers := []string{"X-Nothing", "x"}
		if test.header != "" {
			headers = []string{test.header, fill.Replace(test.key)}
		}
		for _, route := range []string{"POST /v1/chat/completions", "POST /v1/completions", "POST /v1/responses", "POST /v1/messages", "GET /v1/models", "GET /v1/models/m"} {
			method, at, _ := strings.Cut(route, " ")
			body := `{"model": "m", "max_tokens": 5, "prompt": "?", "input": "?", "messages": [{"role": "user", "content": "?"}]}`
			if at == "/v1/completions" || at == "/v1/responses" || at == "/v1/messages" || at == "/v1/chat/completions" {
				body = map[string]string{"/v1/completions": `{"prompt": "?"}`, "/v1/responses": `{"input": "?"}`, "/v1/messages": `{"max_tokens": 5, "messages": [{"role": "user", "content": "?"}]}`, "/v1/chat/completions": ask}[at]
			}
			status, text := b.do(method, path+at, body, headers...)
			if status != test.status && at != "/v1/completions" {
				t.Errorf("%s: %s: status %d, want %d: %s", test.why, route, status, test.status, text)
			}
		}
	}
}

// An agent learns nothing of the solution or of other sessions, whatever it sends.
func TestHostileAgent(t *testing.T) {
	b := open(t, func(c *Config) { c.Keys, c.Settings.AgentRewards = true, true })
	made := b.make(`{"of": 2}`)
	mine, other := made.Sessions[0], made.Sessions[1]
	b.policy.says = []string{"wrong", "broken"}
	b.post(other, 200, ask)
	var heard []string
	send := func() {
		for _, method := range []string{"GET", "POST", "DELETE", "PUT"} {
			for _, path := range []string{
				"/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/responses/resp_x", "/v1/messages", "/v1/messages/count_tokens", "/v1/models", "/v1/models/..%2f..", "/reward", "/end",
				"/calls", "/../" + other.ID, "/v1/embeddings", "/%00", "/v1/files",
			} {
				for _, body := range []string{ask, ``, `{`, `{"reward": "x"}`, `{"previous_response_id": "resp_x", "input": "?"}`, `{"messages": [{"role": "tool", "tool_call_id": "call_x_0", "content": "` + solution[:3] + `"}], "metadata": {"problem": true}}`} {
					_, text := b.do(method, "/sessions/"+mine.ID+path, body, "Authorization", "Bearer "+mine.Key)
					heard = append(heard, text)
				}
			}
		}
	}
	send() // it ends itself
	b.post(mine, 410, ask)
	for range 2 {
		send()
		b.want(200, "POST", "/sessions/"+mine.ID+"/end", "", "Authorization", "Bearer "+mine.Key)
		b.until(func() bool { return b.gateway.sessions[mine.ID].sealed() })
	}
	for _, text := range heard {
		if strings.Contains(text, solution) || strings.Contains(text, other.ID) || strings.Contains(text, other.Key) {
			t.Errorf("the agent was told %s", text)
		}
	}
	if of := b.gateway.sessions[other.ID]; of.state != Live || len(of.tree.Nodes) != 1 || of.rewarded {
		t.Errorf("the other session is %s, has %d calls", of.state, len(of.tree.Nodes))
	}
}

func (s *session) sealed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state == Sealed
}

// What a grader says when it breaks, and what a caller says of an end, is not for agents.
func TestReasonsAreNotForAgents(t *testing.T) {
	b := open(t, func(c *Config) { c.Settings.AgentRewards = true })
	made := b.make(`{"of": 2}`)
	b.policy.says = []string{"broken"}
	b.post(made.Sessions[0], 200, ask)
	b.want(200, "POST", "/sessions/"+made.Sessions[0].ID+"/end", "")
	b.until(func() bool { return b.gateway.sessions[made.Sessions[0].ID].sealed() })
	b.want(200, "POST", "/v1/sessions/"+made.Sessions[1].ID+"/end", `{"failed": "agent", "why": "it should have said `+solution+`"}`)
	for _, s := range made.Sessions {
		for _, text := range []string{b.post(s, 410, ask), b.want(200, "POST", "/sessions/"+s.ID+"/end", "")} {
			if strings.Contains(text, solution) {
				t.Errorf("the agent was told %s", text)
			}
		}
	}
	if text := b.want(200, "GET", "/v1/sessions/"+made.Sessions[0].ID, ""); !strings.Contains(text, solution) {
		t.Errorf("the caller was not told why: %s", text)
	}
}

// Every limit is answered in the dialect's form, with the field where there is one.
func TestLimits(t *testing.T) {
	many := func(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	tool := func(i int) string { return fmt.Sprintf(`{"type": "function", "function": {"name": "f%d"}}`, i) }
	var tools []string
	for i := range 513 {
		tools = append(tools, tool(i))
	}
	for _, test := range []struct {
		why, body string
		status    int
		field     string
	}{
		{"messages", `{"messages": [` + many(10_001, `{"role": "user", "content": "?"}`) + `]}`, 400, "messages"},
		{"tools", `{"messages": [{"role": "user", "content": "?"}], "tools": [` + strings.Join(tools, ",") + `]}`, 400, "tools"},
		{"a long tool", `{"messages": [{"role": "user", "content": "?"}], "tools": [{"type": "function", "function": {"name": "f", "description": "` + strings.Repeat("x", 65<<10) + `"}}]}`, 400, "tools[0]"},
		{"depth", `{"messages": [{"role": "user", "content": "?"}], "metadata": ` + strings.Repeat("[", 70) + strings.Repeat("]", 70) + `}`, 400, "metadata"},
		{"choices", `{"messages": [{"role": "user", "content": "?"}], "n": 17}`, 400, "n"},
		{"a role", `{"messages": [{"role": "wizard", "content": "?"}]}`, 400, "messages[0].role"},
		{"a member twice", `{"messages": [{"role": "user", "content": "?", "content": "!"}]}`, 400, "messages"},
		{"half a character", `{"messages": [{"role": "user", "content": "\ud800"}]}`, 400, "messages"},
		{"a number without end", `{"messages": [{"role": "user", "content": "?"}], "temperature": 1e999}`, 400, "temperature"},
		{"no messages", `{"messages": []}`, 400, "messages"},
		{"no JSON", `{`, 400, ""},
		{"a body", `{"messages": [{"role": "user", "content": "` + strings.Repeat("x", maxBody) + `"}]}`, 413, ""},
	} {
		b := open(t, nil)
		s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
		text := b.post(s, test.status, test.body)
		var in struct {
			Error struct{ Message, Type, Param string }
		}
		if err := json.Unmarshal([]byte(text), &in); err != nil || in.Error.Message == "" || in.Error.Type == "" || !strings.HasPrefix(in.Error.Param, test.field) {
			t.Errorf("%s: %s", test.why, text)
		}
		if len(b.policy.asked) > 0 || b.gateway.sessions[s.ID].state != Created {
			t.Errorf("%s: the policy was asked", test.why)
		}
	}
}

// What callers send is one JSON value that all readers understand alike, and a body that is no
// gzip is refused in the agent's dialect.
func TestUnclearBodies(t *testing.T) {
	b := open(t, nil)
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	for _, body := range []string{`{"reward": 1, "reward": 0}`, `{"reward": 1, "why": "\ud800"}`} {
		b.want(422, "POST", "/v1/sessions/"+s.ID+"/reward", body)
	}
	for _, path := range []string{s.OpenAI + "/chat/completions", s.OpenAI + "/messages/count_tokens"} {
		if text := b.want(400, "POST", path, "no gzip", "Content-Encoding", "gzip"); !strings.Contains(text, `"error"`) {
			t.Error(text)
		}
	}
}

// Limits of a session end it, or make its calls wait.
func TestLimitsOfSessions(t *testing.T) {
	for _, test := range []struct {
		why, limits string
		held, more  int // calls under way, and calls after them
		status      int // of the last
	}{
		{"calls", `{"calls": 2}`, 0, 3, 410},
		{"calls at once may not exceed them either", `{"calls": 2}`, 2, 1, 429},
		{"tokens", `{"tokens": 9}`, 0, 3, 410},
		{"calls at once", `{"parallel": 2}`, 2, 1, 429},
		{"none", `{}`, 2, 3, 200},
	} {
		b := open(t, nil)
		s := b.make(`{"name": "x", "of": 1, "limits": ` + test.limits + `}`).Sessions[0]
		hold := make(chan struct{})
		b.policy.hold = hold
		done := make(chan string, test.held)
		for range test.held {
			go func() {
				r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, s.OpenAI+"/chat/completions", strings.NewReader(ask))
				if err != nil {
					t.Error(err)
				}
				done <- b.send(r)
			}()
		}
		b.until(func() bool {
			b.policy.mu.Lock()
			defer b.policy.mu.Unlock()
			return len(b.policy.asked) == test.held
		})
		b.policy.mu.Lock()
		b.policy.hold = nil
		b.policy.mu.Unlock()
		status := 0
		for range test.more {
			status, _ = b.do("POST", s.OpenAI+"/chat/completions", ask)
		}
		close(hold)
		for range test.held {
			if text := <-done; !strings.Contains(text, "reply") {
				t.Errorf("%s: %s", test.why, text)
			}
		}
		if status != test.status {
			t.Errorf("%s: status %d, want %d", test.why, status, test.status)
		}
	}
}

// A disk that fails refuses a call before its terminal byte, and the session goes on when it is
// well again. One that is broken is not full.
func TestFullDisk(t *testing.T) {
	for _, test := range []refusedDisk{{journal.ErrFull, 507}, {syscall.EIO, 503}} {
		testFullDisk(t, test)
	}
}

type refusedDisk struct {
	err    error
	status int
}

func testFullDisk(t *testing.T, test refusedDisk) {
	folder := filepath.Join(t.TempDir(), "s")
	b := open(t, in(folder))
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	b.post(s, 200, ask)
	b.disk.fails(test.err)
	const on = `{"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "reply 1"}, {"role": "user", "content": "on"}], "stream": STREAM}`
	b.post(s, test.status, strings.ReplaceAll(on, "STREAM", "false"))
	if text := b.post(s, 200, strings.ReplaceAll(on, "STREAM", "true")); strings.Contains(text, "DONE") || !strings.Contains(text, "error") || strings.Contains(text, "reply 2") {
		t.Error(text)
	}
	b.want(test.status, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
	b.want(test.status, "POST", "/v1/sessions/"+s.ID+"/end", "")
	if of := b.gateway.sessions[s.ID]; len(of.tree.Nodes) != 1 || of.rewarded || of.state != Live {
		t.Errorf("%d calls, rewarded %v, %s", len(of.tree.Nodes), of.rewarded, of.state)
	}
	b.disk.fails(nil)
	b.post(s, 200, strings.ReplaceAll(on, "STREAM", "false"))
	b = b.again(folder)
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
	b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
	if r := b.result().Trajectories[0]; len(r.Turns) != 2 || r.Outcome != quintain.Scored {
		t.Errorf("%d turns, %s: %s", len(r.Turns), r.Outcome, r.Error)
	}
}

// Two gateways do not share a folder.
func TestTwoGateways(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "s")
	open(t, in(folder))
	g, err := New(Config{Settings: Defaults(), Secret: []byte("s"), Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Run(t.Context(), Player{}, &desk{results: make(chan rollout.Result)}); !errors.Is(err, datadir.ErrInUse) {
		t.Error(err)
	}
}

// Before and after its run a gateway asks clients to come again.
func TestClosedGateway(t *testing.T) {
	g, err := New(Config{Settings: Defaults(), Secret: []byte("s")})
	if err != nil {
		t.Fatal(err)
	}
	server, err := web.New(web.Config{Name: "t", Routes: g.Routes()})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/v1/sessions", "/v1/chat/completions", "/sessions/x/v1/messages"} {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "POST", "http://127.0.0.1"+path, strings.NewReader("{}")))
		if w.Code != http.StatusServiceUnavailable && w.Code != 529 || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: status %d, %v", path, w.Code, w.Header())
		}
	}
}

// A new key opens the session and the one before does not, after a restart too.
func TestNewKeys(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "s")
	b := open(t, in(folder))
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	b.post(s, 200, ask)
	first, at := s.Key, "/v1/sessions/"+s.ID+"/key"
	for generation := range 2 {
		var made struct{ Key string }
		if err := json.Unmarshal([]byte(b.want(200, "POST", at, "")), &made); err != nil || made.Key == "" || made.Key == s.Key {
			t.Fatalf("the key after %d others: %q, %v", generation+1, made.Key, err)
		}
		b.post(s, 401, ask)
		s.Key = made.Key
		b.post(s, 200, ask)
		b = b.again(folder)
		b.post(s, 200, ask)
		b.post(MadeSession{ID: s.ID, Key: first}, 401, ask)
	}
	b.disk.fails(journal.ErrFull)
	b.want(507, "POST", at, "")
	b.disk.fails(nil)
	b.post(s, 200, ask)
	b.want(404, "POST", "/v1/sessions/nobody/key", "")
	b.want(200, "DELETE", "/v1/sessions/"+s.ID, "")
	b.until(func() bool { return b.gateway.sessions[s.ID].sealed() })
	b.want(409, "POST", at, "")
}

// A session that takes over the name of another goes on with its generation.
func TestNewKeysOfNames(t *testing.T) {
	b := open(t, func(c *Config) { c.Keys = true })
	d := NewDoor(b.gateway)
	first := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	b.want(200, "POST", "/v1/sessions/"+first.ID+"/key", "")
	if owner, ok := d.Owner(first.Key); ok {
		t.Errorf("a void key is that of %s", owner)
	}
	now := keyOf([]byte("secret"), first.ID, 1)
	if owner, ok := d.Owner(now); !ok || owner != first.ID {
		t.Errorf("the new key is that of %q", owner)
	}
	made, err := b.gateway.Make(t.Context(), Spec{Name: "y", Of: 1, As: first.ID}, 0, b.url)
	if err != nil {
		t.Fatal(err)
	}
	next := made.Sessions[0]
	for key, status := range map[string]int{now: 200, next.Key: 200, first.Key: 401, keyOf([]byte("secret"), next.ID, 0): 401} {
		if got, text := b.do("POST", "/v1/chat/completions", ask, "Authorization", "Bearer "+key); got != status {
			t.Errorf("%s of %s and %s: status %d, want %d: %s", key, first.ID, next.ID, got, status, text)
		}
	}
}

// If agents have a port of their own, their addresses name it.
func TestAddressesOfTheirOwnPort(t *testing.T) {
	b := open(t, func(c *Config) { c.Settings.Port, c.Settings.Host = 8001, "10.0.0.7" })
	m := b.make(`{"name": "x", "of": 2, "count": 1}`)
	for _, s := range []MadeSession{m.Sessions[0], b.more(m)} {
		if want := "http://10.0.0.7:8001/sessions/" + s.ID; s.Anthropic != want || s.OpenAI != want+"/v1" {
			t.Errorf("%s and %s, want %s", s.OpenAI, s.Anthropic, want)
		}
	}
}
