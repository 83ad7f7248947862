package watch

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

func TestATrialIsTold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ why, record, want string }{
		{"no record", "", ""},
		{"another scenario's", `{"board": "x"}`, ""},
		{"no object", `[1]`, ""},
		{"its end", `{"task":"a","image":"sha256:1","reward":1,"changed":{"files":2,"bytes":30},"changed_system":["/usr/x"],"last":["[no output]"],"tests":{"exit":1,"seconds":1.26,"output":"1 failed\n"}}`,
			"[no output]\n2 files changed, 30 bytes\nsystem files: /usr/x\ntests: exit 1, 1.3 s\n1 failed\n"},
		{"tests that were killed", `{"task":"a","image":"sha256:1","changed":{"files":1,"bytes":3},"kept":"kept/a-1","tests":{"exit":0,"signal":9,"seconds":2,"output":""}}`,
			"1 file changed, 3 bytes\nkept in kept/a-1\ntests: ended by signal 9, 2.0 s\n"},
		{"no tests", `{"task":"a","image":"sha256:1","changed":{"files":0,"bytes":0},"fault":"no room"}`, "0 files changed, 0 bytes"},
	} {
		if got := trialText([]byte(test.record)); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
	for args, want := range map[string]string{`{"command":"ls\npwd"}`: "$ ls\npwd", `{"command":`: `bash {"command":`} {
		if got := callText(quintain.ToolCall{Name: "bash", Arguments: args}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAGroupShowsItsTrials(t *testing.T) {
	t.Parallel()
	one := &quintain.Turn{Record: []byte(`{"task":"a","image":"sha256:1","changed":{"files":2,"bytes":30},"tests":{"exit":0,"seconds":1,"output":"<b>1 passed"}}`)}
	v := newTurn(&pen{room: mostOnPage}, one, place{}, nil)
	if text := fmt.Sprint(v.Trial); !v.Trial.Some || !strings.Contains(text, "1 passed") {
		t.Errorf("%+v", v.Trial)
	}
}
