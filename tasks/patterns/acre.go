package patterns

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/canon"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// acre asks how a detector reacts to some objects, after experiments with others.
var acre = task.Spec[acreParams, acreItem]{
	Name:     "acre",
	Category: "induction",
	Doc: "Tell from experiments whether a detector will react to objects: on, off, or undetermined. " +
		"All three are equally frequent. Harder levels ask about several tests at once.",
	Source:  "The blicket detector of A. Gopnik and D. Sobel (2000), as a task for machines by C. Zhang and others, ACRE (2021); objects, experiments and texts are our own. The setting train has no effect.",
	Version: 3,
	List:    ", ",
	Default: acreParams{Train: 1, Objects: 8, Trials: 6, Queries: 1},
	Levels: []acreParams{
		{Train: 1, Objects: 3, Trials: 2, Queries: 1},
		{Train: 1, Objects: 5, Trials: 4, Queries: 1},
		{Train: 1, Objects: 8, Trials: 6, Queries: 3},
		{Train: 1, Objects: 12, Trials: 10, Queries: 5},
		{Train: 1, Objects: 20, Trials: 18, Queries: 8},
		{Train: 1, Objects: 40, Trials: 40, Queries: 12},
	},
	Few: []string{
		"Three objects allow few experiments, if their names do not matter.",
	},
	Make:  makeACRE,
	Match: task.MatchList,
}

// acreParams are the settings of one difficulty.
type acreParams struct {
	Train   int `json:"train" want:"0 to 1"`        // 0 or 1: reasoning-gym's half of its problems; ignored here
	Objects int `json:"num_objects" want:"3 to 48"` // number of objects
	Trials  int `json:"num_trials" want:"2 to 200"` // experiments
	Queries int `json:"num_queries" want:"1 to 50"` // number of tests
}

// acreItem is one series of experiments. Entries of reasoning-gym have only the answer.
type acreItem struct {
	Objects  []string    `json:"objects,omitempty" want:"at most 48"`
	Trials   []acreTrial `json:"trials,omitempty" want:"at most 1000"`
	Queries  []acreSet   `json:"queries,omitempty" want:"at most 1000"` // sets of objects to test
	Answer   string      `json:"answer" want:"1 or more"`
	Phrasing int         `json:"phrasing,omitempty" want:"0 to 5"`
}

// An acreSet is a set of objects, one bit for each. It has fewer than 53 bits, so that
// every JSON reader reads it exactly.
type acreSet uint64

// An acreTrial is an experiment: the objects on the detector, and whether it was on.
type acreTrial struct {
	On      bool    `json:"on"`
	Objects acreSet `json:"objects"`
}

// The materials, shapes and colors of the objects.
var (
	acreMaterials = []string{"metal", "rubber", "wooden"}
	acreShapes    = []string{"cube", "ball", "cone", "ring"}
	acreColors    = []string{"black", "blue", "brown", "gray", "green", "orange", "purple", "red", "white", "yellow"}
)

// acreOutcomes are the answers.
var acreOutcomes = [...]string{"off", "on", "undetermined"}

// acreKnowledge is the conclusion from experiments.
type acreKnowledge struct {
	off acreSet // objects without effect
	on  []acreSet
}

// learn concludes which objects have no effect, and which sets contain at least one with an
// effect.
func learn(trials []acreTrial) (k acreKnowledge) {
	for _, t := range trials {
		if !t.On {
			k.off |= t.Objects
		}
	}
	for _, t := range trials {
		if t.On {
			k.on = append(k.on, t.Objects&^k.off)
		}
	}
	return k
}

// outcome returns the index of the answer for a set of objects: off if none of them can
// have an effect, on if they include every possible cause of some experiment.
func (k acreKnowledge) outcome(query acreSet) int {
	if query&^k.off == 0 {
		return 0
	}
	for _, causes := range k.on {
		if causes&^query == 0 {
			return 1
		}
	}
	return 2
}

// makeACRE draws objects and the causes among them, experiments with some of them, and for
// each test an outcome and a set of objects with that outcome.
func makeACRE(p acreParams, r *rng.Rand) (acreItem, error) {
	item := acreItem{Phrasing: r.Between(0, len(acrePhrasings)-1)}
	const tries = 200
	for range tries {
		blickets := drawSet(p.Objects, max(1, r.Between(p.Objects/4, p.Objects/2)), r)
		item.Trials, item.Queries = make([]acreTrial, 0, p.Trials), make([]acreSet, 0, p.Queries)
		for i := range p.Trials {
			set := drawSet(p.Objects, r.Between(1, min(5, p.Objects-1)), r)
			if i%2 == 0 { // half of the experiments have no cause, if possible
				set &^= blickets
			}
			if set != 0 && !slices.Contains(item.Trials, acreTrial{set&blickets != 0, set}) {
				item.Trials = append(item.Trials, acreTrial{set&blickets != 0, set})
			}
		}
		rng.Shuffle(r, item.Trials)
		if len(item.Trials) > 1 && item.ask(p, r) {
			item.Objects = drawObjects(p.Objects, r)
			return item, nil
		}
	}
	return item, fmt.Errorf("no experiments that leave on, off and undetermined found in %d tries", tries)
}

// drawSet draws a set of size out of n objects.
func drawSet(n, size int, r *rng.Rand) (set acreSet) {
	for bits.OnesCount64(uint64(set)) < size {
		set |= 1 << r.Between(0, n-1)
	}
	return set
}

// drawObjects draws the looks of n objects.
func drawObjects(n int, r *rng.Rand) []string {
	objects := make([]string, n)
	shapes, materials := len(acreShapes), len(acreMaterials)
	for i, looks := range rng.Different(r, n, 0, int64(shapes*materials*len(acreColors)-1)) {
		k := int(looks)
		objects[i] = acreColors[k/shapes/materials] + " " + acreMaterials[k/shapes%materials] + " " + acreShapes[k%shapes]
	}
	return objects
}

// ask draws the tests. It reports false if it cannot find one of the outcomes.
func (a *acreItem) ask(p acreParams, r *rng.Rand) bool {
	known := learn(a.Trials)
	answers := make([]string, 0, p.Queries)
	const tries = 60
	for range p.Queries {
		want, found := r.Between(0, len(acreOutcomes)-1), false
		for try := 0; try < tries && !found; try++ {
			set := drawSet(p.Objects, r.Between(1, min(4, p.Objects-1)), r)
			switch {
			case want == 0:
				set &= known.off
			case want == 1 && len(known.on) > 0 && r.Chance(0.5):
				set |= rng.Pick(r, known.on)
			}
			if found = set != 0 && known.outcome(set) == want; found {
				a.Queries = append(a.Queries, set)
			}
		}
		if !found {
			return false
		}
		answers = append(answers, acreOutcomes[want])
	}
	a.Answer = strings.Join(answers, ", ")
	return true
}

// acrePhrasings are the wordings: before the experiments, one experiment (%o stands for the
// objects, %l for on or off), and before the tests.
var acrePhrasings = []acrePhrasing{
	{"A detector lights up when at least one of the objects on it is a blicket, and stays dark if none is. Some objects are blickets and some are not; which ones cannot be seen. These experiments were made:\n", "%o: %l", "Will the light be on or off with these objects on the detector?"},
	{"Some objects have a hidden power: a machine is on as long as one or more of them stand on it, and off if nothing with that power does.\n\nObservations:\n", "- The machine is %l with %o.", "What will the machine be with the following on it?"},
	{"In a laboratory, a lamp responds to certain objects, and to nothing else. One such object is enough to switch it on, and objects without that effect never switch it off.\n", "* %o → %l", "Predict the lamp for this set."},
	{"Find out what you can about the causes. An alarm is on exactly if at least one of the things put before it triggers it.\n\nRecord:\n", "(%l) %o", "Is the alarm on or off with the following before it?"},
	{"A child plays with a music box. It plays if any of the objects on top is a \"key\", and is silent otherwise; the child does not know which objects are keys. \"On\" means that it plays.\n", "Put on top: %o. Result: %l.", "Which result do you expect for these objects?"},
	{"Causal reasoning: each object either activates a sensor or does not, always in the same way and whatever lies beside it. The sensor is on if one or several objects activate it, else off.\n\nData:\n", "%l <- %o", "What does the sensor show for this?"},
}

// An acrePhrasing is a wording.
type acrePhrasing struct{ intro, trial, ask string }

func (a acreItem) Prompt() string {
	words := acrePhrasings[a.Phrasing]
	b := append(make([]byte, 0, 1200), words.intro...)
	for _, t := range a.Trials {
		b = append(b, '\n')
		for k := 0; k < len(words.trial); k++ {
			switch {
			case words.trial[k] != '%':
				b = append(b, words.trial[k])
				continue
			case words.trial[k+1] == 'o':
				b = a.appendSet(b, t.Objects)
			default:
				b = append(b, acreOutcomes[task.Bit(t.On)]...)
			}
			k++
		}
	}
	if len(a.Queries) == 1 {
		b = append(append(append(b, "\n\n"...), words.ask...), "\nTest: "...)
		b = a.appendSet(b, a.Queries[0])
		return string(append(b, "\n\nAnswer with on if it must be on, with off if it must be off, and with undetermined if both are possible."...))
	}
	b = append(b, "\n\nAnswer the same question for each test. "...)
	b = append(b, words.ask...)
	for i, query := range a.Queries {
		b = append(strconv.AppendInt(append(b, "\nTest "...), int64(i+1), 10), ": "...)
		b = a.appendSet(b, query)
	}
	return string(append(b, "\n\nAnswer with one word for each test, in their order and separated by commas: on if it must be on, off if it must be off, undetermined if both are possible."...))
}

// appendSet appends the objects of a set.
func (a acreItem) appendSet(b []byte, set acreSet) []byte {
	for first := true; set != 0; first = false {
		if !first {
			b = append(b, ", "...)
		}
		b = append(append(b, "the "...), a.Objects[bits.TrailingZeros64(uint64(set))]...)
		set &= set - 1
	}
	return b
}

func (a acreItem) Short() string { return strings.Join(a.lines(a.Objects), "\n") }

// lines returns the experiments and the tests, with these names for the objects.
func (a acreItem) lines(names []string) []string {
	a.Objects = names
	var lines []string
	for _, t := range a.Trials {
		lines = append(lines, string(a.appendSet(nil, t.Objects))+" "+acreOutcomes[task.Bit(t.On)])
	}
	for i, query := range a.Queries {
		lines = append(lines, string(a.appendSet([]byte(strconv.Itoa(i+1)+"? "), query)))
	}
	return lines
}

// Canonical implements [task.Canonicalizer]. The names of the objects and the order of the experiments
// and of the tests do not matter. It is empty without experiments.
func (a acreItem) Canonical() string {
	if len(a.Trials) == 0 {
		return ""
	}
	const object, off, on, test = 0, 1, 2, 3
	var g canon.Graph
	g.Nodes(len(a.Objects), object)
	add := func(kind int, set acreSet) {
		node := g.Node(kind)
		for i := range a.Objects {
			if set>>i&1 == 1 {
				g.Arrow(node, i, 0)
			}
		}
	}
	for _, trial := range a.Trials {
		add(off+task.Bit(trial.On)*(on-off), trial.Objects)
	}
	for _, query := range a.Queries {
		add(test, query)
	}
	return g.Key()
}

// Check refuses a record with a wrong answer, or with experiments that no detector allows.
func (a acreItem) Check() error {
	if len(a.Queries) == 0 && len(a.Trials) == 0 {
		return nil // from reasoning-gym
	}
	known := learn(a.Trials)
	if slices.Contains(known.on, 0) {
		return errors.New("trials contradict each other")
	}
	var answers []string
	for _, query := range a.Queries {
		answers = append(answers, acreOutcomes[known.outcome(query)])
	}
	every := acreSet(1)<<len(a.Objects) - 1
	for _, t := range a.Trials {
		if t.Objects&^every != 0 {
			return errors.New("trials has an object that is not in objects")
		}
	}
	for _, query := range a.Queries {
		if query&^every != 0 {
			return errors.New("queries has an object that is not in objects")
		}
	}
	return task.Want("answer", a.Answer, strings.Join(answers, ", "))
}

// Choices implements [task.Chooser]: one of three words for each test.
func (a acreItem) Choices() int {
	choices := 1
	for range strings.Count(a.Answer, ",") + 1 {
		choices = min(3*choices, 1<<30)
	}
	return choices
}

func (a acreItem) Solve() string { return a.Answer }
