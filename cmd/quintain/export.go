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
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/interop/export"
)

func newExport(w *world) *cobra.Command {
	var out string
	q, of := traceQuery{}, export.DefaultChoice()
	c := export.Command()
	c.Args = oneArg("FORMAT")
	q.flags(c.Flags())
	q.regradedFlag(c.Flags())
	c.Flags().StringVar(&out, "out", "", "file to write, in place of standard output")
	of.Flags(c.Flags())
	c.AddCommand(newExportModel(w))
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
				fmt.Fprintf(w.stderr, "quintain: %s read\n", stats.Count(n, "group"))
				if counts, does := sink.(interface{ Unknown() int }); does {
					w.sayUnknown(counts.Unknown())
				}
				return err
			}); err != nil {
				return err
			}
			return sayDamage(w.stderr, r.Damage())
		})
	}
	return c
}

// sayDamage says what of a trace is damaged or missing; then the error is [errReported].
func sayDamage(to io.Writer, all []string) error {
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
		fmt.Fprintf(w.stderr, "quintain: %s without a record of AReaL, which needs log-probabilities: the policy reported none\n", stats.Count(n, "group"))
	}
}
