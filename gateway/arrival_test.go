package gateway

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/gateway/tree"
)

// A leaver is a client that goes as soon as it has read some text.
type leaver struct {
	*httptest.ResponseRecorder
	after string
	leave context.CancelFunc
}

func (l *leaver) Write(b []byte) (int, error) {
	n, err := l.ResponseRecorder.Write(b)
	if bytes.Contains(l.Body.Bytes(), []byte(l.after)) {
		l.leave()
	}
	return n, err
}

// A reply counts as delivered if its last byte left while the client was there.
func TestArrivals(t *testing.T) {
	long := strings.Repeat("a long reply ", 500)
	for _, test := range []struct {
		why, body, accept, leaves string
		lost                      bool
	}{
		{"a short reply", `{"messages": [{"role": "user", "content": "?"}]}`, "", "", false},
		{"a long reply to a client that takes gzip", `{"messages": [{"role": "user", "content": "long"}]}`, "gzip, deflate", "", false},
		{"a stream", `{"stream": true, "messages": [{"role": "user", "content": "?"}]}`, "gzip", "", false},
		{"a client that goes once it has the terminal event", `{"stream": true, "messages": [{"role": "user", "content": "?"}]}`, "", "[DONE]", false},
		{"a client that goes before the reply", `{"stream": true, "messages": [{"role": "user", "content": "?"}]}`, "", `"role":"assistant"`, true},
		{"a client that goes before the terminal event", `{"stream": true, "messages": [{"role": "user", "content": "?"}]}`, "", `reply`, true},
	} {
		b := open(t, nil)
		if strings.Contains(test.body, "long") {
			b.policy.says = []string{long}
		}
		s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
		ctx, leave := context.WithCancel(t.Context())
		r := httptest.NewRequestWithContext(ctx, "POST", s.OpenAI+"/chat/completions", strings.NewReader(test.body))
		r.Header.Set("Accept-Encoding", test.accept)
		w := &leaver{httptest.NewRecorder(), test.leaves, leave}
		if test.leaves == "" {
			w.after = "never written"
		}
		b.serve(w, r)
		leave()
		b.gateway.flying.Wait()
		in := b.gateway.sessions[s.ID]
		in.mu.Lock()
		nodes := in.tree.Nodes
		in.mu.Unlock()
		if len(nodes) != 1 || w.Code != http.StatusOK {
			t.Fatalf("%s: status %d, %d calls: %s", test.why, w.Code, len(nodes), w.Body)
		}
		if nodes[0].Lost != test.lost {
			t.Errorf("%s: lost %v, want %v", test.why, nodes[0].Lost, test.lost)
		}
	}
}

// What did not arrive is not trained on; a client that asks again gets the same reply, which
// then is.
func TestLostReplies(t *testing.T) {
	for _, again := range []bool{false, true} {
		b := open(t, nil)
		s := b.make(`{"name": "x", "of": 1}`).Sessions[0]
		first := b.chat(s, user("one"))
		b.lose(s, `{"messages": [{"role": "user", "content": "two"}]}`)
		if again {
			text := b.want(200, "POST", s.OpenAI+"/chat/completions", `{"messages": [{"role": "user", "content": "two"}]}`, "X-Stainless-Retry-Count", "1")
			if !strings.Contains(text, "reply 2") {
				t.Errorf("the retry got %s", text)
			}
		}
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/reward", `{"reward": 1}`)
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
		turns := b.result().Trajectories[0].Turns
		got := []string{turns[0].Call.Unused, turns[1].Call.Unused}
		if want := map[bool]string{false: tree.Undelivered, true: ""}[again]; got[0] != "" || got[1] != want || len(first.Choices) != 1 {
			t.Errorf("asked again %v: unused %q", again, got)
		}
	}
}

// lose makes a call whose client goes before the reply, and waits until it is committed.
func (b *bench) lose(s MadeSession, body string, headers ...string) {
	b.t.Helper()
	ctx, leave := context.WithCancel(b.t.Context())
	defer leave()
	r := httptest.NewRequestWithContext(ctx, "POST", b.at(s).OpenAI+"/chat/completions", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+s.Key)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	b.serve(gone{httptest.NewRecorder(), leave}, r)
	b.gateway.flying.Wait()
}

// Gone is a client that goes before the first byte.
type gone struct {
	*httptest.ResponseRecorder
	leave context.CancelFunc
}

func (g gone) Header() http.Header {
	g.leave()
	return g.ResponseRecorder.Header()
}

// until waits for a condition.
func (b *bench) until(is func() bool) {
	b.t.Helper()
	for !is() {
		select {
		case <-b.t.Context().Done():
			b.t.Fatal("the test ended before its condition")
		default:
			for _, of := range b.gateway.all() {
				b.gateway.due.add(of)
			}
		}
	}
}

// serve answers a request. A reply that breaks off panics, as net/http wants it.
func (b *bench) serve(w http.ResponseWriter, r *http.Request) {
	defer func() { _ = recover() }()
	b.handler.ServeHTTP(w, r)
}
