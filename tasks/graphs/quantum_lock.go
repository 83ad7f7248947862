package graphs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// quantumLock asks for the fewest button presses that bring a number to a target, while a
// light decides which buttons work.
var quantumLock = task.Spec[lockParams, lockItem]{
	Name:     "quantum_lock",
	Category: "graphs",
	Doc: "Press as few buttons as possible to bring a number to a target. A light that changes with each press decides which buttons work. " +
		"An exhaustive search up to the length of the solution shows that none is shorter.",
	Source:  "A search in a graph of states; the buttons are those of reasoning-gym's task, and so is the setting.",
	Version: 3,
	List:    " ",
	Default: lockParams{Difficulty: 10},
	Levels:  []lockParams{{Difficulty: 2}, {Difficulty: 4}, {Difficulty: 6}, {Difficulty: 9}, {Difficulty: 12}, {Difficulty: 16}},
	Make:    makeLock,
	Many:    true,
}

// lockParams are the settings of one difficulty.
type lockParams struct {
	Difficulty int `json:"difficulty" want:"1 to 20"` // necessary presses
}

// lockItem is one lock.
type lockItem struct {
	SolutionPath []string     `json:"solution_path" want:"1 to 1000"` // names of buttons, as few as possible
	TargetValue  int64        `json:"target_value"`
	Buttons      []lockButton `json:"buttons" want:"1 to 26"`
	InitialState string       `json:"initial_state" oneof:"red green"` // red or green
	InitialValue int64        `json:"initial_value"`
	Phrasing     int          `json:"phrasing,omitempty" want:"0 to 5"`
}

// A lockButton changes the number while the light is in its state.
type lockButton struct {
	Name   string `json:"name"`
	Type   string `json:"type" oneof:"add subtract multiply"` // add, subtract or multiply
	Value  int64  `json:"value"`
	Active string `json:"active_state" oneof:"red green any"` // red, green or any
}

// apply returns the number after a press.
func (b *lockButton) apply(n int64) int64 {
	switch b.Type {
	case "add":
		return n + b.Value
	case "subtract":
		return n - b.Value
	}
	return n * b.Value
}

// works reports whether the button has an effect under a light.
func (b *lockButton) works(green bool) bool {
	return b.Active == "any" || (b.Active == "green") == green
}

// A lockState is the number and the light.
type lockState struct {
	n     int64
	green bool
}

// A lockReach is a reached state, with the button and the state before it.
type lockReach struct {
	lockState
	from   int32
	button int8
}

// makeLock draws buttons, and searches breadth first for numbers that need the wanted
// number of presses.
func makeLock(p lockParams, r *rng.Rand) (lockItem, error) {
	const tries = 200
	for range tries {
		item := lockItem{InitialState: "red", InitialValue: int64(r.Between(0, 9)), Phrasing: r.Between(0, len(lockPhrasings)-1)}
		item.drawButtons(r)
		reached, last := item.search(p.Difficulty)
		if last == len(reached) {
			continue
		}
		at := r.Between(last, len(reached)-1)
		if n := reached[at].n; n > 1_000_000 || n < -1_000_000 {
			continue
		}
		item.TargetValue = reached[at].n
		for ; at > 0; at = int(reached[at].from) {
			item.SolutionPath = append(item.SolutionPath, item.Buttons[reached[at].button].Name)
		}
		slices.Reverse(item.SolutionPath)
		return item, nil
	}
	return lockItem{}, fmt.Errorf("no number that needs %d presses found in %d tries", p.Difficulty, tries)
}

// drawButtons draws three buttons. At least one works under each light.
func (l *lockItem) drawButtons(r *rng.Rand) {
	l.Buttons = make([]lockButton, 3)
	for {
		for i := range l.Buttons {
			kind := rng.Pick(r, lockTypes)
			value := int64(r.Between(1, 9))
			if kind == "multiply" {
				value = int64(r.Between(2, 3))
			}
			l.Buttons[i] = lockButton{string(rune('A' + i)), kind, value, rng.Pick(r, lockLights)}
		}
		works := func(green bool) bool {
			return slices.ContainsFunc(l.Buttons, func(b lockButton) bool { return b.works(green) })
		}
		if works(false) && works(true) && slices.ContainsFunc(l.Buttons, func(b lockButton) bool { return b.Type != "multiply" }) {
			return
		}
	}
}

var (
	lockTypes  = []string{"add", "add", "subtract", "multiply"}
	lockLights = []string{"red", "green", "any"}
)

// search returns the states reached within the given number of presses, in order of
// presses. Those from last on have numbers that need exactly that many; there are none if
// the search grows too wide. Only the number counts, not the light.
func (l *lockItem) search(presses int) (reached []lockReach, last int) {
	const most = 4000
	reached = make([]lockReach, 1, 256)
	reached[0].lockState = lockState{l.InitialValue, l.InitialState == "green"}
	seen := map[lockState]bool{reached[0].lockState: true}
	for press := range presses {
		end := len(reached)
		for code := last * len(l.Buttons); code < end*len(l.Buttons); code++ {
			at, button := code/len(l.Buttons), code%len(l.Buttons)
			s, b := reached[at], &l.Buttons[button]
			if next := (lockState{b.apply(s.n), !s.green}); b.works(s.green) && !seen[next] {
				seen[next] = true
				reached = append(reached, lockReach{next, int32(at), int8(button)})
			}
		}
		if last = end; len(reached) > most && press < presses-1 {
			return reached, len(reached)
		}
	}
	kept := reached[:last]
	for _, s := range reached[last:] {
		if !seen[lockState{s.n, !s.green}] { // the light was different 1, 3, … presses earlier
			kept = append(kept, s)
		}
	}
	return kept, last
}

// lockPhrasings are the wordings: %v, %l and %t stand for the number, the light and the
// target, %b for the buttons.
var lockPhrasings = []string{
	"A lock shows a number and a light. The number is %v and the light is %l. Each button changes the number, but may work in one color of the light alone:\n\n%b\n\n" +
		"After every press that works, the light changes between red and green; a button that does not work changes nothing. Open the lock by bringing the number to %t with as few presses as possible.",
	"Reach %t, starting from %v, in the fewest presses. The buttons are\n\n%b\n\nand there is a light, which is %l at first. It turns from red to green or back whenever a button does its work. Pressing a button at the wrong color has no effect.",
	"Which buttons turn %v into %t?\n\nButtons:\n%b\n\nRules: a light is %l at the beginning. A button works only in the color that is given for it; then it changes the number, and the light switches to the other color (red or green). " +
		"Otherwise nothing happens, and the light stays. Find a shortest sequence.",
	"The display of a machine reads %v, its lamp is %l, and it has three buttons.\n\n%b\n\nThe lamp goes from red to green, or from green to red, each time a button has had an effect. Buttons without an effect leave lamp and display alone. " +
		"You want the display to read %t, and every press costs a coin: which presses are the cheapest way?",
	"State: number %v, light %l.\nGoal: number %t, with any light.\nMoves:\n%b\n\nA move is possible in the right light only. It changes the number and toggles the light between red and green. Give a shortest list of moves that leads to the goal.",
	"To open a safe you have to set its counter, now at %v, to exactly %t. These are its keys:\n\n%b\n\nThe safe also has a light. It is %l now and changes color, red to green and green to red, with every key that works; a key that does not work in the present color does nothing at all. " +
		"Be quick: use no more keys than necessary.",
}

func (l lockItem) Prompt() string {
	return l.fill(lockPhrasings[l.Phrasing]) + "\n\nAnswer with the names of the buttons in the order in which they are pressed, with arrows between them, as in A → C → A."
}

// fill fills in a text.
func (l lockItem) fill(text string) string {
	return string(task.AppendFilled(make([]byte, 0, task.PromptRoom), text, func(c byte) string {
		switch c {
		case 'v':
			return strconv.FormatInt(l.InitialValue, 10)
		case 't':
			return strconv.FormatInt(l.TargetValue, 10)
		case 'l':
			return l.InitialState
		}
		return l.keys()
	}))
}

// keys lists the buttons.
func (l lockItem) keys() string {
	var b strings.Builder
	for i, button := range l.Buttons {
		if i > 0 {
			b.WriteString("\n")
		}
		verb := map[string]string{"add": "add ", "subtract": "subtract ", "multiply": "multiply by "}[button.Type]
		light := "when the light is " + button.Active
		if button.Active == "any" {
			light = "in any light"
		}
		fmt.Fprintf(&b, "%s: %s%d (%s)", button.Name, verb, button.Value, light)
	}
	return b.String()
}

func (l lockItem) Short() string { return l.fill("%v, %l -> %t\n%b") }

// Canonical implements [task.Canonicalizer]. The letters and the order of the buttons do not matter, nor
// which light is red, nor the sign of all numbers.
func (l lockItem) Canonical() string {
	return canon.Least(2, func(i int) string {
		sign, buttons := int64(1-2*i), make([]string, len(l.Buttons))
		for k, b := range l.Buttons {
			light := b.Active
			if light != "any" {
				light = strconv.FormatBool(light == l.InitialState)
			}
			switch b.Type {
			case "subtract":
				b.Type, b.Value = "add", -b.Value*sign
			case "add":
				b.Value *= sign
			}
			buttons[k] = fmt.Sprint(b.Type, " ", b.Value, " ", light)
		}
		slices.Sort(buttons)
		return fmt.Sprint(sign*l.InitialValue, sign*l.TargetValue, buttons)
	})
}

// Check refuses a record with a solution that misses the target.
func (l lockItem) Check() error {
	for i, b := range l.Buttons {
		if b.Name != string(rune('A'+i)) {
			return fmt.Errorf("buttons has %.20q, want the letters from A on", b.Name)
		}
	}
	return task.CheckSolution(l)
}

func (l lockItem) Solve() string { return strings.Join(l.SolutionPath, " → ") }

// Score implements [task.Scorer]. Any sequence to the target as short as the solution is
// right.
func (l lockItem) Score(text string) quintain.Verdict {
	const longest = 4000
	if len(text) > longest {
		return quintain.Wrong("the answer is too long")
	}
	state, pressed := lockState{l.InitialValue, l.InitialState == "green"}, 0
	for _, c := range strings.TrimSuffix(strings.ToUpper(strings.TrimSpace(text)), ".") {
		at := int(c - 'A')
		switch {
		case strings.ContainsRune(" \t\r\n,;→->", c):
			continue
		case at < 0 || at >= len(l.Buttons):
			return quintain.Malformed(fmt.Sprintf("%q is not a button", c))
		}
		pressed++
		if b := &l.Buttons[at]; b.works(state.green) {
			state = lockState{b.apply(state.n), !state.green}
		}
	}
	switch {
	case pressed == 0:
		return quintain.Malformed("no button is pressed")
	case state.n != l.TargetValue:
		return quintain.Wrong(fmt.Sprintf("the number becomes %d, want %d", state.n, l.TargetValue))
	case pressed > len(l.SolutionPath):
		return quintain.Wrong(fmt.Sprintf("there is a way with %d presses instead of %d", len(l.SolutionPath), pressed))
	}
	return quintain.Right()
}
