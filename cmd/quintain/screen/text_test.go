package screen

import (
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	long := strings.Repeat("word ", 20) // 100 characters
	for _, test := range []struct{ why, text, want string }{
		{"a short line", "a b", "  a b"},
		{"an empty line has no space", "a\n\nb", "  a\n\n  b"},
		{"a long line is broken at a space", strings.TrimSpace(long), "  " + strings.TrimSpace(long[:75]) + "\n  " + strings.TrimSpace(long[75:])},
		{"the space before a line stays", "    " + long, "      " + strings.TrimSpace(long[:75]) + "\n      " + strings.TrimSpace(long[75:])},
		{"a word is never broken", strings.Repeat("x", 100) + " y", "  " + strings.Repeat("x", 100) + "\n  y"},
		{"characters count, and not bytes", strings.Repeat("×", 78), "  " + strings.Repeat("×", 78)},
	} {
		if got := Wrap(test.text, "  "); got != test.want {
			t.Errorf("%s: %q, want %q", test.why, got, test.want)
		}
	}
	if got := Clip("abcdef", 4); got != "abc…" || Clip("abcd", 4) != "abcd" {
		t.Errorf("clipped to %q", got)
	}
}
