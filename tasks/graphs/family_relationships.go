package graphs

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
)

// familyRelationships asks how one member of a family is related to another.
var familyRelationships = task.Spec[familyParams, familyItem]{
	Name:     "family_relationships",
	Category: "graphs",
	Doc: "Tell how one member of a family is related to another, from marriages and births. " +
		"Every relationship in a question has exactly one word, and all are about equally frequent.",
	Source:  "Kinship problems, as those of G. Hinton (1986); the text is our own, the settings are those of reasoning-gym.",
	Version: 4,
	Default: familyParams{4, 8, familyMen, familyWomen},
	Levels: []familyParams{
		{4, 5, familyMen, familyWomen},
		{6, 8, familyMen, familyWomen},
		{8, 11, familyMen, familyWomen},
		{14, 18, familyMen, familyWomen},
		{26, 34, familyMen, familyWomen},
		{50, 60, familyMen, familyWomen},
	},
	Few: []string{
		"A family of four or five has few forms, if names do not matter.",
		"A family of six to eight has few forms, if names do not matter.",
	},
	Make: makeFamily,
}

var (
	familyMen = []string{
		"Aaron", "Adrian", "Albert", "Anthony", "Arthur", "Bernard", "Carl", "Charles", "Colin", "Daniel", "Edgar", "Ethan", "Felix", "Frank", "George",
		"Gordon", "Henry", "Hugo", "Isaac", "Jacob", "John", "Julian", "Karl", "Leon", "Lewis", "Marcus", "Martin", "Max", "Nathan", "Neil",
		"Oscar", "Oswald", "Paul", "Peter", "Ralph", "Richard", "Rupert", "Samuel", "Simon", "Stephen", "Theodore", "Victor", "Walter", "William", "Xavier",
	}
	familyWomen = []string{
		"Abigail", "Agnes", "Amelia", "Anna", "Audrey", "Barbara", "Bella", "Catherine", "Clara", "Diana", "Edith", "Eleanor", "Emily", "Eva", "Florence",
		"Frances", "Grace", "Hannah", "Harriet", "Ida", "Irene", "Jane", "Josephine", "Julia", "Kate", "Leah", "Linda", "Lucy", "Margaret", "Martha",
		"Mary", "Miriam", "Nina", "Olive", "Pauline", "Rebecca", "Rose", "Ruth", "Sarah", "Sophia", "Susan", "Teresa", "Ursula", "Vera", "Zoe",
	}
)

// familyParams are the settings of one difficulty.
type familyParams struct {
	MinSize     int      `json:"min_family_size" want:"3 to 200"`
	MaxSize     int      `json:"max_family_size" want:"min_family_size to 200"`
	MaleNames   []string `json:"male_names" want:"2 or more"`
	FemaleNames []string `json:"female_names" want:"2 or more"`
}

// Check refuses what no tag does.
func (p familyParams) Check() error {
	names := slices.Concat(p.MaleNames, p.FemaleNames)
	slices.Sort(names)
	switch {
	case len(p.MaleNames) < p.MaxSize*2/3:
		return fmt.Errorf("male_names has %d names, want two for every three of max_family_size (%d)", len(p.MaleNames), p.MaxSize)
	case len(p.FemaleNames) < p.MaxSize*2/3:
		return fmt.Errorf("female_names has %d names, want two for every three of max_family_size (%d)", len(p.FemaleNames), p.MaxSize)
	case names[0] == "" || len(slices.Compact(slices.Clone(names))) < len(names):
		return errors.New("male_names or female_names has an empty or a repeated name")
	}
	return nil
}

// familyItem is one family. Entries of reasoning-gym lack its members.
type familyItem struct {
	Person1      string     `json:"person1"` // the one who is Person2's Relationship
	Person2      string     `json:"person2"`
	Relationship string     `json:"relationship" want:"1 or more"`
	FamilySize   int        `json:"family_size"`
	Members      []relative `json:"members,omitempty" want:"at most 1000"`
	Phrasing     int        `json:"phrasing,omitempty" want:"0 to 5"`
}

// A relative is a member of a family. It refers to others by their index, counted from 1; 0
// is nobody.
type relative struct {
	Name   string `json:"name"`
	Female bool   `json:"female"`
	Spouse int    `json:"spouse"`
	Father int    `json:"father"`
	Mother int    `json:"mother"`
}

// makeFamily grows a family from a couple, and asks about a relationship in it.
func makeFamily(p familyParams, r *rng.Rand) (familyItem, error) {
	size := r.Between(p.MinSize, p.MaxSize)
	f := growth{r: r, most: [2]int{len(p.MaleNames), len(p.FemaleNames)}, members: make(family, 0, size+2)}
	f.marry(f.add(false))
	for len(f.members) < size {
		f.grow(size - len(f.members))
	}
	names, order := [2][]string{p.MaleNames, p.FemaleNames}, [2][]int{shuffled(r, len(p.MaleNames)), shuffled(r, len(p.FemaleNames))}
	for i := range f.members {
		sex := task.Bit(f.members[i].Female)
		f.members[i].Name, order[sex] = names[sex][order[sex][0]], order[sex][1:]
	}
	item := familyItem{FamilySize: len(f.members), Members: f.members, Phrasing: r.Between(0, len(familyPhrasings)-1)}
	item.ask(r)
	return item, nil
}

// shuffled returns the numbers below n in random order.
func shuffled(r *rng.Rand, n int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	rng.Shuffle(r, order)
	return order
}

// ask draws a relationship in the family, and two people related by it.
func (f *familyItem) ask(r *rng.Rand) {
	n := len(f.Members)
	var count [kinEnd]int
	all := make([]kinship, n*n) // each person's kinship to each other
	for a := range n {
		for b := range a {
			kin := family(f.Members).kin(a+1, b+1)
			all[a*n+b], all[b*n+a] = kin, kinReverse[kin]
			count[kin]++
			count[kinReverse[kin]]++
		}
	}
	found := make([]kinship, 0, kinEnd)
	for kin := kinSpouse; kin < kinEnd; kin++ {
		if count[kin] > 0 {
			found = append(found, kin)
		}
	}
	kin := rng.Pick(r, found)
	at, skip := 0, r.Between(0, count[kin]-1)
	for ; all[at] != kin || skip > 0; at++ {
		if all[at] == kin {
			skip--
		}
	}
	one := f.Members[at/n]
	f.Person1, f.Person2, f.Relationship = one.Name, f.Members[at%n].Name, kinWords[kin][task.Bit(one.Female)]
}

// A growth is a growing family.
type growth struct {
	r       *rng.Rand
	most    [2]int // number of male and female names
	members family
}

// add adds a person and returns the index.
func (g *growth) add(female bool) int {
	g.members = append(g.members, relative{Female: female})
	g.most[task.Bit(female)]--
	return len(g.members)
}

// marry adds a spouse.
func (g *growth) marry(at int) int {
	spouse := g.add(!g.members[at-1].Female)
	g.members[spouse-1].Spouse, g.members[at-1].Spouse = at, spouse
	return spouse
}

// born adds a child of a couple.
func (g *growth) born(father, mother int) {
	female := g.r.Chance(0.5)
	if g.most[0] <= 0 || g.most[1] <= 0 {
		female = g.most[0] <= 0
	}
	child := g.add(female)
	g.members[child-1].Father, g.members[child-1].Mother = father, mother
}

// grow adds a child, a spouse, or parents of somebody who married into the family, up to
// room people.
func (g *growth) grow(room int) {
	at := g.r.Between(1, len(g.members))
	m := g.members[at-1]
	if m.Spouse == 0 {
		if g.r.Chance(0.6) && g.most[task.Bit(!m.Female)] > 0 {
			g.marry(at)
		}
		return
	}
	switch {
	case m.Father == 0 && room >= 2 && g.most[0] > 0 && g.most[1] > 0 && g.r.Chance(0.25) && len(g.members) > 2:
		father := g.add(false)
		mother := g.marry(father)
		g.members[at-1].Father, g.members[at-1].Mother = father, mother
	case g.children(at) < 4:
		father, mother := at, m.Spouse
		if m.Female {
			father, mother = mother, father
		}
		g.born(father, mother)
	}
}

// children counts somebody's children.
func (g *growth) children(at int) (n int) {
	for _, m := range g.members {
		if m.Father == at || m.Mother == at {
			n++
		}
	}
	return n
}

// A family lists its members, counted from 1.
type family []relative

// A kinship is somebody's relationship to somebody else; 0 means none that is asked about.
type kinship uint8

// The kinships, named by the words for men and women.
const (
	kinNone kinship = iota
	kinSpouse
	kinParent
	kinChild
	kinSibling
	kinGrandparent
	kinGrandchild
	kinGreatGrandparent
	kinGreatGrandchild
	kinUncle
	kinNephew
	kinCousin
	kinParentInLaw
	kinChildInLaw
	kinSiblingInLaw
	kinEnd
)

// kinWords are the words for a man and for a woman.
var kinWords = [kinEnd][2]string{
	{}, {"husband", "wife"}, {"father", "mother"}, {"son", "daughter"}, {"brother", "sister"},
	{"grandfather", "grandmother"}, {"grandson", "granddaughter"}, {"great-grandfather", "great-grandmother"}, {"great-grandson", "great-granddaughter"},
	{"uncle", "aunt"}, {"nephew", "niece"}, {"cousin", "cousin"},
	{"father-in-law", "mother-in-law"}, {"son-in-law", "daughter-in-law"}, {"brother-in-law", "sister-in-law"},
}

// kinReverse maps the first person's kinship to the second's.
var kinReverse = [kinEnd]kinship{
	kinSpouse: kinSpouse, kinParent: kinChild, kinChild: kinParent, kinSibling: kinSibling,
	kinGrandparent: kinGrandchild, kinGrandchild: kinGrandparent, kinGreatGrandparent: kinGreatGrandchild, kinGreatGrandchild: kinGreatGrandparent,
	kinUncle: kinNephew, kinNephew: kinUncle, kinCousin: kinCousin,
	kinParentInLaw: kinChildInLaw, kinChildInLaw: kinParentInLaw, kinSiblingInLaw: kinSiblingInLaw,
}

// parents returns the indexes of somebody's parents; 0 if they are unknown.
func (f family) parents(at int) [2]int {
	if at == 0 {
		return [2]int{}
	}
	return [2]int{f[at-1].Father, f[at-1].Mother}
}

// spouse returns the index of the spouse.
func (f family) spouse(at int) int {
	if at == 0 {
		return 0
	}
	return f[at-1].Spouse
}

// above reports whether a is an ancestor of b, the given number of generations up.
func (f family) above(a, b, generations int) bool {
	if generations == 0 {
		return a == b && a != 0
	}
	p := f.parents(b)
	return p[0] != 0 && (f.above(a, p[0], generations-1) || f.above(a, p[1], generations-1))
}

// siblings reports whether a and b have the same parents.
func (f family) siblings(a, b int) bool {
	return a != b && a != 0 && b != 0 && f.parents(a)[0] != 0 && f.parents(a) == f.parents(b)
}

// uncle reports whether a is a brother or sister of a parent of b.
func (f family) uncle(a, b int) bool {
	p := f.parents(b)
	return f.siblings(a, p[0]) || f.siblings(a, p[1])
}

// kin returns a's relationship to b. Uncles and aunts by marriage, and spouses of a
// spouse's brothers and sisters, count as none, because not everybody calls them so.
func (f family) kin(a, b int) kinship {
	spouse := f.spouse(b)
	switch parents := f.parents(b); {
	case a == b:
		return kinNone
	case spouse == a:
		return kinSpouse
	case f.above(a, b, 1):
		return kinParent
	case f.above(b, a, 1):
		return kinChild
	case f.siblings(a, b):
		return kinSibling
	case f.above(a, b, 2):
		return kinGrandparent
	case f.above(b, a, 2):
		return kinGrandchild
	case f.above(a, b, 3):
		return kinGreatGrandparent
	case f.above(b, a, 3):
		return kinGreatGrandchild
	case f.uncle(a, b):
		return kinUncle
	case f.uncle(b, a):
		return kinNephew
	case f.uncle(parents[0], a) || f.uncle(parents[1], a):
		return kinCousin
	case spouse != 0 && f.above(a, spouse, 1):
		return kinParentInLaw
	case f.above(b, f.spouse(a), 1):
		return kinChildInLaw
	case f.siblings(a, spouse), f.siblings(f.spouse(a), b):
		return kinSiblingInLaw
	}
	return kinNone
}

// Check refuses a record with a wrong relationship.
func (f familyItem) Check() error {
	if len(f.Members) == 0 {
		return nil // from reasoning-gym
	}
	one, two := 0, 0
	for i, m := range f.Members {
		if max(m.Spouse, m.Father, m.Mother) > len(f.Members) || min(m.Spouse, m.Father, m.Mother) < 0 || (m.Father == 0) != (m.Mother == 0) {
			return fmt.Errorf("members has %.20q with relatives who do not exist", m.Name)
		}
		if m.Name == f.Person1 {
			one = i + 1
		}
		if m.Name == f.Person2 {
			two = i + 1
		}
	}
	if one == 0 || two == 0 {
		return errors.New("person1 or person2 is not among the members")
	}
	if want := kinWords[family(f.Members).kin(one, two)][task.Bit(f.Members[one-1].Female)]; want != f.Relationship {
		return fmt.Errorf("relationship is %.20q, want %.20q", f.Relationship, want)
	}
	return nil
}

func (f familyItem) Solve() string { return f.Relationship }

// Score implements [task.Scorer]. Hyphens are optional.
func (f familyItem) Score(text string) quintain.Verdict {
	switch {
	case text == f.Relationship:
		return quintain.Right()
	case len(text) > 200:
		return quintain.Wrong("the answer is too long")
	}
	plain := strings.NewReplacer("-", " ", "\u2010", " ", "\u2011", " ")
	return task.MatchWords(plain.Replace(strings.ToLower(text)), plain.Replace(f.Relationship))
}
