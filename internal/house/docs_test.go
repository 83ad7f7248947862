package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the documents that are made from data")

const architecture = "docs/ARCHITECTURE.md"

// TestArchitectureIsUpToDate compares the table of floors in docs/ARCHITECTURE.md with
// the packages, and checks that every page on a format is linked.
func TestArchitectureIsUpToDate(t *testing.T) {
	all := checkout(t)
	page := string(readText(t, architecture))
	before, rest, found := strings.Cut(page, floorsHead)
	_, after, ends := strings.Cut(rest, "\n\n")
	if !found || !ends {
		t.Fatalf("%s has no table of floors", architecture)
	}
	if made := before + floorsHead + floorsTable(all.packages, floors) + "\n" + after; made != page {
		if *update {
			if err := os.WriteFile(filepath.Join(root, architecture), []byte(made), 0o644); err != nil {
				t.Fatal(err)
			}
		} else {
			t.Errorf("the table of floors in %s is stale: run go test ./internal/house -update", architecture)
		}
	}
	linked := append(readText(t, architecture), readText(t, "README.md")...)
	for _, file := range all.files {
		if ok, _ := path.Match("docs/formats/*.md", file); ok && !bytes.Contains(linked, []byte("formats/"+path.Base(file))) {
			t.Errorf("%s is linked from neither README.md nor %s", file, architecture)
		}
	}
}

// floorsHead begins the table of floors.
const floorsHead = "| floor | packages |\n|--:|---|\n"

// floorsTable lists the packages of each floor, ground floor first. Packages without a
// place are left out; [floorFaults] finds them.
func floorsTable(packages []listing, floors [][]string) string {
	var table strings.Builder
	for i, floor := range floors {
		var names []string
		for _, name := range floor {
			there := func(l listing) bool { return l.name() == name || path.Dir(l.name())+"/…" == name }
			if !slices.ContainsFunc(packages, there) {
				continue // listed before it is written
			}
			if name == "" {
				name = "quintain"
			}
			names = append(names, "`"+name+"`")
		}
		fmt.Fprintf(&table, "| %d | %s |\n", i, strings.Join(names, " "))
	}
	return table.String()
}

func TestFloorsTable(t *testing.T) {
	packages := []listing{{ImportPath: module}, {ImportPath: module + "/rng"}, {ImportPath: module + "/tasks/logic"}}
	got := floorsTable(packages, [][]string{{"rng", "sandbox"}, {"", "tasks/…"}})
	if want := "| 0 | `rng` |\n| 1 | `quintain` `tasks/…` |\n"; got != want {
		t.Errorf("table %q, want %q", got, want)
	}
}

// A deviation is a case in which our score differs from that of reasoning-gym on
// purpose. The files docs/deviations.json and docs/deviations.md list them all.
type deviation struct {
	Task   string `json:"task"`
	Kind   string `json:"kind"`           // kind of answer, as named in conformance/; "*": any
	Only   string `json:"only,omitempty"` // "lower" or "higher": only if our score is; empty: both
	Reason string `json:"reason"`
}

const (
	deviationsData = "docs/deviations.json"
	deviationsPage = "docs/deviations.md"
)

func TestDeviationsPageIsUpToDate(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(root, deviationsData))
	if errors.Is(err, fs.ErrNotExist) {
		raw = []byte("[]")
	} else if err != nil {
		t.Fatal(err)
	}
	rows, err := readDeviations(raw)
	if err != nil {
		t.Fatalf("%s: %v", deviationsData, err)
	}
	tasks := goldenNames(checkout(t).files)
	for i, row := range rows {
		if !tasks[row.Task] {
			t.Errorf("%s: row %d: no task %q: there is no golden file with that name", deviationsData, i, row.Task)
		}
	}
	want := []byte(deviationsTable(rows))
	file := filepath.Join(root, deviationsPage)
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s does not follow from %s (%v): run go test ./internal/house -update", deviationsPage, deviationsData, err)
	}
}

// readDeviations reads the rows and reports the first invalid one.
func readDeviations(raw []byte) ([]deviation, error) {
	var rows []deviation
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&rows); err != nil {
		return nil, err
	}
	seen := map[deviation]bool{}
	for i, row := range rows {
		key := row
		key.Reason = ""
		switch {
		case row.Task == "":
			return nil, fmt.Errorf("row %d: task is missing", i)
		case row.Kind == "":
			return nil, fmt.Errorf("row %d: kind is missing", i)
		case row.Only != "" && row.Only != "lower" && row.Only != "higher":
			return nil, fmt.Errorf("row %d: only is %q, want lower or higher", i, row.Only)
		case !strings.HasSuffix(row.Reason, "."):
			return nil, fmt.Errorf("row %d: reason %q is not a sentence", i, row.Reason)
		case seen[key]:
			return nil, fmt.Errorf("row %d: %s, %s is listed twice", i, row.Task, row.Kind)
		}
		seen[key] = true
	}
	slices.SortStableFunc(rows, func(a, b deviation) int {
		return strings.Compare(a.Task+"\x00"+a.Kind+"\x00"+a.Only, b.Task+"\x00"+b.Kind+"\x00"+b.Only)
	})
	return rows, nil
}

// goldenNames are the names of all tasks, taken from their golden files.
func goldenNames(files []string) map[string]bool {
	names := map[string]bool{}
	for _, file := range files {
		if ok, _ := path.Match("tasks/*/testdata/*.golden", file); ok {
			names[strings.TrimSuffix(path.Base(file), ".golden")] = true
		}
	}
	return names
}

// deviationsTable is the page that lists rows.
func deviationsTable(rows []deviation) string {
	var b strings.Builder
	b.WriteString(`# Where our scores differ from those of reasoning-gym

Made from deviations.json by ` + "`go test ./internal/house -update`" + `; do not edit.

For an entry of reasoning-gym and an answer, our score is its score, and for an entry
and a solution of ours, its score is 1. The rows below are the only exceptions. We
make them only if its score is wrong, or can be earned without solving the problem.
A kind is the name that the conformance drivers give to a way of spoiling an answer;
` + "`*`" + ` is any of them, ` + "`export`" + ` our own solution, and ` + "`label`" + ` any answer to an
entry of reasoning-gym whose stored answer is wrong. With --scores reasoning-gym only
rows of the kind ` + "`export`" + ` hold: [scoring.md](scoring.md#the-scores-of-reasoning-gym).

`)
	if len(rows) == 0 {
		b.WriteString("There are none.\n")
		return b.String()
	}
	b.WriteString("| task | kind of answer | ours is | reason |\n|---|---|---|---|\n")
	cell := strings.NewReplacer("|", `\|`, "\n", " ")
	for _, row := range rows {
		ours := row.Only
		if ours == "" {
			ours = "different"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", row.Task, cell.Replace(row.Kind), ours, cell.Replace(row.Reason))
	}
	return b.String()
}

func TestReadDeviationsRefuses(t *testing.T) {
	for _, test := range []struct{ raw, want string }{
		{`{}`, "cannot unmarshal"},
		{`[{"kind":"*","reason":"A."}]`, "task is missing"},
		{`[{"task":"a","reason":"A."}]`, "kind is missing"},
		{`[{"task":"a","kind":"*","reason":"why"}]`, "not a sentence"},
		{`[{"task":"a","kind":"*","reason":"A.","only":"less"}]`, "only is"},
		{`[{"task":"a","kind":"*","reason":"A.","extra":1}]`, "unknown field"},
		{`[{"task":"a","kind":"*","reason":"A."},{"task":"a","kind":"*","reason":"B."}]`, "twice"},
	} {
		if _, err := readDeviations([]byte(test.raw)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want %q", test.raw, err, test.want)
		}
	}
}

// moduleName finds module paths in backticks.
var moduleName = regexp.MustCompile("`([a-z0-9-]+(?:\\.[a-z0-9-]+)+(?:/[\\w.-]+)*)`")

// TestDependenciesAreDecided checks that every imported module is named, in backticks,
// on a page in docs/decisions.
func TestDependenciesAreDecided(t *testing.T) {
	all := checkout(t)
	var decided []string
	for _, file := range all.files {
		if ok, _ := path.Match("docs/decisions/*.md", file); ok {
			for _, hit := range moduleName.FindAllSubmatch(readText(t, file), -1) {
				decided = append(decided, string(hit[1]))
			}
		}
	}
	for _, pkg := range all.packages {
		for _, imported := range slices.Concat(pkg.Imports, pkg.TestImports, pkg.XTestImports) {
			if ours(imported) || isStandard(imported) {
				continue
			}
			if !slices.ContainsFunc(decided, func(m string) bool { return imported == m || strings.HasPrefix(imported, m+"/") }) {
				t.Errorf("%s imports %s: a dependency needs a decision: name its module and the reason on a page in docs/decisions", show(pkg.name()), imported)
			}
		}
	}
}
