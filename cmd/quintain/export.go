package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/interop/export"
	"github.com/quintain-rl/quintain/rollout"
	"github.com/quintain-rl/quintain/trace"
)

// An exporter is an export in flags.
type exporter struct {
	traceQuery
	out       string
	sequences string
	least     float64
	most      float64
	gap       float64
	best      int
	atropos   bool
	mode      string
	form      string
	discount  float64
}

// exportFormats are those that an exporter has a sink for.
var exportFormats = []string{"records", "groups", "parquet", "sft", "dpo", "areal"}

func newExport(w *world) *cobra.Command {
	e := exporter{}
	c := &cobra.Command{
		Use:   "export FORMAT",
		Short: "Make a data set of what a run has played",
		Long: `Export reads the trace of a run, which may be going on, and prints one of these:

  records  the groups as they were played, whatever became of them, as JSON lines
  groups   scored groups as Atropos' environments write them: tokens, masks, scores, …
  parquet  training sequences of scored groups, a row each
  sft      {"messages", "score"} of the episodes with a good score, each conversation once
  dpo      {"prompt", "chosen", "rejected", …}: pairs of episodes of one group, each once
  areal    scored episodes as AReaL's trainers read them: SequenceSamples or tensors

docs/formats/dump.md describes them, and docs/formats/areal.md the last. A file is written whole or not at all.`,
		Example: `  quintain export sft --min-score 0.9 --best 1 > sft.jsonl
  quintain export dpo --gap 0.5 --task countdown > pairs.jsonl
  quintain export parquet --drop kept --out sequences.parquet
  quintain export areal --mode modern --form safetensors --out batch.safetensors`,
		Args:      oneArg("FORMAT"),
		ValidArgs: exportFormats,
	}
	e.flags(c)
	f := c.Flags()
	f.StringVar(&e.out, "out", "", "file to write, in place of standard output")
	f.StringVar(&e.sequences, "sequences", string(rollout.WholeEpisodes), "how the run cut episodes into sequences: episode or turn")
	f.Float64Var(&e.least, "min-score", 0.7, "score that an episode, or the chosen one of a pair, has at least")
	f.Float64Var(&e.most, "max-score", 0, "score that it has at most; 0: any")
	f.Float64Var(&e.gap, "gap", 0.1, "by how much the rejected episode of a pair, or with sft, where 0 is the default, the worst of the group scores less, at least")
	f.IntVar(&e.best, "best", 0, "episodes, or pairs, of a group at most; 0: any number")
	f.BoolVar(&e.atropos, "atropos", false, "pairs in the form of atropos-dpo-gen: {\"pos\", \"score\", \"neg\"}")
	f.StringVar(&e.mode, "mode", string(export.Legacy), "AReaL's form of episodes: legacy, a sequence for each turn; single, a record for each group; or modern, tensors")
	f.StringVar(&e.form, "form", string(export.JSON), "how it is written: json, a line each, or npz or safetensors, one file of all")
	f.Float64Var(&e.discount, "turn-discount", 1, "factor on a turn's reward in the reward of the turn before, in AReaL's forms")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := e.check(args[0]); err != nil {
			return err
		}
		if args[0] == "sft" && !f.Changed("gap") {
			e.gap = 0
		}
		r, err := e.open()
		if err != nil {
			return err
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			return e.toFile(w.stdout, func(out io.Writer) error {
				sink := e.sink(args[0], out)
				n, err := e.copy(ctx, sink, r)
				fmt.Fprintf(w.stderr, "quintain: %d groups read\n", n)
				w.sayUnknown(sink)
				return err
			})
		})
	}
	return c
}

// check reports the first flag that is invalid.
func (e *exporter) check(format string) error {
	switch {
	case e.sequences != string(rollout.WholeEpisodes) && e.sequences != string(rollout.EachTurn):
		return usagef("--sequences is %q, want episode or turn", e.sequences)
	case !slices.Contains(export.Modes, export.Mode(e.mode)):
		return usagef("--mode is %q, want one of %v", e.mode, export.Modes)
	case !slices.Contains(export.Forms, export.Form(e.form)):
		return usagef("--form is %q, want one of %v", e.form, export.Forms)
	case !(e.discount >= 0 && e.discount <= 1):
		return usagef("--turn-discount is %v, want 0 to 1", e.discount)
	case !slices.Contains(exportFormats, format):
		return usagef("the format is %q, want one of %v", format, exportFormats)
	}
	return nil
}

// sayUnknown says how many groups a sink left out because their log-probabilities are unknown,
// if it counts them.
func (w *world) sayUnknown(s any) {
	if u, counts := s.(interface{ Unknown() int }); counts && u.Unknown() > 0 {
		fmt.Fprintf(w.stderr, "quintain: %d groups have no record of AReaL, which needs log-probabilities: the policy reported none\n", u.Unknown())
	}
}

// sink is the sink of a format.
func (e *exporter) sink(format string, out io.Writer) export.Sink {
	how := rollout.Sequences(e.sequences)
	switch format {
	case "groups":
		return &export.Groups{Out: out, Sequences: how}
	case "parquet":
		return export.NewParquet(out, how)
	case "sft":
		return &export.SFT{Out: out, MinScore: e.least, MaxScore: e.most, Gap: e.gap, Best: e.best}
	case "dpo":
		return &export.DPO{Out: out, MinScore: e.least, MaxScore: e.most, Gap: e.gap, Pairs: e.best, Atropos: e.atropos}
	case "areal":
		return &export.Areal{Out: out, Mode: export.Mode(e.mode), Form: export.Form(e.form), Discount: e.discount}
	}
	return recordLines{out}
}

// copy writes what the query finds to a sink, and the end of it.
func (e *exporter) copy(ctx context.Context, to export.Sink, from *trace.Reader) (n int, err error) {
	n, err = export.Copy(ctx, to, from, e.query)
	if end, has := to.(io.Closer); has && err == nil {
		err = end.Close()
	}
	return n, err
}

// toFile gives write the file of the flags, which is then there whole or not at all, or
// stdout.
func (e *exporter) toFile(stdout io.Writer, write func(io.Writer) error) error {
	buffered := func(to io.Writer) error {
		out := bufio.NewWriterSize(to, 1<<20)
		return errors.Join(write(out), out.Flush())
	}
	if e.out == "" {
		return buffered(stdout)
	}
	if err := datadir.WriteTo(e.out, buffered); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

// recordLines prints records as they are, a line each.
type recordLines struct{ out io.Writer }

// Write implements [export.Sink].
func (r recordLines) Write(record *trace.Record) error { return jsonform.WriteLine(r.out, record) }
