package gateway

import (
	"context"
	"net/http"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/gateway/grader"
	"github.com/quintain-rl/quintain/internal/web"
)

// Submit has the task of a session judge an answer of its agent, and rewards the session by it,
// once. A grader that fails gives no reward: another answer may be submitted. The error is for the
// agent to read.
func (d Door) Submit(ctx context.Context, session, answer string) (r Reward, err error) {
	s, err := d.find(session)
	if err != nil {
		return r, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch err := s.over(); {
	case s.group.Grader != ByTask:
		return r, web.Errorf(http.StatusForbidden, "no task grades the answers of this session: its caller rewards it")
	case err != nil:
		return r, web.Errorf(http.StatusGone, "%v", err)
	case s.judging:
		return r, web.Errorf(http.StatusConflict, "an answer of this session is being graded")
	case s.rewarded:
		return r, errRewarded()
	}
	s.judging = true
	s.mu.Unlock()
	step, fault := grader.Task(ctx, s.group.job.Scenario, s.group.job.Problem, quintain.Reply{Finish: quintain.Stop}, answer)
	s.mu.Lock()
	s.judging = false
	defer d.due.add(s.group)
	if fault != nil {
		d.config.Log.Warn("a submitted answer cannot be graded", "session", s.id, "err", fault)
		return r, web.Errorf(http.StatusBadGateway, "the answer cannot be graded: it has no reward")
	}
	if s.rewarded {
		return r, errRewarded()
	}
	r = rewardOf(step)
	return r, s.keepReward(context.WithoutCancel(ctx), d.book, r)
}

func errRewarded() error {
	return web.Errorf(http.StatusConflict, "the session has its reward: an answer counts once")
}
