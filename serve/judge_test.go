package serve

import (
	"fmt"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/policy/judge"
	"github.com/quintain-rl/quintain/policy/policytest"
)

// judged returns a server with a judge that says what reply does of the prompt, and the folder of
// its cache.
func judged(t *testing.T, rubric string, reply func(talk []quintain.Message) string) (s *Server, cache string) {
	t.Helper()
	engine := &policytest.Server{Model: "m", Reply: func(talk []quintain.Message, _ int) string { return reply(talk) }}
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	rubricPath := write("rubric.yaml", "criteria:\n  - {name: correct, text: 'Is it?', choices: [no, partly, yes]}\n"+rubric)
	path := write("judge.yaml", fmt.Sprintf("rubric: '%s'\nurl: [%s]\nmodel: m\nretries: 0\ncache: '%s'\n", rubricPath, engine.Start(t), filepath.Join(dir, "cache")))
	return newServer(t, Config{Settings: Settings{Judge: path}}), filepath.Join(dir, "cache")
}

// chooses writes the verdict that a prompt asks for.
func chooses(talk []quintain.Message, choice string) string {
	return fmt.Sprintf(`{"correct": %q, "code": %q}`, choice, judge.Code(talk))
}

func TestGradesOfAJudge(t *testing.T) {
	s, _ := judged(t, "reference: solution\n", func(talk []quintain.Message) string {
		switch text := talk[0].Parts[1].Text; {
		case !strings.Contains(talk[0].Parts[0].Text, "\n-3\n"):
			return "it has no reference"
		case strings.Contains(text, "nonsense"):
			return "yes"
		case strings.Contains(text, "-3"):
			return chooses(talk, "yes")
		}
		return chooses(talk, "partly")
	})
	const problem = `"problem":"chain_sum.v5.s1.l0.0"`
	for _, test := range []struct {
		why, body string
		status    int
		want      string
	}{
		{"right", `{` + problem + `,"scenario":"judge","reply":"It is -3."}`, 200, `{"score":1,"malformed":false,"reason":"correct: yes"}`},
		{"partly", `{` + problem + `,"scenario":"judge","reply":"It is 3."}`, 200, `{"score":0.5,"malformed":false,"reason":"correct: partly"}`},
		{"nothing", `{` + problem + `,"scenario":"judge","reply":null}`, 200, `"malformed":true`},
		{"several", `{"items":[{` + problem + `,"scenario":"judge","reply":"4"},{` + problem + `,"answer":"-3"},{` + problem + `,"scenario":"judge","reply":"-3"}]}`, 200,
			`{"verdicts":[{"score":0.5,"malformed":false,"reason":"correct: partly"},{"score":1,`},
		{"no verdict", `{` + problem + `,"scenario":"judge","reply":"nonsense"}`, 503, "the judge gave no verdict: unreadable"},
		{"no verdict among several", `{"items":[{` + problem + `,"answer":"-3"},{` + problem + `,"scenario":"judge","reply":"nonsense"}]}`, 503, "items.1.the judge gave no verdict"},
		{"a bad item", `{"items":[{` + problem + `,"scenario":"judge"}]}`, 422, "items.0.answer: want it, or reply"},
		{"no judge needed", `{` + problem + `,"answer":"-3"}`, 200, `{"score":1,`},
	} {
		status, body := post(t, s, "/v1/grade", test.body)
		if status != test.status || !strings.Contains(body, test.want) || status != 200 && strings.Contains(body, "score") {
			t.Errorf("%s: status %d: %s; want %d: %s", test.why, status, body, test.status, test.want)
		}
	}
}

// NeMo Gym's rows may be for the judge, too.
func TestVerifyByAJudge(t *testing.T) {
	s, _ := judged(t, "", func(talk []quintain.Message) string {
		if strings.Contains(talk[0].Parts[1].Text, "nonsense") {
			return "yes"
		}
		return chooses(talk, "partly")
	})
	for reply, want := range map[string]string{"It is 3.": `200 "reward":0.5,`, "nonsense": "503 the judge gave no verdict"} {
		row := fmt.Sprintf(`{"problem":"chain_sum.v5.s1.l0.0","scenario":"judge","response":{"output":[{"role":"assistant","content":%q}]}}`, reply)
		status, body := post(t, s, "/verify", row)
		if code, text, _ := strings.Cut(want, " "); fmt.Sprint(status) != code || !strings.Contains(body, text) || status != 200 && strings.Contains(body, `"reward"`) {
			t.Errorf("%s: status %d: %s", reply, status, body)
		}
	}
	if status, body := post(t, newServer(t, Config{}), "/verify", `{"problem":"chain_sum.v5.s1.l0.0","scenario":"judge","response":{"output":[]}}`); status != 422 || !strings.Contains(body, "has no judge") {
		t.Errorf("status %d: %s", status, body)
	}
}

func TestJudgesAreRefused(t *testing.T) {
	s := newServer(t, Config{})
	if status, body := post(t, s, "/v1/grade", `{"problem":"chain_sum.v5.s1.l0.0","scenario":"judge","reply":"x"}`); status != 422 || !strings.Contains(body, "has no judge") {
		t.Errorf("status %d: %s", status, body)
	}
	path := filepath.Join(t.TempDir(), "judge.yaml")
	for text, says := range map[string]string{
		"": "rubric: is", "rubrics: x": "did you mean", "rubric: none.yaml\nurl: [http://a/v1]\nmodel: m": "none.yaml",
		"rubric: '" + path + "'\nurl: [http://a/v1]\nmodel: m": "there is no such setting",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := New(Config{Settings: Settings{Judge: path}}); err == nil || !strings.HasPrefix(err.Error(), "serve.judge: ") || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: error %v, want %s", text, err, says)
		}
	}
	rank := filepath.Join(t.TempDir(), "rank.yaml")
	if err := os.WriteFile(rank, []byte("criteria: [{name: a, text: b}]\nmode: rank\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("rubric: '"+rank+"'\nurl: [http://a/v1]\nmodel: m"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Config{Settings: Settings{Judge: path}}); err == nil || !strings.Contains(err.Error(), "want absolute") {
		t.Errorf("error %v", err)
	}
}

func TestMetricsHaveTheJudge(t *testing.T) {
	s, _ := judged(t, "", func([]quintain.Message) string { return "yes" })
	post(t, s, "/v1/grade", `{"problem":"chain_sum.v5.s1.l0.0","scenario":"judge","reply":"x"}`)
	w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil)
	r.Host = "localhost"
	s.Handler().ServeHTTP(w, r)
	if text := w.Body.String(); !strings.Contains(text, "\nquintain_judge_unreadable 3\n") || !strings.Contains(text, "\nquintain_judge_ungraded 1\n") {
		t.Errorf("status %d: %s", w.Code, text)
	}
}

// A server that ends closes its judge.
func TestServersCloseTheirJudge(t *testing.T) {
	s, cache := judged(t, "", func(talk []quintain.Message) string { return chooses(talk, "no") })
	if status, _ := post(t, s, "/v1/grade", `{"problem":"chain_sum.v5.s1.l0.0","scenario":"judge","reply":"x"}`); status != 200 {
		t.Errorf("status %d", status)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	_ = s.Run(t.Context(), l) // it cannot serve on a closed listener
	kept, err := judge.OpenStore(cache, 8)
	if err != nil {
		t.Fatal(err)
	}
	if n := kept.Stats().Kept; n != 1 {
		t.Errorf("%d verdicts are kept", n)
	}
	if err := kept.Close(); err != nil {
		t.Error(err)
	}
}
