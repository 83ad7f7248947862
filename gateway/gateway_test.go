package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/journal"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/text/toolcall"
)

// A parrot is a policy whose tokens are bytes. It says what it is told to, in turn; then the
// number of the call.
type parrot struct {
	mu    sync.Mutex
	says  []string
	fails []error // of the next calls
	asked []quintain.Request
	hold  chan struct{} // if set, calls wait until it is closed

	breaks func(*quintain.Sample)                                                // if set, spoils samples
	tells  func(ctx context.Context, show func(text, whole string), text string) // if set, tells a sample before it is whole
}

func (p *parrot) Sample(ctx context.Context, r quintain.Request) ([]quintain.Sample, error) {
	p.mu.Lock()
	p.asked = append(p.asked, r)
	number := len(p.asked)
	hold, breaks, tells := p.hold, p.breaks, p.tells
	var err error
	if len(p.fails) > 0 {
		err, p.fails = p.fails[0], p.fails[1:]
	}
	var texts []string
	for range r.N {
		text := fmt.Sprintf("reply %d", number)
		if len(p.says) > 0 {
			text, p.says = p.says[0], p.says[1:]
		}
		texts = append(texts, text)
	}
	p.mu.Unlock()
	if hold != nil {
		select {
		case <-hold:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if tells != nil && r.Text != nil {
		tells(ctx, r.Text, texts[0])
	}
	if err != nil {
		return nil, err
	}
	var read []quintain.Token
	for _, m := range r.Messages[r.Fresh:] {
		read = append(read, tokensOf("<"+m.Role+">"+m.Text())...)
	}
	all := make([]quintain.Sample, r.N)
	for i, text := range texts {
		wrote := tokensOf(text + "\n")
		all[i] = quintain.Sample{Text: text, Whole: text, Read: read, Wrote: wrote, LogProbs: make([]float32, len(wrote)), Versions: make([]int32, len(wrote)), Finish: quintain.Stop, Vocabulary: "bytes"}
		for k := range wrote {
			all[i].LogProbs[k] = -0.5
		}
		if breaks != nil {
			breaks(&all[i])
		}
	}
	return all, nil
}

func tokensOf(text string) []quintain.Token {
	out := make([]quintain.Token, len(text))
	for i := range len(text) {
		out[i] = quintain.Token(text[i])
	}
	return out
}

func textOf(tokens []quintain.Token) string {
	var b strings.Builder
	for _, t := range tokens {
		b.WriteByte(byte(t))
	}
	return b.String()
}

// A desk is a host that keeps what it gets.
type desk struct {
	mu      sync.Mutex
	shut    bool
	opens   chan struct{}
	entered int
	next    int
	drop    rollout.Drop // of all groups
	results chan rollout.Result
}

func (d *desk) Enter(ctx context.Context) error {
	d.mu.Lock()
	shut := d.shut
	if !shut {
		d.entered++
	}
	d.mu.Unlock()
	if shut {
		select {
		case <-d.opens:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// open lets all in who wait, and all who come.
func (d *desk) open() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shut = false
	close(d.opens)
}

func (d *desk) Leave() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.entered--
}
func (d *desk) Next() (rollout.Job, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next++
	return d.Job(quintain.Problem{Task: "t", Version: 1, Index: d.next, Prompt: "What?", Instance: quintain.NewRecord(solution)}), nil
}
func (d *desk) Job(p quintain.Problem) rollout.Job { return rollout.Job{Problem: p, Scenario: judge{}} }
func (d *desk) Judge(_ context.Context, r rollout.Result) (rollout.Drop, error) {
	d.results <- r
	return d.drop, nil
}

// solution is what agents must never see.
const solution = "the-secret-solution"

// A judge is a scenario that wants the reply "right", and fails at "broken".
type judge struct{ quintain.Scenario }

func (judge) Env(quintain.Problem) (quintain.Env, error) { return judgement{}, nil }

type judgement struct{}

func (judgement) Open(context.Context) ([]quintain.Message, error) {
	return []quintain.Message{user("What?")}, nil
}
func (judgement) Close() error { return nil }
func (judgement) Step(_ context.Context, r quintain.Reply) (quintain.Step, error) {
	switch r.Text {
	case "broken":
		return quintain.Step{}, errors.New("the checker of " + solution + " broke")
	case "right":
		return quintain.Step{Reward: 1, Right: true, Why: "it is " + solution}, nil
	}
	return quintain.Step{Why: "it is " + solution}, nil
}

// A bench is a gateway on a port.
type bench struct {
	t       *testing.T
	url     string
	policy  *parrot
	desk    *desk
	gateway *Gateway
	handler http.Handler
	stop    func() // ends the gateway
	disk    *disk
}

// A disk is the journal of a bench. It fails on demand.
type disk struct {
	store
	mu   sync.Mutex
	full error  // of appends; nil: none
	lost error  // of reading; nil: none
	kept []byte // kinds of the records
	not  int    // appends that failed on demand

	reads int // of sessions
}

func (d *disk) Append(ctx context.Context, all ...journal.Record) error {
	d.mu.Lock()
	err := d.full
	if err != nil {
		d.not++
	}
	d.mu.Unlock()
	if err != nil {
		return err
	}
	if err := d.store.Append(ctx, all...); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range all {
		d.kept = append(d.kept, r.Kind)
	}
	return nil
}

// refusals is the number of appends that failed on demand.
func (d *disk) refusals() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.not
}

// has checks that the last record is of a kind.
func (d *disk) has(t *testing.T, kind byte) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if last := d.kept[len(d.kept)-1]; last != kind {
		t.Errorf("the last record is of the kind %c, want %c: %s", last, kind, d.kept)
	}
}

func (d *disk) Read(session string) ([]journal.Record, error) {
	d.mu.Lock()
	d.reads++
	err := d.lost
	d.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return d.store.Read(session)
}

// loses sets the error of all that is read from now on; nil: none.
func (d *disk) loses(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lost = err
}

// fails sets the error of all that is written from now on; nil: none.
func (d *disk) fails(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full = err
}

func open(t *testing.T, change func(*Config)) *bench {
	t.Helper()
	p, d := &parrot{}, &desk{results: make(chan rollout.Result, 100), opens: make(chan struct{})}
	hermes, err := toolcall.Named("hermes")
	if err != nil {
		t.Fatal(err)
	}
	c := Config{Settings: Defaults(), GroupSize: 2, Secret: []byte("secret")}
	if change != nil {
		change(&c)
	}
	b := start(t, c, Player{Policy: p, Format: hermes}, d)
	b.policy, b.desk = p, d
	return b
}

// start opens a gateway with a player and a host.
func start(t *testing.T, c Config, p Player, h Host) *bench {
	t.Helper()
	b := &bench{t: t, disk: &disk{}}
	var err error
	if b.gateway, err = New(c); err != nil {
		t.Fatal(err)
	}
	b.gateway.openStore = func(folder string, o journal.Options, replay func(journal.Record) error) (_ store, err error) {
		o.SegmentBytes = 8 << 10
		b.disk.store, err = openJournal(folder, o, replay)
		return b.disk, err
	}
	server, err := web.New(web.Config{Name: "test", Routes: b.gateway.Routes()})
	if err != nil {
		t.Fatal(err)
	}
	b.handler = server
	port := httptest.NewServer(server)
	t.Cleanup(port.Close)
	b.url = port.URL
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- b.gateway.Run(ctx, p, h) }()
	<-b.gateway.opened
	b.stop = sync.OnceFunc(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(b.stop)
	return b
}

// do sends a request, and returns the status and the body.
func (b *bench) do(method, path, body string, headers ...string) (int, string) {
	b.t.Helper()
	r, err := http.NewRequestWithContext(b.t.Context(), method, path, strings.NewReader(body))
	if !strings.HasPrefix(path, "http") {
		r, err = http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(body))
	}
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp.StatusCode, string(bytes.TrimSpace(text))
}

// send sends a request of a goroutine of its own, and returns the body of the reply.
func (b *bench) send(r *http.Request) string {
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// want is do for a request that must have a status.
func (b *bench) want(status int, method, path, body string, headers ...string) string {
	b.t.Helper()
	got, text := b.do(method, path, body, headers...)
	if got != status {
		b.t.Fatalf("%s %s: status %d, want %d: %s", method, path, got, status, text)
	}
	return text
}

// make makes sessions.
func (b *bench) make(spec string) Made {
	b.t.Helper()
	return parse[Made](b.t, b.want(201, "POST", "/v1/sessions", spec))
}

func parse[T any](t *testing.T, text string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return v
}

// A chatReply is what the tests read of a chat completion.
type chatReply struct {
	ID      string
	Choices []struct {
		Message      quintain.Message
		FinishReason string `json:"finish_reason"`
	}
	Usage struct {
		Prompt int `json:"prompt_tokens"`
	}
}

// chat makes a call with messages.
func (b *bench) chat(s MadeSession, messages ...quintain.Message) chatReply {
	b.t.Helper()
	return b.chatWith(s, map[string]any{"messages": messages})
}

func (b *bench) chatWith(s MadeSession, body map[string]any, headers ...string) chatReply {
	b.t.Helper()
	body["model"] = "any"
	text, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	return parse[chatReply](b.t, b.want(200, "POST", s.OpenAI+"/chat/completions", string(text), append([]string{"Authorization", "Bearer " + s.Key}, headers...)...))
}

func user(text string) quintain.Message {
	return quintain.Message{Role: quintain.RoleUser, Content: text}
}

// result waits for a group.
func (b *bench) result() rollout.Result {
	b.t.Helper()
	select {
	case r := <-b.desk.results:
		return r
	case <-time.After(5 * time.Minute):
		b.t.Fatal("no group came")
		return rollout.Result{}
	}
}

const tools = `[{"type":"function","function":{"name":"add","description":"","parameters":{"type":"object","properties":{"a":{"type":"integer"}}}}}]`

// An agent with a tool: two sessions become a group, token by token.
func TestAgentsWithTools(t *testing.T) {
	b := open(t, nil)
	made := b.make(`{"name": "sum", "prompt": "1+2?"}`)
	if len(made.Sessions) != 2 || made.Sessions[0].Prompt != "1+2?" {
		t.Fatalf("%+v", made)
	}
	for i, s := range made.Sessions {
		b.policy.says = []string{"Well. <tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\":1}}\n</tool_call>", "3"}
		talk := []quintain.Message{user("1+2?")}
		with := func() map[string]any { return map[string]any{"messages": talk, "tools": json.RawMessage(tools)} }
		first := b.chatWith(s, with())
		m := first.Choices[0].Message
		if len(m.ToolCalls) != 1 || m.ToolCalls[0].Name != "add" || first.Choices[0].FinishReason != "tool_calls" || strings.TrimSpace(m.Content) != "Well." {
			t.Fatalf("%+v", first)
		}
		m.ToolCalls[0].Arguments = ` { "a" : 1 } ` // as LangChain does
		talk = append(talk, m, quintain.Message{Role: quintain.RoleTool, Content: "3", ToolCallID: m.ToolCalls[0].ID})
		if second := b.chatWith(s, with()); second.Choices[0].Message.Content != "3" {
			t.Fatalf("%+v", second)
		}
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", fmt.Sprintf(`{"reward": %d}`, i))
	}
	r := b.result()
	rules := rollout.DefaultRules()
	rules.Size, rules.MinTrainable = 2, 1
	j, err := rules.Judge(r)
	group, scores, drop := j.Group, j.Scores, j.Drop
	if err != nil || drop != "" || len(scores) != 2 || scores[0] != 0 || scores[1] != 1 {
		t.Fatalf("%v %v %v", scores, drop, err)
	}
	want := "<user>1+2?Well. <tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\":1}}\n</tool_call>\n<tool>33\n"
	if got := textOf(group.Tokens[0]); got != want || len(group.Tokens) != 2 {
		t.Errorf("tokens say %q, want %q", got, want)
	}
	var trained string
	for i, m := range group.Masks[0] {
		if m != quintain.Untrained {
			trained += textOf(group.Tokens[0][i : i+1])
		}
	}
	if want := "Well. <tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\":1}}\n</tool_call>\n3\n"; trained != want {
		t.Errorf("trained on %q, want %q", trained, want)
	}
}

// Qwen-Agent and others describe tools in a message, and read the calls from the text.
func TestCallsOfNoToolsStayText(t *testing.T) {
	b := open(t, nil)
	const wrote = "I add.\n<tool_call>\n{\"name\": \"add\", \"arguments\": {}}\n</tool_call>"
	b.policy.says = []string{"<think>Hm.</think>" + wrote}
	s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
	m := b.chat(s, user("sum")).Choices[0].Message
	if m.Content != wrote || m.Reasoning != "Hm." || m.ToolCalls != nil {
		t.Fatalf("%+v", m)
	}
	b.chat(s, user("sum"), says(wrote), user("3"))
	if got := b.lastCall(s); got != "extends 0" {
		t.Error(got)
	}
}

// A call that the agent wants none of, or that the limit of tokens cut, is text.
func TestCallsThatAreNoneStayText(t *testing.T) {
	const begun = "I add.\n<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": "
	for _, test := range []struct {
		why, format, wrote string
		body               map[string]any
		finish             quintain.Finish
		reason, want       string
	}{
		{"tool_choice none", "hermes", begun + "1}}\n</tool_call>", map[string]any{"tool_choice": "none"}, quintain.Stop, "stop", begun + "1}}\n</tool_call>"},
		{"tool_choice none in harmony", "gpt_oss", "<|channel|>commentary to=functions.add<|message|>{}<|call|>", map[string]any{"tool_choice": "none"}, quintain.Stop, "stop", "<|channel|>commentary to=functions.add<|message|>{}"},
		{"a call cut by the limit", "hermes", begun, map[string]any{}, quintain.Length, "length", begun},
	} {
		b := open(t, nil)
		format, err := toolcall.Named(test.format)
		if err != nil {
			t.Fatal(err)
		}
		b.gateway.player.Format = format
		b.policy.says, b.policy.breaks = []string{test.wrote}, func(s *quintain.Sample) { s.Finish = test.finish }
		test.body["messages"], test.body["tools"] = []quintain.Message{user("1+2?")}, json.RawMessage(tools)
		one := b.chatWith(b.make(`{"name": "x", "of": 1}`).Sessions[0], test.body).Choices[0]
		if one.Message.ToolCalls != nil || one.Message.Content != test.want || one.FinishReason != test.reason {
			t.Errorf("%s: %+v", test.why, one)
		}
	}
}

// The scheme of the key is written in any case.
func TestKeysInAnyCase(t *testing.T) {
	b := open(t, nil)
	s := b.make(`{"name": "n", "count": 1}`).Sessions[0]
	for _, scheme := range []string{"Bearer", "bearer", "BEARER"} {
		b.want(200, "POST", "/v1/chat/completions", `{"model": "m", "messages": [{"role": "user", "content": "?"}]}`, "Authorization", scheme+" "+s.Key)
	}
}

// A text is completed without a template; what goes on from a completion has its very tokens.
func TestCompletions(t *testing.T) {
	b := open(t, nil)
	b.gateway.player.Encode = func(text string, opens bool) ([]quintain.Token, error) {
		if opens {
			text = "|" + text
		}
		return tokensOf(text), nil
	}
	s := b.make(`{"name": "n", "of": 1}`).Sessions[0]
	ask := func(status int, prompt string) {
		b.want(status, "POST", s.OpenAI+"/completions", fmt.Sprintf(`{"model": "x", "prompt": %q}`, prompt), "Authorization", "Bearer "+s.Key)
	}
	ask(200, "Once")
	ask(200, "Oncereply 1 and then")
	ask(200, "Twice")
	for i, want := range []string{"|Once", "<user>Oncereply 1\n and then", "|Twice"} {
		if got := textOf(b.policy.asked[i].Tokens); got != want {
			t.Errorf("call %d reads %q, want %q", i, got, want)
		}
	}
	b.gateway.player.Encode = nil
	ask(400, "Once")
}
