package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/datadir"
	"github.com/quintain-rl/quintain/export"
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
}

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

docs/formats/dump.md describes them. A file is written whole or not at all.`,
		Example: `  quintain export sft --min-score 0.9 --best 1 > sft.jsonl
  quintain export dpo --gap 0.5 --task countdown > pairs.jsonl
  quintain export parquet --drop kept --out sequences.parquet`,
		Args:      oneArg("FORMAT"),
		ValidArgs: []string{"records", "groups", "parquet", "sft", "dpo"},
	}
	e.flags(c)
	f := c.Flags()
	f.StringVar(&e.out, "out", "", "file to write, in place of standard output")
	f.StringVar(&e.sequences, "sequences", string(rollout.WholeEpisodes), "how the run cut episodes into sequences: episode or turn")
	f.Float64Var(&e.least, "min-score", 0.7, "score that an episode, or the chosen one of a pair, has at least")
	f.Float64Var(&e.most, "max-score", 0, "score that it has at most; 0: any")
	f.Float64Var(&e.gap, "gap", 0.1, "by how much the rejected episode of a pair scores less, at least")
	f.IntVar(&e.best, "best", 0, "episodes, or pairs, of a group at most; 0: any number")
	f.BoolVar(&e.atropos, "atropos", false, "pairs in the form of atropos-dpo-gen: {\"pos\", \"score\", \"neg\"}")
	c.RunE = func(c *cobra.Command, args []string) error {
		if e.sequences != string(rollout.WholeEpisodes) && e.sequences != string(rollout.EachTurn) {
			return usagef("--sequences is %q, want episode or turn", e.sequences)
		}
		if e.sink(args[0], io.Discard) == nil {
			return usagef("the format is %q, want records, groups, parquet, sft or dpo", args[0])
		}
		r, err := e.open()
		if err != nil {
			return err
		}
		return w.attend(c.Context(), func(ctx context.Context, _ <-chan struct{}) error {
			return e.toFile(w.stdout, func(out io.Writer) error {
				n, err := e.copy(ctx, e.sink(args[0], out), r)
				fmt.Fprintf(w.stderr, "quintain: %d groups read\n", n)
				return err
			})
		})
	}
	return c
}

// sink is the sink of a format; nil: there is no such format.
func (e *exporter) sink(format string, out io.Writer) export.Sink {
	how := rollout.Sequences(e.sequences)
	switch format {
	case "records":
		return recordLines{out}
	case "groups":
		return &export.Groups{Out: out, Sequences: how}
	case "parquet":
		return export.NewParquet(out, how)
	case "sft":
		return &export.SFT{Out: out, MinScore: e.least, MaxScore: e.most, Best: e.best}
	case "dpo":
		return &export.DPO{Out: out, MinScore: e.least, MaxScore: e.most, Gap: e.gap, Pairs: e.best, Atropos: e.atropos}
	}
	return nil
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
func (r recordLines) Write(record *trace.Record) error { return json.NewEncoder(r.out).Encode(record) }
