package logic

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestAIWScore(t *testing.T) {
	tasktest.Nears(t, aiw.Scorer(aiwItem{Answer: "4"}), []tasktest.Near{
		{"4", 1, ""}, {" 4.\n", 1, ""}, {"3", 0, "Alice herself is forgotten"}, {"14", 0, "another number"}, {"4 sisters", 0, "the number alone was asked for"}, {"3 or 4", 0, "no choice"}, {"", 0, "nothing"},
	})
	alice := aiwGroup{Name: "Alice", Female: true, Men: 3, Women: 2}
	for _, test := range []struct {
		item aiwItem
		want int
		why  string
	}{
		{aiwItem{TaskType: "siblings", Groups: []aiwGroup{alice}, Asked: aiwAsked{Member: "Bob", Women: true}}, 3, "a brother's sisters: two, and Alice"},
		{aiwItem{TaskType: "siblings", Groups: []aiwGroup{alice}, Asked: aiwAsked{Member: "Bob"}}, 2, "a brother's brothers"},
		{aiwItem{TaskType: "siblings", Groups: []aiwGroup{alice}, Asked: aiwAsked{Member: "Eve", Female: true, Women: true}}, 2, "a sister's sisters: one, and Alice"},
		{aiwItem{TaskType: "siblings", Groups: []aiwGroup{alice, {Name: "Bob", Men: 5, Women: 1}, {Name: "Eve", Female: true, Men: 2}}, Asked: aiwAsked{Group: 1}}, 2, "Bob's nephews are not his sons"},
		{aiwItem{TaskType: "friends", Groups: []aiwGroup{alice, {Name: "Bob", Men: 1, Women: 1, Link: "Eve", LinkF: true}}, Asked: aiwAsked{Group: 1, Link: true}}, 5, "3, and 1, and Bob"},
	} {
		if got := test.item.count(); got != test.want {
			t.Errorf("%+v: %d, want %d (%s)", test.item, got, test.want, test.why)
		}
	}
}

func TestAIWParams(t *testing.T) {
	tasktest.Refused(t, aiw.Task(), map[string]string{
		`{"male_names":[]}`: "male_names", `{"female_names":["Alice"]}`: "female_names", `{"depth":0}`: "depth", `{"depth":9}`: "depth",
		`{"task_types":["cousins"]}`: "task_types", `{"task_types":["friends"]}`: "task_type_weights", `{"task_type_weights":[0,0,0]}`: "task_type_weights",
		`{"task_type_weights":[-1,1,1]}`: "task_type_weights", `{"max_entities":0}`: "max_entities",
		`{"male_names":["Alice","B","C","D","E"]}`: "male_names",
	})
	tasktest.RefusedRecords(t, aiw.Task(), []string{
		`{}`, `{"answer":"x"}`, `{"task_type":"friends","answer":"-1"}`,
		`{"task_type":"friends","groups":[{"name":"A","female":true,"men":1,"women":1}],"asked":{"group":1,"women":true},"answer":"1"}`,
		`{"task_type":"friends","groups":[{"name":"A","female":true,"men":1,"women":1}],"asked":{"group":0,"women":true},"answer":"2"}`,
		`{"task_type":"friends","groups":[{"name":"A","female":true,"men":-1,"women":1}],"asked":{"group":0,"women":true},"answer":"1"}`,
		`{"task_type":"friends","groups":[{"name":"A","female":true,"men":1,"women":1}],"asked":{"group":0,"women":true},"answer":"1","phrasing":6}`,
	})
}

// An aiwPerson is the second solver's record of somebody in a story.
type aiwPerson struct {
	name   string
	female bool
	in     []string // circles or families
}

var (
	aiwNumberRE = regexp.MustCompile(`\b(no|\d+) (male |female )?(brother|sister|son|daughter|friend|colleague)s?\b`)
	aiwLinkRE   = regexp.MustCompile(`(\w+), a (man|woman), is one of them, and also one of the \w+ of (\w+) who`)
)

// The second solver puts everybody into a room, and counts heads.
func TestAIWSecond(t *testing.T) {
	tasktest.Second(t, aiw.Task(), 1000, func(item aiwItem, prompt, got string) error {
		numbers := aiwNumberRE.FindAllStringSubmatch(prompt, -1)
		if len(numbers) != 2*len(item.Groups) {
			return fmt.Errorf("the prompt has %d numbers, want %d: %q", len(numbers), 2*len(item.Groups), numbers)
		}
		links := aiwLinkRE.FindAllStringSubmatch(prompt, -1)
		var people []*aiwPerson
		for i, g := range item.Groups {
			people = append(people, &aiwPerson{g.Name, g.Female, []string{g.Name}})
			for _, link := range links {
				if i > 0 && link[1] == g.Link && link[3] == item.Groups[i-1].Name {
					people = append(people, &aiwPerson{link[1], link[2] == "woman", []string{g.Name, link[3]}})
				}
			}
		}
		for i, g := range item.Groups {
			for _, n := range numbers[2*i : 2*i+2] {
				female := n[2] == "female " || slices.Contains([]string{"sister", "daughter"}, n[3])
				want, _ := strconv.Atoi(n[1])
				for _, p := range people {
					if p.female == female && p.name != g.Name && slices.Contains(p.in, g.Name) {
						want--
					}
				}
				for range want {
					people = append(people, &aiwPerson{"", female, []string{g.Name}})
				}
			}
		}
		asked := item.Asked
		who := &aiwPerson{"", asked.Female, []string{item.Groups[asked.Group].Name}}
		name := item.Groups[asked.Group].Name
		if asked.Link {
			name = item.Groups[asked.Group].Link
		}
		for _, p := range people {
			if asked.Member == "" && p.name == name || asked.Member != "" && p.name == "" && p.female == asked.Female && slices.Equal(p.in, who.in) {
				who = p
			}
		}
		if who.name == "" && asked.Member == "" || !strings.Contains(prompt, asked.Member) || !strings.Contains(prompt, who.name) {
			return fmt.Errorf("nobody is asked about")
		}
		heads := 0
		for _, p := range people {
			meet := slices.ContainsFunc(p.in, func(place string) bool { return slices.Contains(who.in, place) })
			if item.TaskType == "siblings" && len(item.Groups) > 1 { // children of the other siblings
				meet = !meet && p.name == "" && p.in[0] != item.Groups[0].Name
			}
			if p != who && meet && p.female == asked.Women {
				heads++
			}
		}
		if strconv.Itoa(heads) != got {
			return fmt.Errorf("the solution is %s, want %d", got, heads)
		}
		return nil
	})
}

func TestAIWKeys(t *testing.T) {
	tasktest.Variant(t, aiw.Task(), "the sexes exchanged", func(a *aiwItem, _ *rng.Rand) func(string) string {
		for i := range a.Groups {
			g := &a.Groups[i]
			g.Men, g.Women, g.Female, g.LinkF = g.Women, g.Men, !g.Female, g.Link != "" && !g.LinkF
		}
		a.Asked.Female, a.Asked.Women = a.Asked.Member != "" && !a.Asked.Female, !a.Asked.Women
		return nil
	})
	tasktest.Variant(t, aiw.Task(), "other names", func(a *aiwItem, r *rng.Rand) func(string) string {
		for i := range a.Groups {
			a.Groups[i].Name = rng.Pick(r, aiwMen)
		}
		return nil
	})
	tasktest.Variant(t, aiw.Task(), "the families of children in another order", func(a *aiwItem, _ *rng.Rand) func(string) string {
		if a.TaskType == "siblings" {
			slices.Reverse(a.Groups[1:])
			if a.Asked.Group > 0 {
				a.Asked.Group = len(a.Groups) - a.Asked.Group
			}
		}
		return nil
	})
	tasktest.Same(t, aiw.Task(), "the names are free", func(a *aiwItem) { a.Groups[0].Name = "Zoe" })
	tasktest.Other(t, aiw.Task(), "more women", func(a *aiwItem) {
		a.Groups[0].Women++
		a.Answer = strconv.Itoa(a.count())
	})
}

// Nobody has hundreds of sons, whatever the settings of friends are.
func TestAIWFamilies(t *testing.T) {
	tasktest.Every(t, aiw.Task(), 500, func(item aiwItem, prompt, _ string) error {
		for _, g := range item.Groups {
			if item.TaskType == "siblings" && max(g.Men, g.Women) > 12 {
				return fmt.Errorf("%s has %d and %d relatives of one kind", g.Name, g.Men, g.Women)
			}
		}
		if strings.Contains(prompt, "can count on") {
			return errors.New("the prompt says that somebody can count on people")
		}
		return nil
	})
}
