package hub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/queue"
)

const envBody = `{"max_token_length":1,"desired_name":"e","weight":1,"group_size":4}`

// TestGiantRegistrations refuses numbers with which nothing could be done.
func TestGiantRegistrations(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(4)
	for _, test := range []struct{ why, path, body, reply string }{
		{"a batch", "/register", fmt.Sprintf(registerBody, 1<<31-1, 0), `"loc":["body","batch_size"],"msg":"Input should be at most 65536","input":2147483647`},
		{"a group", "/register-env", strings.Replace(envBody, "4", "2147483647", 1), `"loc":["body","group_size"],"msg":"Input should be at most 65536"`},
		{"a weight", "/register-env", strings.Replace(envBody, `"weight":1`, `"weight":1e308`, 1), `"loc":["body","weight"]`},
		{"a share", "/register-env", strings.Replace(envBody, "{", `{"min_batch_allocation":-1e308,`, 1), `"loc":["body","min_batch_allocation"],"msg":"Input should be between 0 and 1","input":-1e+308`},
		{"a body", "/register-env", strings.Replace(envBody, `"e"`, `"`+strings.Repeat("e", 2<<20)+`"`, 1), `the body has more than 1048576 bytes`},
	} {
		w := f.do("POST", test.path, test.body)
		if w.Code != 422 && w.Code != 413 || !strings.Contains(w.Body.String(), test.reply) || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: %d %s, want %s", test.why, w.Code, w.Body, test.reply)
		}
	}
	f.want("GET", "/info", "", `{"batch_size":4,"max_token_len":64}`)
}

// TestGiantNumbersOfAnEarlierHub opens what an earlier hub took. It works with it as far
// as that makes sense, and its replies are JSON.
func TestGiantNumbersOfAnEarlierHub(t *testing.T) {
	const giant = `{"version":1,"registered":true,"started":true,"batch_size":2147483647,"envs":[
		{"max_context_len":2147483647,"weight":1e308,"connected":true,"min_batch_allocation":-1e308,"group_size":2147483647},
		{"max_context_len":2147483647,"weight":1e308,"connected":true,"min_batch_allocation":1e308,"group_size":2147483647},
		{"max_context_len":-2147483647,"weight":1e308,"connected":true,"min_batch_allocation":null,"group_size":4},
		{"max_context_len":1,"weight":5e-324,"connected":true,"min_batch_allocation":1,"group_size":4}]}`
	store := queue.NewMemory()
	if err := store.SetStates(t.Context(), []queue.State{{Key: registrationKey, Value: []byte(giant)}}); err != nil {
		t.Fatal(err)
	}
	f := newFixture(t, store, Config{})
	for i := range 40 {
		f.do("POST", "/scored_data", group(i+1, 1, i%4))
	}
	f.restart()
	f.do("POST", "/scored_data", group(41, 1, 0))
	f.want("GET", "/batch", "", `{"batch":null}`)
	for id := range 4 {
		w := f.do("GET", "/status-env", fmt.Sprintf(`{"env_id":%d}`, id))
		if w.Code != http.StatusOK || !json.Valid(w.Body.Bytes()) {
			t.Errorf("status of environment %d: %d %s", id, w.Code, w.Body)
		}
	}
	for _, path := range []string{"/status", mainPath + "/stats", "/v1/runs", "/info"} {
		if w := f.do("GET", path, ""); w.Code != http.StatusOK || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	f.register(4, 0) // sizes that make sense
	for id := range 2 {
		f.want("POST", "/disconnect-env", fmt.Sprintf(`{"env_id":%d}`, id), `{"status":"success"}`)
	}
	if got := f.batch(); got == "null" {
		t.Error("then no batch is formed")
	}
}
