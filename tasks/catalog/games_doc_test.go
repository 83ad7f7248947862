package catalog

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
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
		games = append(games, row(g.Scenario.Name, g.Scenario.Doc, g.Guess))
	}
	for _, e := range Errands() {
		errands = append(errands, row(e.Scenario.Name, e.Scenario.Doc, e.Guess))
	}
	want := text
	for mark, table := range map[string]string{
		"scenarios": "| scenario | | uniform legal play earns, level by level |\n|---|---|---|\n" + sorted(games),
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
func row(name, doc string, guess []float64) string {
	about, _, _ := strings.Cut(doc, ". ")
	var rates []string
	for _, rate := range guess {
		star := ""
		if rate > 0.25 {
			star = "*"
		}
		rates = append(rates, fmt.Sprintf("%.2f%s", rate, star))
	}
	if rates == nil {
		rates = []string{"0"}
	}
	return fmt.Sprintf("| `%s` | %s | %s |\n", name, strings.TrimSuffix(about, "."), strings.Join(rates, ", "))
}

// sorted joins sorted rows.
func sorted(rows []string) string {
	slices.Sort(rows)
	return strings.Join(rows, "")
}
