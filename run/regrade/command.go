package regrade

import (
	"errors"
	"fmt"
	"io"

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

// Say prints a report, and returns the error that ended it, or that groups are left. If nothing was
// judged before the error, it prints nothing.
func (r *Report) Say(to io.Writer, err error) error {
	if err != nil && r.Kept+len(r.Dropped)+r.Left == 0 {
		return err
	}
	dropped := 0
	for _, n := range r.Dropped {
		dropped += n
	}
	text := fmt.Sprintf("%d groups are judged and in the queue, %d are dropped", r.Kept, dropped)
	if dropped > 0 {
		text += fmt.Sprintf(" (%v)", r.Dropped)
	}
	if r.Left > 0 {
		text += fmt.Sprintf(", %d still have no verdict: %s", r.Left, r.Why)
		err = errors.Join(err, errors.New("some groups have no verdict: resume again, and only those are judged"))
	}
	_, failed := fmt.Fprintln(to, text)
	return errors.Join(err, failed)
}
