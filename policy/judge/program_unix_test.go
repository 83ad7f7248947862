//go:build unix

package judge

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestProgram(t *testing.T) {
	t.Parallel()
	verdict := `{"correct": "yes", "code": …}`
	judges := write(t, "judge.sh", "printf '{\"correct\": \"yes\", '; grep 'stands between' | grep -o '\"code\":\"[A-Z0-9]*\"}$'\n")
	for _, test := range []struct{ line, says string }{
		{"sh " + judges, ""},
		{"sh -c 'echo broken >&2; exit 3'", "exit status 3: broken"},
		{"sh -c 'echo yes'", "no verdict with the code"},
		{"sh -c 'sleep 60'", "killed"},
		{"no-such-program-here", "not found"},
		{"sh -c 'x", "not closed"},
		{"sh -c 'yes'", "command"},
	} {
		j := open(t, "", rubricFile, func(s *Settings) { s.URLs, s.Command, s.Timeout = nil, test.line, 2*time.Second })
		var out bytes.Buffer
		err := j.Grade(t.Context(), repliesOf(t, j, `{"question": "q", "reply": "good"}`), &out)
		if test.says == "" {
			if err != nil || !strings.Contains(out.String(), `"score":1`) {
				t.Errorf("%s: error %v: %s; want %s", test.line, err, out.String(), verdict)
			}
			continue
		}
		if err == nil || !strings.Contains(out.String(), test.says) || strings.Contains(out.String(), "score") {
			t.Errorf("%s: error %v: %s; want %s", test.line, err, out.String(), test.says)
		}
	}
}
