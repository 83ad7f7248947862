package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/quintain-rl/quintain/queue/nats"
)

// A Repair deletes the messages of other programs from the queue of a run on NATS.
type Repair struct {
	NATSURL   string
	NATSCreds string // empty: none
	Run       string
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
	_, err = fmt.Fprintf(out, "%d messages of other programs were deleted\n", n)
	return err
}
