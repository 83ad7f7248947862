package hub

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestShares deals out the problems of a stream to environments, once, across restarts.
func TestShares(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(8)
	register := func(instance string) {
		t.Helper()
		w := f.do("POST", "/register-env", fmt.Sprintf(`{"max_token_length":64,"desired_name":"e","weight":1,"group_size":8%s}`, instance))
		if w.Code != http.StatusOK || strings.Contains(w.Body.String(), `"shares":true`) != (instance != "") {
			t.Fatalf("register-env with %q: %d %s", instance, w.Code, w.Body)
		}
	}
	register(`,"instance":"a"`)
	register(`,"instance":"b"`)
	register("")
	for _, test := range []struct {
		why  string
		env  int
		body string // from the streams on
		want string
	}{
		{"the first", 0, `[{"stream":"x","count":32},{"stream":"y","least":7,"count":1}]`, `{"shares":[{"from":0,"to":32},{"from":7,"to":8}]}`},
		{"another", 1, `[{"stream":"x","count":32}]`, `{"shares":[{"from":32,"to":64}]}`},
		{"one of Atropos, which has no instance", 2, `[{"stream":"x","count":2}]`, `{"shares":[{"from":64,"to":66}]}`},
		{"the first, which has lost the reply", 0, `[{"stream":"x","least":0,"count":32}]`, `{"shares":[{"from":0,"to":32}]}`},
		{"the first, which goes on", 0, `[{"stream":"x","least":32,"count":8}]`, `{"shares":[{"from":66,"to":74}]}`},
	} {
		f.restart()
		if w := f.do("POST", mainPath+"/shares", fmt.Sprintf(`{"env_id":%d,"streams":%s}`, test.env, test.body)); w.Body.String() != test.want {
			t.Errorf("%s: %d %s, want %s", test.why, w.Code, w.Body, test.want)
		}
	}
	for body, want := range map[string]string{
		`{"env_id":7,"streams":[{"stream":"x","count":1}]}`:                           "no environment has this env_id",
		`{"env_id":-1,"streams":[{"stream":"x","count":1}]}`:                          "no environment has this env_id",
		`{"streams":[{"stream":"x","count":1}]}`:                                      "is missing",
		`{"env_id":0,"streams":[]}`:                                                   "should be 1 to 4096",
		`{"env_id":0,"streams":[{"count":1}]}`:                                        "should be a name",
		`{"env_id":0,"streams":[{"stream":"` + strings.Repeat("x", 1025) + `"}]}`:     "should be a name",
		`{"env_id":0,"streams":[{"stream":"x","count":0}]}`:                           `"streams",0,"count"]`,
		`{"env_id":0,"streams":[{"stream":"x","count":1},{"stream":"x","least":-1}]}`: `"streams",1,"least"]`,
		`{"env_id":0,"streams":[{"stream":"x","count":1,"least":1099511627777}]}`:     "least",
		`{"env_id":0,"streams":7}`:                                                    "should be of type",
		`[`:                                                                           "error parsing the body",
	} {
		if w := f.do("POST", mainPath+"/shares", body); w.Code/100 != 4 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%.80s: %d %s, want %s", body, w.Code, w.Body, want)
		}
	}
	f.do("GET", "/reset_data", "")
	f.begin(8)
	register(`,"instance":"b"`)
	f.want("POST", mainPath+"/shares", `{"env_id":0,"streams":[{"stream":"x","count":1}]}`, `{"shares":[{"from":0,"to":1}]}`)
}
