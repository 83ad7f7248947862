package fake_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/policy/fake"
)

// A request means the same wherever its prompt stands.
func TestThePromptMayStandAnywhere(t *testing.T) {
	t.Parallel()
	for body, same := range map[string]string{
		`{"prompt":[97,98],"model":"fake","max_tokens":9}`:              `{"model":"fake","max_tokens":9,"prompt":[97,98]}`,
		`{"prompt":[97,98],"model":"fake","max_tokens":9,"seed":1}`:     `{"model":"fake","prompt":[97 , 98],"max_tokens":9}`,
		`{"prompt":[1],"model":"fake","max_tokens":9,"prompt":[97,98]}`: `{"prompt":[97,98],"model":"fake","max_tokens":9}`,
		`{"prompt":"ab","model":"fake","max_tokens":9,"stop":["],"]}`:   `{"stop":["],"],"model":"fake","max_tokens":9,"prompt":"ab"}`,
		`{"prompt":[97,],"model":"fake"}`:                               "",
		`{"prompt":[97],"model":"fake"`:                                 "",
		`{"prompt":[97],"model":"fake"}]`:                               "",
		`{"prompt":[97],,"model":"fake"}`:                               "",
		`{"prompt":[],"model":"fake"}`:                                  "",
		`{"prompt":[97,"b],"],"model":"fake"}`:                          "",
		`{"prompt":[9700000],"model":"fake"}`:                           "",
	} {
		var replies [2]string
		for i, text := range []string{body, same} {
			_, web := serve(t, nil)
			r, err := http.Post(web.URL+"/v1/completions", "application/json", strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			answer, err := io.ReadAll(r.Body)
			if err != nil || r.Body.Close() != nil {
				t.Fatal(err)
			}
			if replies[i] = string(answer); (r.StatusCode == http.StatusOK) != (same != "") {
				t.Errorf("%s: status %d, %s", text, r.StatusCode, answer)
			}
		}
		if same != "" && replies[0] != replies[1] {
			t.Errorf("%s gives %s\n%s gives %s", body, replies[0], same, replies[1])
		}
	}
}

// A server without a rate sends an event for the first token and one for the rest, as any other does.
func TestStreamsWithoutARate(t *testing.T) {
	t.Parallel()
	_, web := serve(t, func(c *fake.Config) { c.Server.Length, c.Server.Interval = "fixed:9", 100 })
	r, err := http.Post(web.URL+"/v1/completions", "application/json", strings.NewReader(`{"prompt":[97],"model":"fake","stream":true,"return_token_ids":true}`))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	events := strings.Split(strings.TrimSpace(string(text)), "\n\n")
	if len(events) != 4 || !strings.Contains(events[0], `"finish_reason":null`) || !strings.Contains(events[0], `"prompt_token_ids":[97]`) ||
		!strings.Contains(events[1], `"finish_reason":"stop"`) || !strings.Contains(events[1], `"prompt_token_ids":null`) || events[3] != "data: [DONE]" {
		t.Errorf("%d events: %s", len(events), text)
	}
}

// The time to the first token begins with the request, not when all of it has been read.
func TestFirstTokenIsDueFromTheArrivalOn(t *testing.T) {
	c := slow()
	c.Length, c.FirstToken = "fixed:1", 5*time.Second
	inBubble(t, c, func(t *testing.T, b *bubble) {
		start := time.Now()
		body, w := io.Pipe()
		go func() {
			_, _ = io.WriteString(w, `{"prompt":[97],`)
			<-time.After(2 * time.Second)
			_, _ = io.WriteString(w, `"model":"fake"}`)
			_ = w.Close()
		}()
		r, err := b.http.Post("http://fake/v1/completions", "application/json", body)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if _, err := io.ReadAll(r.Body); err != nil || r.StatusCode != http.StatusOK {
			t.Errorf("status %d, %v", r.StatusCode, err)
		}
		if took := time.Since(start); took != 5*time.Second {
			t.Errorf("it took %v, want 5 s", took)
		}
	})
}
