//go:build amd64 || arm64

package box

import (
	"strings"
	"testing"
)

// FuzzParseExports reads what a command of the agent's may write in place of bash.
func FuzzParseExports(f *testing.F) {
	for _, text := range []string{
		"declare -x A=\"b\"\ndeclare -x B=$'\\n\\001\\x'\ndeclare -x C\n", "declare -x A=\"\\", "declare -x A=$'\\", "declare -", "declare -x A=\"b\"c\n", "declare -x =\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		size := 0
		for _, one := range parseExports(text) {
			if !strings.Contains(one, "=") {
				t.Errorf("%q: no variable", one)
			}
			size += len(one)
		}
		if size > len(text) {
			t.Errorf("%d bytes of %d", size, len(text))
		}
	})
}
