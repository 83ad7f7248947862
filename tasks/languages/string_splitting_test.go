package languages

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestStringSplittingScore(t *testing.T) {
	item := stringSplittingItem{InitialMachines: [3]int{4, 2, 5}, Solution: []int{0, 0, 1, 3, 0, 6}, MaxIterations: 1000}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, stringSplitting.Scorer(item), []tasktest.Near{
		{"0 0 1 3 0 6", 1, ""},
		{"0 0 1 3 0 6.", 11. / 12, "reasoning-gym pays for a text that contains the answer"},
		{"0 0 1 3 0 6 0", 0, ""},
		{"0, 0, 1, 3, 0, 6", 0, "spaces were asked for"},
		{"0 0 1 9 6 0", 0, "before the fifth rule"},
		{"0 0 1 3 0 5", 0, ""},
		{"4 2 5 0 0 0", 0, "the start"},
	})
	tasktest.RefusedRecords(t, stringSplitting.Task(), []string{
		`{"initial_machines":[4,2,5],"solution":[0,0,1,3,0,5],"max_iterations":1000}`,
		`{"initial_machines":[4,2,5],"solution":[0,0,1,3,0,6],"max_iterations":3}`,
		`{"initial_machines":[4,2,5],"solution":[0,0,1,3,0]}`,
		`{"initial_machines":[-4,2,5],"solution":[0,0,1,3,0,6]}`,
		`{"initial_machines":[4,2,1000000000],"solution":[0,0,1,3,0,6]}`,
		`{"initial_machines":[4,2,5],"solution":[0,0,1,3,0,6],"phrasing":99}`,
		`{"initial_machines":[4,2,5],"solution":[0,0,1,3,0,6],"rules":[[-1,2]]}`,
		`{"initial_machines":[4,2,5],"solution":[0,0,1,3,0,6],"rules":[[-1,0,0,0,0,1],[1,0,0,0,0,-1]]}`,
		`{"initial_machines":[4,2,5],"solution":[0,0,1,3,0,6],"rules":[[-9,0,0,0,0,1]]}`,
		`{"initial_machines":[4,2,5],"solution":[0,0,1,3,0,6],"rules":[` + strings.Repeat("[-1,0,0,0,0,1],", 20) + `[-1,0,0,0,0,1]]}`,
	})
}

var startsRE = regexp.MustCompile(`At the start there are (\d+) \S+, (\d+) \S+ and (\d+) `)

// asked reads the start from a prompt.
func asked(prompt string) (a, b, c int) {
	found := startsRE.FindStringSubmatch(prompt)
	a, _ = strconv.Atoi(found[1])
	b, _ = strconv.Atoi(found[2])
	c, _ = strconv.Atoi(found[3])
	return a, b, c
}

// replayed is the second solver: it reads start and rules from a prompt, and keeps the things
// one by one in a bag of words. It returns the remaining number of each of kinds.
func replayed(prompt, kinds string, steps int) string {
	a, b, c := asked(prompt)
	names := strings.Fields(kinds)
	bag := map[string]int{names[0]: a, names[1]: b, names[2]: c}
	rules := strings.Split(strings.Split(prompt, "\n\n")[1], "\n")
	for range steps {
		if !applyFirst(bag, rules) {
			break
		}
	}
	var left []string
	for _, kind := range names {
		left = append(left, strconv.Itoa(bag[kind]))
	}
	return strings.Join(left, " ")
}

// applyFirst applies the first rule with enough things in the bag.
func applyFirst(bag map[string]int, rules []string) bool {
	for _, rule := range rules {
		_, rule, _ = strings.Cut(rule, ". ")
		from, to, _ := strings.Cut(rule, " → ")
		need, enough := things(from), true
		for kind, n := range need {
			enough = enough && bag[kind] >= n
		}
		if !enough {
			continue
		}
		for kind, n := range need {
			bag[kind] -= n
		}
		for kind, n := range things(to) {
			bag[kind] += n
		}
		return true
	}
	return false
}

// things reads a side of a rule: "two B and one C" or "[B] + [B] + [C]".
func things(side string) map[string]int {
	count := map[string]int{}
	for _, one := range strings.Split(strings.ReplaceAll(side, " and ", " + "), " + ") {
		number, kind, counted := strings.Cut(one, " ")
		if !counted {
			number, kind = "one", one
		}
		count[kind] += map[string]int{"one": 1, "two": 2, "three": 3}[number]
	}
	return count
}

const machineKinds = "A B C X Y Z"

func TestStringSplittingSecond(t *testing.T) {
	for settings, steps := range map[string]int{
		`{}`: 1000, `{"max_initial_machines":1}`: 1000,
		`{"min_initial_machines":9,"max_initial_machines":9,"max_iterations":3}`: 3,
	} {
		tasktest.Second(t, tasktest.With(t, stringSplitting.Task(), settings), 200, secondMachines(steps))
	}
	tasktest.Second(t, stringSplitting.Task(), 1200, secondMachines(10_000))
}

func secondMachines(steps int) func(stringSplittingItem, string, string) error {
	return func(item stringSplittingItem, prompt, got string) error {
		if want := replayed(prompt, machineKinds, steps); got != want || got == replayed(prompt, machineKinds, 0) {
			return fmt.Errorf("solution %s, want %s, and not the start", got, want)
		}
		return drawn(item.Rules)
	}
}

// drawn reports a rule that never applies, since one before it takes no more.
func drawn(rules []recipe) error {
	for i := range rules {
		for j := range i {
			hidden := true
			for kind := range mostKinds {
				hidden = hidden && min(rules[j][kind], 0) >= min(rules[i][kind], 0)
			}
			if hidden {
				return fmt.Errorf("rule %d hides rule %d", j+1, i+1)
			}
		}
	}
	return nil
}

// The rules differ from problem to problem, and entries of reasoning-gym have its own.
func TestRulesAreDrawn(t *testing.T) {
	seen := map[string]bool{}
	for i := range 100 {
		seen[fmt.Sprint(tasktest.Made[stringSplittingItem](t, stringSplitting.Task(), 3, i).Rules)] = true
	}
	if len(seen) < 99 {
		t.Errorf("100 problems have %d sets of rules", len(seen))
	}
	entry := stringSplittingItem{InitialMachines: [3]int{4, 2, 5}, Solution: []int{0, 0, 1, 3, 0, 6}, MaxIterations: 1000}
	if text := entry.Prompt(); !strings.Contains(text, "1. one A → two X and one Y\n2. two B → one X\n3. two C → one Y\n4. one B and one C → one A\n5. one X and one Y → one Z\n") {
		t.Errorf("without rules, the prompt is %s", text)
	}
}

func TestStringSplittingKeys(t *testing.T) {
	tasktest.Variant(t, stringSplitting.Task(), "kinds exchanged", func(s *stringSplittingItem, _ *rng.Rand) func(string) string {
		for _, pair := range [][2]int{{1, 2}, {3, 4}} {
			i, k := pair[0], pair[1]
			for at := range s.Rules {
				s.Rules[at][i], s.Rules[at][k] = s.Rules[at][k], s.Rules[at][i]
			}
			s.Solution[i], s.Solution[k] = s.Solution[k], s.Solution[i]
			if k < len(s.InitialMachines) {
				s.InitialMachines[i], s.InitialMachines[k] = s.InitialMachines[k], s.InitialMachines[i]
			}
		}
		return func(string) string { return s.Solve() }
	})
	tasktest.Other(t, stringSplitting.Task(), "another limit", func(s *stringSplittingItem) { s.MaxIterations++ })
}
