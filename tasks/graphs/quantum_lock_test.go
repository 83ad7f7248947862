package graphs

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

func TestLockScore(t *testing.T) {
	item := lockItem{
		SolutionPath: []string{"C", "B"}, TargetValue: 4, InitialState: "red",
		Buttons: []lockButton{{"A", "subtract", 3, "green"}, {"B", "multiply", 2, "green"}, {"C", "add", 2, "red"}},
	}
	if err := task.Check(item); err != nil {
		t.Fatal(err)
	}
	tasktest.Nears(t, item.Score, []tasktest.Near{
		{"C → B", 1, ""}, {"C -> B.", 1, "another arrow"}, {"c, b", 1, "small letters"}, {"CB", 1, "no arrow"},
		{"B → C", 0, "B does not work in red light"}, {"B → C → B", 0, "a press for nothing; reasoning-gym pays 0.5"}, {"C", 0, "too few"}, {"C → A", 0, "another number"}, {"C → D", 0, "no such button"},
		{"Press C, then B", 0, "words; reasoning-gym finds buttons in them"}, {"", 0, "nothing"}, {"→", 0, ""}, {strings.Repeat("CB", 5000), 0, "too long"},
	})
}

func TestLockParams(t *testing.T) {
	tasktest.Refused(t, quantumLock.Task(), map[string]string{`{"difficulty":0}`: "difficulty", `{"difficulty":21}`: "difficulty"})
	const buttons = `"buttons":[{"name":"A","type":"add","value":2,"active_state":"any"}],"initial_value":0,`
	tasktest.RefusedRecords(t, quantumLock.Task(), []string{
		`{}`,
		`{` + buttons + `"initial_state":"blue","target_value":2,"solution_path":["A"]}`,
		`{` + buttons + `"initial_state":"red","target_value":3,"solution_path":["A"]}`,
		`{` + buttons + `"initial_state":"red","target_value":2,"solution_path":["A"],"phrasing":6}`,
		`{"buttons":[{"name":"A","type":"divide","value":2,"active_state":"any"}],"initial_value":0,"initial_state":"red","target_value":2,"solution_path":["A"]}`,
	})
}

var (
	lockButtonRE = regexp.MustCompile(`(?m)^([A-C]): (add|subtract|multiply by) (\d+) \((?:when the light is (red|green)|in any light)\)$`)
	lockValueRE  = regexp.MustCompile(`The number is (-?\d+)|starting from (-?\d+)|turn (-?\d+) into|reads (-?\d+), its|number (-?\d+), light|now at (-?\d+)`)
	lockTargetRE = regexp.MustCompile(`the number to (-?\d+)|Reach (-?\d+)|into (-?\d+)\?|to read (-?\d+)|Goal: number (-?\d+)|to exactly (-?\d+)`)
)

// lastGroup returns the nonempty group of a match.
func lastGroup(match []string) int64 {
	n, _ := strconv.ParseInt(strings.Join(match[1:], ""), 10, 64)
	return n
}

// The second solver reads the prompt, follows the solution, and checks all numbers within
// fewer presses, one set for each number of presses.
func TestLockSecond(t *testing.T) {
	tasktest.Second(t, quantumLock.Task(), 1002, func(item lockItem, prompt, got string) error {
		value, target := lastGroup(lockValueRE.FindStringSubmatch(prompt)), lastGroup(lockTargetRE.FindStringSubmatch(prompt))
		buttons := lockButtonRE.FindAllStringSubmatch(prompt, -1)
		if len(buttons) != 3 {
			return fmt.Errorf("the prompt has %d buttons", len(buttons))
		}
		press := func(n int64, red bool, b []string) (int64, bool) {
			by, _ := strconv.ParseInt(b[3], 10, 64)
			if b[4] != "" && (b[4] == "red") != red {
				return n, red
			}
			return map[string]int64{"add": n + by, "subtract": n - by, "multiply by": n * by}[b[2]], !red
		}
		n, red := value, true
		names := strings.Split(got, " → ")
		for _, name := range names {
			n, red = press(n, red, buttons[name[0]-'A'])
		}
		if n != target {
			return fmt.Errorf("%s leads to %d, want %d", got, n, target)
		}
		type state struct {
			n   int64
			red bool
		}
		now := map[state]bool{{value, true}: true}
		for presses := range names {
			next := map[state]bool{}
			for s := range now {
				if s.n == target {
					return fmt.Errorf("%d presses are enough, not %d", presses, len(names))
				}
				for _, b := range buttons {
					m, light := press(s.n, s.red, b)
					next[state{m, light}] = true
				}
			}
			now = next
		}
		return nil
	})
}

func TestLockKeys(t *testing.T) {
	tasktest.Variant(t, quantumLock.Task(), "other letters and lights", func(l *lockItem, r *rng.Rand) func(string) string {
		order := shuffled(r, len(l.Buttons))
		buttons, exchanged := make([]lockButton, len(order)), r.Chance(0.5)
		light := func(name string) string {
			other, ok := map[string]string{"red": "green", "green": "red"}[name]
			if !exchanged || !ok {
				return name
			}
			return other
		}
		for i, b := range l.Buttons {
			b.Name, b.Active = string(rune('A'+order[i])), light(b.Active)
			buttons[order[i]] = b
		}
		translate := func(text string) string {
			return strings.Map(func(c rune) rune {
				if i := int(c - 'A'); i >= 0 && i < len(order) {
					return rune('A' + order[i])
				}
				return c
			}, text)
		}
		for i, name := range l.SolutionPath {
			l.SolutionPath[i] = translate(name)
		}
		l.Buttons, l.InitialState = buttons, light(l.InitialState)
		return translate
	})
	tasktest.Variant(t, quantumLock.Task(), "all numbers with the other sign", func(l *lockItem, _ *rng.Rand) func(string) string {
		l.InitialValue, l.TargetValue = -l.InitialValue, -l.TargetValue
		for i, b := range l.Buttons {
			switch b.Type {
			case "add":
				l.Buttons[i].Type = "subtract"
			case "subtract":
				l.Buttons[i].Type = "add"
			}
		}
		return nil
	})
	tasktest.Other(t, quantumLock.Task(), "another start and target", func(l *lockItem) {
		for _, b := range l.Buttons {
			if b.Type == "multiply" {
				return
			}
		}
		l.InitialValue++
		l.TargetValue++
	})
}
