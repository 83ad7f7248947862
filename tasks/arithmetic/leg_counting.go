package arithmetic

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// legCounting asks for the total number of legs of several animals.
var legCounting = task.Spec[legCountingParams, legCountingItem]{
	Name:     "leg_counting",
	Category: "arithmetic",
	Doc: "Count the legs of several animals of several kinds. " +
		"It asks only about animals with an undisputed number of legs: no crabs, since their claws may count, and no starfish.",
	Source:  "Zoology; the list of animals is our own, the settings are those of reasoning-gym.",
	Version: 5,
	Default: legCountingParams{MinAnimals: 3, MaxAnimals: 10, MinInstances: 1, MaxInstances: 15},
	Levels: []legCountingParams{
		{MinAnimals: 2, MaxAnimals: 2, MinInstances: 1, MaxInstances: 5},
		{MinAnimals: 2, MaxAnimals: 4, MinInstances: 1, MaxInstances: 10},
		{MinAnimals: 4, MaxAnimals: 8, MinInstances: 2, MaxInstances: 20},
		{MinAnimals: 8, MaxAnimals: 16, MinInstances: 5, MaxInstances: 99},
		{MinAnimals: 16, MaxAnimals: 30, MinInstances: 20, MaxInstances: 999},
		{MinAnimals: 30, MaxAnimals: 50, MinInstances: 100, MaxInstances: 99_999},
	},
	Few: []string{
		"There are few pairs of animals, since many have as many legs.",
		"There are few groups of two animals, since many have as many legs.",
	},
	Make:  makeLegCounting,
	Match: task.MatchNumber,
}

// legCountingParams are the settings of one difficulty.
type legCountingParams struct {
	MinAnimals   int `json:"min_animals" want:"1 or more"` // kinds
	MaxAnimals   int `json:"max_animals"`
	MinInstances int `json:"min_instances" want:"1 or more"` // of each kind
	MaxInstances int `json:"max_instances" want:"min_instances to 1000000000"`
}

// maxInstances limits the animals of one kind.
const maxInstances = 1_000_000_000

// Check refuses what no tag does.
func (p legCountingParams) Check() error {
	if p.MaxAnimals < p.MinAnimals || p.MaxAnimals > len(animals) {
		return fmt.Errorf("max_animals is %d, want min_animals (%d) to %d", p.MaxAnimals, p.MinAnimals, len(animals))
	}
	return nil
}

// An animal is a kind of animal.
type animal struct {
	one, many string
	legs      int64
}

// animals lists the kinds of animal. DO NOT CHANGE THE ORDER: it decides which problems a
// seed gives.
var animals = []animal{
	{"snake", "snakes", 0}, {"earthworm", "earthworms", 0}, {"leech", "leeches", 0}, {"slug", "slugs", 0}, {"snail", "snails", 0},
	{"goldfish", "goldfish", 0}, {"shark", "sharks", 0}, {"eel", "eels", 0}, {"dolphin", "dolphins", 0}, {"whale", "whales", 0},
	{"human", "humans", 2}, {"chicken", "chickens", 2}, {"duck", "ducks", 2}, {"goose", "geese", 2}, {"ostrich", "ostriches", 2},
	{"penguin", "penguins", 2}, {"pigeon", "pigeons", 2}, {"owl", "owls", 2}, {"parrot", "parrots", 2}, {"swan", "swans", 2},
	{"turkey", "turkeys", 2}, {"eagle", "eagles", 2}, {"sparrow", "sparrows", 2}, {"flamingo", "flamingos", 2},
	{"dog", "dogs", 4}, {"cat", "cats", 4}, {"cow", "cows", 4}, {"horse", "horses", 4}, {"sheep", "sheep", 4}, {"goat", "goats", 4},
	{"pig", "pigs", 4}, {"mouse", "mice", 4}, {"rabbit", "rabbits", 4}, {"fox", "foxes", 4}, {"wolf", "wolves", 4}, {"bear", "bears", 4},
	{"lion", "lions", 4}, {"tiger", "tigers", 4}, {"elephant", "elephants", 4}, {"giraffe", "giraffes", 4}, {"zebra", "zebras", 4},
	{"camel", "camels", 4}, {"donkey", "donkeys", 4}, {"deer", "deer", 4}, {"frog", "frogs", 4}, {"lizard", "lizards", 4}, {"crocodile", "crocodiles", 4},
	{"ant", "ants", 6}, {"bee", "bees", 6}, {"wasp", "wasps", 6}, {"beetle", "beetles", 6}, {"fly", "flies", 6}, {"mosquito", "mosquitoes", 6},
	{"grasshopper", "grasshoppers", 6}, {"cricket", "crickets", 6}, {"cockroach", "cockroaches", 6}, {"butterfly", "butterflies", 6},
	{"moth", "moths", 6}, {"dragonfly", "dragonflies", 6}, {"ladybird", "ladybirds", 6}, {"firefly", "fireflies", 6},
	{"spider", "spiders", 8}, {"scorpion", "scorpions", 8}, {"tarantula", "tarantulas", 8}, {"woodlouse", "woodlice", 14},
}

// animalNamed maps the name of a kind to it.
var animalNamed = sync.OnceValue(func() map[string]animal {
	found := make(map[string]animal, len(animals))
	for _, a := range animals {
		found[a.one] = a
	}
	return found
})

// legCountingItem is one herd.
type legCountingItem struct {
	Animals    herd  `json:"animals"`
	NumAnimals int   `json:"num_animals"` // kinds
	TotalLegs  int64 `json:"total_legs"`
	Phrasing   int   `json:"phrasing,omitempty" want:"0 to 5"`
}

// A herd is a number of animals of each kind. In JSON it is an object with the names of the
// kinds as keys, in their order.
type herd []flock

// A flock is animals of one kind.
type flock struct {
	kind  string // name of one animal
	count int
	many  string // name of several; empty: look it up
}

// MarshalJSON implements [json.Marshaler].
func (h herd) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 2+24*len(h)), '{')
	for i, f := range h {
		if i > 0 {
			b = append(b, ',')
		}
		name, err := json.Marshal(f.kind)
		if err != nil {
			return nil, err
		}
		b = strconv.AppendInt(append(append(b, name...), ':'), int64(f.count), 10)
	}
	return append(b, '}'), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (h *herd) UnmarshalJSON(raw []byte) error {
	*h = nil
	var fault error
	plain := strictjson.Members(raw, func(name, value []byte) bool {
		f := flock{kind: string(name)}
		fault = strictjson.Unmarshal(value, &f.count)
		*h = append(*h, f)
		return fault == nil
	})
	switch {
	case fault != nil:
		return fmt.Errorf("animals: %w", fault)
	case !plain:
		return errors.New("animals is not an object")
	}
	return nil
}

// makeLegCounting draws kinds, and a number of each.
func makeLegCounting(p legCountingParams, r *rng.Rand) (legCountingItem, error) {
	item := legCountingItem{
		NumAnimals: r.Between(p.MinAnimals, p.MaxAnimals),
		Phrasing:   r.Between(0, len(legCountingPhrasings)-1),
	}
	item.Animals = make(herd, item.NumAnimals)
	for i, kind := range rng.Different(r, item.NumAnimals, 0, int64(len(animals)-1)) {
		a := animals[kind]
		item.Animals[i] = flock{a.one, r.Between(p.MinInstances, p.MaxInstances), a.many}
		item.TotalLegs += a.legs * int64(item.Animals[i].count)
	}
	return item, nil
}

// legCountingPhrasings are the wordings of the question, before and after the herd.
var legCountingPhrasings = [][2]string{
	{"How many legs do ", " have in total?"},
	{"A picture shows ", ". How many legs do these animals have together?"},
	{"Count the legs of the following animals: ", "."},
	{"On a farm there are ", ". If each stands on all of its legs, how many legs touch the ground?"},
	{"A shop sells socks for animals, one for each leg. How many socks are needed for ", "?"},
	{"Add up the legs of ", ". What is the total?"},
}

func (l legCountingItem) Prompt() string {
	words := legCountingPhrasings[l.Phrasing]
	b := append(make([]byte, 0, 512), words[0]...)
	for i, f := range l.Animals {
		switch {
		case i > 0 && i == len(l.Animals)-1:
			b = append(b, " and "...)
		case i > 0:
			b = append(b, ", "...)
		}
		b = append(strconv.AppendInt(b, int64(f.count), 10), ' ')
		b = append(b, f.name()...)
	}
	return string(append(append(b, words[1]...), " Answer with one whole number."...))
}

// name returns the singular or the plural, as the number of animals demands.
func (f flock) name() string {
	if f.count == 1 {
		return f.kind
	}
	if f.many != "" {
		return f.many
	}
	return cmp.Or(animalNamed()[f.kind].many, f.kind)
}

func (l legCountingItem) Short() string {
	b := []byte("legs:")
	for _, f := range l.Animals {
		b = append(strconv.AppendInt(append(b, ' '), int64(f.count), 10), ' ')
		b = append(b, f.kind...)
	}
	return string(b)
}

// Canonical implements [task.Canonicalizer]. The order of the animals does not matter, nor which
// of those with as many legs they are, nor whether there are ten times as many of each.
func (l legCountingItem) Canonical() string {
	texts := make([]string, len(l.Animals))
	for i, f := range l.Animals {
		legs := f.kind
		if a, known := animalNamed()[f.kind]; known {
			legs = "legs" + strconv.FormatInt(a.legs, 10)
		}
		texts[i] = strconv.Itoa(f.count) + "*" + legs
	}
	slices.Sort(texts)
	return task.Commuted(strings.Join(texts, "+"), nil)
}

// Check refuses a record with a wrong number of legs. A kind that we do not know may have
// any.
func (l legCountingItem) Check() error {
	unknown, legs := false, int64(0)
	for _, f := range l.Animals {
		if f.count < 1 || f.count > maxInstances {
			return fmt.Errorf("animals has %d of %.40q, want 1 to %d", f.count, f.kind, maxInstances)
		}
		a, known := animalNamed()[f.kind]
		legs += a.legs * int64(f.count)
		unknown = unknown || !known
	}
	if len(l.Animals) == 0 || l.TotalLegs < legs || !unknown && l.TotalLegs > legs {
		return fmt.Errorf("total_legs is %d, want %d", l.TotalLegs, legs)
	}
	return nil
}

func (l legCountingItem) Solve() string { return strconv.FormatInt(l.TotalLegs, 10) }
