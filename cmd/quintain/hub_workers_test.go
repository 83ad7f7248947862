package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/run/fleet"
)

func TestWorkersForPeople(t *testing.T) {
	now := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	r := fleet.Roster{
		Workers: []fleet.Worker{
			{Instance: "ABCDEFGHIJKLMNOP", Name: "node\x1b[2J-1", Model: "qwen\x1b3", Slots: 64, Leases: 5, Groups: 120, Returned: 2, LastSeen: ago(2 * time.Second)},
			{Instance: "QRSTUVWXYZ012345", Name: "node-2", Model: "qwen3", Slots: 8, Fenced: 1, LastSeen: ago(3 * time.Minute), Fault: "episodes: there are 0, want 8"},
		},
		Lost: []fleet.Worker{{Instance: "aaaaaaaaaaaaaaaa", Name: "node-3", Slots: 64, Expired: 4, LastSeen: ago(3 * time.Hour)}},
		Held: 5, Wanted: 512, Granted: 1, Ended: map[fleet.Ending]int{fleet.Played: 120, fleet.Lie: 1},
		Poison: []fleet.Poison{{Problem: "gcd.v1.s1.l0.3", Workers: 3, At: ago(time.Minute)}},
	}
	for _, test := range []struct {
		why  string
		of   fleet.Roster
		want string
	}{
		{"a fleet", r, `worker     model  instance  slots  holds  played  returned  expired  fenced  last seen
node[2J-1  qwen3  ABCDEFGH  64     5      120     2         0        0       2 s ago
node-2     qwen3  QRSTUVWX  8      0      0       0         0        1       3 min ago; it lies, and gets nothing more: episodes: there are 0, want 8
node-3            aaaaaaaa  64     0      0       0         4        0       3 h ago; it is lost
2 workers with 5 leases; 512 episodes under way are wanted
since the coordinator began: 1 lease granted; 120 played, 0 returned, 0 expired, 0 fenced, 1 lie
given up 60 s ago, since 3 workers were lost with it: gcd.v1.s1.l0.3
`},
		{"none yet", fleet.Roster{Wanted: 64}, `0 workers with 0 leases; 64 episodes under way are wanted
since the coordinator began: 0 leases granted; 0 played, 0 returned, 0 expired, 0 fenced, 0 lie
`},
	} {
		var out strings.Builder
		if err := printWorkers(&out, &test.of, now); err != nil {
			t.Fatal(err)
		}
		if got := out.String(); got != test.want {
			t.Errorf("%s: printed\n%s\nwant\n%s", test.why, got, test.want)
		}
	}
}

func TestShowWorkers(t *testing.T) {
	const reply = `{"workers":[{"name":"w","instance":"i","slots":4}],"held":0,"oldest":[],"wanted_slots":8,"granted":0,"ended":{}}`
	for _, test := range []struct {
		why    string
		status int
		reply  string
		json   bool
		out    string // a part
		err    string // a part
	}{
		{"a table", 200, reply, false, "1 worker with 0 leases; 8 episodes", ""},
		{"as it is", 200, reply, true, reply, ""},
		{"no fleet", 404, `{"detail":"Not Found"}`, false, "", `the run "r/1" at URL has no workers: it plays its problems itself; quintain run --workers leases them`},
		{"no key", 401, `{"error":"a key"}`, false, "", `HTTP 401 Unauthorized: the server said "a key" (--key-file names the file with the key)`},
		{"another server", 200, "<html>", false, "", "the answer is not a list of workers"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.EscapedPath() != "/v1/runs/r%2F1/workers" || r.Header.Get("Authorization") != "Bearer secret" {
				t.Errorf("the request is %s with the key %q", r.URL, r.Header.Get("Authorization"))
			}
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.reply))
		}))
		var out strings.Builder
		err := hubAsk{URL: server.URL, Run: "r/1", Key: "secret"}.showWorkers(t.Context(), &out, test.json)
		server.Close()
		if !strings.Contains(out.String(), test.out) || (err == nil) != (test.err == "") {
			t.Errorf("%s: printed %q, error %v", test.why, out.String(), err)
		}
		if err != nil && !strings.Contains(err.Error(), strings.ReplaceAll(test.err, "URL", server.URL)) {
			t.Errorf("%s: the error is %v, want %s", test.why, err, test.err)
		}
	}
}
