package main

import (
	"bufio"
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/cmd/quintain/screen"
	"github.com/quintain-rl/quintain/hub/host"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
)

func newHubQueue(w *world) *cobra.Command {
	c := &cobra.Command{
		Use:   "queue",
		Short: "Check the queue of a data folder, print its groups, and take some out",
		Long: `Queue reads the files of a queue that no process uses. Its argument is a data folder, or the
folder of one queue in it. Check and dump change nothing.`,
		Example: `  quintain hub queue check quintain-data
  quintain hub queue dump quintain-data > groups.jsonl`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	drop := host.DropCommand(w.stdout, version())
	drop.Args = oneArg("folder")
	c.AddCommand(newHubQueueCheck(w), newHubQueueDump(w), drop, host.RepairCommand(w.stdout))
	return c
}

func newHubQueueCheck(w *world) *cobra.Command {
	return &cobra.Command{
		Use:   "check DIR",
		Short: "Count the groups of a queue, and find damaged or missing ones",
		Long: `Check reads every file and every waiting group, in a data folder of every run. It ends with
status 1 if anything is damaged or missing, or if there is no queue. An unfinished write that
a crash left is no damage.`,
		Example: "  quintain hub queue check quintain-data",
		Args:    oneArg("folder"),
		RunE: func(c *cobra.Command, args []string) error {
			return w.tellReports(files.CheckAll(c.Context(), args[0]))
		},
	}
}

func newHubQueueDump(w *world) *cobra.Command {
	all := false
	c := &cobra.Command{
		Use:   "dump DIR",
		Short: "Print the waiting groups as JSON lines",
		Long: `Dump prints every readable waiting group as a line of JSON, oldest first, in the form that
POST /v1/runs/{run}/groups takes in a list. It reports unreadable groups on standard error.
Of a data folder it prints those of the default run; for another run, name its folder.`,
		Example: `  quintain hub queue dump quintain-data > groups.jsonl
  jq -s . groups.jsonl | curl -H 'Content-Type: application/json' -d @- localhost:8000/v1/runs/default/groups`,
		Args: oneArg("folder"),
		RunE: func(c *cobra.Command, args []string) error {
			folders, err := files.Folders(args[0])
			if err != nil {
				return err
			}
			dump := files.Dump
			if all {
				dump = files.Salvage
			}
			out := bufio.NewWriter(w.stdout)
			r, err := dump(c.Context(), folders[0], func(d queue.Delivery) error { return strictjson.WriteLegible(out, d.Group) })
			return w.tellReports([]files.Report{r}, errors.Join(err, out.Flush()))
		},
	}
	c.Flags().BoolVar(&all, "salvage", all, "go on without a missing or unreadable log, and print groups found in damaged parts too; some may have been acknowledged")
	return c
}

// tellReports prints reports on standard error.
func (w *world) tellReports(list []files.Report, err error) error {
	screen.Queues(w.stderr, list)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(list, func(r files.Report) bool { return !r.Sound() }) {
		return errReported
	}
	return nil
}
