package judge_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/judge"
	"github.com/quintain-rl/quintain/policy/remote"
)

// render writes a conversation as a text.
func render(messages []quintain.Message) (string, error) {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s:%s;", m.Role, m.Content)
	}
	return b.String(), nil
}

// talk returns a reply.
func talk(text string) judge.RewardReply {
	return judge.RewardReply{Label: "42", Messages: []quintain.Message{{Role: "user", Content: "q"}, {Role: "assistant", Content: text}}}
}

// serve returns a client of a server that answers each request by its path and body.
func serve(t *testing.T, cfg judge.RewardConfig, answer func(path, body string) (status int, reply string)) *judge.RewardModel {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		status, reply := answer(r.URL.Path, string(body))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, reply)
	}))
	t.Cleanup(server.Close)
	if len(cfg.URLs) == 0 {
		cfg.URLs = []string{server.URL}
	}
	if cfg.Kind == judge.OpenRLHF {
		cfg.URLs = []string{server.URL + "/get_reward"}
	}
	if cfg.Model == "" {
		cfg.Model = "m"
	}
	cfg.Server.Backoff, cfg.Server.MaxBackoff = time.Microsecond, time.Millisecond
	c, err := judge.NewRewardModel(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdle)
	return c
}

func TestKinds(t *testing.T) {
	t.Parallel()
	texts := `["user:q;assistant:a;","user:q;assistant:b;"]`
	for _, test := range []struct {
		why    string
		cfg    judge.RewardConfig
		path   string
		body   string
		answer string
		want   string
	}{
		{"vLLM classifies", judge.RewardConfig{Kind: judge.Classify, Render: render}, "/classify", `{"input":` + texts + `,"model":"m"}`,
			`{"data":[{"index":1,"label":"LABEL_0","probs":[-0.5],"num_classes":1},{"index":0,"probs":[2.5]}]}`, "[2.5 -0.5]"},
		{"of several classes", judge.RewardConfig{Kind: judge.Classify, Render: render, Class: 2}, "/classify", "",
			`{"data":[{"index":0,"probs":[0.25,0.75]},{"index":1,"probs":[0.5,0.5]}]}`, "[0.75 0.5]"},
		{"vLLM pools", judge.RewardConfig{Kind: judge.Pooling, Render: render}, "/pooling", `{"input":` + texts + `,"model":"m"}`,
			`{"data":[{"index":0,"object":"pooling","data":[1.5]},{"index":1,"data":[[0.1],[0.2],[-3]]}]}`, "[1.5 -3]"},
		{"SGLang", judge.RewardConfig{Kind: judge.SGLang, Render: render}, "/classify", `{"model":"m","text":` + texts + `}`,
			`[{"embedding":[7],"meta_info":{}},{"embedding":[8]}]`, "[7 8]"},
		{"OpenRLHF", judge.RewardConfig{Kind: judge.OpenRLHF, Render: render}, "/get_reward", `{"labels":["42","42"],"prompts":["user:q;","user:q;"],"query":` + texts + `}`,
			`{"rewards":[0.5,-1],"scores":[1,0],"extra_logs":{"x":[1,2]}}`, "[0.5 -1]"},
		{"scaled", judge.RewardConfig{Kind: judge.OpenRLHF, Render: render, Sigmoid: true}, "/get_reward", "", `{"rewards":[0,1000]}`, "[0.5 1]"},
	} {
		c := serve(t, test.cfg, func(path, body string) (int, string) {
			if path != test.path || test.body != "" && body != test.body {
				t.Errorf("%s: POST %s %s, want %s %s", test.why, path, body, test.path, test.body)
			}
			return 200, test.answer
		})
		got, err := c.Rewards(t.Context(), []judge.RewardReply{talk("a"), talk("b")})
		if err != nil || fmt.Sprint(got) != test.want {
			t.Errorf("%s: %v, error %v, want %s", test.why, got, err, test.want)
		}
	}
}

func TestVLLMRendersConversations(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	c := serve(t, judge.RewardConfig{Kind: judge.Pooling, URLs: nil}, func(_, body string) (int, string) {
		n := asked.Add(1)
		if want := `"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"`; !strings.Contains(body, want) {
			t.Errorf("the body is %s", body)
		}
		return 200, fmt.Sprintf(`{"data":[{"index":0,"data":[%d]}]}`, n)
	})
	got, err := c.Rewards(t.Context(), []judge.RewardReply{talk("a"), talk("b"), talk("c")})
	if err != nil || fmt.Sprint(got) != "[1 2 3]" {
		t.Errorf("%v, error %v", got, err)
	}
}

// Whatever a server answers that is not one finite number for each reply is an error.
func TestNonsenseIsNeverAReward(t *testing.T) {
	t.Parallel()
	for kind, answers := range map[judge.RewardKind][]string{
		judge.Classify: {
			`{"data":[{"index":0,"probs":[1]}]}`, `{"data":[{"index":0,"probs":[1]},{"index":0,"probs":[1]}]}`, `{"data":[{"probs":[1]},{"probs":[1]}]}`,
			`{"data":[{"index":0,"probs":[1]},{"index":2,"probs":[1]}]}`, `{"data":[{"index":0,"probs":[]},{"index":1,"probs":[1]}]}`,
			`{"data":[{"index":0,"probs":[null]},{"index":1,"probs":[1]}]}`, `{"data":[{"index":0,"probs":[1,2]},{"index":1,"probs":[1]}]}`, `{"data":[{"index":0},{"index":1}]}`,
		},
		judge.Pooling: {
			`{"data":[{"index":0,"data":[1]},{"index":1,"data":[]}]}`, `{"data":[{"index":0,"data":[1]},{"index":1,"data":[[]]}]}`, `{"data":[{"index":0,"data":[1]},{"index":1,"data":"AAAA"}]}`,
			`{"data":[{"index":0,"data":[1]},{"index":1,"data":[1,2]}]}`, `{"data":[{"index":0,"data":[1]},{"index":1}]}`,
		},
		judge.SGLang:   {`[{"embedding":[1]}]`, `{"embedding":[1]}`, `[{"embedding":[1]},{}]`, `[{"embedding":[1]},{"embedding":["1"]}]`, `[[1],[2]]`},
		judge.OpenRLHF: {`{"rewards":[1]}`, `{"rewards":[1,null]}`, `{"scores":[1,1]}`, `{"rewards":[1,NaN]}`, `{"rewards":[1,1e999]}`, `{"rewards":[[1],[1]]}`, `{"error":"no GPU"}`, `[1,1]`},
	} {
		for _, answer := range append(answers, "", "<html>", "null", "0", `{"data":null}`) {
			var asked atomic.Int64
			c := serve(t, judge.RewardConfig{Kind: kind, Render: render}, func(string, string) (int, string) {
				asked.Add(1)
				return 200, answer
			})
			got, err := c.Rewards(t.Context(), []judge.RewardReply{talk("a"), talk("b")})
			if _, ok := errors.AsType[*remote.Error](err); !ok || got != nil || asked.Load() < 2 {
				t.Errorf("%s: %s: %v, error %v after %d requests", kind, answer, got, err, asked.Load())
			}
		}
	}
}

func TestFaultsGoToTheNextServer(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	dead := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(dead.Close)
	live := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `[{"embedding":[1]}]`) }))
	t.Cleanup(live.Close)
	c := serve(t, judge.RewardConfig{Kind: judge.SGLang, Render: render, URLs: []string{dead.URL, live.URL + "/v1"}}, nil)
	for range 4 {
		if got, err := c.Rewards(t.Context(), []judge.RewardReply{talk("a")}); err != nil || len(got) != 1 || got[0] != 1 {
			t.Errorf("%v, error %v", got, err)
		}
	}
	if asked.Load() == 0 {
		t.Error("the dead server was never asked")
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	c := serve(t, judge.RewardConfig{Kind: judge.SGLang, Render: render}, func(string, string) (int, string) { return 404, "no" })
	if _, err := c.Rewards(t.Context(), []judge.RewardReply{talk("a")}); err == nil || !strings.Contains(err.Error(), "is it a server of kind sglang?") {
		t.Errorf("error %v", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("the run stops")
	cancel(stop)
	if _, err := c.Rewards(ctx, []judge.RewardReply{talk("a")}); !errors.Is(err, stop) {
		t.Errorf("error %v", err)
	}
	bad := errors.New("no template")
	c = serve(t, judge.RewardConfig{Kind: judge.SGLang, Render: func([]quintain.Message) (string, error) { return "", bad }}, nil)
	if _, err := c.Rewards(t.Context(), []judge.RewardReply{talk("a")}); !errors.Is(err, bad) {
		t.Errorf("error %v", err)
	}
	if got, err := c.Rewards(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("of nothing: %v, error %v", got, err)
	}
	c = serve(t, judge.RewardConfig{Kind: judge.SGLang, Render: render, Class: 2}, func(string, string) (int, string) { return 200, `[{"embedding":[1]}]` })
	if _, err := c.Rewards(t.Context(), []judge.RewardReply{talk("a")}); err == nil || !strings.Contains(err.Error(), "to be number 2") {
		t.Errorf("error %v", err)
	}
	for says, cfg := range map[string]judge.RewardConfig{
		"kind is":            {Kind: "tgi", URLs: []string{"http://a"}},
		"no server address":  {Kind: judge.Classify},
		"model is empty":     {Kind: judge.Pooling, URLs: []string{"http://a"}},
		"chat template":      {Kind: judge.SGLang, URLs: []string{"http://a"}},
		"class is -1":        {Kind: judge.SGLang, URLs: []string{"http://a"}, Render: render, Class: -1},
		"batch is -1":        {Kind: judge.SGLang, URLs: []string{"http://a"}, Render: render, Batch: -1},
		"want one with http": {Kind: judge.SGLang, URLs: []string{"a"}, Render: render},
	} {
		if _, err := judge.NewRewardModel(cfg); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %s", err, says)
		}
	}
}

// FuzzAnswers checks that any answer gives finite rewards or an error.
func FuzzAnswers(f *testing.F) {
	f.Add(`{"data":[{"index":0,"probs":[1]}]}`, uint8(0))
	f.Add(`{"data":[{"index":0,"data":[[1],[2]]}]}`, uint8(1))
	f.Add(`[{"embedding":[1]}]`, uint8(2))
	f.Add(`{"rewards":[1]}`, uint8(3))
	f.Fuzz(func(t *testing.T, answer string, kind uint8) {
		c, err := judge.NewRewardModel(judge.RewardConfig{
			Kind: judge.RewardKinds()[kind%4], URLs: []string{"http://server"}, Model: "m", Render: render,
			Server: remote.Config{Retries: -1, Transport: transport(answer)},
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Rewards(t.Context(), []judge.RewardReply{talk("a")})
		if err == nil && (len(got) != 1 || math.IsNaN(got[0]) || math.IsInf(got[0], 0)) {
			t.Fatalf("%q: %v", answer, got)
		}
	})
}

// transport answers every request with a text.
type transport string

func (tr transport) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(tr)))}, nil
}
