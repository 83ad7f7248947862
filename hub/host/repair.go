package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/queue/nats"
)

// A Repair deletes the messages of other programs from the queue of a run on NATS.
type Repair struct {
	NATSURL   string
	NATSCreds string // empty: none
	Run       string
}

// RepairCommand returns the verb that repairs, and prints to out.
func RepairCommand(out io.Writer) *cobra.Command {
	var r Repair
	c := &cobra.Command{
		Use:   "repair",
		Short: "Delete the messages of other programs from a queue on NATS",
		Long: `Repair prints and deletes the messages in the log of a queue that no hub wrote. One of
them ends the hub that owns the queue, and may keep the next one from opening it.`,
		Example: "  quintain hub queue repair --nats-url nats://127.0.0.1:4222",
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return r.Do(c.Context(), out) },
	}
	c.Flags().StringVar(&r.NATSURL, "nats-url", "", "NATS server or cluster with the queue; several servers with commas")
	c.Flags().StringVar(&r.NATSCreds, "nats-creds", "", "file of NATS credentials")
	c.Flags().StringVar(&r.Run, "run", "default", "name of the run")
	return c
}

// Do prints each message to out, then deletes it: see [nats.Repair].
func (r *Repair) Do(ctx context.Context, out io.Writer) error {
	if r.NATSURL == "" {
		return errors.New("--nats-url: is missing; the files of a folder need no repair")
	}
	n := 0
	err := nats.Repair(ctx, r.NATSURL, nats.Options{Name: Streams(r.Run), Creds: r.NATSCreds}, func(s nats.Stray) error {
		n++
		_, err := fmt.Fprintf(out, "deleting message %d of %s, %s: %.200q\n", s.Seq, s.Subject, s.At.UTC().Format(time.RFC3339), s.Data)
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "deleted %s of other programs\n", stats.Count(n, "message"))
	return err
}
