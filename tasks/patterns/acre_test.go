package patterns

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestACREScore(t *testing.T) {
	tasktest.Nears(t, acre.Scorer(acreItem{Answer: "on"}), []tasktest.Near{
		{"on", 1, ""}, {"On.", 1, "case and a full stop"}, {"off", 0, ""}, {"undetermined", 0, ""}, {"on or off", 0, "no choice"}, {"none", 0, "a word that contains it; reasoning-gym pays"}, {"it is on", 0, "the word alone was asked for"}, {"", 0, "nothing"},
	})
	tasktest.Nears(t, acre.Scorer(acreItem{Answer: "on, undetermined, off"}), []tasktest.Near{
		{"on, undetermined, off", 1, ""}, {"on undetermined off", 1, "separators"}, {"on, undetermined, on", 0, "two of three"}, {"on, undetermined", 0, ""}, {"off, undetermined, on", 0, "another order"},
	})
}

func TestACREParams(t *testing.T) {
	tasktest.RefusedRecords(t, acre.Task(), []string{
		`{}`,
		`{"objects":["a","b"],"trials":[{"on":true,"objects":1}],"queries":[1],"answer":"off"}`,
		`{"objects":["a","b"],"trials":[{"on":true,"objects":1},{"on":false,"objects":1}],"queries":[1],"answer":"off"}`,
		`{"objects":["a","b"],"trials":[{"on":true,"objects":4}],"queries":[1],"answer":"undetermined"}`,
		`{"objects":["a","b"],"trials":[{"on":true,"objects":1}],"queries":[4],"answer":"undetermined"}`,
		`{"objects":["a","b"],"trials":[{"on":true,"objects":1}],"queries":[1],"answer":"on","phrasing":6}`,
	})
}

var (
	acreThingRE = regexp.MustCompile(`(?:black|blue|brown|gray|green|orange|purple|red|white|yellow) (?:metal|rubber|wooden) (?:cube|ball|cone|ring)`)
	acreLightRE = regexp.MustCompile(`\b(on|off)\b`)
)

// The second solver reads the prompt. For each test it looks for hidden powers, consistent
// with all experiments, that switch the detector on, and for others that leave it off. For
// off, the tested objects have none; then the others may all have every power that no
// experiment denies. For on, one tested object has a power that none denies.
func TestACRESecond(t *testing.T) {
	found := map[string]int{}
	tasktest.Every(t, acre.Task(), tasktest.Count(1200, 200), func(item acreItem, prompt, got string) error {
		type trial struct {
			things []string
			on     bool
		}
		var trials []trial
		var tests [][]string
		for line := range strings.Lines(prompt) {
			things := acreThingRE.FindAllString(line, -1)
			if things == nil {
				continue
			}
			rest := acreThingRE.ReplaceAllString(line, "")
			if strings.HasPrefix(line, "Test") {
				tests = append(tests, things)
			} else {
				lights := acreLightRE.FindAllString(strings.ReplaceAll(rest, "Put on top", ""), -1)
				trials = append(trials, trial{things, strings.Contains(lights[0], "on")})
			}
		}
		if len(trials) != len(item.Trials) || len(tests) != len(item.Queries) {
			return fmt.Errorf("the prompt has %d experiments and %d tests", len(trials), len(tests))
		}
		agrees := func(power func(string) bool) bool {
			return !slices.ContainsFunc(trials, func(e trial) bool { return slices.ContainsFunc(e.things, power) != e.on })
		}
		denied := func(thing string) bool {
			return slices.ContainsFunc(trials, func(e trial) bool { return !e.on && slices.Contains(e.things, thing) })
		}
		var answers []string
		for _, things := range tests {
			off := agrees(func(s string) bool { return !denied(s) && !slices.Contains(things, s) })
			on := slices.ContainsFunc(things, func(one string) bool {
				return agrees(func(s string) bool { return s == one || !denied(s) })
			})
			answers = append(answers, map[[2]bool]string{{true, true}: "undetermined", {true, false}: "on", {false, true}: "off"}[[2]bool{on, off}])
			found[answers[len(answers)-1]]++
		}
		if want := strings.Join(answers, ", "); got != want {
			return fmt.Errorf("the solution is %s, want %s", got, want)
		}
		return nil
	})
	for _, word := range acreOutcomes {
		if sum := found["on"] + found["off"] + found["undetermined"]; tasktest.Heavy && found[word] < sum*28/100 {
			t.Errorf("the outcomes are %v", found)
		}
	}
}

func TestACREKeys(t *testing.T) {
	tasktest.Same(t, acre.Task(), "the experiments may be in any order", func(a *acreItem) { slices.Reverse(a.Trials) })
	tasktest.Variant(t, acre.Task(), "other names of the objects, tests in another order", func(a *acreItem, r *rng.Rand) func(string) string {
		order := make([]int, len(a.Objects))
		for i := range order {
			order[i] = i
			a.Objects[i] = "toy " + strconv.Itoa(i)
		}
		rng.Shuffle(r, order)
		renamed := func(set acreSet) (now acreSet) {
			for i, to := range order {
				now |= set >> i & 1 << to
			}
			return now
		}
		for i, trial := range a.Trials {
			a.Trials[i].Objects = renamed(trial.Objects)
		}
		outcomes := strings.Split(a.Answer, ", ")
		slices.Reverse(outcomes)
		slices.Reverse(a.Queries)
		for i, query := range a.Queries {
			a.Queries[i] = renamed(query)
		}
		a.Answer = strings.Join(outcomes, ", ")
		return func(string) string { return a.Answer }
	})
	tasktest.Other(t, acre.Task(), "an experiment less", func(a *acreItem) {
		without := learn(a.Trials[1:])
		if len(a.Trials) > 1 && acreOutcomes[without.outcome(a.Queries[0])] == a.Answer {
			a.Trials = a.Trials[1:]
		}
	})
}
