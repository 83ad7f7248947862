package gateway

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

// A program of the settings grades: it sees the conversation, and what it does not say is no
// reward.
func TestProgramsGrade(t *testing.T) {
	for _, test := range []struct {
		why, script string
		outcome     quintain.Outcome
		reward      float64
		says        string
	}{
		{"a reward", `grep -q '"reply 1"' && echo '{"reward": 0.25, "why": "fine"}'`, quintain.Scored, 0.25, ""},
		{"a right answer", `echo '{"reward": 1, "right": true}'`, quintain.Scored, 1, ""},
		{"a malformed one", `echo '{"reward": 0, "malformed": true}'`, quintain.ModelFailed, 0, ""},
		{"no reward", `echo '{"why": "hm"}'`, quintain.EnvFailed, 0, "no reward"},
		{"no JSON", `echo hello`, quintain.EnvFailed, 0, "its output"},
		{"an end by itself", `echo bad >&2; exit 3`, quintain.EnvFailed, 0, "exit status 3: bad"},
		{"too much output", `yes | head -c 3000000`, quintain.EnvFailed, 0, "its output"},
		{"no finite reward", `echo '{"reward": 1e999}'`, quintain.EnvFailed, 0, "its output"},
	} {
		path := filepath.Join(t.TempDir(), "grade.sh")
		if err := os.WriteFile(path, []byte(test.script), 0o600); err != nil {
			t.Fatal(err)
		}
		b := open(t, func(c *Config) { c.Settings.Grader = "sh " + path })
		s := b.make(`{"name": "n", "of": 1}`).Sessions[0]
		b.chat(s, user("1+2?"))
		b.want(200, "POST", "/v1/sessions/"+s.ID+"/end", "")
		got := b.result().Trajectories[0]
		if got.Outcome != test.outcome || got.Reward() != test.reward || !strings.Contains(got.Error, test.says) {
			t.Errorf("%s: %s, reward %v, error %q; want %s, %v, %q", test.why, got.Outcome, got.Reward(), got.Error, test.outcome, test.reward, test.says)
		}
	}
	b := open(t, nil)
	b.want(422, "POST", "/v1/sessions", `{"name": "n", "grader": "program"}`)
}
