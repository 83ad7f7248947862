package command

import (
	"slices"
	"testing"
)

func TestCommandLines(t *testing.T) {
	for _, c := range []struct {
		why, line string
		want      []string
	}{
		{"words", "python my_env.py  --most 7\n", []string{"python", "my_env.py", "--most", "7"}},
		{"quotation marks keep together", `"my python" 'a "b"' c"d e"f`, []string{"my python", `a "b"`, "cd ef"}},
		{"an empty word", `a ""`, []string{"a", ""}},
		{"a backslash is nothing special", `C:\env\run.exe`, []string{`C:\env\run.exe`}},
		{"nothing", " ", nil},
		{"one is not closed", `a "b`, nil},
	} {
		got, err := Fields(c.line)
		if (err != nil) != (c.want == nil) || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, error %v, want %q", c.why, got, err, c.want)
		}
	}
}
