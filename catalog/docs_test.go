package catalog

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain"
)

var update = flag.Bool("update", false, "measure the tasks, and update facts.json and docs/tasks.md")

const (
	tasksPage = "../docs/tasks.md"
	factsFile = "facts.json"
)

// TestTasksDocIsFresh compares docs/tasks.md with the tasks, and facts.json with their
// names, versions and levels. The heavy tests also measure the figures of facts.json.
func TestTasksDocIsFresh(t *testing.T) {
	measured := allFacts()
	if *update {
		measured = measureAll(t)
		writeFacts(t, measured)
	}
	want := tasksDoc(t, measured)
	if *update {
		if err := os.WriteFile(tasksPage, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(tasksPage)
	if err != nil {
		t.Fatalf("%v (go test ./catalog -run Doc -update writes it)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale; go test ./catalog -run Doc -update updates it", tasksPage)
	}
}

// writeFacts writes facts.json, one task per line.
func writeFacts(t *testing.T, measured map[string]Facts) {
	t.Helper()
	var lines []string
	for _, one := range Tasks() {
		line, err := json.Marshal(measured[one.Info().Name])
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	if err := os.WriteFile(factsFile, []byte("[\n"+strings.Join(lines, ",\n")+"\n]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// measureAll measures every task.
func measureAll(t *testing.T) map[string]Facts {
	t.Helper()
	measured := map[string]Facts{}
	var mutex sync.Mutex
	var wg sync.WaitGroup
	room := make(chan bool, 2) // most tasks at once
	for _, one := range Tasks() {
		wg.Go(func() {
			room <- true
			f, err := Measure(one)
			<-room
			mutex.Lock()
			defer mutex.Unlock()
			if err != nil {
				t.Error(err)
			}
			measured[f.Name] = f
		})
	}
	wg.Wait()
	return measured
}

// tasksHead is the beginning of docs/tasks.md.
const tasksHead = "# Tasks\n\nMade by `go test ./catalog -run Doc -update`; do not edit. `quintain tasks show NAME` shows more of each task.\n\n" +
	`Three figures in a cell are those of the easiest, the middle and the hardest level.

- *Scoring* says how many answers to a problem are right: *one* (however it is spelled) or *many* (the scorer checks each answer).
  It also says what earns part of the score: *whole*, nothing; *contained*, a longer text that contains the solution earns its
  share of the length, as in reasoning-gym; *parts*, an answer that is partly right, or close, also earns part of the score.
- The *guess rate* is how often an answer given without reading the problem is fully right. The answer is the solution of
  another problem of the level, or the best of the most frequent answers, or one of the answers from which the prompt lets
  one choose, if they are few. Partial credit does not count.
- The guess rate limits what *may be earned without solving*. About 250 ways to answer without solving are tried over many
  problems: fixed answers; copying the prompt, its lines, numbers or example; filling its board; lists of many answers; texts
  that graders of the field are known to accept. At every level, none of them earns more than the guess rate plus 0.02, with
  all partial credit. A text that contains the solution among others earns its share of the length: a list of n answers of
  the same length, one of them right, earns 1/n, as a guess does.
- *Problems* is the number of different problems of the level, estimated from 4,000 draws: the number of pairs of draws, 4,000²/2,
  divided by the number of equal pairs. If no pair is equal, ≥ marks a lower bound with 95 % confidence. Problems that differ
  only in their wording are equal.

`

// tasksDoc returns docs/tasks.md.
func tasksDoc(t *testing.T, measured map[string]Facts) []byte {
	t.Helper()
	var doc, sections bytes.Buffer
	fmt.Fprintf(&doc, "%sThere are %d tasks.\n\n| task | category | levels | scoring | guess rate | problems | |\n|---|---|--:|---|---|---|---|\n", tasksHead, len(Tasks()))
	for _, room := range Categories() {
		for _, one := range room.Tasks {
			info := one.Info()
			f := measured[info.Name]
			if !f.of(info) {
				t.Fatalf("%s has no figures for the current version of %s; go test ./catalog -run Doc -update measures it", factsFile, info.Name)
			}
			var guess, space []string
			for _, level := range []int{0, len(info.Levels) / 2, len(info.Levels) - 1} {
				guess = append(guess, fmt.Sprintf("%.3f", f.Levels[level].GuessRate))
				space = append(space, f.Levels[level].Size())
			}
			fmt.Fprintf(&doc, "| [%s](#%s) | %s | %d | %s | %s | %s | %s |\n", info.Name, info.Name, room.Name, len(info.Levels),
				strings.Join(f.Scoring(info), ", "), strings.Join(guess, ", "), strings.Join(space, ", "), info.Doc)
			section(t, &sections, one)
		}
	}
	doc.Write(sections.Bytes())
	return doc.Bytes()
}

// section writes the section of one task, with a problem.
func section(t *testing.T, out *bytes.Buffer, one quintain.Task) {
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
	for level, params := range info.Levels {
		fmt.Fprintf(out, "- level %d: `%s`\n", level, params)
	}
	fmt.Fprintf(out, "\nA problem of level 1:\n\n%s\n\nand a solution:\n\n%s\n", indent(p.Prompt), indent(solution))
}

// indent makes text a code block.
func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}
