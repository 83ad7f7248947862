package hubstats

import (
	"context"
	"fmt"
	"io"
	"time"
)

// Show asks a hub for the state of a run and prints it, or the reply of the hub as it is.
func (a Request) Show(ctx context.Context, out io.Writer, asJSON bool) error {
	text, err := a.Fetch(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		_, err := fmt.Fprintf(out, "%s\n", text)
		return err
	}
	st, err := Read(text)
	if err != nil {
		return fmt.Errorf("%s: %w", a.URL, err)
	}
	Print(out, st, time.Now())
	return nil
}
