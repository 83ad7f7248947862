package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/catalog"
)

// A sieve says which tasks to list.
type sieve struct {
	category string  // empty: all
	scoring  string  // scoringWords with commas between, all of which must hold
	levels   int     // at least
	guess    float64 // at most, at every level
}

func newTasksList(w *world) *cobra.Command {
	var s sieve
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the tasks, a line each",
		Long: `List prints a line for each task: its name, its category, the number of its levels,
how it scores, and its guess rate, which is how often the best answer that is given
without a look at the problem is fully right, at the level where that is most often.

Scoring is told in two words. The first says how many answers are right, the second
what earns part of the score.

` + scoringHelp(),
		Example: `  quintain tasks list --category games
  quintain tasks list --scoring many,whole --guess-rate 0.01`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			rows, err := s.rows()
			if err != nil {
				return err
			}
			if asJSON {
				return listJSON(w.stdout, rows)
			}
			return listTasks(w.stdout, rows)
		},
	}
	c.Flags().StringVar(&s.category, "category", "", "only the tasks of this category")
	c.Flags().StringVar(&s.scoring, "scoring", "", "only those that score so: one or more of the words, with commas between")
	c.Flags().IntVar(&s.levels, "levels", 0, "only those with at least so many levels")
	c.Flags().Float64Var(&s.guess, "guess-rate", 1, "only those with a guess rate of at most this, at every level")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object a line, with the parameters, guess rate and number of problems of every level")
	return c
}

// scoringHelp explains the words for scoring.
func scoringHelp() string {
	var b strings.Builder
	for _, w := range scoringWords {
		fmt.Fprintf(&b, "  %-11s%s\n", w.word, w.says)
	}
	return b.String()
}

// A row is a task in the list.
type row struct {
	category string
	info     quintain.Info
	fact     fact
}

// rows returns the tasks that pass the sieve.
func (s sieve) rows() ([]row, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	measured, err := facts()
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, room := range catalog.Categories() {
		for _, t := range room.Tasks {
			r := row{room.Name, t.Info(), measured[t.Info().Name]}
			if s.passes(r) {
				rows = append(rows, r)
			}
		}
	}
	return rows, nil
}

// check refuses what no task could ever pass.
func (s sieve) check() error {
	var categories, words []string
	for _, room := range catalog.Categories() {
		categories = append(categories, room.Name)
	}
	for _, w := range scoringWords {
		words = append(words, w.word)
	}
	if s.category != "" && !slices.Contains(categories, s.category) {
		return usagef("no category %q; there are %s", s.category, strings.Join(categories, ", "))
	}
	for _, word := range s.words() {
		if !slices.Contains(words, word) {
			return usagef("--scoring has %q, want %s", word, strings.Join(words, ", "))
		}
	}
	if s.levels < 0 {
		return usagef("--levels is %d, want 0 or more", s.levels)
	}
	if !(s.guess >= 0 && s.guess <= 1) {
		return usagef("--guess-rate is %v, want 0 to 1", s.guess)
	}
	return nil
}

// words are those of s.scoring.
func (s sieve) words() []string {
	return strings.FieldsFunc(s.scoring, func(r rune) bool { return r == ',' || r == ' ' })
}

// passes reports whether s lets r through. What was not measured passes no sieve of
// guess rates.
func (s sieve) passes(r row) bool {
	has := strings.Split(scoring(r.info, r.fact), ", ")
	for _, word := range s.words() {
		if !slices.Contains(has, word) {
			return false
		}
	}
	return (s.category == "" || r.category == s.category) && len(r.info.Levels) >= s.levels &&
		(s.guess == 1 || r.fact.known(r.info) && r.fact.mostGuess() <= s.guess)
}

// listTasks prints a table.
func listTasks(out io.Writer, rows []row) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		guess := "?"
		if r.fact.known(r.info) {
			guess = fmt.Sprintf("%.3f", r.fact.mostGuess())
		}
		doc, _, _ := strings.Cut(r.info.Doc, ". ")
		fmt.Fprintf(table, "%s\t%s\t%d levels\t%s\t%s\t%s\n", r.info.Name, r.category, len(r.info.Levels), scoring(r.info, r.fact), guess, strings.TrimSuffix(doc, ".")+".")
	}
	return table.Flush()
}

// listJSON prints a JSON object for each row.
func listJSON(out io.Writer, rows []row) error {
	type line struct {
		Category string `json:"category"`
		quintain.Info
		Scoring  string      `json:"scoring"`
		Measured []levelFact `json:"measured"` // by level
	}
	enc := json.NewEncoder(out)
	for _, r := range rows {
		l := line{r.category, r.info, scoring(r.info, r.fact), []levelFact{}}
		if r.fact.known(r.info) {
			l.Measured = r.fact.Levels
		}
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}
