package rollout

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
)

// panel has a scenario that judges groups judge the complete replies of episodes, at once.
// Those without a ruling stay as they are.
func panel(ctx context.Context, job Job, episodes []*episode) {
	judge, ok := job.Scenario.(quintain.Panel)
	if !ok {
		return
	}
	var unjudged []*episode
	var replies []quintain.Reply
	for _, ep := range episodes {
		if ep.record.Outcome == quintain.Ungraded {
			unjudged = append(unjudged, ep)
			replies = append(replies, ep.reply())
		}
	}
	if unjudged == nil {
		return
	}
	rulings, err := rule(ctx, judge, job.Problem, replies)
	for i, ep := range unjudged {
		ep.guard(ctx, func() error {
			if err != nil {
				return err
			}
			if err := rulings[i].Err; err != nil {
				return err
			}
			return ep.rule(rulings[i].Step)
		})
	}
}

// rule returns the rulings of a panel. A panic is an error.
func rule(ctx context.Context, judge quintain.Panel, p quintain.Problem, replies []quintain.Reply) (rulings []quintain.Ruling, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	rulings = judge.Judge(ctx, p, replies)
	if len(rulings) != len(replies) {
		return nil, fmt.Errorf("the scenario returned %d rulings on %s", len(rulings), stats.Count(len(replies), "reply"))
	}
	for i, r := range rulings {
		if r.Err == nil && r.Step.End == quintain.Going {
			return nil, fmt.Errorf("the scenario goes on after reply %d, which it judges with others", i)
		}
	}
	return rulings, nil
}

// reply returns the last reply as environments see it.
func (ep *episode) reply() quintain.Reply {
	last := &ep.record.Turns[len(ep.record.Turns)-1]
	return quintain.Reply{Text: last.Reply, ToolCalls: last.ToolCalls, CallFault: last.CallFault, Finish: last.Finish, Tokens: len(last.Wrote)}
}
