package prove

import (
	"context"
	"fmt"
	"time"
)

func startChecks() []Check {
	return []Check{
		{ID: "start.up", OpenEnv: []string{"runtime.startup"}, Question: "Does it start, and open an episode?",
			Remedy: "look at its log: it must open an episode of every level", Quick: true, Least: 1, Wanted: 8, run: checkUp},
		{ID: "start.cost", OpenEnv: []string{"hub.time_to_first_work"}, Question: "How long until the first reward?",
			Remedy: "load data and models once, at the start, and less of them", Quick: true, Least: 1, Wanted: 3, run: checkCost},
	}
}

func checkUp(ctx context.Context, b *bench, r *Result) {
	for _, level := range b.subject.Levels {
		p := b.problemAt(level, 0)
		if p == nil {
			r.warn(fmt.Sprintf("level %d makes no problem", level), nil)
			continue
		}
		e := b.begin(ctx, b.subject.Scenario, *p)
		b.close(e)
		if e.fault != "" {
			r.fail("an episode does not open", e.witness("an opening", "%.500s", e.fault))
		}
	}
}

func checkCost(_ context.Context, b *bench, r *Result) {
	const most = time.Minute
	r.measure("start_seconds", b.started.Seconds())
	r.measure("episode_seconds", b.cost.Seconds())
	r.limit("start_seconds", most.Seconds())
	r.Found = fmt.Sprintf("it starts in %.2g s, and an episode takes %.2g ms", b.started.Seconds(), 1000*b.cost.Seconds())
	if b.started > most {
		r.warn(r.Found, nil)
	}
}
