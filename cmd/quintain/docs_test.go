package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/catalog"
)

var update = flag.Bool("update", false, "write docs/tasks.md anew")

// guessDraws is the number of problems of each level from which a guess rate is
// measured.
const guessDraws = 200

// TestTasksDocIsFresh holds docs/tasks.md against the tasks.
func TestTasksDocIsFresh(t *testing.T) {
	const path = "../../docs/tasks.md"
	want, err := tasksDoc()
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./cmd/quintain -update writes it)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is stale; go test ./cmd/quintain -update writes it anew", path)
	}
}

// tasksDoc makes docs/tasks.md.
func tasksDoc() ([]byte, error) {
	var doc, specimens bytes.Buffer
	doc.WriteString("# Tasks\n\nMade by `go test ./cmd/quintain -update`; do not edit.\n\n" +
		"The *guess rate* is how often the solution of another problem of the same level is fully right, at the easiest and at the hardest level.\n\n" +
		"| task | category | levels | guess rate | |\n|---|---|---|---|---|\n")
	for _, room := range catalog.Categories() {
		for _, task := range room.Tasks {
			info := task.Info()
			easiest, err := guessRate(task, 0)
			if err != nil {
				return nil, err
			}
			hardest, err := guessRate(task, len(info.Levels)-1)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&doc, "| [%s](#%s) | %s | %d | %.3f, %.3f | %s |\n", info.Name, info.Name, room.Name, len(info.Levels), easiest, hardest, info.Doc)
			if err := specimen(&specimens, task); err != nil {
				return nil, err
			}
		}
	}
	doc.Write(specimens.Bytes())
	return doc.Bytes(), nil
}

// guessRate is the share of problems of which the solution of the next one is right.
func guessRate(task quintain.Task, level int) (float64, error) {
	right := 0
	for i := range guessDraws {
		p, err := task.Problem(quintain.Draw{Seed: 5, Level: level, Index: i})
		if err != nil {
			return 0, err
		}
		next, err := task.Problem(quintain.Draw{Seed: 5, Level: level, Index: i + 1})
		if err != nil {
			return 0, err
		}
		solution, err := task.Solve(next)
		if err != nil {
			return 0, err
		}
		v, err := task.Grade(p, solution)
		if err != nil {
			return 0, err
		}
		if v.Score == 1 {
			right++
		}
	}
	return float64(right) / guessDraws, nil
}

// specimen writes the section of one task.
func specimen(out *bytes.Buffer, task quintain.Task) error {
	info := task.Info()
	p, err := task.Problem(quintain.Draw{Seed: 1, Level: 1})
	if err != nil {
		return err
	}
	solution, err := task.Solve(p)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n## %s\n\n%s\n\nSource: %s\n\n", info.Name, info.Doc, info.Source)
	for level, params := range info.Levels {
		fmt.Fprintf(out, "- level %d: `%s`\n", level, params)
	}
	fmt.Fprintf(out, "\nA problem of level 1:\n\n%s\n\nand a solution:\n\n%s\n", indent(p.Prompt), indent(solution))
	return nil
}

// indent makes text a code block.
func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}
