package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/jsonform"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
)

func newQueue(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "queue",
		Short: "Check the queue of a data folder, and read what it holds",
		Long: `Queue looks at the files of a queue that no process uses, and changes nothing. Its
argument is a data folder, or the folder of one queue in it.`,
		Example: `  quintain queue check quintain-data
  quintain queue dump quintain-data > groups.jsonl`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(newQueueCheck(w), newQueueDump(w))
	return c
}

func newQueueCheck(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "check DIR",
		Short: "Tell what a queue holds, and what of it is damaged or missing",
		Long: `Check reads every file and every group that waits. It ends with status 1 if anything is
damaged or missing. What a crash has left of a write that was not finished is no damage.`,
		Example: "  quintain queue check quintain-data",
		Args:    oneArg("folder"),
		RunE: func(c *cobra.Command, args []string) error {
			r, err := files.Check(c.Context(), queueFolder(args[0]))
			return w.tellReport(r, err)
		},
	}
}

func newQueueDump(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "dump DIR",
		Short: "Write the groups that wait as JSON lines",
		Long: `Dump writes every group that waits and can be read, oldest first, a line of JSON each, as
POST /v1/runs/{run}/groups takes it in a list. What cannot be read is reported on standard
error.`,
		Example: `  quintain queue dump quintain-data > groups.jsonl
  jq -s . groups.jsonl | curl -H 'Content-Type: application/json' -d @- localhost:8000/v1/runs/default/groups`,
		Args: oneArg("folder"),
		RunE: func(c *cobra.Command, args []string) error {
			out := bufio.NewWriter(w.stdout)
			r, err := files.Dump(c.Context(), queueFolder(args[0]), func(d queue.Delivery) error { return jsonform.WriteLegible(out, d.Group) })
			return w.tellReport(r, errors.Join(err, out.Flush()))
		},
	}
}

// queueFolder is the queue of a data folder, or dir itself.
func queueFolder(dir string) string {
	below := filepath.Join(dir, datadir.Queue)
	if info, err := os.Stat(below); err == nil && info.IsDir() {
		return below
	}
	return dir
}

// tellReport prints what was found on standard error.
func (w *world) tellReport(r files.Report, err error) error {
	for _, finding := range r.Findings {
		fmt.Fprintln(w.stderr, finding)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w.stderr, "%d groups wait, %d are done; %d are missing, %d cannot be read; %d places are damaged, %d writes were not finished\n",
		r.Stats.Waiting.Groups, r.Stats.Known, r.Stats.Lost, r.Stats.Aside.Groups, r.Damaged, r.Cut)
	if !r.Sound() {
		return errReported
	}
	return nil
}
