package catalog

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/tasks/list"
)

var (
	update   = flag.Bool("update", false, "measure the tasks that have changed, and update facts.json and docs/tasks.md")
	surfaces = flag.Bool("surfaces", false, "with -update: also measure missing surface rates")
)

const (
	tasksPage = "../../docs/tasks.md"
	factsFile = "../list/facts.json"
)

// TestTasksDocIsFresh compares docs/tasks.md with the tasks, and facts.json with their
// names, versions and levels. The heavy tests also check the figures in facts.json.
func TestTasksDocIsFresh(t *testing.T) {
	measured := known()
	if *update {
		measure(t, measured)
	}
	want := tasksDoc(t, measured)
	if *update {
		if err := os.WriteFile(tasksPage, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(tasksPage)
	if err != nil {
		t.Fatalf("%v (go test ./tasks/catalog -run Doc -update writes it)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale; go test ./tasks/catalog -run Doc -update updates it", tasksPage)
	}
}

// writeFacts writes facts.json, one task per line, without the unmeasured tasks.
func writeFacts(t *testing.T, measured map[string]list.Facts) {
	t.Helper()
	var lines []string
	for _, one := range Tasks() {
		f, known := measured[one.Info().Name]
		if !known {
			continue
		}
		line, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	if err := os.WriteFile(factsFile, []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// measure adds the missing measurements, and writes facts.json after each task, so that an
// interruption loses nothing.
func measure(t *testing.T, measured map[string]list.Facts) {
	t.Helper()
	var mutex sync.Mutex
	var wg sync.WaitGroup
	room := make(chan bool, 2) // limit of tasks at once
	for _, one := range Tasks() {
		f := measured[one.Info().Name]
		wg.Go(func() {
			room <- true
			err := complete(&f, one)
			<-room
			mutex.Lock()
			defer mutex.Unlock()
			if err != nil {
				t.Error(err)
			}
			measured[f.Name] = f
			writeFacts(t, measured)
		})
	}
	wg.Wait()
}

// known returns the facts of the current versions of the tasks, by name.
func known() map[string]list.Facts {
	facts := map[string]list.Facts{}
	for _, one := range Tasks() {
		if f, known := list.FactsOf(one.Info()); known {
			facts[f.Name] = f
		}
	}
	return facts
}

// complete adds the measurements that f lacks.
func complete(f *list.Facts, one quintain.Task) (err error) {
	if f.Levels == nil {
		if *f, err = measureTask(one); err != nil {
			return err
		}
	}
	if *surfaces {
		return measureSurface(f, one)
	}
	return nil
}

// tasksHead is the beginning of docs/tasks.md.
const tasksHead = "# Tasks\n\nMade by `go test ./tasks/catalog -run Doc -update`; do not edit. `quintain tasks show NAME` shows more of each task.\n\n" +
	`The three figures in a cell are for the easiest, the middle and the hardest level.

- *Scoring* says how many answers to a problem are right: *one* (in any spelling) or *many* (the scorer checks each answer).
  It also says which answers earn partial credit: *whole*, none; *contained*, a sentence that states the solution and nothing
  else earns its share of the length; *parts*, a partly right or close answer earns something too.
- The *guess rate* is how often an answer given without reading the problem is fully right. The guess is the solution of
  another problem of the level, the best of the most frequent answers, or a random choice if the prompt leaves few answers.
  Partial credit does not count. It is about draws: of the *different* problems of an easy level, one answer may be right for more. tasks show names
  that answer, and tasks list tells the greater of both for each level.
- The guess rate limits *answers without solving*. About 250 ways to answer without solving are tried on many problems: fixed
  answers; copying the prompt, its lines, numbers or example; filling its board; lists of many answers; texts that graders of
  the field are known to accept. At every level, each earns at most the guess rate plus 0.02, partial credit included.
- The *surface rate* is the mean score, partial credit included, of the best of about 45 guessers. They learn from the prompts and
  solutions of 1,000 problems of the level and are tried on 500 others: the answer that earns most; the most frequent answer to
  prompts with the same length, number of words or numbers, or single numbers; the answer to the prompt with the most sequences of three
  characters in common, with the nearest words, by tf-idf and by plain counts, or with the nearest counts of characters; the most frequent
  character or word at each place; a small decision tree, and one that grows down to one example a leaf; a linear function of the numbers;
  about 80 programs that learn nothing, such as turning the board of the prompt, or the largest number less one. Above level 1 it is below 0.2, or
  the task says why. The first two levels may have so few problems that the guessers have seen most of them. A question mark
  means that the rate was not measured yet. The bags of words and the tree down to one example came last. Measured anew with them are count_primes, graph_color, number_filtering and jugs, each at
  level 0, jugs also at 1 and 2, and all levels from 2 on whose rate was 0.1 or more; other figures of easy levels may be a few hundredths low.
- *Learned by heart*: at every level, who knows 1,000 problems with their solutions earns at most the guess rate plus 0.02 with 500
  others, plus 0.1 at level 0, whether it knows a question again in other words, or copies the answer of the nearest prompt. A level that has few
  problems by nature says why in its section, and how many different ones are trained on and held out, if those are fewer than 1,000 and 64. There the bound holds for held-out problems: the split goes by whole classes of problems that
  give each other away, such as 3 + 5 and 5 + 3. Of five tasks, near questions have
  near answers, and nobody can help it: calendar_arithmetic, gcd, mini_sudoku, modulo_grid and spell_backward.
- A right answer is right in [other forms](scoring.md#the-form-of-an-answer) too. Forms that a task refuses on purpose are listed with it.
- *Problems* is the number of different problems of the level, estimated from 4,000 draws: the number of pairs of draws, 4,000²/2,
  divided by the number of equal pairs. If no pair is equal, ≥ marks a lower bound with 95 % confidence. Problems that differ
  only in their wording are equal.

`

// tasksDoc returns docs/tasks.md.
func tasksDoc(t *testing.T, measured map[string]list.Facts) []byte {
	t.Helper()
	var doc, sections bytes.Buffer
	fmt.Fprintf(&doc, "%sThere are %d tasks.\n\n| task | category | levels | scoring | guess rate | surface rate | problems | |\n|---|---|--:|---|---|---|---|---|\n", tasksHead, len(Tasks()))
	for _, room := range Categories() {
		for _, one := range room.Tasks {
			info := one.Info()
			f, known := measured[info.Name]
			if !known {
				t.Fatalf("%s has no figures for the current version of %s; go test ./tasks/catalog -run Doc -update measures it", factsFile, info.Name)
			}
			var guess, surface, space []string
			for _, level := range []int{0, len(info.Levels) / 2, len(info.Levels) - 1} {
				guess = append(guess, fmt.Sprintf("%.3f", f.Levels[level].GuessRate))
				surface = append(surface, f.Levels[level].Surface())
				space = append(space, f.Levels[level].Size())
			}
			fmt.Fprintf(&doc, "| [%s](#%s) | %s | %d | %s | %s | %s | %s | %s |\n", info.Name, info.Name, room.Name, len(info.Levels),
				strings.Join(f.Scoring(info), ", "), strings.Join(guess, ", "), strings.Join(surface, ", "), strings.Join(space, ", "), info.Doc)
			section(t, &sections, one, f)
		}
	}
	doc.Write(sections.Bytes())
	return doc.Bytes()
}

// section writes the section of one task, with a problem.
func section(t *testing.T, out *bytes.Buffer, one quintain.Task, f list.Facts) {
	t.Helper()
	info := one.Info()
	p, err := one.Problem(quintain.Draw{Seed: 1, Level: 1})
	if err != nil {
		t.Fatal(err)
	}
	solution, err := one.Solve(p)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(out, "\n## %s\n\n%s\n\nSource: %s\n\n", info.Name, info.Doc, info.Source)
	if info.Surface != "" {
		fmt.Fprintf(out, "Why the surface rate is above 0.2: %s\n\n", info.Surface)
	}
	for _, form := range slices.Sorted(maps.Keys(info.Refuses)) {
		fmt.Fprintf(out, "It refuses the right answer %s: %s\n\n", form, info.Refuses[form])
	}
	for level, params := range info.Levels {
		fmt.Fprintf(out, "- level %d: `%s`\n", level, params)
		if why := list.WhyFew(info, level); why != "" {
			fmt.Fprintf(out, "  (few problems by nature%s: %s)\n", sidesOf(f, level), why)
		}
	}
	fmt.Fprintf(out, "\nA problem of level 1:\n\n%s\n\nand a solution:\n\n%s\n", indent(p.Prompt), indent(solution))
}

// sidesOf tells how many different problems a level has to train on and held out, if they are few.
func sidesOf(f list.Facts, level int) string {
	l := f.Levels[level]
	if l.Trained+l.HeldOut == 0 {
		return ""
	}
	return fmt.Sprintf(", %d to train on and %d held out", l.Trained, l.HeldOut)
}

// Each level has 1,000 different problems to train on and 64 held out, or says why it has few.
func TestLevelsHaveEnoughProblems(t *testing.T) {
	t.Parallel()
	for _, one := range Tasks() {
		info := one.Info()
		f, _ := list.FactsOf(info)
		for level, l := range f.Levels {
			if l.Trained+l.HeldOut > 0 && list.WhyFew(info, level) == "" {
				t.Errorf("%s, level %d: there are %d problems to train on and %d held out: draw from more, or say in Few why", info.Name, level, l.Trained, l.HeldOut)
			}
		}
	}
}

// indent makes text a code block.
func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}
