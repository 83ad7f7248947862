//go:build heavy

package logic

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/tasktest"
)

// Knowing the form is no solution.
func TestPropositionalBlind(t *testing.T) {
	for _, form := range []string{"%s ∨ %s", "¬%s ∨ ¬%s", "%s ∧ %s", "¬%s ∧ %s", "%s ↔ %s", "%s → %s"} {
		tasktest.Blind(t, propositionalLogic.Task(), form, func(prompt, _ string) string {
			letters := regexp.MustCompile(`\b[P-WZ]\b`).FindAllString(propositionalLineRE.FindString(prompt)+prompt[strings.LastIndex(prompt, "\n\nHere")-8:], -1)
			if len(letters) < 2 || letters[0] == letters[len(letters)-1] {
				return ""
			}
			return fmt.Sprintf(form, letters[0], letters[len(letters)-1])
		})
	}
}
