package hub

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// TestJSONBatchesAreWhole checks all replies with batches. That of Atropos stays the same, byte
// for byte.
func TestJSONBatchesAreWhole(t *testing.T) {
	const plain = `{"tokens":[[1,2],[1,3]],"masks":[[-100,2],[-100,3]],"scores":[1.0,0.0],"advantages":null,"ref_logprobs":null,` +
		`"messages":null,"generation_params":null,"inference_logprobs":[[1.0,-0.5],[]],"overrides":null,"group_overrides":null,"images":null,` +
		`"env_id":null,"distill_token_ids":null,"distill_logprobs":null`
	const extra = `,"id":"s.v1/t.v2.s7.l1.5","origin":{"scenario":"s.v1","task":"t","version":2,"seed":"7","level":1,"index":5},` +
		`"versions":[[-1,4],[-1,3]],"episodes":null`
	f := newFixture(t, nil, Config{})
	f.begin(2)
	g := &quintain.Group{
		Tokens: [][]quintain.Token{{1, 2}, {1, 3}}, Masks: [][]int32{{-100, 2}, {-100, 3}}, Scores: []float64{1, 0},
		LogProbs: [][]float64{{1, -0.5}, {}}, Versions: [][]int32{{-1, 4}, {-1, 3}}, ID: "s.v1/t.v2.s7.l1.5",
		Origin: quintain.Origin{Scenario: "s.v1", Task: "t", Version: 2, Seed: 7, Level: 1, Index: 5},
	}
	if _, err := f.config.Queue.Put(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ why, method, path, want string }{
		{"a follower", "GET", mainPath + "/groups", plain + extra},
		{"below /v1", "POST", mainPath + "/batches", plain + extra},
		{"Atropos", "GET", "/batch", plain},
		{"Atropos below /v1", "GET", mainPath + "/batch", plain},
		{"on request", "GET", "/batch?extra=1", plain + extra},
		{"any other request", "GET", "/batch?extra=0", plain},
	} {
		f.register(2, 0) // so the batch comes again
		w := f.do(test.method, test.path, "", "Accept: application/json")
		if want := `{"batch":[` + test.want + `}]}`; w.Code != 200 || strings.TrimSpace(w.Body.String()) != want {
			t.Errorf("%s: %d %s\nwant %s", test.why, w.Code, w.Body, want)
		}
	}
}
