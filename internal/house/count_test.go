package house

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// counted finds a number of things in a text for fmt, and the word before it.
var counted = regexp.MustCompile(`(\S*)(?:^|\s|\(|")%d (?:more |other |new |old |failed |unreadable |different |split |known |open |further )*` +
	`(groups|problems|rows|lines|replies|episodes|turns|tokens|records|tests|pairs|workers|calls|sessions|sequences|log-probabilities|elements|solutions|levels|tasks|messages|votes|attempts|samples|servers|seats|streams|rewards|answers|rollouts|jobs|runs|blocks|choices|times|steps)\b`)

// several are the words before a number that leave it more than one, or the noun to others.
var several = strings.Fields("of the than most least want first last to every all those these between")

// TestCountsAreWords finds texts that may say "1 groups".
func TestCountsAreWords(t *testing.T) {
	for _, s := range checkout(t).sources {
		if !s.forTests() {
			report(t, countFaults(s))
		}
	}
}

// countFaults finds numbers of things in texts of packages that may import stats and ask nobody a question.
func countFaults(s *source) (faults []string) {
	for _, other := range []string{"tasks", "scenarios", "bench", "conformance", "tiny", "sandbox", "text/pyvalue", "task/answer", "grade/codegrade/tables", "internal/jsonl"} {
		if s.pkg == "" || s.pkg == other || strings.HasPrefix(s.pkg, other+"/") {
			return nil
		}
	}
	ast.Inspect(s.ast, func(n ast.Node) bool {
		text, ok := n.(*ast.BasicLit)
		if !ok || text.Kind != token.STRING {
			return true
		}
		for _, m := range counted.FindAllStringSubmatch(text.Value, -1) {
			if !slices.Contains(several, m[1]) {
				faults = append(faults, fmt.Sprintf("%s: %q may be one: write it with stats.Count", s.at(n), m[0]))
			}
		}
		return true
	})
	return faults
}
