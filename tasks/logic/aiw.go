package logic

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// aiw asks how many brothers, sisters, friends or colleagues somebody has.
var aiw = task.Spec[aiwParams, aiwItem]{
	Name:     "aiw",
	Category: "logic",
	Doc: "Count the brothers or sisters, friends or colleagues of one person from a story about another of the same circle. " +
		"Harder levels have nephews and nieces, and people who link several circles.",
	Source: "The problem of M. Nezhurina and others, Alice in Wonderland (arXiv 2406.02061); the texts are our own, the settings are those of reasoning-gym and depth.",

	Version: 3,
	Default: aiwParams{aiwMen, aiwWomen, aiwTypes, []float64{1. / 3, 1. / 3, 1. / 3}, 6, 1},
	Levels: []aiwParams{
		{aiwMen, aiwWomen, aiwTypes, []float64{0.5, 0.5, 0}, 6, 1},
		{aiwMen, aiwWomen, aiwTypes, []float64{0.4, 0.3, 0.3}, 24, 3},
		{aiwMen, aiwWomen, aiwTypes, []float64{0.4, 0.3, 0.3}, 30, 4},
		{aiwMen, aiwWomen, aiwTypes, []float64{0.4, 0.3, 0.3}, 60, 5},
		{aiwMen, aiwWomen, aiwTypes, []float64{0.4, 0.3, 0.3}, 300, 8},
	},
	Few: []string{
		"There are few families of up to six.",
	},
	Make:  makeAIW,
	Match: task.MatchWhole,
}

var (
	aiwTypes = []string{"siblings", "friends", "colleagues"}
	aiwMen   = []string{"Adam", "Bruno", "Cyril", "Dennis", "Edwin", "Fred", "Gustav", "Harold", "Igor", "James", "Kevin", "Lukas", "Manuel", "Norman", "Oliver", "Patrick", "Quentin", "Robert", "Stefan", "Thomas"}
	aiwWomen = []string{"Alice", "Beatrix", "Cora", "Dora", "Emma", "Frieda", "Gloria", "Helen", "Ida", "Joan", "Kate", "Laura", "Martha", "Nora", "Olivia", "Paula", "Rachel", "Susan", "Teresa", "Violet"}
)

// aiwParams are the settings of one difficulty.
type aiwParams struct {
	MaleNames   []string  `json:"male_names"`
	FemaleNames []string  `json:"female_names"`
	TaskTypes   []string  `json:"task_types" want:"1 or more" oneof:"siblings friends colleagues"` // any of siblings, friends, colleagues
	TypeWeights []float64 `json:"task_type_weights" want:"task_types" each:"0 to 1e6"`             // of the task types
	MaxEntities int       `json:"max_entities" want:"1 to 1000000"`                                // limit of the people of one sex that a sentence counts; families have at most 12
	Depth       int       `json:"depth" want:"1 to 8"`                                             // circles of friends; one more of colleagues; or siblings with children, plus one
}

// Check refuses what no tag does.
func (p aiwParams) Check() error {
	named := append(slices.Clone(p.MaleNames), p.FemaleNames...)
	slices.Sort(named)
	sum := 0.
	for _, w := range p.TypeWeights {
		sum += w
	}
	switch {
	case len(p.MaleNames) < 2*p.Depth+3:
		return fmt.Errorf("male_names has %d names, want %d or more for depth %d", len(p.MaleNames), 2*p.Depth+3, p.Depth)
	case len(p.FemaleNames) < 2*p.Depth+3:
		return fmt.Errorf("female_names has %d names, want %d or more for depth %d", len(p.FemaleNames), 2*p.Depth+3, p.Depth)
	case named[0] == "" || len(slices.Compact(named)) < len(p.MaleNames)+len(p.FemaleNames):
		return errors.New("male_names or female_names has an empty or a repeated name")
	case sum == 0:
		return errors.New("task_type_weights are all 0")
	}
	return nil
}

// aiwItem is one story. Entries of reasoning-gym have only the kind and the answer.
type aiwItem struct {
	TaskType string     `json:"task_type"`
	Groups   []aiwGroup `json:"groups,omitempty"`
	Asked    aiwAsked   `json:"asked"`
	Answer   string     `json:"answer"`
	Phrasing int        `json:"phrasing,omitempty" want:"0 to 5"`
}

// An aiwGroup is a person and the people around them. For siblings, the first group has the
// brothers and sisters of one of them, and each other group the children of a brother or
// sister. Otherwise groups are circles. Each circle but the first has a link: somebody
// around both its person and the person of the circle before.
type aiwGroup struct {
	Name   string `json:"name"`
	Female bool   `json:"female"`
	Men    int    `json:"men" want:"0 to 1000000000"`
	Women  int    `json:"women" want:"0 to 1000000000"`
	Link   string `json:"link,omitempty"`
	LinkF  bool   `json:"link_female,omitempty"`
}

// An aiwAsked identifies the person in question: the person of a group, its link, or, if
// Member is not empty, another of the people around its person.
type aiwAsked struct {
	Group  int    `json:"group"`
	Link   bool   `json:"link,omitempty"`
	Member string `json:"member,omitempty"` // name of that other person
	Female bool   `json:"female,omitempty"` // sex of that other person
	Women  bool   `json:"women"`            // count women
}

// An aiwCast hands out names.
type aiwCast struct {
	r     *rng.Rand
	names [2][]string // men's and women's names
	free  [2][]int    // indexes of the unused names
}

// gather makes all names unused again.
func (c *aiwCast) gather() {
	for sex, names := range c.names {
		c.free[sex] = slices.Grow(c.free[sex][:0], len(names))
		for i := range names {
			c.free[sex] = append(c.free[sex], i)
		}
	}
}

// name returns an unused name.
func (c *aiwCast) name(female bool) string {
	free := &c.free[task.Bit(female)]
	i := c.r.Between(0, len(*free)-1)
	at := (*free)[i]
	(*free)[i] = (*free)[len(*free)-1]
	*free = (*free)[:len(*free)-1]
	return c.names[task.Bit(female)][at]
}

// makeAIW draws a kind of story and its people.
func makeAIW(p aiwParams, r *rng.Rand) (aiwItem, error) {
	sum := 0.
	for _, w := range p.TypeWeights {
		sum += w
	}
	at, kind := r.Float()*sum, 0
	for kind < len(p.TaskTypes)-1 && at >= p.TypeWeights[kind] {
		at -= p.TypeWeights[kind]
		kind++
	}
	cast := aiwCast{r: r, names: [2][]string{p.MaleNames, p.FemaleNames}}
	groups := make([]aiwGroup, 0, p.Depth+1)
	const tries = 50
	for try := 0; ; try++ {
		item := aiwItem{TaskType: p.TaskTypes[kind], Groups: groups, Phrasing: r.Between(0, len(aiwAsks)-1)}
		cast.gather()
		item.Asked.Women = r.Chance(0.5)
		if item.TaskType == "siblings" {
			item.family(p, &cast)
		} else {
			item.circles(p, &cast)
		}
		n := item.count()
		if item.shows(n) && try < tries && (p.Depth > 1 || r.Chance(0.7)) {
			continue
		}
		item.Answer = strconv.Itoa(n)
		return item, nil
	}
}

// shows reports whether the story states a number. Such a number is rarely the answer, so
// that copying does not pay.
func (a aiwItem) shows(n int) bool {
	return slices.ContainsFunc(a.Groups, func(g aiwGroup) bool { return g.Men == n || g.Women == n })
}

// largestFamily limits the brothers, sisters, sons or daughters that somebody has.
const largestFamily = 12

// family draws brothers and sisters, and children of some of them.
func (a *aiwItem) family(p aiwParams, cast *aiwCast) {
	r, most := cast.r, min(p.MaxEntities, largestFamily)
	female := r.Chance(0.5)
	first := aiwGroup{Name: cast.name(female), Female: female, Men: r.Between(0, most), Women: r.Between(0, most)}
	if first.Men+first.Women == 0 {
		first.Men = 1
	}
	free := [2]int{first.Men, first.Women}
	a.Groups = append(a.Groups, first)
	for i := 1; i < p.Depth && free[0]+free[1] > 0; i++ {
		f := task.Bit(r.Between(1, free[0]+free[1]) > free[0])
		free[f]--
		a.Groups = append(a.Groups, aiwGroup{Name: cast.name(f == 1), Female: f == 1, Men: r.Between(0, most), Women: r.Between(0, most)})
	}
	if len(a.Groups) > 1 {
		a.Asked.Group = r.Between(0, len(a.Groups)-1)
		return
	}
	a.Asked.Female = r.Between(1, first.Men+first.Women) > first.Men
	a.Asked.Member = cast.name(a.Asked.Female)
}

// circles draws circles of people who all know each other.
func (a *aiwItem) circles(p aiwParams, cast *aiwCast) {
	r, n := cast.r, p.Depth+task.Bit(a.TaskType == "colleagues")
	for i := range n {
		female := r.Chance(0.5)
		g := aiwGroup{Name: cast.name(female), Female: female, Men: r.Between(1, max(3, p.MaxEntities)), Women: r.Between(1, max(3, p.MaxEntities))}
		if i > 0 {
			g.LinkF = r.Chance(0.5)
			g.Link = cast.name(g.LinkF)
		}
		a.Groups = append(a.Groups, g)
	}
	a.Asked.Group = r.Between(0, n-1)
	g := &a.Groups[a.Asked.Group]
	a.Asked.Link = g.Link != "" && r.Chance(0.7)
	if !a.Asked.Link && (n == 1 || r.Chance(0.5)) {
		a.Asked.Female = r.Chance(0.5)
		a.Asked.Member = cast.name(a.Asked.Female)
	}
	for i := range a.Groups {
		a.Groups[i].Men = max(a.Groups[i].Men, a.around(i, false))
		a.Groups[i].Women = max(a.Groups[i].Women, a.around(i, true))
	}
}

// around counts the named people around the person of group i.
func (a *aiwItem) around(i int, female bool) (n int) {
	if g := a.Groups[i]; g.Link != "" && g.LinkF == female {
		n++
	}
	if i+1 < len(a.Groups) && a.Groups[i+1].LinkF == female {
		n++
	}
	return n + task.Bit(a.Asked.Group == i && a.Asked.Member != "" && a.Asked.Female == female)
}

// total counts the people of a sex in a group with its person.
func (g aiwGroup) total(female bool) int {
	if female {
		return g.Women + task.Bit(g.Female)
	}
	return g.Men + task.Bit(!g.Female)
}

// asksWoman reports whether the person in question is a woman.
func (a aiwItem) asksWoman() bool {
	switch g := a.Groups[a.Asked.Group]; {
	case a.Asked.Link:
		return g.LinkF
	case a.Asked.Member != "":
		return a.Asked.Female
	default:
		return g.Female
	}
}

// count returns the answer.
func (a aiwItem) count() (n int) {
	asked, who := a.Groups[a.Asked.Group], a.asksWoman()
	switch {
	case a.TaskType == "siblings" && len(a.Groups) > 1:
		for i, g := range a.Groups[1:] {
			if i+1 != a.Asked.Group {
				n += g.total(a.Asked.Women) - task.Bit(g.Female == a.Asked.Women)
			}
		}
		return n
	case a.Asked.Link:
		n = a.Groups[a.Asked.Group-1].total(a.Asked.Women) - task.Bit(who == a.Asked.Women)
	}
	return n + asked.total(a.Asked.Women) - task.Bit(who == a.Asked.Women)
}

// Check refuses a record with a wrong answer.
func (a aiwItem) Check() error {
	if n, err := strconv.Atoi(a.Answer); err != nil || n < 0 {
		return fmt.Errorf("answer is %.20q, want a whole number", a.Answer)
	}
	if len(a.Groups) == 0 {
		return nil // from reasoning-gym
	}
	if !slices.Contains(aiwTypes, a.TaskType) || a.Asked.Group < 0 || a.Asked.Group >= min(len(a.Groups), 20) || a.Asked.Link && a.Asked.Group == 0 {
		return errors.New("task_type or asked does not fit the groups")
	}
	return task.Want("answer", a.Answer, strconv.Itoa(a.count()))
}

func (a aiwItem) Solve() string { return a.Answer }

// Canonical implements [task.Canonicalizer]. The names do not matter, nor which sex is which, nor
// the order of the children's families.
func (a aiwItem) Canonical() string {
	if len(a.Groups) == 0 {
		return ""
	}
	return min(a.canonical(false), a.canonical(true))
}

// canonical writes the question without names, with the sexes exchanged if turned is set.
func (a aiwItem) canonical(turned bool) string {
	siblings := a.TaskType == "siblings"
	groups := make([]string, len(a.Groups))
	for i, g := range a.Groups {
		if turned {
			g.Men, g.Women = g.Women, g.Men
		}
		linked := g.Link != "" && g.LinkF != turned
		groups[i] = fmt.Sprint(g.Female != turned, g.Men, g.Women, linked, i == a.Asked.Group)
	}
	if siblings {
		slices.Sort(groups[1:])
	}
	member := a.Asked.Member != ""
	return fmt.Sprint(siblings, a.Asked.Link, member, member && a.Asked.Female != turned, a.Asked.Women != turned, groups)
}
