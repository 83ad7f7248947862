package prove

import (
	"context"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/prove/replies"
)

// huge is a reply of 1 MB.
var huge = strings.Repeat("word ", 200_000)

func robustChecks() []Check {
	return []Check{
		{ID: "robust.senseless", Question: "Is every senseless reply judged?",
			Remedy: "a reply is data, whatever it is: judge it, and raise no error", Quick: true, Least: 60, Wanted: 120, run: checkSenseless},
		{ID: "robust.end", Question: "Does every episode end?",
			Remedy: "count the replies, illegal ones too, and end after max_turns", Quick: true, Least: 32, Wanted: 64, run: checkEnd},
	}
}

func checkSenseless(ctx context.Context, b *bench, r *Result) {
	said := 0
	judged := func(p quintain.Problem, first quintain.Reply, what string) {
		list := replies.Senseless()
		e := b.play(ctx, p, func(e *episode) quintain.Reply {
			if len(e.steps) == 0 {
				return first
			}
			return reply(list[(said+len(e.steps))%len(list)])
		})
		said++
		if e.fault != "" && !e.endless {
			r.fail("a senseless reply is not judged: "+what, shortest(ctx, b, e).witness("a reward, or a message", "%.500s", e.fault))
		}
	}
	list := append(replies.Senseless(), huge)
	each := max(1, min(4, b.n/len(list)))
	for i, text := range list {
		for _, p := range b.problems(each + i%each)[i%each:] {
			judged(p, reply(text), fmt.Sprintf("%.40q", text))
		}
	}
	p := b.problem(0)
	e := b.begin(ctx, b.subject.Scenario, *p)
	b.close(e)
	if e.fault == "" {
		judged(*p, reply(talk(e.opening)), "its own opening")
		judged(*p, quintain.Reply{Text: "cut", Finish: quintain.Length}, "a reply that was cut")
	}
	r.measure("replies", float64(said))
}

// shortest returns the episode with the last reply alone, if the fault is there then, too.
func shortest(ctx context.Context, b *bench, e *episode) *episode {
	if len(e.replies) < 2 {
		return e
	}
	if alone := b.play(ctx, e.problem, script(e.replies[len(e.replies)-1:])); alone.fault == e.fault {
		return alone
	}
	return e
}

func checkEnd(ctx context.Context, b *bench, r *Result) {
	longest := 0
	lists := [][]string{{""}, {"<answer>1</answer>"}, replies.Quits(), replies.Senseless(), replies.Constants()}
	for i, p := range b.problems(max(len(lists), b.n/2)) {
		list := lists[i%len(lists)]
		e := b.play(ctx, p, func(e *episode) quintain.Reply { return reply(list[len(e.steps)%len(list)]) })
		longest = max(longest, len(e.steps))
		switch {
		case e.endless:
			r.fail("an episode does not end", e.witness("an end within "+stats.Count(b.most(), "reply"), "%s", e.fault))
			return
		case e.last().End == quintain.Truncated && b.subject.Apart && b.subject.MaxTurns == 0 && strings.Contains(e.last().Why, "environment.max_turns"):
			r.fail("an episode ends only by our limit", e.witness("an end of the environment's own", "%s after %s", e.last().Why, stats.Count(len(e.steps), "reply")))
			return
		}
	}
	r.measure("replies", float64(longest))
	r.Found = "the longest episode has " + stats.Count(longest, "reply")
}
