package hub

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/groupform"
)

// fuzzServer returns a hub's handler over a queue in memory.
func fuzzServer(f *testing.F, c Config) http.Handler {
	f.Helper()
	var err error
	if c.Queue, err = queue.Open(f.Context(), queue.NewMemory(), queue.Options{}); err != nil {
		f.Fatal(err)
	}
	s, err := New(c)
	if err != nil {
		f.Fatal(err)
	}
	return s.Handler()
}

// bodiless are the routes that ignore bodies and take long or never end.
var bodiless = []string{"/metrics", "/openapi.json", "/v1/openapi.json", "/v1/drain", "/v1/runs/{run}/events"}

// FuzzBodies sends arbitrary bodies to every route.
func FuzzBodies(f *testing.F) {
	f.Add([]byte(group(1, 2, 0)))
	f.Add([]byte("[" + group(1, 2, 0) + "]"))
	f.Add([]byte(fmt.Sprintf(registerBody, 2, 0)))
	f.Add([]byte(`{"max_token_length":1,"desired_name":"e","weight":1,"group_size":4}`))
	f.Add([]byte(`{"env_id":0}`))
	handler := fuzzServer(f, Config{})
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, r := range new(Server).routes() {
			if slices.Contains(bodiless, r.Path) {
				continue
			}
			path := strings.NewReplacer("{run}", DefaultRun, "{id}", "1").Replace(r.Path)
			checkReply(t, handler, httptest.NewRequest(r.Method, "http://localhost"+path, bytes.NewReader(body)))
		}
	})
}

// checkReply makes a request with a JSON body and checks that the reply is valid.
func checkReply(t *testing.T, handler http.Handler, r *http.Request) {
	t.Helper()
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	switch w.Code {
	case 200, 204, 400, 409, 410, 422, 501:
	default:
		t.Fatalf("%s %s: %d %s", r.Method, r.URL, w.Code, w.Body)
	}
	if w.Header().Get("Content-Type") == "application/json" && !json.Valid(w.Body.Bytes()) {
		t.Fatalf("%s %s: %s", r.Method, r.URL, w.Body)
	}
}

// binaryGroup is a group in binary form.
func binaryGroup(t testing.TB, id string, n int) []byte {
	t.Helper()
	g := &quintain.Group{ID: id, Scores: make([]float64, n)}
	for range n {
		g.Tokens = append(g.Tokens, []quintain.Token{7})
		g.Masks = append(g.Masks, []int32{7})
	}
	body, err := groupform.NewCodec(0).Encode(g)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// FuzzFrames sends arbitrary bytes as groups in binary form.
func FuzzFrames(f *testing.F) {
	one := groupform.AppendFrame(nil, 0, binaryGroup(f, "a", 2))
	f.Add(one)
	f.Add(groupform.AppendFrame(one, 0, binaryGroup(f, "b", 1)))
	f.Add(one[:20])
	handler := fuzzServer(f, Config{Web: web.Settings{MaxInflated: 1 << 20}})
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "http://localhost/v1/runs/default/groups", bytes.NewReader(body))
		r.Header.Set("Content-Type", groupform.Frames)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != 200 && w.Code != 422 || !json.Valid(w.Body.Bytes()) {
			t.Fatalf("%q: %d %s", body, w.Code, w.Body)
		}
	})
}

// FuzzPaths asks for arbitrary paths and parameters.
func FuzzPaths(f *testing.F) {
	for _, path := range []string{"/v1/runs/default/groups?after=1&limit=2", "/v1/runs/x/batches/1/ack?trainer=a", "//info/", "/v1/runs/default/batches?lease=1h"} {
		f.Add(path)
	}
	handler := fuzzServer(f, Config{})
	f.Fuzz(func(t *testing.T, target string) {
		r, err := http.NewRequest(http.MethodPost, "http://localhost/"+strings.TrimLeft(target, "/"), nil)
		if err != nil {
			return
		}
		r.Body = http.NoBody
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond) // the parameters may demand a wait
		defer cancel()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r.WithContext(ctx))
		if w.Code >= 500 && w.Code != 503 {
			t.Fatalf("%s: %d %s", target, w.Code, w.Body)
		}
	})
}
