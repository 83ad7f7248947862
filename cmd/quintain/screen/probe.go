package screen

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/quintain-rl/quintain/policy/engines"
)

// Probe prints a report as a table.
func Probe(out io.Writer, r *engines.Report) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "address\t%s\nserver\t%s\n", r.URL, strings.TrimSpace(string(r.Server)+" "+r.Version))
	fmt.Fprintf(t, "models\t%s\n", strings.Join(r.Models, ", "))
	if r.WeightVersion != "" {
		fmt.Fprintf(t, "weights\tversion %s\n", r.WeightVersion)
	}
	for _, row := range []struct {
		name string
		can  bool
	}{
		{"takes tokens", r.Can.TokensIn},
		{"reports tokens", r.Can.TokensOut},
		{"reports log-probabilities", r.Can.LogProbs},
		{"several samples a request", r.Can.Several},
		{"keeps interrupted replies", r.Can.Interrupt},
		{"reports weight versions", r.Can.Versions},
		{"scores given tokens", r.Can.Score},
		{"ends replies at stop texts", r.Can.Stop},
	} {
		fmt.Fprintf(t, "%s\t%s\n", row.name, yes(row.can))
	}
	if !r.Can.TokensIn {
		fmt.Fprintf(t, "chat completions\t%s\ntext completions\t%s\n", yes(r.Fault == nil), yes(r.Text != nil))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for _, note := range r.Notes {
		if _, err := fmt.Fprintf(out, "note: %s\n", note); err != nil {
			return err
		}
	}
	return nil
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
