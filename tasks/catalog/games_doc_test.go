package catalog

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/task"
)

// TestGamesDocIsFresh compares the tables in docs/games.md with the games and the errands.
func TestGamesDocIsFresh(t *testing.T) {
	const page = "../../docs/games.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var games, errands []string
	for _, g := range Games() {
		games = append(games, row(g.Scenario.Name, g.Scenario.Doc, g.Guess, g.Constant)+openings(g.Openings))
	}
	for _, e := range Errands() {
		errands = append(errands, row(e.Scenario.Name, e.Scenario.Doc, e.Guess, nil)+" |\n")
	}
	want := text
	for mark, table := range map[string]string{
		"scenarios": "| scenario | | uniform legal play / the best constant earns, level by level | openings |\n|---|---|---|---|\n" + sorted(games),
		"tools":     "| scenario | | calls that follow no result earn at most, level by level |\n|---|---|---|\n" + sorted(errands),
	} {
		between := regexp.MustCompile(`(?s)(<!-- ` + mark + ` -->\n).*?(<!-- /` + mark + ` -->)`)
		want = between.ReplaceAll(want, []byte("${1}"+table+"${2}"))
	}
	if string(want) == string(text) {
		return
	}
	if !*update {
		t.Fatal("docs/games.md is not up to date: make docs")
	}
	if err := os.WriteFile(page, want, 0o600); err != nil {
		t.Fatal(err)
	}
}

// row describes a scenario by the first sentence of its doc.
func row(name, doc string, guess, constant []float64) string {
	about, _, _ := strings.Cut(doc, ". ")
	var rates []string
	for level, rate := range guess {
		text := fmt.Sprintf("%.2f", rate)
		if constant != nil {
			text += fmt.Sprintf("/%.2f", constant[level])
			rate = max(rate, constant[level])
		}
		if rate > 0.25 {
			text += "*"
		}
		rates = append(rates, text)
	}
	if rates == nil {
		rates = []string{"0"}
	}
	return fmt.Sprintf("| `%s` | %s | %s", name, strings.TrimSuffix(about, "."), strings.Join(rates, ", "))
}

// openings tells how many there are at each level, where they are few.
func openings(counts []int) string {
	var few []string
	for _, n := range counts {
		few = append(few, strings.Replace(fmt.Sprint(n), "0", "many", task.Bit(n == 0)))
	}
	return " | " + strings.Join(few, ", ") + " |\n"
}

// sorted joins sorted rows.
func sorted(rows []string) string {
	slices.Sort(rows)
	return strings.Join(rows, "")
}

// TestTheReadmeCounts holds the README's numbers of tasks and games.
func TestTheReadmeCounts(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{fmt.Sprintf(" %d tasks and their graders", len(Tasks())), fmt.Sprintf("[%d games]", len(Games()))} {
		if !strings.Contains(string(text), want) {
			t.Errorf("README.md does not say %q", want)
		}
	}
	if n := len(Errands()); n != 6 {
		t.Errorf("README.md says six scenarios of tools, and there are %d", n)
	}
}
