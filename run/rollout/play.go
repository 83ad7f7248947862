package rollout

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/quintain-rl/quintain"
)

// play plays the group of one job. It restarts episodes in which the policy failed, but not
// the others. Once accept is done, it cancels episodes instead of restarting them.
func (e *Engine) play(ctx, accept context.Context, job Job) Result {
	if e.Delegate != nil {
		if result, did := e.Delegate(ctx, job, e.Size); did {
			return result
		}
	}
	if of, seated := job.Scenario.(quintain.Seated); seated && of.Players() != nil && (!e.Exam || of.TablesOnly()) {
		return e.matches(ctx, accept, job, of)
	}
	id := job.Problem.ID()
	episodes := make([]*episode, e.Size)
	for i := range episodes {
		episodes[i] = resume(ctx, job, i)
	}
	key := id
	if slices.ContainsFunc(episodes, func(ep *episode) bool { return ep.judged > 0 }) {
		key += "~0" // a policy that samples by the key would repeat the first replies of those episodes
	}
	e.round(ctx, key, episodes)
	first := job.Journal.replays() + 1
	for try := first; try < first+e.Replays && accept.Err() == nil; try++ {
		var again []*episode
		for i, ep := range episodes {
			if ep.may {
				next := newEpisode(ctx, job, i, try)
				episodes[i], again = next, append(again, next)
			}
		}
		if again == nil {
			break
		}
		e.round(ctx, fmt.Sprintf("%s~%d", id, try), again)
	}

	panel(ctx, job, episodes)
	return collected(accept, job, episodes)
}

// collected returns the result of a job. Once accept is done, nothing is played again.
func collected(accept context.Context, job Job, episodes []*episode) Result {
	result, final := Result{Job: job, Trajectories: make([]quintain.Trajectory, 0, len(episodes))}, false
	for _, ep := range episodes {
		result.Again = result.Again || ep.may
		final = final || ep.final()
		result.stop = cmp.Or(result.stop, ep.stop)
		if ep.may && accept.Err() != nil {
			ep.record.Outcome = quintain.Cancelled
		}
		result.Trajectories = append(result.Trajectories, ep.record)
	}
	result.Again = result.Again && !final
	return result
}

// round plays episodes of a group to their ends, and closes them. The first replies answer
// the same messages and come from one request, with the given key; the later turns are
// played episode by episode. Agents play by themselves.
func (e *Engine) round(ctx context.Context, key string, episodes []*episode) {
	defer func() {
		for _, ep := range episodes {
			ep.close()
		}
	}()
	e.firstTurn(ctx, key, episodes)
	var others sync.WaitGroup
	for _, ep := range episodes {
		if ep.over() {
			continue
		}
		others.Go(func() {
			if agent, ok := ep.env.(quintain.Agent); ok {
				e.agent(ctx, ep, agent)
			}
			for !ep.over() {
				e.turn(ctx, ep)
			}
		})
	}
	others.Wait()
}

// firstTurn plays the first turn of all opened episodes, but those of agents, and of those that
// have one.
func (e *Engine) firstTurn(ctx context.Context, key string, all []*episode) {
	open := slices.DeleteFunc(slices.Clone(all), func(ep *episode) bool {
		_, plays := ep.env.(quintain.Agent)
		return plays || ep.over() || len(ep.record.Turns) > 0
	})
	if len(open) == 0 {
		return
	}
	for _, ep := range open[1:] {
		if !reflect.DeepEqual(ep.talk, open[0].talk) || !bytes.Equal(ep.record.Tools, open[0].record.Tools) {
			ep.fail(ctx, quintain.EnvFailed, errors.New("the environment opens the episodes of one problem with different messages or tools"))
		}
	}
	open = slices.DeleteFunc(open, (*episode).over)
	for _, ep := range open {
		ep.asked = ep.sofar()
	}
	who := e.who(open[0])
	samples, err := who.Policy.Sample(ctx, quintain.Request{
		Key: key, Messages: open[0].talk, Tokens: open[0].exact, Tools: open[0].record.Tools, N: len(open), Sampling: who.Sampling, Within: e.Limit, Exam: e.Exam,
	})
	for i, ep := range open {
		if i < len(samples) {
			ep.take(ctx, samples[i], err)
			continue
		}
		ep.fail(ctx, quintain.InfraFailed, cmpErr(err, "the policy returned too few samples"))
	}
}

// turn plays one more turn of an episode.
func (e *Engine) turn(ctx context.Context, ep *episode) {
	who := e.who(ep)
	r := quintain.Request{
		Key: ep.key(), Messages: ep.talk, Context: ep.tokens, Fresh: ep.fresh, Wrote: ep.wrote, Alone: ep.alone, Tools: ep.tools, N: 1, Sampling: who.Sampling, Exam: e.Exam,
	}
	if ep.changed != nil {
		r.Context, r.Fresh, r.Wrote, r.Alone = nil, 0, 0, false
	}
	if e.Limit > 0 {
		if r.Within = e.Limit - ep.replies; r.Within <= 0 {
			ep.fail(ctx, quintain.TimedOut, fmt.Errorf("its replies took %v, the limit is %v: %w", ep.replies, e.Limit, quintain.ErrTimeout))
			return
		}
	}
	ep.asked = ep.sofar()
	samples, err := who.Policy.Sample(ctx, r)
	if len(samples) == 0 {
		ep.fail(ctx, quintain.InfraFailed, cmpErr(err, "the policy returned no sample"))
		return
	}
	if ep.changed != nil {
		ep.rejoin(&samples[0])
	}
	ep.take(ctx, samples[0], err)
}

// rejoin makes s, for which the policy read the whole conversation, a fork, or if that begins with the
// tokens so far, a sample that continues them.
func (ep *episode) rejoin(s *quintain.Sample) {
	n := len(ep.tokens)
	if s.Fork = len(s.Read) < n || !slices.Equal(s.Read[:n], ep.tokens); !s.Fork {
		s.Read = s.Read[n:]
	}
}

// cmpErr returns err or, if that is nil, an error that says why.
func cmpErr(err error, why string) error {
	if err != nil {
		return err
	}
	return errors.New(why)
}

// An episode is an unfinished trajectory.
type episode struct {
	env    quintain.Env // nil: it could not be made
	record quintain.Trajectory
	talk   []quintain.Message
	exact  []quintain.Token // of the first messages; nil: unknown
	may    bool             // it failed, and may be played again
	stop   error            // the policy's error that ends all play; nil: none
	fresh  int              // index into talk of the first message that the policy has not read
	tokens []quintain.Token // the conversation, as the policy read and wrote it
	wrote  int              // the tokens of the last reply, at the end of tokens
	alone  bool             // see [quintain.Step]

	tools, changed json.RawMessage // offered now; the same, if they are others than before the last reply

	replies time.Duration // server time so far

	other *Opponent // plays it in place of the engine's policy, and learns nothing; nil: none does

	journal *Journal // nil: nobody reads one
	number  int      // in the group
	judged  int      // turns that the environment has judged

	together bool // the replies of the group are judged when all are there

	traced bool          // somebody traces it
	asked  time.Duration // when the policy was asked, if traced
}

// newEpisode makes and opens episode i of a job, which was restarted so many times. It records a
// failure in the episode.
func newEpisode(ctx context.Context, job Job, i, replays int) *episode {
	_, together := job.Scenario.(quintain.Panel)
	ep := &episode{journal: job.Journal, number: i, together: together, traced: job.Span.Valid(), record: quintain.Trajectory{
		ID: fmt.Sprintf("%s#%d", job.Problem.ID(), i), Problem: job.Problem, Replays: replays, Started: time.Now(),
	}}
	ep.guard(ctx, func() error {
		env, err := job.Scenario.Env(job.Problem)
		if err != nil {
			return err
		}
		ep.env = env
		ep.talk, err = env.Open(ctx)
		if t, knows := env.(quintain.Tokenized); knows && err == nil {
			ep.exact = t.Tokens()
		}
		if t, has := env.(quintain.Tooled); has && err == nil {
			ep.record.Tools, err = quintain.ToolsJSON(t.Tools())
			ep.tools = ep.record.Tools
		}
		return err
	})
	return ep
}

// sofar is the time since the start; 0: nobody traces the episode.
func (ep *episode) sofar() time.Duration {
	if !ep.traced {
		return 0
	}
	return time.Since(ep.record.Started)
}

// key names the episode for the policy, anew for each replay.
func (ep *episode) key() string {
	if ep.record.Replays == 0 {
		return ep.record.ID
	}
	return fmt.Sprintf("%s~%d", ep.record.ID, ep.record.Replays)
}

// over reports whether the episode has an outcome.
func (ep *episode) over() bool { return ep.record.Outcome != "" }

// final reports whether the episode has no reward and must not be played again.
func (ep *episode) final() bool {
	switch ep.record.Outcome {
	case quintain.TimedOut, quintain.PromptTooLong:
		return true
	case quintain.InfraFailed:
		return !ep.may
	}
	return false
}

// guard calls the environment. An error or a panic is a failure of the environment.
func (ep *episode) guard(ctx context.Context, call func() error) {
	defer func() {
		if r := recover(); r != nil {
			ep.fail(ctx, quintain.EnvFailed, fmt.Errorf("panic: %v\n%s", r, debug.Stack()))
		}
	}()
	err := call()
	switch {
	case ep.together && errors.Is(err, quintain.ErrUngraded):
		ep.fail(ctx, quintain.Ungraded, err)
	case errors.Is(err, quintain.ErrLost):
		ep.fail(ctx, quintain.InfraFailed, err)
	case err != nil:
		ep.fail(ctx, quintain.EnvFailed, err)
	}
}

// fail ends the episode without a reward: as cancelled if ctx is done or all play ends,
// otherwise with outcome. A full conversation with replies keeps their rewards.
func (ep *episode) fail(ctx context.Context, outcome quintain.Outcome, err error) {
	switch full := errors.Is(err, quintain.ErrNoRoom); {
	case full && len(ep.record.Turns) > 0 && ctx.Err() == nil:
		ep.truncate(ctx)
		return
	case full:
		outcome = quintain.PromptTooLong
	case errors.Is(err, quintain.ErrTimeout):
		outcome = quintain.TimedOut
	}
	ep.record.Took = time.Since(ep.record.Started)
	ep.record.Outcome, ep.record.Error = outcome, err.Error()
	ep.may = outcome == quintain.InfraFailed && ctx.Err() == nil && !errors.Is(err, quintain.ErrFinal)
	switch {
	case ctx.Err() != nil:
		ep.record.Outcome, ep.record.Error = quintain.Cancelled, context.Cause(ctx).Error()
	case outcome == quintain.Ungraded:
		if errors.Is(err, quintain.ErrStop) {
			ep.stop = err
		}
	case errors.Is(err, quintain.ErrCancelled):
		ep.record.Outcome, ep.may = quintain.Cancelled, false
	case errors.Is(err, quintain.ErrStop):
		ep.record.Outcome, ep.stop, ep.may = quintain.Cancelled, err, false
	case ep.record.Outcome == quintain.TimedOut:
		ep.journal.note(ep)
	}
}

// take adds a reply to the episode and steps the environment. If the policy returned an
// error with the reply, the reply is kept and the episode ends.
func (ep *episode) take(ctx context.Context, s quintain.Sample, err error) {
	ep.record.Vocabulary = s.Vocabulary
	ep.replies += s.Took
	ep.record.Turns = append(ep.record.Turns, quintain.Turn{
		Observed: ep.talk[ep.fresh:], Reply: s.Text, Reasoning: s.Reasoning, ToolCalls: s.ToolCalls, CallFault: s.CallFault, Read: s.Read,
		Wrote: s.Wrote, LogProbs: s.LogProbs, Versions: s.Versions, Finish: s.Finish, Fork: s.Fork, Realigned: s.Realigned, Tools: ep.changed,
		Times: quintain.Times{Asked: ep.asked, Replied: ep.sofar()},
	})
	ep.changed = nil
	if err = cmp.Or(err, s.Check()); err != nil {
		ep.fail(ctx, quintain.InfraFailed, err)
		return
	}
	if ep.together {
		ep.record.Outcome = quintain.Ungraded // until the panel judges it
		return
	}
	ep.guard(ctx, func() error {
		step, err := ep.env.Step(ctx, ep.reply())
		if err != nil {
			turn := &ep.record.Turns[len(ep.record.Turns)-1]
			turn.Why, turn.Metrics, turn.Record = step.Why, step.Metrics, step.Record
			return err
		}
		return ep.rule(step)
	})
}

// rule applies the judgement of the last reply, and notes it.
func (ep *episode) rule(step quintain.Step) error {
	if err := quintain.CheckReward(step.Reward); err != nil {
		return fmt.Errorf("the environment: %w", err)
	}
	if err := ep.retool(step); err != nil {
		return err
	}
	ep.step(step)
	ep.judged = len(ep.record.Turns)
	ep.journal.note(ep)
	return nil
}

// retool notes the tools that the environment changes.
func (ep *episode) retool(step quintain.Step) error {
	if step.Tools == nil || step.End != quintain.Going {
		return nil
	}
	tools, err := quintain.ToolsJSON(step.Tools)
	if err != nil || bytes.Equal(tools, ep.tools) {
		return err
	}
	if ep.tools, ep.changed = tools, tools; tools == nil {
		ep.changed = json.RawMessage("[]")
	}
	return nil
}

// step applies the environment's response.
func (ep *episode) step(step quintain.Step) {
	turn := &ep.record.Turns[len(ep.record.Turns)-1]
	turn.Answer, turn.Reward, turn.Right, turn.Malformed, turn.Why = step.Answer, step.Reward, step.Right, step.Malformed, step.Why
	turn.Illegal, turn.Value = step.Illegal, step.Value
	turn.Metrics, turn.Record = step.Metrics, step.Record
	turn.Times.Judged = ep.sofar()
	if step.End != quintain.Going {
		ep.end(step.End)
		return
	}
	if turn.Fork {
		ep.tokens = nil
	}
	ep.tokens = append(append(ep.tokens, turn.Read...), turn.Wrote...)
	ep.wrote, ep.alone = len(turn.Wrote), step.Alone
	ep.talk = append(slices.Clip(ep.talk), turn.Message())
	ep.fresh = len(ep.talk)
	ep.talk = append(ep.talk, step.Observe...)
}

// end ends the episode with the rewards of its replies.
func (ep *episode) end(how quintain.End) {
	ep.record.End, ep.record.Outcome, ep.record.Took = how, quintain.Scored, time.Since(ep.record.Started)
	if last := &ep.record.Turns[len(ep.record.Turns)-1]; last.Malformed || last.Illegal || last.Finish == quintain.Length {
		ep.record.Outcome = quintain.ModelFailed
	}
}

// truncate ends the episode because its conversation has no room for another reply. The
// environment judges no reply that nobody could give, but a [quintain.Cuttable] what is there.
func (ep *episode) truncate(ctx context.Context) {
	last := &ep.record.Turns[len(ep.record.Turns)-1]
	last.Why = strings.TrimPrefix(last.Why+"; there is no room for another reply", "; ")
	of, judges := ep.env.(quintain.Cuttable)
	if !judges {
		ep.end(quintain.Truncated)
		return
	}
	ep.guard(ctx, func() error {
		step, err := of.Cut(ctx)
		if last.Metrics, last.Record = step.Metrics, step.Record; step.Why != "" {
			last.Why += "; " + step.Why
		}
		if err != nil {
			return err
		}
		if err := quintain.CheckReward(last.Reward + step.Reward); err != nil {
			return fmt.Errorf("the environment: %w", err)
		}
		last.Reward += step.Reward
		last.Right, last.Value = step.Right, step.Value
		ep.end(quintain.Truncated)
		return nil
	})
}

// close closes the environment. An error fails the episode.
func (ep *episode) close() {
	if ep.env == nil {
		return
	}
	ep.guard(context.Background(), ep.env.Close)
}
