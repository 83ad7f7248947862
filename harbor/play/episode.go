package play

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/harbor"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/sandbox/box"
	"github.com/quintain-rl/quintain/scenario"
)

// toolName is that of the tool.
const toolName = "bash"

// usualSeconds is the time limit of a call that names none.
const usualSeconds = 120

// kept is how many bytes of a call's output the trial keeps for each character that is told, since a character may have four, and colours take some.
const kept = 16

// An episode is a trial that a policy plays. It implements [quintain.Tooled] and [quintain.Cuttable].
type episode struct {
	set    *Set
	of     *entry
	run    *run
	desk   scenario.Desk
	began  time.Time
	filled int      // times that the memory was full
	over   string   // why the agent's phase has ended; empty: it has not
	last   []string // results of calls that the policy does not read, since the episode has ended

	acting sync.Mutex // held by a request of a program outside
	lost   error      // by such a request; nil: nothing is
}

func newEpisode(s *Set, e *entry) *episode {
	ep := &episode{set: s, of: e, run: s.newRun(e), began: time.Now()}
	doc := fmt.Sprintf("Run a command with bash. It begins in the folder and with the exported variables that the last call left; functions and aliases do not stay. "+
		"Standard input is empty. The result is standard output and standard error, at most %d characters, then the exit status. What runs in the background goes on.", s.how.Output)
	ep.desk.Kit = scenario.Kit{scenario.Of(toolName, doc, []scenario.Param{
		{Name: "command", Type: scenario.Text(), Doc: "the command"},
		{Name: "timeout", Type: scenario.Number(), Optional: true, Doc: fmt.Sprintf("seconds after which it is ended, at most %d; %d unless given", s.how.Seconds, min(usualSeconds, s.how.Seconds))},
	}, ep.call)}
	return ep
}

// Open implements [quintain.Env]. The trial begins with the first call.
func (e *episode) Open(context.Context) ([]quintain.Message, error) {
	ask := e.of.Ask
	if e.set.how.AgentCommand == "" {
		ask += "\n\n" + e.prompt()
	}
	return []quintain.Message{{Role: quintain.RoleUser, Content: ask}}, nil
}

// prompt says what there is.
func (e *episode) prompt() string {
	if e.set.how.Prompt != "" {
		return e.set.how.Prompt
	}
	limit := ""
	if t := e.limit(); t > 0 {
		limit = fmt.Sprintf(" Together they may take %g seconds.", t.Seconds())
	}
	return fmt.Sprintf("You work as root in a Linux container without network, with the tool bash. You are in the folder %s. You have %s.%s "+
		"When you are done, reply without a call: then the result is tested.", e.of.workdir(), stats.Count(e.set.how.Calls, "call"), limit)
}

// limit returns the time limit of the agent's phase; 0: there is none.
func (e *episode) limit() time.Duration {
	if e.set.how.Clock == clockOff {
		return 0
	}
	return e.set.scaled(e.of.Config.Agent.Timeout)
}

// remains returns what remains of the limit, if there is one.
func (e *episode) remains() (left time.Duration, limited bool) {
	limit := e.limit()
	if e.set.how.Clock == clockWall {
		return limit - time.Since(e.began), limit > 0
	}
	return limit - e.run.spent, limit > 0
}

// Tools implements [quintain.Tooled].
func (e *episode) Tools() []quintain.Tool { return e.desk.Offer() }

// An order is the arguments of a call.
type order struct {
	Command string   `json:"command"`
	Timeout *float64 `json:"timeout"`
}

// call runs a command.
func (e *episode) call(ctx context.Context, in order) (string, error) {
	seconds := float64(min(usualSeconds, e.set.how.Seconds))
	switch {
	case e.over != "":
		return "", scenario.Refusef("it is not run: %s", e.over)
	case in.Timeout != nil && !(*in.Timeout > 0 && *in.Timeout <= float64(e.set.how.Seconds)):
		return "", scenario.Refusef("timeout: is %v, want more than 0 and at most %d", *in.Timeout, e.set.how.Seconds)
	case len(in.Command) > mostCommand:
		return "", scenario.Refusef("command: has %d bytes, at most %d are allowed: write long files in parts", len(in.Command), mostCommand)
	case in.Timeout != nil:
		seconds = *in.Timeout
	}
	if left, limited := e.remains(); limited && left.Seconds() < seconds {
		seconds = left.Seconds()
	}
	if seconds <= 0 {
		e.over = "the time is up"
		return "", scenario.Refusef("it is not run: %s", e.over)
	}
	if err := e.run.open(ctx, false); err != nil {
		return "", err
	}
	got, err := e.run.command(ctx, box.Command{
		Args: []string{bash, "--noprofile", "--norc", "-c", in.Command}, Dir: e.run.dir, Env: e.run.env,
		Time: time.Duration(seconds * float64(time.Second)), Output: int64(e.set.how.Output) * kept, State: true,
	})
	switch {
	case errors.Is(err, box.ErrTooLong):
		return "", scenario.Refusef("command: it and its variables are too long: write long files in parts")
	case errors.Is(err, box.ErrOver):
		e.over = "the trial went beyond its memory or its disk"
		return "", scenario.Refusef("it is not run: %s", e.over)
	case err != nil:
		return "", err
	}
	if got.Dir != "" {
		e.run.dir, e.run.env = got.Dir, got.Env
	}
	if got.MemoryKilled {
		e.filled++
	}
	return told(got, e.set.how.Output, seconds), nil
}

// mostFilled is how often the memory may be full.
const mostFilled = 2

// cut returns why the agent's phase ends after a call; empty: it goes on.
func (e *episode) cut() string {
	left, limited := e.remains()
	switch {
	case e.over != "":
		return e.over
	case limited && left <= 0:
		return "the time is up"
	case e.filled >= mostFilled:
		return "the memory was full twice"
	case e.desk.Made() >= e.set.how.Calls:
		return fmt.Sprintf("all of %s are made", stats.Count(e.set.how.Calls, "call"))
	}
	return ""
}

// Step implements [quintain.Env]. A reply without calls is the end, and so is one that was cut.
func (e *episode) Step(ctx context.Context, reply quintain.Reply) (quintain.Step, error) {
	if reply.Finish == quintain.Length {
		return e.finish(ctx, quintain.Truncated, "the reply was cut")
	}
	if e.lost != nil {
		return quintain.Step{}, e.lost
	}
	answers, err := e.desk.Step(ctx, reply)
	switch {
	case err != nil:
		return quintain.Step{}, err
	case len(answers) == 0 && e.over != "":
		return e.finish(ctx, quintain.Truncated, e.over)
	case len(answers) == 0:
		return e.finish(ctx, quintain.Terminated, "")
	}
	if why := e.cut(); why != "" {
		for _, m := range answers {
			e.last = append(e.last, m.Content)
		}
		return e.finish(ctx, quintain.Truncated, why)
	}
	return quintain.Step{Observe: answers, Why: fmt.Sprintf("calls bash, %d of %d", e.desk.Made(), e.set.how.Calls)}, nil
}

// Cut implements [quintain.Cuttable].
func (e *episode) Cut(ctx context.Context) (quintain.Step, error) {
	return e.finish(ctx, quintain.Truncated, "")
}

// finish runs the tests. With an error the step has the record all the same, for people.
func (e *episode) finish(ctx context.Context, end quintain.End, why string) (quintain.Step, error) {
	rep, err := e.run.test(ctx)
	rep.Last = e.last
	if errors.Is(err, errPaysNothing) {
		rep.Reward, rep.Fault, err = new(float64), err.Error(), nil
	}
	if err != nil {
		rep.Fault = err.Error()
	}
	rep.Kept = e.run.keep(err == nil && *rep.Reward >= e.set.how.RightAt)
	record, recordErr := strictjson.Legible(rep)
	step := quintain.Step{Record: record, Metrics: rep.metrics()}
	if err = errors.Join(err, recordErr); err != nil {
		step.Why = why
		return step, explained(err, rep)
	}
	step.End, step.Reward, step.Right = end, *rep.Reward, *rep.Reward >= e.set.how.RightAt
	step.Why = fmt.Sprintf("the tests pay %g", step.Reward)
	for _, more := range []string{why, rep.Fault} {
		if more != "" {
			step.Why += "; " + more
		}
	}
	if n := len(rep.System); n > 0 {
		step.Why += fmt.Sprintf("; it changed %s, such as %s", stats.Count(n, "system file"), rep.System[0])
	}
	return step, nil
}

// explained adds the end of the tests' output to a fault of theirs.
func explained(err error, rep *report) error {
	if _, theirs := errors.AsType[*harbor.Fault](err); !theirs || rep.Tests == nil || rep.Tests.Output == "" {
		return err
	}
	const most = 2000
	return fmt.Errorf("%w; the tests' output ends\n%s", err, cut(plain([]byte(rep.Tests.Output)), most))
}

// metrics returns the numbers of a report.
func (r *report) metrics() map[string]float64 {
	all := map[string]float64{"changed_files": float64(r.Changed.Files), "changed_system": float64(len(r.System)), "unreachable": map[bool]float64{true: 1}[r.Strayed], "harbor_reward": r.first}
	if r.Tests != nil {
		all["tests_seconds"] = r.Tests.Wall
	}
	for name, x := range r.Others {
		all["reward_"+name] = x
	}
	return all
}

// Close implements [quintain.Env].
func (e *episode) Close() error {
	if err := e.run.close(); err != nil {
		return fmt.Errorf("the trial is not removed: %w", err)
	}
	return nil
}
