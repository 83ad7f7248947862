package logic

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestSyllogismScore(t *testing.T) {
	barbara := syllogismArgument{Premise1: "All bakers are poets", Premise2: "All poets are singers", Conclusion: "All bakers are singers"}
	undistributed := syllogismArgument{Premise1: "All bakers are poets", Premise2: "All singers are poets", Conclusion: "Some bakers are singers", IsValid: true}
	tasktest.Nears(t, syllogism.Scorer(syllogismItem{syllogismArgument: barbara}), []tasktest.Near{
		{"Yes", 1, ""}, {"yes.", 1, "case and a full stop"},
		{"No", 0, ""}, {"Yes or No", 0, "no choice"}, {"Yes, it does", 0, "the question asks for Yes or No"}, {"True", 0, ""}, {"", 0, "nothing"},
	})
	tasktest.Nears(t, syllogism.Scorer(syllogismItem{syllogismArgument: undistributed}), []tasktest.Near{
		{"No", 1, "the middle term is not distributed, and reasoning-gym's label is wrong"}, {"Yes", 0, ""},
	})
	tasktest.Nears(t, syllogism.Scorer(syllogismItem{syllogismArgument: barbara, More: []syllogismArgument{undistributed, barbara}}), []tasktest.Near{
		{"Yes, No, Yes", 1, ""}, {"yes no\nyes", 1, "other separators"}, {"Yes, No, No", 0, "two of three"}, {"Yes, No", 0, "one left out"}, {"Yes, No, Yes, No", 0, "one too many"},
	})
	for _, test := range []struct {
		premise1, premise2, conclusion string
		follows                        bool
		why                            string
	}{
		{"All a are b", "All b are c", "Some c are a", true, "no group is empty"},
		{"No a are b", "Some b are c", "Some c are not a", true, ""},
		{"No a are b", "Some b are c", "Some a are not c", false, ""},
		{"All a are b", "Some b are c", "Some a are c", false, ""},
		{"All a are b", "All a are c", "Some b are c", true, "with an a that exists"},
		{"No a are b", "All c are d", "No b are a", true, "two groups each are read as far as needed"},
	} {
		a := syllogismArgument{Premise1: test.premise1, Premise2: test.premise2, Conclusion: test.conclusion, IsValid: test.follows}
		if a.follows() != test.follows {
			t.Errorf("%s, %s: %s, want %t (%s)", test.premise1, test.premise2, test.conclusion, test.follows, test.why)
		}
	}
}

func TestSyllogismParams(t *testing.T) {
	tasktest.Refused(t, syllogism.Task(), map[string]string{
		`{"allow_all":false,"allow_no":false,"allow_some":false,"allow_some_not":false}`: "allow_all",
		`{"allow_all":false,"allow_no":false,"allow_some":false}`:                        "allow_some_not",
		`{"invalid_ratio":1.5}`: "invalid_ratio", `{"inversion_probability":-1}`: "inversion_probability", `{"num_arguments":0}`: "num_arguments",
	})
	tasktest.RefusedRecords(t, syllogism.Task(), []string{
		`{"premise1":"","premise2":"b","conclusion":"c"}`,
		`{"premise1":"a","premise2":"b","conclusion":"c","more":[{}]}`,
		`{"premise1":"a","premise2":"b","conclusion":"c","phrasing":6}`,
	})
}

var syllogismRE = regexp.MustCompile(`(?:[Aa]ll|[Nn]o|[Ss]ome) [a-z]+ are (?:not )?[a-z]+`)

// populations yields the group memberships of up to four people in three groups, with no
// group empty.
func populations(yield func(people []int)) {
	for code := range 8 * 8 * 8 * 8 {
		people := []int{code & 7, code >> 3 & 7, code >> 6 & 7, code >> 9 & 7}
		if people[0]|people[1]|people[2]|people[3] == 7 {
			yield(people)
		}
	}
}

// said evaluates a sentence, word by word in lower case, among people; place gives the bits
// of the groups.
func said(words []string, people []int, place func(string) int) bool {
	subject, predicate := place(words[1]), place(words[len(words)-1])
	in, out := 0, 0
	for _, p := range people {
		if p>>subject&1 == 1 {
			in += p >> predicate & 1
			out += 1 - p>>predicate&1
		}
	}
	switch {
	case words[0] == "all":
		return out == 0
	case words[0] == "no":
		return in == 0
	case words[3] == "not":
		return out > 0
	}
	return in > 0
}

// The second solver reads the prompt and looks for four people who make the premises true
// and the conclusion false. Four suffice: each existential statement, and each group
// without one, needs one person.
func TestSyllogismSecond(t *testing.T) {
	valid, n := 0, 0
	tasktest.Every(t, syllogism.Task(), tasktest.Count(1000, 150), func(item syllogismItem, prompt, got string) error {
		sentences := syllogismRE.FindAllString(prompt, -1)
		want := strings.Split(got, ", ")
		if len(sentences) != 3*len(want) {
			return fmt.Errorf("%d sentences for %d answers", len(sentences), len(want))
		}
		for i, answer := range want[:min(len(want), 3)] {
			groups := map[string]int{}
			place := func(word string) int {
				if _, known := groups[word]; !known {
					groups[word] = len(groups)
				}
				return groups[word]
			}
			var words [3][]string
			for k := range words {
				words[k] = strings.Fields(strings.ToLower(sentences[3*i+k]))
			}
			follows, possible := true, false
			populations(func(people []int) {
				if said(words[0], people, place) && said(words[1], people, place) {
					possible = true
					follows = follows && said(words[2], people, place)
				}
			})
			if !possible || follows != (answer == "Yes") || len(groups) != 3 || item.arguments()[i].IsValid != follows {
				return fmt.Errorf("%q: possible %t, follows %t, answer %s", sentences[3*i:3*i+3], possible, follows, answer)
			}
			n++
			if follows {
				valid++
			}
		}
		return nil
	})
	if tasktest.Heavy && (valid < n*45/100 || valid > n*55/100) {
		t.Errorf("%d of %d arguments hold", valid, n)
	}
}

// Every set of forms except the refused one gives both outcomes.
func TestSyllogismForms(t *testing.T) {
	for forms := 1; forms < 1<<4; forms++ {
		if forms == 1<<someNot {
			continue
		}
		is := func(form uint8) bool { return forms>>form&1 == 1 }
		own := tasktest.With(t, syllogism.Task(), fmt.Sprintf(`{"allow_all":%t,"allow_no":%t,"allow_some":%t,"allow_some_not":%t,"invalid_ratio":0.5}`, is(all), is(no), is(some), is(someNot)))
		found := map[bool]int{}
		for i := range 50 {
			p, err := own.Problem(quintain.Draw{Index: i})
			if err != nil {
				t.Fatal(err)
			}
			item, _ := p.Instance.Value().(syllogismItem)
			if item.follows() != item.IsValid {
				t.Fatalf("%+v is labelled wrong", item)
			}
			found[item.IsValid]++
		}
		if found[true] == 0 || found[false] == 0 {
			t.Errorf("forms %04b give %v", forms, found)
		}
	}
}

func TestSyllogismKeys(t *testing.T) {
	of := syllogism.Task()
	tasktest.Variant(t, of, "other groups", func(s *syllogismItem, r *rng.Rand) func(string) string {
		other := map[string]string{}
		for i, word := range rng.Sample(r, syllogismWords, len(syllogismWords)) {
			other[syllogismWords[i]] = word
		}
		s.syllogismArgument = s.renamed(other)
		for i, a := range s.More {
			s.More[i] = a.renamed(other)
		}
		return nil
	})
	tasktest.Variant(t, of, "the premises exchanged", func(s *syllogismItem, _ *rng.Rand) func(string) string {
		s.Premise1, s.Premise2 = s.Premise2, s.Premise1
		return nil
	})
	tasktest.Variant(t, of, "the sides of No and Some exchanged", func(s *syllogismItem, _ *rng.Rand) func(string) string {
		s.Premise1 = regexp.MustCompile(`^(No|Some) (\w+) are (\w+)$`).ReplaceAllString(s.Premise1, "$1 $3 are $2")
		return nil
	})
	tasktest.Variant(t, of, "the arguments in another order", func(s *syllogismItem, _ *rng.Rand) func(string) string {
		all := s.arguments()
		slices.Reverse(all)
		s.syllogismArgument, s.More = all[0], all[1:]
		return func(answer string) string {
			words := strings.Split(answer, ", ")
			slices.Reverse(words)
			return strings.Join(words, ", ")
		}
	})
	tasktest.Translated(t, of, func(solution string, from, to syllogismItem) string {
		words, answers := strings.Split(solution, ", "), map[string]string{}
		for i, a := range from.arguments() {
			answers[a.canonical()] = words[i]
		}
		for i, a := range to.arguments() {
			words[i] = answers[a.canonical()]
		}
		return strings.Join(words, ", ")
	})
	tasktest.Other(t, of, "a weaker conclusion", func(s *syllogismItem) {
		s.Conclusion = strings.Replace(s.Conclusion, "All", "Some", 1)
	})
}

// renamed returns the argument about other groups.
func (s syllogismArgument) renamed(other map[string]string) syllogismArgument {
	for _, text := range []*string{&s.Premise1, &s.Premise2, &s.Conclusion} {
		*text = regexp.MustCompile(`\w+`).ReplaceAllStringFunc(*text, func(word string) string { return cmp.Or(other[word], word) })
	}
	return s
}
