package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
)

// DropCommand returns the verb that takes the groups of a worker out of a queue, and prints to out.
// Program is the name and version of the program.
func DropCommand(out io.Writer, program string) *cobra.Command {
	worker := ""
	c := &cobra.Command{
		Use:   "drop DIR",
		Short: "Take the waiting groups of a worker out of a queue",
		Long: `Drop removes the waiting groups that a worker played, for instance after its GPU turned out
broken, and prints the ID of each. No trainer gets them any more; the trace of the run keeps
them. Their problems are not played again. Stop the run first.`,
		Example: `  quintain hub queue drop quintain-data --worker node7`,
		RunE:    func(c *cobra.Command, args []string) error { return Drop(c.Context(), args[0], worker, program, out) },
	}
	c.Flags().StringVar(&worker, "worker", "", "name of the worker, as quintain hub workers shows it")
	return c
}

// Drop removes the waiting groups of a worker from the queues in a data folder, or from the one in dir,
// which nobody else may use, and prints the ID of each to out.
func Drop(ctx context.Context, dir, worker, program string, out io.Writer) (err error) {
	if worker == "" {
		return errors.New("--worker: is missing: quintain hub queue dump prints origin.worker of each group")
	}
	folders, err := files.Folders(dir)
	if err != nil {
		return err
	}
	data, err := datadir.Open(datadir.Root(folders[0]), program)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, data.Close()) }()
	dropped := 0
	for _, folder := range folders {
		n, err := dropFrom(ctx, data, folder, worker, out)
		if dropped += n; err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	_, err = fmt.Fprintf(out, "%s of worker %q taken out\n", stats.Count(dropped, "group"), worker)
	return err
}

// dropFrom removes the groups of a worker from the queue in a folder, and returns how many.
func dropFrom(ctx context.Context, data *datadir.Folder, folder, worker string, out io.Writer) (n int, err error) {
	root, err := filepath.Abs(data.Path())
	if err != nil {
		return 0, err
	}
	full, err := filepath.Abs(folder)
	if err != nil {
		return 0, err
	}
	at, err := filepath.Rel(root, full)
	if err != nil {
		return 0, err
	}
	store := DefaultStore()
	q, err := store.Open(ctx, folder, files.Options{Log: slog.New(slog.DiscardHandler), Locked: true, Mark: data.Mark(at)})
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, q.Close()) }()
	var seqs, drop []uint64
	q.View(func(waiting []queue.Entry) {
		for _, e := range waiting {
			seqs = append(seqs, e.Seq)
		}
	})
	for _, seq := range seqs {
		d, err := q.Read(ctx, seq)
		if _, corrupt := errors.AsType[*queue.CorruptError](err); corrupt {
			continue // quintain hub queue check tells of it
		}
		if err != nil {
			return 0, err
		}
		if d.Group.Origin.Worker == worker {
			drop = append(drop, seq)
			fmt.Fprintln(out, d.Group.ID)
		}
	}
	return q.Drop(ctx, drop...)
}
