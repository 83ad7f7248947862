package logic

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task/rng"
	"github.com/quintain-rl/quintain/task/tasktest"
)

func TestZebraScore(t *testing.T) {
	item := zebraItem{Answer: "Amara"}
	tasktest.Nears(t, zebraPuzzles.Scorer(item), []tasktest.Near{
		{"Amara", 1, ""},
		{" amara.\n", 1, "case, space and a full stop"},
		{"Amara or Boris", 0, "no choice"},
		{"Boris", 0, "another name"},
		{"Amar", 0, "a part of the name"},
		{"It is Amara", 0, "the name alone was asked for"},
	})
}

func TestZebraCheck(t *testing.T) {
	const rest = `"traits":[{"kind":"name","values":["Ada","Bob"]},{"kind":"pet","values":["cat","dog"]}],"houses":[[0,1],[1,0]],"asked":[1,0],`
	tasktest.RefusedRecords(t, zebraPuzzles.Task(), []string{
		`{}`,
		`{"answer":"Bob","phrasing":6}`,
		`{` + rest + `"clues":[{"kind":"same","a":[0,0],"b":[1,0]}],"answer":"Bob"}`,
		`{` + rest + `"clues":[{"kind":"same","a":[0,1],"b":[1,0]}],"answer":"Ada"}`,
		`{` + rest + `"clues":[{"kind":"same","a":[0,2],"b":[1,0]}],"answer":"Bob"}`,
		`{` + rest + `"clues":[{"kind":"odd","a":[0,1],"b":[1,0]}],"answer":"Bob"}`,
		`{"traits":[],"houses":[[0,1],[1,1]],"asked":[1,0],"clues":[{"kind":"at","a":[0,0]}],"answer":"Bob"}`,
	})
	if v, err := zebraPuzzles.Task().Grade(problemOf("zebra_puzzles", `{`+rest+`"clues":[{"kind":"same","a":[0,1],"b":[1,0]}],"answer":"Bob"}`), "Bob"); err != nil || v.Score != 1 {
		t.Errorf("a sound record: %+v, %v", v, err)
	}
}

// zebraClueREs match clues, each with the relation between the houses of its two things.
var zebraClueREs = []struct {
	re   *regexp.Regexp
	fits func(a, b int) bool
}{
	{regexp.MustCompile(`^exactly one house stands between those of (.+) and (.+)$`), func(a, b int) bool { return max(a-b, b-a) == 2 }},
	{regexp.MustCompile(`^(.+) lives directly to the left of (.+)$`), func(a, b int) bool { return b-a == 1 }},
	{regexp.MustCompile(`^(.+) lives somewhere to the left of (.+)$`), func(a, b int) bool { return a < b }},
	{regexp.MustCompile(`^(.+) lives next to (.+)$`), func(a, b int) bool { return max(a-b, b-a) == 1 }},
	{regexp.MustCompile(`^(.+) (lives in|does not live in) house (\d)$`), nil},
	{regexp.MustCompile(`^(.+?) ((?:does not|is not) .+)$`), func(a, b int) bool { return a != b }},
	{regexp.MustCompile(`^((?:the person who (?:drinks|plays the|plays|likes|grows) \w+(?: best)?)|the person in the \w+ house|the owner of the \w+|the \w+|\w+) (.+)$`), func(a, b int) bool { return a == b }},
}

// A zebraReader solves a prompt by trying houses for one value after the other, excluding
// those that the clues rule out for the rest.
type zebraReader struct {
	n     int
	trait map[string]int // by value
	may   map[string][]bool
	pairs []zebraPair
}

// A zebraPair is a clue's relation between two values.
type zebraPair struct {
	a, b string
	fits func(a, b int) bool
}

// value finds the only value in a part of a clue.
func (z *zebraReader) value(text string) string {
	found := ""
	for word := range strings.FieldsSeq(text) {
		if _, ok := z.trait[word]; ok {
			found = word
		} else if _, ok := z.trait[strings.ToUpper(word[:1])+word[1:]]; ok {
			found = strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return found
}

// read adds a clue.
func (z *zebraReader) read(clue string) error {
	clue = strings.ToLower(clue[:1]) + strings.TrimSuffix(clue[1:], ".")
	for _, kind := range zebraClueREs {
		m := kind.re.FindStringSubmatch(clue)
		switch {
		case m == nil:
			continue
		case kind.fits == nil:
			house, _ := strconv.Atoi(m[3])
			for h := range z.n {
				if (h+1 == house) != (m[2] == "lives in") {
					z.may[z.value(m[1])][h] = false
				}
			}
			return nil
		}
		a, b := z.value(m[1]), z.value(m[2])
		if a == "" || b == "" {
			return fmt.Errorf("no values in %q", clue)
		}
		z.pairs = append(z.pairs, zebraPair{a, b, kind.fits}, zebraPair{b, a, func(b, a int) bool { return kind.fits(a, b) }})
		return nil
	}
	return fmt.Errorf("no clue: %q", clue)
}

// solve calls yield with each arrangement that fits, by value.
func (z *zebraReader) solve(at map[string]int, yield func(map[string]int)) {
	next, fewest := "", z.n+1
	for _, value := range slices.Sorted(maps.Keys(z.may)) {
		if _, placed := at[value]; !placed && count(z.may[value]) < fewest {
			next, fewest = value, count(z.may[value])
		}
	}
	if next == "" {
		yield(at)
		return
	}
	for h, may := range z.may[next] {
		if !may {
			continue
		}
		undo := z.exclude(next, h, at)
		at[next] = h
		z.solve(at, yield)
		delete(at, next)
		for _, u := range undo {
			z.may[u.value][u.house] = true
		}
	}
}

// A zebraUndo is a house excluded for a value.
type zebraUndo struct {
	value string
	house int
}

// exclude removes, from the values without a house, the houses that value in house h rules
// out.
func (z *zebraReader) exclude(value string, h int, at map[string]int) (undo []zebraUndo) {
	strike := func(other string, house int) {
		if _, placed := at[other]; other != value && !placed && z.may[other][house] {
			z.may[other][house] = false
			undo = append(undo, zebraUndo{other, house})
		}
	}
	for other, trait := range z.trait {
		if trait == z.trait[value] {
			strike(other, h)
		}
	}
	for _, pair := range z.pairs {
		for house := range z.n {
			if pair.a == value && !pair.fits(h, house) {
				strike(pair.b, house)
			}
		}
	}
	return undo
}

var (
	zebraListRE = regexp.MustCompile(`(?m)^\W*(?:names|drinks|pets|colors of the houses|jobs|instruments|favorite fruits|sports|flowers)(?:: | = )(.+)$`)
	zebraLineRE = regexp.MustCompile(`(?m)^(?:\d+\. |\* |\(\d+\) |\[\d+\] |- |Clue \d+: )([A-Z].*\.)$`)
	zebraAskRE  = regexp.MustCompile(`Who ([^?]+)\?`)
)

// The second solver reads the prompt, tries everything that its clues allow, and finds one
// arrangement and the name.
func TestZebraSecond(t *testing.T) {
	tasktest.Second(t, zebraPuzzles.Task(), 1200, func(_ zebraItem, prompt, got string) error {
		z := &zebraReader{trait: map[string]int{}, may: map[string][]bool{}}
		var names []string
		for trait, m := range zebraListRE.FindAllStringSubmatch(prompt, -1) {
			values := strings.Split(m[1], ", ")
			if trait == 0 {
				names = values
			}
			z.n = len(values)
			for _, value := range values {
				z.trait[value] = trait
				z.may[value] = slices.Repeat([]bool{true}, z.n)
			}
		}
		for _, m := range zebraLineRE.FindAllStringSubmatch(prompt, -1) {
			if err := z.read(m[1]); err != nil {
				return err
			}
		}
		asked := zebraAskRE.FindStringSubmatch(prompt)[1]
		var found []string
		z.solve(map[string]int{}, func(at map[string]int) {
			house, ok := at[z.value(asked)]
			if !ok {
				house, _ = strconv.Atoi(asked[len(asked)-1:])
				house--
			}
			for _, name := range names {
				if at[name] == house {
					found = append(found, name)
				}
			}
		})
		if !slices.Equal(found, []string{got}) {
			return fmt.Errorf("the solution is %s, and the prompt has %v", got, found)
		}
		return nil
	})
}

func TestZebraKeys(t *testing.T) {
	of := zebraPuzzles.Task()
	tasktest.Variant(t, of, "other values, and the characteristics in another order", func(z *zebraItem, r *rng.Rand) func(string) string {
		topics := append([]zebraTopic{zebraTopics[0]}, rng.Sample(r, zebraTopics[1:], len(z.Traits)-1)...)
		for i, topic := range topics {
			z.Traits[i] = zebraTrait{topic.kind, rng.Sample(r, topic.values, len(z.Houses[0]))}
		}
		last := len(z.Traits) - 1
		z.Houses[1], z.Houses[last] = z.Houses[last], z.Houses[1]
		exchanged := func(t *zebraThing) {
			switch t[0] {
			case 1:
				t[0] = last
			case last:
				t[0] = 1
			}
		}
		exchanged(&z.Asked)
		for i := range z.Clues {
			exchanged(&z.Clues[i].A)
			exchanged(&z.Clues[i].B)
		}
		z.Answer = z.Traits[0].Values[z.name()[1]]
		return func(string) string { return z.Answer }
	})
	tasktest.Variant(t, of, "the houses counted from the other end", func(z *zebraItem, _ *rng.Rand) func(string) string {
		last := len(z.Houses[0]) - 1
		for _, row := range z.Houses {
			for i, house := range row {
				row[i] = last - house
			}
		}
		for i := range z.Clues {
			switch c := &z.Clues[i]; {
			case c.unary():
				c.House = last - c.House
			case c.Kind == zebraLeft || c.Kind == zebraBefore:
				c.A, c.B = c.B, c.A
			}
		}
		if z.Asked[0] == 0 {
			z.Asked[1] = last - z.Asked[1]
		}
		return nil
	})
	tasktest.Same(t, zebraPuzzles.Task(), "the clues may be in any order", func(z *zebraItem) { slices.Reverse(z.Clues) })
	tasktest.Other(t, zebraPuzzles.Task(), "another question", func(z *zebraItem) {
		z.Asked[1] = (z.Asked[1] + 1) % len(z.Houses[0])
		z.Answer = z.Traits[0].Values[z.name()[1]]
	})
}
