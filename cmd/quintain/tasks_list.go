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
	var asJSON, long bool
	c := &cobra.Command{
		Use:   "list",
		Short: "List the tasks, a line each",
		Long: `List prints a table of the tasks: the name, the category, how many levels there are,
how the task scores, and its guess rate. That is how often the best answer that is
given without reading the problem is fully right, at the level where that is highest.

Two words say how a task scores. The first says how many answers are right, the second
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
			return listTasks(w.stdout, rows, long)
		},
	}
	c.Flags().StringVar(&s.category, "category", "", "only the tasks of this category")
	c.Flags().StringVar(&s.scoring, "scoring", "", "only the tasks that score so: one or more of the words, with commas between")
	c.Flags().IntVar(&s.levels, "levels", 0, "only the tasks with at least this many levels")
	c.Flags().Float64Var(&s.guess, "guess-rate", 1, "only the tasks with a guess rate of at most this, at every level")
	c.Flags().BoolVar(&long, "long", false, "also say in a sentence what each task is")
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON object a line, with the parameters, guess rate and number of problems of every level")
	return c
}

// scoringHelp explains the words for scoring.
func scoringHelp() string {
	var b strings.Builder
	for _, s := range catalog.Scorings {
		fmt.Fprintf(&b, "  %-11s%s\n", s.Word, s.Doc)
	}
	return b.String()
}

// A row is a task in the list.
type row struct {
	category string
	info     quintain.Info
	facts    catalog.Facts
	measured bool // facts are those of the task as it is now
}

// rows returns the tasks that pass the sieve.
func (s sieve) rows() ([]row, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	var rows []row
	for _, room := range catalog.Categories() {
		for _, t := range room.Tasks {
			r := row{category: room.Name, info: t.Info()}
			r.facts, r.measured = catalog.FactsOf(r.info)
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
	for _, w := range catalog.Scorings {
		words = append(words, w.Word)
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
	has := r.facts.Scoring(r.info)
	for _, word := range s.words() {
		if !slices.Contains(has, word) {
			return false
		}
	}
	return (s.category == "" || r.category == s.category) && len(r.info.Levels) >= s.levels &&
		(s.guess == 1 || r.measured && r.facts.MostGuess() <= s.guess)
}

// listTasks prints a table, or nothing if it has no rows.
func listTasks(out io.Writer, rows []row, long bool) error {
	if len(rows) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	head := "TASK\tCATEGORY\tLEVELS\tSCORING\tGUESS RATE"
	if long {
		head += "\tWHAT IT IS"
	}
	fmt.Fprintln(table, head)
	for _, r := range rows {
		guess := "?"
		if r.measured {
			guess = fmt.Sprintf("%.3f", r.facts.MostGuess())
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s\t%s", r.info.Name, r.category, len(r.info.Levels), strings.Join(r.facts.Scoring(r.info), ", "), guess)
		if long {
			fmt.Fprintf(table, "\t%s", firstSentence(r.info.Doc))
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}

// firstSentence is the first sentence of text.
func firstSentence(text string) string {
	first, _, _ := strings.Cut(text, ". ")
	return strings.TrimSuffix(first, ".") + "."
}

// listJSON prints a JSON object for each row.
func listJSON(out io.Writer, rows []row) error {
	type line struct {
		Category string `json:"category"`
		quintain.Info
		Scoring  string               `json:"scoring"`
		Measured []catalog.LevelFacts `json:"measured"` // by level
	}
	enc := json.NewEncoder(out)
	for _, r := range rows {
		l := line{r.category, r.info, strings.Join(r.facts.Scoring(r.info), ", "), []catalog.LevelFacts{}}
		if r.measured {
			l.Measured = r.facts.Levels
		}
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}
