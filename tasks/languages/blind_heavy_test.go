//go:build heavy

package languages

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

// The examples of the prompt as a list earn nothing.
func TestRegularList(t *testing.T) {
	for _, name := range []string{"as they are", "repeated"} {
		tasktest.Blind(t, regularExpressions.Task(), "the examples "+name, func(prompt, _ string) string {
			_, list, _ := strings.Cut(prompt, "must match: ")
			list, _, _ = strings.Cut(list, "\n")
			list = strings.ReplaceAll(list, ", ", "|")
			if name == "repeated" {
				list = "(" + list + ")+"
			}
			return list
		})
	}
}
