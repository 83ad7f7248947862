package regrade

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/scenario/external"
	"github.com/quintain-rl/quintain/scenario/external/guest"
	"github.com/quintain-rl/quintain/trace"
)

// serving returns the address of an environment with fields of its hello. It answers grade with graded, or pays the length of the
// last message; played again, it pays the length of a reply with a full stop.
func serving(t *testing.T, hello, graded, opening string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := io.ReadAll(r.Body)
		var asked external.Request
		if err == nil {
			err = json.Unmarshal(text, &asked)
		}
		if err != nil {
			t.Error(err)
		}
		said := `"messages":[{"role":"user","content":"go on"}]`
		switch {
		case asked.Hello != nil:
			said = `"hello":{"protocol":2,"name":"t","version":3,` + hello + `}`
		case asked.Grade != nil && graded == "":
			last := asked.Grade.Messages[len(asked.Grade.Messages)-1].Content
			said = fmt.Sprintf(`"reward":%d,"why":"%d messages to row %d","metrics":{"n":2}`, len(last), len(asked.Grade.Messages), asked.Grade.Problem.Index)
		case asked.Grade != nil:
			said = graded
		case asked.Open != nil:
			said = fmt.Sprintf(`"messages":[{"role":"user","content":%q}]`, opening)
		case asked.Step != nil && strings.Contains(asked.Step.Text, "."):
			said = fmt.Sprintf(`"reward":%d,"end":"terminated","metrics":{"n":1}`, len(asked.Step.Text))
		}
		fmt.Fprintf(w, `{"id":%d,%s}`, asked.ID, said)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// openGuest opens a server as a grader.
func openGuest(t *testing.T, url string) (*Grader, error) {
	t.Helper()
	how := external.Default()
	how.URL = url
	p, err := external.Open(t.Context(), how, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return Guest(guest.Address{Scheme: "http", Name: url, Weight: 1}, p)
}

// An environment grades what was played before; one that needs the state plays the replies again if it says that it
// can, and what it cannot grade is ungraded.
func TestEnvironmentsGrade(t *testing.T) {
	for _, test := range []struct {
		why, hello, graded, opening string
		rewards                     string // of the two episodes
		says                        string // why an episode is ungraded, or of the first grade
	}{
		{"it grades", `"levels":[{}],"grades":true`, "", "q", "2 6", "2 messages to row 1"},
		{"of any task", `"grades":true`, "", "q", "2 6", "2 messages to row 1"},
		{"its rows", `"splits":[{"name":"all","size":4}],"grades":true`, "", "q", "<nil> <nil>", "t has no problem of task t, level 0"},
		{"it plays again", `"levels":[{}],"replayable":true`, "", "q", "2 6", ""},
		{"it needs the state, and plays again", `"levels":[{}],"grades":true,"replayable":true`, `"needs_state":true`, "q", "2 6", ""},
		{"it opens otherwise now", `"levels":[{}],"replayable":true`, "", "r", "<nil> <nil>", "does not open the problem as it did"},
		{"it needs the state", `"levels":[{}],"grades":true`, `"needs_state":true`, "q", "<nil> <nil>", "needs_state"},
		{"it fails", `"levels":[{}],"grades":true,"replayable":true`, `"error":"no GPU"`, "q", "<nil> <nil>", "no GPU"},
		{"no reward", `"levels":[{}],"grades":true`, `"why":"?"`, "q", "<nil> <nil>", "without a reward"},
	} {
		f := newFolder(t, graded(1, []float64{1, 0}, "a.", "ab|cdefg."))
		by, err := openGuest(t, serving(t, test.hello, test.graded, test.opening))
		if err != nil {
			t.Fatal(test.why, err)
		}
		sum, have, err := f.regrade(t, lengths{version: 1}, func(j *Job) { j.Grader = by })
		if closed := by.Close(); err != nil || closed != nil {
			t.Fatal(test.why, err, closed)
		}
		got, why := "<nil> <nil>", fmt.Sprint(sum.Why)
		if len(have) == 1 {
			got, why = shown(have[0].Grades), have[0].Grades[0].Why
		}
		if got != test.rewards || !strings.Contains(why, test.says) {
			t.Errorf("%s: the rewards are %s, want %s; %s, want %q", test.why, got, test.rewards, why, test.says)
		}
	}
}

func shown(grades []trace.Grade) string {
	var all []string
	for _, g := range grades {
		all = append(all, fmt.Sprint(*g.Reward))
	}
	return strings.Join(all, " ")
}

// What an environment says of itself tells graders apart; one that can do neither is refused.
func TestEnvironmentsAreGradersByTheirHello(t *testing.T) {
	hashes := map[string]string{}
	url := serving(t, `"grades":true,"settings":{"a":1}`, "", "q")
	for range 2 {
		by, err := openGuest(t, url)
		if err != nil {
			t.Fatal(err)
		}
		id := by.named(nil)
		if hashes[id.Hash] = id.Name; by.Close() != nil || !strings.HasPrefix(id.Version, "t.v3-") {
			t.Errorf("it is named %+v", id)
		}
	}
	if len(hashes) != 1 {
		t.Errorf("hashes %v of one environment", hashes)
	}
	for _, hello := range []string{`"levels":[{}]`, `"doc":"It plays tasks."`, `"levels":[{}],"replayable":true,"drives":true`} {
		if by, err := openGuest(t, serving(t, hello, "", "q")); err == nil || !strings.Contains(err.Error(), "neither grades") {
			t.Errorf("%s: grader %v, error %v", hello, by, err)
		}
	}
}
