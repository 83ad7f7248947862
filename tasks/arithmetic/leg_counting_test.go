package arithmetic

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestLegCountingScore(t *testing.T) {
	item := legCountingItem{Animals: herd{{kind: "ant", count: 6}, {kind: "duck", count: 11}, {kind: "dog", count: 10}}, NumAnimals: 3, TotalLegs: 98}
	tasktest.Nears(t, legCounting.Scorer(item), []tasktest.Near{
		{"98", 1, ""},
		{" 98 ", 1, "another spelling"},
		{"98 legs", 2. / 7, ""},
		{"198", 0, ""},
		{"98.0", 1, "another spelling"},
		{"99", 0, "one off"},
		{"89", 0, "digits exchanged"},
		{"27", 0, "the number of animals"},
		{"ninety-eight", 0, "in words"},
		{"6 * 6 + 11 * 2 + 10 * 4", 0, "a sum"},
	})
}

func TestLegCountingRecords(t *testing.T) {
	for _, test := range []struct{ record, refused string }{
		{`{"animals":{"ant":6,"duck":11},"num_animals":2,"total_legs":58}`, ""},
		{`{"animals":{"ant":6,"sea slug":11},"num_animals":2,"total_legs":36}`, ""},
		{`{"animals":{"ant":6,"duck":11},"num_animals":2,"total_legs":59}`, "total_legs"},
		{`{"animals":{"ant":6,"lobster":11},"num_animals":2,"total_legs":35}`, "total_legs"},
		{`{"animals":{},"num_animals":0,"total_legs":0}`, "total_legs"},
		{`{"animals":{"ant":0},"num_animals":1,"total_legs":0}`, "ant"},
		{`{"animals":{"ant":1},"num_animals":1,"total_legs":6,"phrasing":99}`, "phrasing"},
		{`{"animals":{"ant":1.5},"num_animals":1,"total_legs":9}`, "animals"},
		{`{"animals":["ant"],"num_animals":1,"total_legs":6}`, "animals"},
	} {
		var item legCountingItem
		err := json.Unmarshal([]byte(test.record), &item)
		if err == nil {
			err = task.Check(item)
		}
		if (err == nil) != (test.refused == "") || err != nil && !strings.Contains(err.Error(), test.refused) {
			t.Errorf("%s: error %v, want one that names %q", test.record, err, test.refused)
		}
		if back, _ := json.Marshal(item); test.refused == "" && string(back) != test.record {
			t.Errorf("%s is written as %s", test.record, back)
		}
	}
}

func TestLegCountingParams(t *testing.T) {
	tasktest.Refused(t, legCounting.Task(), map[string]string{
		`{"min_animals":0}`:            "min_animals",
		`{"min_animals":11}`:           "max_animals",
		`{"max_animals":66}`:           "max_animals",
		`{"min_instances":0}`:          "min_instances",
		`{"min_instances":16}`:         "max_instances",
		`{"max_instances":1000000001}`: "max_instances",
		`{"max_animals":"all"}`:        "max_animals",
	})
}

// No two kinds share a name, and each has the legs of its class.
func TestAnimals(t *testing.T) {
	seen := map[string]bool{}
	for _, a := range animals {
		if seen[a.one] || a.many != a.one && seen[a.many] {
			t.Errorf("%s is listed twice", a.one)
		}
		seen[a.one], seen[a.many] = true, true
		if a.legs%2 != 0 || a.legs < 0 || a.legs > 14 {
			t.Errorf("a %s has %d legs", a.one, a.legs)
		}
	}
}

var flockRE = regexp.MustCompile(`(\d+) ([a-z]+)`)

// legless, birds, insects and spiders are the second solver's knowledge of legs; any other
// animal has four.
const (
	legless = " snake earthworm leech slug snail goldfish shark eel dolphin whale "
	birds   = " human chicken duck goose geese ostrich penguin pigeon owl parrot swan turkey eagle sparrow flamingo "
	insects = " ant bee wasp beetle fly mosquito grasshopper cricket cockroach butterfly moth dragonfly ladybird firefly "
	spiders = " spider scorpion tarantula "
)

// The second solver reads the prompt and knows the classes of animals.
func TestLegCountingSecond(t *testing.T) {
	tasktest.Second(t, legCounting.Task(), 1200, func(item legCountingItem, prompt, got string) error {
		legs, kinds := 0, 0
		for _, flock := range flockRE.FindAllStringSubmatch(prompt, -1) {
			n, err := strconv.Atoi(flock[1])
			if err != nil {
				return err
			}
			kinds++
			legs += n * legsOf(flock[2])
		}
		if got != strconv.Itoa(legs) || kinds != item.NumAnimals {
			return fmt.Errorf("solution %s, want %d legs of %d kinds", got, legs, kinds)
		}
		return nil
	})
}

// legsOf returns the legs of an animal, named in the singular or the plural.
func legsOf(name string) int {
	if strings.HasPrefix(name, "woodl") {
		return 14
	}
	for _, stem := range []string{name, strings.TrimSuffix(name, "s"), strings.TrimSuffix(name, "es"), strings.TrimSuffix(name, "ies") + "y"} {
		for class, legs := range map[string]int{legless: 0, birds: 2, insects: 6, spiders: 8} {
			if strings.Contains(class, " "+stem+" ") {
				return legs
			}
		}
	}
	return 4
}

func TestLegCountingKeys(t *testing.T) {
	tasktest.Variant(t, legCounting.Task(), "the animals in another order", func(l *legCountingItem, r *rng.Rand) func(string) string {
		rng.Shuffle(r, l.Animals)
		return nil
	})
	tasktest.Variant(t, legCounting.Task(), "other animals with as many legs", func(l *legCountingItem, _ *rng.Rand) func(string) string {
		other := map[string]string{"dog": "wolf", "wolf": "dog", "ant": "bee", "bee": "ant", "duck": "goose", "goose": "duck"}
		for i, f := range l.Animals {
			l.Animals[i].kind = cmp.Or(other[f.kind], f.kind)
		}
		return nil
	})
	tasktest.Other(t, legCounting.Task(), "other animals with more legs", func(l *legCountingItem) {
		for i, f := range l.Animals {
			if f.kind == "dog" {
				l.Animals[i].kind = "ant"
				l.TotalLegs += 2 * int64(f.count)
			}
		}
	})
}
