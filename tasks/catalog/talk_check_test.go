package catalog_test

import (
	"context"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tasks/catalog"
)

// A user who plays its part passes; one with a habit fails, and the check names it.
func TestTalkCheck(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why   string
		habit func(last, said, goal string) string // changes what a good user says
		want  string                               // in the output; empty: it passes
	}{
		{"a good user", func(_, said, _ string) string { return said }, ""},
		{"tells the answer", func(last, said, _ string) string {
			if strings.Contains(last, "Do the sum") {
				return "19, 450, 12, 17 or 350."
			}
			return said
		}, "writes the answer"},
		{"tells nothing", func(last, said, goal string) string {
			if said == goal {
				return "You tell me."
			}
			return said
		}, "does not tell what it is asked for"},
		{"never ends", func(_, said, _ string) string { return strings.ReplaceAll(said, "<done>", "And?") }, "does not end the conversation"},
		{"ends too early", func(_, said, goal string) string {
			if said == goal {
				return goal + " <done>"
			}
			return said
		}, "ends the conversation before its end"},
	} {
		chosen := catalog.DefaultScenario()
		if err := chosen.Set("talk:user='server:x'"); err != nil {
			t.Fatal(err)
		}
		check, err := chosen.NewTalkCheck()
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		err = check.Run(t.Context(), func(_ context.Context, talk []quintain.Message) (quintain.Reply, error) {
			_, goal, _ := strings.Cut(talk[0].Content, "does not know:\n\n")
			goal, _, _ = strings.Cut(goal, "\n\n")
			last, said := talk[len(talk)-1].Content, "What do you need to know?"
			switch {
			case strings.HasPrefix(last, "Then it is"), strings.HasSuffix(last, "Goodbye."):
				said = "<done>"
			case strings.HasPrefix(last, "Please tell"):
				said = goal
			}
			return quintain.Reply{Text: test.habit(last, said, goal), Finish: quintain.Stop}, nil
		}, &out)
		if (err == nil) != (test.want == "") || !strings.Contains(out.String(), test.want) {
			t.Errorf("%s: error %v, want %q in\n%s", test.why, err, test.want, out.String())
		}
	}
	chosen := catalog.DefaultScenario()
	if err := chosen.Set("talk"); err != nil {
		t.Fatal(err)
	}
	if _, err := chosen.NewTalkCheck(); err == nil || !strings.Contains(err.Error(), "there is no user") {
		t.Errorf("nobody to check: %v", err)
	}
}
