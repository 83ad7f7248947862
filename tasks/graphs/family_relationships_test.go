package graphs

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestFamilyScore(t *testing.T) {
	tasktest.Nears(t, familyItem{Relationship: "mother-in-law"}.Score, []tasktest.Near{
		{"mother-in-law", 1, ""}, {"Mother in law.", 1, "without hyphens"}, {"daughter-in-law", 0, "the other way round"}, {"mother", 0, ""}, {"father-in-law", 0, ""}, {"mother-in-law or aunt", 0, "no choice"}, {"", 0, "nothing"},
	})
	tasktest.Nears(t, familyItem{Relationship: "great-grandson"}.Score, []tasktest.Near{{"great-grandson", 1, ""}, {"great grandson", 1, ""}, {"grandson", 0, "a generation short"}})
}

func TestFamilyParams(t *testing.T) {
	tasktest.Refused(t, familyRelationships.Task(), map[string]string{
		`{"min_family_size":2}`: "min_family_size", `{"max_family_size":3}`: "max_family_size", `{"max_family_size":201}`: "max_family_size",
		`{"male_names":["A"]}`: "male_names", `{"female_names":[]}`: "female_names", `{"male_names":["A","B","C","D","E","Abigail"]}`: "male_names",
	})
	const couple = `"members":[{"name":"A","female":false,"spouse":2,"father":0,"mother":0},{"name":"B","female":true,"spouse":1,"father":0,"mother":0}]`
	tasktest.RefusedRecords(t, familyRelationships.Task(), []string{
		`{}`,
		`{"person1":"A","person2":"B","relationship":"wife",` + couple + `}`,
		`{"person1":"A","person2":"C","relationship":"husband",` + couple + `}`,
		`{"person1":"A","person2":"B","relationship":"husband","phrasing":6,` + couple + `}`,
		`{"person1":"A","person2":"A","relationship":"husband","members":[{"name":"A","female":false,"spouse":2,"father":0,"mother":0}]}`,
	})
}

// A clan is a family as read from a text: the women, the spouses and the children.
type clan struct {
	woman           map[string]bool
	spouse          map[string]string
	parents, childs map[string][]string
}

var (
	familyCoupleRE = regexp.MustCompile(`(?m)^(?:- |\* husband |)(\w+)(?:(?: is| , |,)? (?:married to|and|wife|\+) | \+ |, wife )(\w+)(.*)$`)
	familyWifeRE   = regexp.MustCompile(`(\w+)'s husband is (\w+)\.((?: The couple has [^.]*\.)?)`)
	familyChildRE  = regexp.MustCompile(`a (son|daughter), (\w+)`)
	familyAskREs   = []*regexp.Regexp{
		regexp.MustCompile(`Complete: (\w+) is (\w+)'s …`), regexp.MustCompile(`sentence: (\w+) is the … of (\w+)\.`), regexp.MustCompile(`()(\w+) calls (\w+) "my …"`),
		regexp.MustCompile(`()(\w+) points at a picture of (\w+)`), regexp.MustCompile(`()asks (\w+) who (\w+) is`), regexp.MustCompile(`()(\w+) wants to introduce (\w+) with`),
	}
)

// readClan reads a prompt.
func readClan(prompt string) clan {
	c := clan{map[string]bool{}, map[string]string{}, map[string][]string{}, map[string][]string{}}
	couple := func(husband, wife, rest string) {
		c.spouse[husband], c.spouse[wife], c.woman[wife] = wife, husband, true
		for _, m := range familyChildRE.FindAllStringSubmatch(rest, -1) {
			c.woman[m[2]] = m[1] == "daughter"
			c.parents[m[2]] = []string{husband, wife}
			c.childs[husband], c.childs[wife] = append(c.childs[husband], m[2]), append(c.childs[wife], m[2])
		}
	}
	wives := familyWifeRE.FindAllStringSubmatch(prompt, -1)
	for _, m := range wives {
		couple(m[2], m[1], m[3])
	}
	if len(wives) == 0 {
		for _, m := range familyCoupleRE.FindAllStringSubmatch(prompt, -1) {
			couple(m[1], m[2], m[3])
		}
	}
	return c
}

// each follows a step from several people.
func each(people []string, step func(string) []string) (all []string) {
	for _, p := range people {
		all = append(all, step(p)...)
	}
	return all
}

// known returns the relatives of somebody, by the words for both sexes.
func (c clan) known(of string) map[string][]string {
	parents := func(p string) []string { return c.parents[p] }
	childs := func(p string) []string { return c.childs[p] }
	married := func(p string) []string {
		if c.spouse[p] == "" {
			return nil
		}
		return []string{c.spouse[p]}
	}
	siblings := func(p string) []string {
		return slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(each(parents(p), childs)))), func(s string) bool { return s == p })
	}
	up, down := each(parents(of), parents), each(childs(of), childs)
	uncles := each(parents(of), siblings)
	return map[string][]string{
		"husband wife": married(of), "father mother": parents(of), "son daughter": childs(of), "brother sister": siblings(of),
		"grandfather grandmother": up, "grandson granddaughter": down, "great-grandfather great-grandmother": each(up, parents), "great-grandson great-granddaughter": each(down, childs),
		"uncle aunt": uncles, "nephew niece": each(siblings(of), childs), "cousin cousin": each(uncles, childs),
		"father-in-law mother-in-law": each(married(of), parents), "son-in-law daughter-in-law": each(childs(of), married),
		"brother-in-law sister-in-law": append(each(married(of), siblings), each(siblings(of), married)...),
	}
}

// The second solver reads the prompt, and looks through all relatives of the second person.
func TestFamilySecond(t *testing.T) {
	found := map[string]int{}
	tasktest.Every(t, familyRelationships.Task(), tasktest.Count(1200, 200), func(item familyItem, prompt, got string) error {
		c := readClan(prompt)
		one, two := "", ""
		for _, re := range familyAskREs {
			if m := re.FindStringSubmatch(prompt); len(m) == 4 {
				one, two = m[3], m[2]
			} else if m != nil {
				one, two = m[1], m[2]
			}
		}
		var words []string
		for pair, people := range c.known(two) {
			if slices.Contains(people, one) {
				man, woman, _ := strings.Cut(pair, " ")
				words = append(words, map[bool]string{false: man, true: woman}[c.woman[one]])
			}
		}
		if !slices.Equal(words, []string{got}) {
			return fmt.Errorf("%s is %q to %s, want %s", one, words, two, got)
		}
		for _, m := range item.Members {
			if m.Female != c.woman[m.Name] {
				return fmt.Errorf("%s is described as a woman: %t", m.Name, c.woman[m.Name])
			}
		}
		found[got]++
		return nil
	})
	if tasktest.Heavy && len(found) < 26 {
		t.Errorf("there are only these relationships: %v", found)
	}
}

func TestFamilyKeys(t *testing.T) {
	tasktest.Variant(t, familyRelationships.Task(), "other names, told of in another order", func(f *familyItem, r *rng.Rand) func(string) string {
		n := len(f.Members)
		order := shuffled(r, n) // order[i] is the place of member i
		moved := make([]relative, n)
		place := func(at int) int {
			if at == 0 {
				return 0
			}
			return order[at-1] + 1
		}
		for i, m := range f.Members {
			name := "N" + strconv.Itoa(order[i])
			switch m.Name {
			case f.Person1:
				f.Person1 = name
			case f.Person2:
				f.Person2 = name
			}
			moved[order[i]] = relative{name, m.Female, place(m.Spouse), place(m.Father), place(m.Mother)}
		}
		f.Members = moved
		return nil
	})
	tasktest.Variant(t, familyRelationships.Task(), "men as women and women as men", func(f *familyItem, _ *rng.Rand) func(string) string {
		for i, m := range f.Members {
			f.Members[i].Female, f.Members[i].Father, f.Members[i].Mother = !m.Female, m.Mother, m.Father
		}
		for _, words := range kinWords {
			if i := slices.Index(words[:], f.Relationship); i >= 0 {
				f.Relationship = words[1-i]
				break
			}
		}
		return func(string) string { return f.Relationship }
	})
	tasktest.Variant(t, familyRelationships.Task(), "the other way round", func(f *familyItem, _ *rng.Rand) func(string) string {
		f.Person1, f.Person2 = f.Person2, f.Person1
		first := slices.IndexFunc(f.Members, func(m relative) bool { return m.Name == f.Person1 })
		for kin, words := range kinWords {
			if slices.Contains(words[:], f.Relationship) {
				f.Relationship = kinWords[kinReverse[kin]][task.Bit(f.Members[first].Female)]
				break
			}
		}
		return func(string) string { return f.Relationship }
	})
}
