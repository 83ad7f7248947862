package regrade

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/spf13/cobra"
)

// Command returns the verb that resumes, without its flags and its work.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:   "resume",
		Short: "Judge the groups that a run has kept without a verdict",
		Long: `Resume reads the trace of a run that has stopped, and judges the groups that are ungraded
there, as the run does. Those that teach something go into the run's queue, where its next
process finds them; all are recorded in the trace, for quintain export and view. A group whose
tokens are too old for the run is recorded as stale, and not put into the queue.

The settings are those of the run, which its trace has. --judge names another file, with the
same rubric, model and sampling. What is left after an interruption is judged the next time;
nothing is doubled. The exit status is 1 if groups are left.`,
		Example: `  quintain judge resume --data quintain-data
  quintain judge resume --data quintain-data --judge other-server.yaml && quintain run --data quintain-data`,
	}
}

// Say prints what became of the groups, and returns the error that ended it, or that groups are left. If
// nothing was judged before the error, it prints nothing.
func (c *Changes) Say(to io.Writer, err error) error {
	dropped := 0
	for _, n := range c.Dropped {
		dropped += n
	}
	if err != nil && c.Queued+dropped+c.Left == 0 {
		return err
	}
	text := fmt.Sprintf("%d groups are judged and in the queue, %d are dropped", c.Queued, dropped)
	if dropped > 0 {
		text += fmt.Sprintf(" (%v)", c.Dropped)
	}
	if c.Left > 0 {
		text += fmt.Sprintf(", %d still have no verdict: %s", c.Left, slices.Collect(maps.Keys(c.Why))[0])
		err = errors.Join(err, errors.New("some groups have no verdict: resume again, and only those are judged"))
	}
	_, failed := fmt.Fprintln(to, text)
	return errors.Join(err, failed)
}
