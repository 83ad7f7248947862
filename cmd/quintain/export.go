package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/interop/export"
	"github.com/quintain-rl/quintain/trace"
)

func newExport(w *world) *cobra.Command {
	var out string
	q, of := traceQuery{}, export.DefaultChoice()
	c := &cobra.Command{
		Use:   "export FORMAT",
		Short: "Make a data set from the episodes of a run",
		Long: `Export reads the trace of a run, even during the run, and prints one of these:

  records  all played groups, kept or dropped, as JSON lines
  groups   scored groups as Atropos' environments write them: tokens, masks, scores, …
  parquet  training sequences of scored groups, one a row
  sft      {"messages", "score"} of episodes with a good score, each conversation once
  dpo      {"prompt", "chosen", "rejected", …}: pairs of episodes of one group, each once
  areal    scored episodes as AReaL's trainers read them: SequenceSamples or tensors

docs/formats/dump.md describes them, and docs/formats/areal.md the last. Export writes a
file completely or not at all. If some of the trace is damaged or missing, the data set has the
rest, export says what is lost, and it ends with status 1.`,
		Example: `  quintain export sft --min-score 0.9 --best 1 > sft.jsonl
  quintain export dpo --gap 0.5 --task countdown > pairs.jsonl
  quintain export parquet --drop kept --out sequences.parquet
  quintain export areal --mode modern --form safetensors --out batch.safetensors`,
		Args:      oneArg("FORMAT"),
		ValidArgs: export.Formats(),
	}
	q.flags(c.Flags())
	q.regradedFlag(c.Flags())
	c.Flags().StringVar(&out, "out", "", "file to write, in place of standard output")
	of.Flags(c.Flags())
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := of.Check(); err != nil {
			return usagef("--%w", err)
		}
		if of.Format = args[0]; !slices.Contains(export.Formats(), of.Format) {
			return usagef("the format is %q, want one of %s", of.Format, strings.Join(export.Formats(), ", "))
		}
		if of.Format == "sft" && !c.Flags().Changed("gap") {
			of.Gap = 0
		}
		r, query, err := q.open()
		if err != nil {
			return err
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			if err := datadir.WriteOut(out, w.stdout, func(out io.Writer) error {
				sink := of.Sink(out)
				n, err := export.CopyWhole(ctx, sink, r, query)
				fmt.Fprintf(w.stderr, "quintain: %d groups read\n", n)
				if counts, does := sink.(interface{ Unknown() int }); does {
					w.sayUnknown(counts.Unknown())
				}
				return err
			}); err != nil {
				return err
			}
			return sayDamage(w.stderr, r)
		})
	}
	return c
}

// sayDamage says what of a trace is damaged or missing; then the error is [errReported].
func sayDamage(to io.Writer, r *trace.Reader) error {
	all := r.Damage()
	for _, what := range all {
		fmt.Fprintf(to, "quintain: %s\n", screen.Safe(what))
	}
	if len(all) > 0 {
		return errReported
	}
	return nil
}

// sayUnknown says how many groups have no record of AReaL.
func (w *world) sayUnknown(n int) {
	if n > 0 {
		fmt.Fprintf(w.stderr, "quintain: %d groups have no record of AReaL, which needs log-probabilities: the policy reported none\n", n)
	}
}
