package prove

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/prove/replies"
)

func leakChecks() []Check {
	return []Check{
		{ID: "leak.answer", OpenEnv: []string{"semantic.no_solution_leakage", "runtime.oracle_containment"}, Question: "Is the solution hidden until it is earned?",
			Remedy: "take the solution out of the text, tool, error or field that the witness shows", Quick: true, Least: 40, Wanted: 200, run: checkAnswer},
	}
}

// A place is where a policy reads something before it has solved anything.
type place struct {
	name  string
	texts []string // by problem
}

// places are what the policy reads of problems: the opening, other fields, tools, and what comes after senseless replies.
func places(ctx context.Context, b *bench, problems []quintain.Problem) (all []*place, episodes []*episode) {
	opening, fields, tools, after := &place{name: "the opening"}, &place{name: "a field of a message"}, &place{name: "a tool"}, &place{name: "what follows senseless replies"}
	list := replies.Senseless()
	for i, p := range problems {
		e := b.play(ctx, p, func(e *episode) quintain.Reply {
			if len(e.steps) == 0 && len(e.tools) > 0 {
				return quintain.Reply{ToolCalls: []quintain.ToolCall{{ID: "call00001", Name: e.tools[0].Name, Arguments: "{}"}}, Finish: quintain.Stop}
			}
			return reply(list[(i+len(e.steps))%len(list)])
		})
		offered, _ := json.Marshal(e.tools) // data, which can be written
		said := []string{e.fault}
		for _, s := range e.steps {
			said = append(said, talk(s.Observe)+extras(s.Observe))
		}
		opening.texts = append(opening.texts, talk(e.opening))
		fields.texts = append(fields.texts, extras(e.opening))
		tools.texts = append(tools.texts, string(offered))
		after.texts = append(after.texts, strings.Join(said, "\n"))
		episodes = append(episodes, e)
	}
	return []*place{opening, fields, tools, after}, episodes
}

// extras are the fields of messages beside the text.
func extras(all []quintain.Message) (text string) {
	for _, m := range all {
		for name, value := range m.Extra {
			text += name + ": " + string(value) + "\n"
		}
		if m.Name != "" || m.Reasoning != "" {
			text += m.Name + "\n" + m.Reasoning + "\n"
		}
	}
	return text
}

func checkAnswer(ctx context.Context, b *bench, r *Result) {
	var problems []quintain.Problem
	var answers []string
	if !b.answers() {
		playsOnly(b, r)
		return
	}
	for _, p := range b.problems(b.n) {
		s := b.solve(ctx, &p)
		if s.err != nil {
			r.not(s.err.Error())
			return
		}
		problems, answers = append(problems, p), append(answers, strings.TrimSpace(s.answer))
	}
	places, episodes := places(ctx, b, problems)
	chance := chance(ctx, b)
	for _, at := range places {
		if rule, within, i := extraction(at.texts, answers, chance); i >= 0 {
			r.Interval = &within
			r.fail(fmt.Sprintf("%s tells the solution: what stands after %q is right in %.2f of the problems at least", at.name, rule, within.Low),
				episodes[i].witness("no solution before it is earned", "%s has the solution %.200q after %q", at.name, answers[i], rule))
			return
		}
		own, other, example := contained(at.texts, answers)
		r.measure("in "+at.name, own)
		found := fmt.Sprintf("%s contains the solution in %.2f of the problems, and another problem's in %.2f", at.name, own, other)
		switch {
		case own <= 0.02 || own < 5*other:
		case at.name == "the opening":
			r.Found = found + "; no rule finds it there" // many tasks ask for a part of the text
		default:
			r.fail(found, episodes[example].witness("no solution before it is earned", "%s has the solution %.200q", at.name, answers[example]))
			return
		}
	}
}

// playsOnly says why answers cannot be looked for.
func playsOnly(b *bench, r *Result) {
	if b.advises() {
		r.lacks("no single answer solves a problem: it is played move by move")
		return
	}
	r.not(errUnsolvable.Error())
}

// contained returns in which share of the texts their solution stands, of 4 characters or more, and in which another
// problem's.
func contained(texts, answers []string) (own, other float64, example int) {
	n := 0
	for i, text := range texts {
		next := answers[(i+1)%len(answers)]
		if len(answers[i]) < 4 || next == answers[i] {
			continue
		}
		n++
		if strings.Contains(text, answers[i]) {
			own++
			example = i
		}
		if strings.Contains(text, next) {
			other++
		}
	}
	return own / max(1, float64(n)), other / max(1, float64(n)), example
}

// extraction looks for a rule that finds solutions in texts: they stand after the same words. It is learned from one
// half of the texts, and measured on the other. It returns the rule, its rate and an example; -1: there is none.
func extraction(texts, answers []string, chance float64) (rule string, within stats.Interval, example int) {
	half := len(texts) / 2
	times := map[string]int{}
	for i := range half {
		for _, context := range contexts(texts[i], answers[i]) {
			times[context]++
		}
	}
	example = -1
	for _, context := range byTimes(times)[:min(40, len(times))] {
		if times[context] < 3 || 5*times[context] < half {
			break
		}
		right, at := 0.0, -1
		for i := half; i < len(texts); i++ {
			if _, after, found := strings.Cut(texts[i], context); found && begins(after, answers[i]) {
				right++
				at = i
			}
		}
		if is := stats.Exact(right, len(texts)-half, confidence); is.Low > max(0.1, chance+0.1) && is.Low > within.Low {
			rule, within, example = context, is, at
		}
	}
	return rule, within, example
}

// begins reports whether a text begins with an answer and no more of the same word.
func begins(text, answer string) bool {
	rest, is := strings.CutPrefix(text, answer)
	return is && answer != "" && (rest == "" || !wordly(rest[0]) || !wordly(answer[len(answer)-1]))
}

// wordly reports whether a byte is a part of a word or a number.
func wordly(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// contexts returns the words before the places of an answer in a text: 3 to 24 characters with a letter, which stand
// there for the first time.
func contexts(text, answer string) (all []string) {
	if answer == "" {
		return nil
	}
	for from, n := 0, 0; n < 8; n++ {
		at := strings.Index(text[from:], answer)
		if at < 0 {
			break
		}
		at += from
		from = at + 1
		if !begins(text[at:], answer) {
			continue
		}
		for _, size := range []int{3, 6, 9, 12, 16, 24} {
			if size > at {
				break
			}
			if before := text[at-size : at]; strings.ContainsFunc(before, isLetter) && strings.Index(text, before) == at-size {
				all = append(all, before)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
