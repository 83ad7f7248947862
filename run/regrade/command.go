package regrade

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/run/exam"
	"github.com/quintain-rl/quintain/scenario/external/guest"
	"github.com/quintain-rl/quintain/trace"
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
  quintain judge resume --data quintain-data --judge other-server.yaml
  quintain run --data quintain-data`,
	}
}

// Ordered is how people order stored groups to be graded anew.
type Ordered struct {
	Job
	Grader, Eval, Format string
}

// Anew returns the verb that grades stored groups by another grader, without its work; its flags set
// what is ordered.
func (o *Ordered) Anew() *cobra.Command {
	c := &cobra.Command{
		Use:   "regrade",
		Short: "Grade stored episodes anew, by another task version, program or judge, and tell what changes",
		Long: `Regrade reads the episodes of a run or an evaluation, has another grader judge them, and
prints what changes. Nothing is sampled, and nothing is written over: the verdicts go into a
file beside the trace, each with the old reward, and quintain export and quintain trace show
take the newest of them with --regraded. --data may also name a file of export records.

The grader is task: the task and its scenario as this program has them, which are given the
same replies again; or the YAML file of a judge (docs/judge.md); or the address of an environment
(docs/environments.md), which grades or plays the replies again; or a command, which reads an
episode as JSON and writes {"reward": 0.5, "right": false, "why": "…"}. An episode that it
cannot grade is ungraded and counted, never 0: if that is all, the exit status is 1. So it is
if the trace is damaged: the rest is graded, and what is lost is told with its file.

The same command again grades only what is left. With --requeue, groups that the run never
kept go into its queue if they teach something under the new rewards and are not too old.`,
		Example: `  quintain regrade --grader task
  quintain regrade --eval before --grader "python3 grade.py" --format records > changed.jsonl
  quintain regrade --grader reasoning_gym:chain_sum
  quintain regrade --grader judge.yaml --only 'reasoning_gym.v2/chain_sum.*' --requeue`,
	}
	f := c.Flags()
	f.StringVar(&o.Grader, "grader", "", "who grades: task, the YAML file of a judge, the address of an environment, or a command line")
	f.StringVar(&o.Eval, "eval", "", "folder of quintain eval --out, in place of --data")
	f.StringSliceVar(&o.Only, "only", nil, "only these groups, by their IDs, or the beginning of some with a * after it; with commas or repeated")
	f.BoolVar(&o.Queue, "requeue", false, "put groups that were never kept into the queue of the run, which must not be running")
	f.StringVar(&o.Format, "format", "table", "table; records, a JSON line for each episode that changed; or json")
	return c
}

// Open checks what is ordered, and opens its grader, unless that is an environment. Data is the data folder of the settings.
func (o *Ordered) Open(data string) (err error) {
	if o.Data = data; o.Eval != "" {
		o.Data = o.Eval
	}
	info, missing := os.Stat(o.Data)
	switch {
	case !slices.Contains([]string{"table", "records", "json"}, o.Format):
		return fmt.Errorf("--format: is %q, want table, records or json", o.Format)
	case o.Queue && o.Eval != "":
		return errors.New("--requeue: an evaluation has no queue; leave one out")
	case o.Queue && missing == nil && info.Mode().IsRegular():
		return fmt.Errorf("--requeue: %s is a file, which has no queue: want the data folder of a run", o.Data)
	}
	if o.Eval != "" {
		if _, err := exam.ReadReport(o.Eval); err != nil {
			return fmt.Errorf("--eval: %w", err)
		}
	}
	if _, environment := o.Environment(); environment {
		o.Job.Grader = Task() // until it is started
	} else if o.Job.Grader, err = Open(o.Grader); err != nil {
		return fmt.Errorf("--grader: %w", err)
	}
	return nil
}

// Environment returns the address of the environment that grades, which the caller then starts.
func (o *Ordered) Environment() (a guest.Address, grades bool) {
	a, err := guest.Parse(o.Grader)
	return a, err == nil
}

// At has the job read a trace. That of a file is a copy, and its gradings stand beside the file.
func (o *Ordered) At(copied string) Job {
	j := o.Job
	j.Show = "quintain trace show '%s' --regraded --data " + strings.ReplaceAll(j.Data, "%", "%%")
	if copied != j.Data {
		j.Show = "quintain view " + strings.ReplaceAll(j.Data, "%", "%%") + " # %s"
		j.Beside, j.Data = j.Data+"."+trace.GradingsName, copied
	}
	return j
}

// Settings returns the settings of a run or an evaluation, which its trace has, in the form of a file.
func Settings(of []byte) ([]byte, error) {
	all := map[string]json.RawMessage{}
	if string(of) != "null" && len(of) > 0 { // records of a file have none
		if err := strictjson.Unmarshal(of, &all); err != nil {
			return nil, fmt.Errorf("settings of the run in its trace: %w", strictjson.Explain(err))
		}
	}
	delete(all, "weights") // an evaluation has the hash of its weights among its settings
	return json.Marshal(all)
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
	text := fmt.Sprintf("%s judged and in the queue, %d dropped", stats.Count(c.Queued, "group"), dropped)
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
