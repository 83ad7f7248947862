package words

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestNeedleHaystackScore(t *testing.T) {
	item := needleHaystackItem{Question: "Who likes jazz?", NumStatements: 3, Statements: []string{"Ida likes fog.", "Uma likes jazz.", "Otto hates jazz."}}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"Uma", 1, ""},
		{" uma.\n", 1, "case, space and a full stop do not count"},
		{"Otto", 0, "feels otherwise about it"},
		{"Ida", 0, "feels so about something else"},
		{"Uma and Otto", 0, "two names"},
		{"Uma likes jazz.", 0, "more than the name"},
		{".", 0, "no name"},
	})
	tasktest.RefusedRecords(t, needleHaystack.Task(), []string{
		`{"question":"Who likes jazz?"}`,
		`{"question":"","statements":["Uma likes jazz."]}`,
		`{"question":"Who likes jazz?","statements":["Uma likes fog."]}`,
		`{"question":"Who likes jazz?","statements":["Uma likes jazz.","Ida likes jazz."]}`,
		`{"question":"Who likes jazz?","statements":["Uma likes jazz."],"phrasing":6}`,
	})
}

var whoRE = regexp.MustCompile(`Who ([^?]+)\?`)

// The second solver searches the prompt for the words of the question; the word before them
// is the answer, and occurs there once.
func TestNeedleHaystackSecond(t *testing.T) {
	tasktest.Second(t, needleHaystack.Task(), 1200, func(item needleHaystackItem, prompt, got string) error {
		asked := regexp.QuoteMeta(whoRE.FindStringSubmatch(prompt)[1])
		found := regexp.MustCompile(`(?:^|\s)(\S+) `+asked+`\.`).FindAllStringSubmatch(prompt, -1)
		if len(found) != 1 || found[0][1] != got || len(item.Statements) != item.NumStatements {
			return fmt.Errorf("found %v, solution %s", found, got)
		}
		return nil
	})
}

// The words to draw from are distinct, and distinguishable in a statement.
func TestNeedleHaystackWords(t *testing.T) {
	for _, list := range [][]string{givenNames[:], feelings, things} {
		sorted := slices.Sorted(slices.Values(list))
		if len(slices.Compact(sorted)) != len(list) {
			t.Error("a word is there twice")
		}
	}
	seen := map[string]string{}
	for _, verb := range feelings {
		for _, thing := range things {
			text := verb + " " + thing
			if other := seen[text]; other != "" {
				t.Errorf("%q and %q say the same", other, text)
			}
			seen[text] = text
		}
	}
	for _, name := range givenNames {
		if strings.ContainsAny(name, " .") {
			t.Errorf("the name %q is not one word", name)
		}
	}
}

// An entry of reasoning-gym has its statements in the question.
func TestNeedleHaystackOfReasoningGym(t *testing.T) {
	item := needleHaystackItem{Question: "Who likes jazz? Reply only with a name.", NumStatements: 2}
	item.Complete("Ida likes fog. Uma likes jazz.\nWho likes jazz? Reply only with a name.")
	if err := task.Check(item); err != nil || item.Solve() != "Uma" || len(item.Statements) != 2 {
		t.Errorf("%+v, error %v", item, err)
	}
}

func TestNeedleHaystackKeys(t *testing.T) {
	tasktest.Variant(t, needleHaystack.Task(), "other names, and the statements in another order", func(n *needleHaystackItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, n.Statements)
		other := map[string]string{}
		for i, name := range rng.Sample(r, givenNames[:], len(givenNames)) {
			other[givenNames[i]] = name
		}
		for i, s := range n.Statements {
			name, about, _ := strings.Cut(s, " ")
			n.Statements[i] = other[name] + " " + about
		}
		return func(name string) string { return other[name] }
	})
	tasktest.Same(t, needleHaystack.Task(), "the wording does not matter", func(n *needleHaystackItem) { n.Phrasing = (n.Phrasing + 1) % len(needleHaystackPhrasings) })
	tasktest.Other(t, needleHaystack.Task(), "other statements are another text", func(n *needleHaystackItem) { n.Statements = append(n.Statements, "Ada is away.") })
}
