package prove

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/DataDog/datadog-agent/pkg/template/html"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// ReadReport reads a report as [Report.WriteJSON] writes it.
func ReadReport(data []byte) (*Report, error) {
	var r Report
	if err := strictjson.Unmarshal(data, &r); err != nil {
		return nil, err
	}
	if r.Format != 1 {
		return nil, fmt.Errorf("format is %d, want 1", r.Format)
	}
	return &r, nil
}

// WriteJSON writes the report as JSON.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// head is the first line: the verdict and the three numbers.
func (r *Report) head() string {
	return fmt.Sprintf("%s: %d passed, %d failed, %d not checked", r.Verdict, r.Counts.Passed+r.Counts.Warned, r.Counts.Failed, r.Counts.NotChecked)
}

// WriteText writes the report for a terminal, which clean makes safe: the numbers, what failed, what warns, and what was
// not checked.
func (r *Report) WriteText(w io.Writer, clean func(string) string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s is %s\n", clean(r.Environment.Address), clean(r.Environment.Scenario), r.head())
	for _, status := range []Status{Fail, Warn, Fault} {
		for _, c := range r.Checks {
			if c.Status == status {
				c.write(&b, clean)
			}
		}
	}
	for _, c := range r.Checks {
		if c.Status == NotChecked {
			fmt.Fprintf(&b, "\nnot checked  %s: %s", c.ID, clean(c.WhyNot))
		}
	}
	for i, c := range r.Changes {
		if i == 0 {
			b.WriteString("\n\nsince the earlier report")
		}
		fmt.Fprintf(&b, "\n  %-16s %s → %s", c.ID, c.Before, c.Now)
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

// write writes a check that did not pass.
func (r *Result) write(b *strings.Builder, clean func(string) string) {
	fmt.Fprintf(b, "\n%s  %s: %s\n", strings.ToUpper(string(r.Status)), r.ID, clean(r.Found+r.WhyNot))
	if r.Accepted != "" {
		fmt.Fprintf(b, "  accepted: %s\n", clean(r.Accepted))
	}
	if w := r.Witness; w != nil {
		fmt.Fprintf(b, "  problem   %s\n", clean(w.Problem))
		for _, said := range w.Replies {
			fmt.Fprintf(b, "  reply     %s\n", clean(brief(said)))
		}
		fmt.Fprintf(b, "  expected  %s\n  observed  %s\n", clean(w.Expected), clean(brief(w.Observed)))
		if w.Command != "" {
			fmt.Fprintf(b, "  again     %s\n", clean(w.Command))
		}
	}
	if r.Remedy != "" {
		fmt.Fprintf(b, "  remedy    %s\n", r.Remedy)
	}
}

// brief is a text on one line of a terminal.
func brief(text string) string {
	const most = 160
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		return fmt.Sprintf("%s… (%s)", string(runes[:most]), stats.Count(len(runes), "character"))
	}
	return text
}

//go:embed page.html
var page string

// WriteHTML writes the report as one page that needs no other file.
func (r *Report) WriteHTML(w io.Writer) error {
	parsed, err := template.New("prove").Parse(page)
	if err != nil {
		return err
	}
	return parsed.Execute(w, struct {
		*Report
		Passed int
	}{r, r.Counts.Passed + r.Counts.Warned})
}
