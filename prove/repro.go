package prove

import (
	"context"
	"fmt"
	"sync"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/prove/replies"
)

func reproChecks() []Check {
	const remedy = "take all chance from the problem's seed, level and index, and keep no state between episodes"
	return []Check{
		{ID: "repro.same", OpenEnv: []string{"runtime.episode_determinism", "semantic.replayability"}, Question: "Are openings, messages and rewards the same when an episode is played again?",
			Remedy: remedy, Quick: true, Least: 16, Wanted: 64, run: checkSame},
		{ID: "repro.seed", OpenEnv: []string{"runtime.seed_control"}, Question: "Do other seeds give other problems?",
			Remedy: "draw the problem from the seed that is given, all 64 bits of it", Quick: true, Least: 32, Wanted: 200, run: checkSeed},
		{ID: "repro.many", OpenEnv: []string{"runtime.episode_isolation"}, Question: "Do many episodes at once go as each alone?",
			Remedy: remedy, Least: 16, Wanted: 64, run: checkMany},
		{ID: "repro.order", Question: "Does an episode go the same in another order, and with others in between?",
			Remedy: remedy, Least: 16, Wanted: 64, run: checkOrder},
		{ID: "repro.after", OpenEnv: []string{"runtime.episode_isolation"}, Question: "Does an episode go the same after others that were given up or got huge replies?",
			Remedy: remedy, Least: 4, Wanted: 12, run: checkAfter},
		{ID: "repro.grade", OpenEnv: []string{"semantic.verifier_determinism"}, Question: "Do the same replies get the same reward every time?",
			Remedy: "take chance out of the verifier, or average enough votes of the judge", Least: 20, Wanted: 80, run: checkGrade},
		{ID: "repro.process", OpenEnv: []string{"hub.cross_host_determinism"}, Question: "Does another process play the same episode?",
			Remedy: "depend on no hash order, clock, locale or folder: sort what comes from sets, and seed your own generator", Quick: true, Least: 8, Wanted: 32, run: checkProcess},
	}
}

// takes plays n episodes in the ways that policies talk: the solver, another problem's solution, and senseless replies.
func (b *bench) takes(ctx context.Context, n int) (all []*episode) {
	var others []string
	for i, p := range b.problems(n) {
		s := solution{err: errUnsolvable}
		if b.answers() {
			if s = b.solve(ctx, &p); s.err == nil {
				others = append(others, s.answer)
			}
		}
		say, err := b.oracle(ctx, &p)
		switch {
		case i%3 == 0 && err == nil:
		case i%3 == 1 && s.err == nil && len(others) > 1:
			say = b.gives(s, others[len(others)-2])
		case i%3 == 2 && b.advises():
			say = b.advised(ctx, func(a quintain.Advice) []string { return a.Allowed })
		default:
			list := replies.Senseless()
			say = func(e *episode) quintain.Reply { return reply(list[(i+len(e.steps))%len(list)]) }
		}
		if e := b.play(ctx, p, say); e.fault == "" || !e.endless { // an endless one would cost too much again
			all = append(all, e)
		}
	}
	return all
}

// again plays what an episode said, and tells the difference.
func (b *bench) again(ctx context.Context, before *episode) string {
	return differs(before, b.play(ctx, before.problem, script(before.replies)))
}

const repeats = "the same opening, messages and rewards as before"

func checkSame(ctx context.Context, b *bench, r *Result) {
	const asked = 4
	for _, p := range b.problems(asked) {
		if once, again := b.solve(ctx, &p), b.find(ctx, &p); once.answer != again.answer && b.job.Solver == nil {
			r.fail("the solution of a problem differs when it is asked for again",
				&Witness{Problem: p.ID(), Replies: []string{}, Expected: cut(once.answer), Observed: cut(again.answer)})
			return
		}
	}
	all := b.takes(ctx, b.n/2)
	for _, e := range all {
		for range 2 {
			if told := b.again(ctx, e); told != "" {
				b.chaotic = "repro.same failed: episodes do not repeat at all"
				r.fail("an episode with the same replies goes differently when played again", e.witness(repeats, "%s", told))
				return
			}
		}
	}
	r.Found = fmt.Sprintf("%s, played three times each, go the same", stats.Count(len(all), "episode"))
}

// settled reports whether episodes repeat; else the check cannot be held.
func settled(b *bench, r *Result) bool {
	if b.chaotic != "" {
		r.not(b.chaotic)
	}
	return b.chaotic == ""
}

func checkSeed(ctx context.Context, b *bench, r *Result) {
	level := b.subject.Levels[0]
	n, size := b.n, 0
	if finite, is := b.subject.Scenario.(quintain.Finite); is {
		if size = finite.Size(level); size > 0 {
			n = min(n, size)
		}
	}
	seen := map[string]int{}
	var last *episode
	for i := range n {
		d := quintain.Draw{Seed: b.job.Seed + uint64(i)*7919, Level: level}
		if size > 0 || i%2 == 1 {
			d.Seed, d.Index = b.job.Seed, i
		}
		p, err := b.subject.Scenario.Problem(d)
		if err != nil {
			continue
		}
		e := b.begin(ctx, b.subject.Scenario, p)
		b.close(e)
		key := talk(e.opening)
		if b.answers() {
			key += "\x00" + b.solve(ctx, &p).answer
		}
		seen[key]++
		last = e
	}
	if (b.advises() || !b.answers()) && len(seen) < 20 && last != nil {
		hidden(ctx, b, seen, last.problem.Level)
	}
	once, twice := 0, 0
	for _, times := range seen {
		once += min(1, max(0, 2-times))
		if times == 2 {
			twice++
		}
	}
	distinct := float64(len(seen))
	r.measure("drawn", float64(n))
	r.measure("distinct", distinct)
	r.measure("estimated", distinct+float64(once*max(0, once-1))/float64(2*(twice+1)))
	r.limit("distinct", 20)
	switch few := few(b, level); {
	case n < 2:
	case len(seen) == 1 && size != 1 && few == "":
		r.fail("all seeds give one problem", last.witness("another problem for another seed", "%d draws with different seeds and indices are one problem", n))
	case len(seen) < min(20, n) && few == "":
		r.warn(fmt.Sprintf("%d draws give only %s", n, stats.Count(len(seen), "different problem")), nil)
	default:
		r.Found = fmt.Sprintf("%d draws give %s", n, stats.Count(len(seen), "different problem"))
	}
}

// hidden looks for problems whose difference shows only in play, when few openings differ.
func hidden(ctx context.Context, b *bench, seen map[string]int, level int) {
	clear(seen)
	for i := range 40 {
		p := b.problemAt(level, i)
		if p == nil {
			return
		}
		list := replies.Senseless()
		e := b.play(ctx, *p, func(e *episode) quintain.Reply { return reply(list[len(e.steps)%len(list)]) })
		key := course(e)
		if say, err := b.oracle(ctx, p); err == nil {
			key += fmt.Sprint(b.play(ctx, *p, say).show())
		}
		seen[key]++
	}
}

// course is all that an environment said after the opening.
func course(e *episode) (text string) {
	for _, s := range e.steps {
		text += talk(s.Observe) + fmt.Sprint(s.Reward, s.End) + "\x00"
	}
	return text
}

// few is why a level has few problems by nature; empty: it has many.
func few(b *bench, level int) string {
	if list := b.subject.Scenario.TaskInfo().Few; level < len(list) {
		return list[level]
	}
	return ""
}

func checkMany(ctx context.Context, b *bench, r *Result) {
	if !settled(b, r) {
		return
	}
	var alone []*episode
	for _, e := range b.takes(ctx, b.n) {
		if !e.endless {
			alone = append(alone, e)
		}
	}
	at := make([]*episode, len(alone))
	each := func(do func(i int)) {
		var group sync.WaitGroup
		for i := range at {
			group.Go(func() { do(i) })
		}
		group.Wait()
	}
	each(func(i int) { at[i] = b.begin(ctx, b.subject.Scenario, alone[i].problem) })
	for turn, goes := 0, true; goes; turn++ { // all say the same turn at once
		goes = false
		for i := range at {
			goes = goes || turn < len(alone[i].replies) && at[i].goes()
		}
		each(func(i int) {
			if turn < len(alone[i].replies) && at[i].goes() {
				at[i].step(ctx, alone[i].replies[turn])
			}
		})
	}
	each(func(i int) { b.close(at[i]) })
	for i, e := range alone {
		if told := differs(e, at[i]); told != "" {
			r.fail("an episode goes differently while others are open", e.witness("the same as alone", "with %s at once, %s", stats.Count(len(at), "episode"), told))
			return
		}
	}
	r.Found = stats.Count(len(at), "episode") + " at once go as alone"
}

func checkOrder(ctx context.Context, b *bench, r *Result) {
	if !settled(b, r) {
		return
	}
	all := b.takes(ctx, b.n/2)
	for i := len(all) - 1; i >= 0; i-- {
		if told := b.again(ctx, all[i]); told != "" {
			r.fail("an episode goes differently in another order", all[i].witness("the same in reverse order", "%s", told))
			return
		}
	}
	const beside = 8
	for ; len(all) > 0; all = all[min(beside, len(all)):] {
		if !interleaved(ctx, b, all[:min(beside, len(all))], r) {
			return
		}
	}
	r.Found = "in reverse order, and turn by turn with others, episodes go the same"
}

// interleaved plays episodes again, turn by turn.
func interleaved(ctx context.Context, b *bench, before []*episode, r *Result) bool {
	now := make([]*episode, len(before))
	for i, e := range before {
		now[i] = b.begin(ctx, b.subject.Scenario, e.problem)
	}
	for turn, goes := 0, true; goes; turn++ {
		goes = false
		for i, e := range before {
			if turn < len(e.replies) && now[i].goes() {
				now[i].step(ctx, e.replies[turn])
				goes = true
			}
		}
	}
	for i := range now {
		b.close(now[i])
	}
	for i, e := range before {
		if told := differs(e, now[i]); told != "" {
			r.fail("an episode goes differently with others in between", e.witness("the same as alone", "turn by turn with %d others, %s", len(before)-1, told))
			return false
		}
	}
	return true
}

func checkAfter(ctx context.Context, b *bench, r *Result) {
	if !settled(b, r) {
		return
	}
	for i, e := range b.takes(ctx, b.n) {
		disturbed := b.begin(ctx, b.subject.Scenario, *b.problem(i + 1))
		said := "the episode before was given up"
		switch i % 3 {
		case 1:
			said = "the episode before got a reply of 1 MB"
			disturbed.step(ctx, reply(huge))
		case 2:
			said = "the episode before got a call that nobody can read"
			disturbed.step(ctx, quintain.Reply{Text: "\x00", CallFault: "call 1: it has no name", Finish: quintain.Stop})
		}
		b.close(disturbed)
		if told := b.again(ctx, e); told != "" {
			r.fail("an episode goes differently after another", e.witness(repeats, "%s: %s", said, told))
			return
		}
	}
}

func checkGrade(ctx context.Context, b *bench, r *Result) {
	if !settled(b, r) {
		return
	}
	const times = 20
	for _, e := range b.takes(ctx, max(1, b.n/times)) {
		for range times {
			if told := b.again(ctx, e); told != "" {
				r.fail("the same replies are judged differently", e.witness("one reward for the same replies", "%s", told))
				return
			}
		}
	}
}

func checkProcess(ctx context.Context, b *bench, r *Result) {
	if !settled(b, r) {
		return
	}
	other, err := b.job.Open(ctx)
	if err != nil {
		r.not("it could not be started a second time: " + err.Error())
		return
	}
	if other.Close != nil {
		defer other.Close()
	}
	before := b.subject
	defer func() { b.subject = before }()
	for _, e := range b.takes(ctx, b.n) {
		b.subject = other
		id := e.problem.ID()
		p, err := other.Scenario.Problem(quintain.Draw{Seed: e.problem.Seed, Level: e.problem.Level, Index: e.problem.Index})
		var told string
		switch {
		case err != nil:
			told = err.Error()
		case p.ID() != id:
			told = "its ID is " + p.ID()
		default:
			told = differs(e, b.play(ctx, p, script(e.replies)))
		}
		b.subject = before
		if told != "" {
			r.fail("another process plays the same problem differently", e.witness("the same in every process", "in a second process, %s", told))
			return
		}
	}
	r.Found = "a second process plays the same episodes"
	if !other.Apart {
		r.Found = "a second instance in this process plays the same episodes"
	}
}
