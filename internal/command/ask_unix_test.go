//go:build unix

package command

import (
	"context"
	"strings"
	"testing"
	"time"
)

func TestAsk(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ line, in, out, fault, why string }{
		{"cat", "a question", "a question", "", "it answers"},
		{`sh -c 'echo no >&2; exit 3'`, "", "", "exit status 3: no", "it fails, and says why"},
		{`sh -c 'printf "\377" >&2; exit 1'`, "", "", "exit status 1: ?", "half a character is shown as one"},
		{"cat", strings.Repeat("x", mostOutput+1), "", "more than 1048576 bytes", "it answers too much"},
		{"no-such-program-here", "", "", "no-such-program-here", "there is none"},
	} {
		out, err := Ask(t.Context(), test.line, []byte(test.in))
		if string(out) != test.out || (err == nil) != (test.fault == "") || err != nil && !strings.Contains(err.Error(), test.fault) {
			t.Errorf("%s: %s gives %.100q, %v", test.why, test.line, out, err)
		}
	}
}

func TestAskEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if out, err := Ask(ctx, "sleep 60", nil); err == nil || ctx.Err() == nil {
		t.Errorf("%q, %v", out, err)
	}
}
