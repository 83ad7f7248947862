package prove

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/prove/replies"
)

// A changed answer, for a verifier.
type changed struct {
	name string
	of   func(answer, other string) string // empty, or the answer itself: it has no such form
}

var (
	wholeRE   = regexp.MustCompile(`^-?\d{1,15}$`)
	decimalRE = regexp.MustCompile(`^-?\d{1,15}\.\d{1,15}$`)
)

// wrongs are changes after which an answer is wrong.
func wrongs() []changed {
	return []changed{
		{"another problem's answer", func(_, other string) string { return other }},
		{"the answer and one", func(a, _ string) string { return number(a, func(v float64) float64 { return v + 1 }) }},
		{"the answer, and 5 % more", func(a, _ string) string { return number(a, func(v float64) float64 { return math.Round(v*1.05 + 1) }) }},
		{"the answer with the other sign", func(a, _ string) string { return number(a, func(v float64) float64 { return -v }) }},
		{"the first half of the answer", func(a, _ string) string { return firstHalf(a) }},
		{"the answer within a longer word", func(a, _ string) string {
			if strings.ContainsAny(a, " \n[{(") || len(a) == 0 || a == "0" {
				return ""
			}
			return "9" + a + "7"
		}},
		{"the answer backwards", func(a, _ string) string {
			if !wholeRE.MatchString(a) || strings.HasPrefix(a, "-") {
				return ""
			}
			b := []byte(a)
			for i, k := 0, len(b)-1; i < k; i, k = i+1, k-1 {
				b[i], b[k] = b[k], b[i]
			}
			return strings.TrimLeft(string(b), "0")
		}},
	}
}

// hedges are replies that give a wrong answer, too.
func hedges() []changed {
	return []changed{
		{"two answers", func(a, other string) string { return other + " or " + a }},
		{"two answers, the right one first", func(a, other string) string { return a + " or " + other }},
		{"a denial of the answer", func(a, _ string) string { return "not " + a }},
	}
}

// number changes a whole or decimal number.
func number(a string, by func(float64) float64) string {
	if !wholeRE.MatchString(a) && !decimalRE.MatchString(a) {
		return ""
	}
	v, err := strconv.ParseFloat(a, 64)
	if err != nil || by(v) == v {
		return ""
	}
	if decimalRE.MatchString(a) {
		return strconv.FormatFloat(by(v), 'f', len(a)-strings.IndexByte(a, '.')-1, 64)
	}
	return strconv.FormatFloat(by(v), 'f', -1, 64)
}

// firstHalf returns the first half of an answer of 2 characters or more; of a number, another number.
func firstHalf(a string) string {
	runes := []rune(a)
	if len(runes) < 2 {
		return ""
	}
	return strings.TrimRightFunc(string(runes[:(len(runes)+1)/2]), unicode.IsSpace)
}

// A trial counts how often a changed answer is taken.
type trial struct {
	asked, taken float64
	example      *episode // in which it was taken, or not, whichever is the fault
	text         string
}

// trials plays the problems with changed answers in all forms, as far as the solution earns the most.
func trials(ctx context.Context, b *bench, all []changed, want bool) (found []trial, solved int, err error) {
	found = make([]trial, len(all))
	problems := b.problems(max(8, min(200, b.n/max(1, len(all)))))
	answers := make([]solution, len(problems))
	for i := range problems {
		if answers[i] = b.solve(ctx, &problems[i]); answers[i].err != nil {
			return nil, 0, answers[i].err
		}
	}
	for i, p := range problems {
		s := answers[i]
		if b.share(b.play(ctx, p, b.gives(s, s.answer))) < 1-1e-9 {
			continue
		}
		solved++
		other := another(answers, i)
		for k, c := range all {
			text := c.of(s.answer, other)
			if text == "" || text == s.answer || want && text == other {
				continue
			}
			e := b.play(ctx, p, b.gives(s, text))
			found[k].asked++
			taken := b.share(e) > 1-1e-9
			if taken {
				found[k].taken++
			}
			if taken != want {
				found[k].example, found[k].text = e, text
			}
		}
	}
	return found, solved, nil
}

// another returns the next answer that differs; empty: there is none.
func another(all []solution, i int) string {
	for k := range all {
		if s := all[(i+k)%len(all)]; s.answer != all[i].answer {
			return s.answer
		}
	}
	return ""
}

func checkPrecision(ctx context.Context, b *bench, r *Result) { refuses(ctx, b, wrongs(), r) }

func checkHedge(ctx context.Context, b *bench, r *Result) { refuses(ctx, b, hedges(), r) }

// refuses checks that changed answers are refused: none is taken in a quarter of the problems.
func refuses(ctx context.Context, b *bench, all []changed, r *Result) {
	const most = 0.25
	if !b.answers() {
		playsOnly(b, r)
		return
	}
	found, solved, err := trials(ctx, b, all, false)
	if err != nil || solved == 0 {
		r.not(unsolvedReason(err))
		return
	}
	many := b.subject.Scenario.TaskInfo().Many
	r.limit("taken", most)
	for k, t := range found {
		if t.taken == 0 {
			continue
		}
		rate := t.taken / t.asked
		within := stats.Exact(t.taken, int(t.asked), confidence)
		r.measure(all[k].name, rate)
		told := fmt.Sprintf("%s is taken for right in %.2f of the problems", all[k].name, rate)
		w := t.example.witness("no full reward for a wrong answer", "%.200q earns %v", t.text, t.example.sum())
		switch {
		case within.Low > most && !many:
			r.Interval = &within
			r.fail(told, w)
		case many:
			r.Found = told + "; problems have several right answers"
		default:
			r.warn(told, w)
		}
	}
}

// unsolvedReason says why a check that needs solutions was not held.
func unsolvedReason(err error) string {
	if err != nil {
		return err.Error()
	}
	return "no solution earns the most, so changes of it tell nothing"
}

// A strict form of an answer is one that every verifier should take.
func strict() []string {
	return []string{"with space around it", "with carriage returns", "with a zero at its end", "in a code block", "after thoughts"}
}

// rights are forms of an answer that mean the same.
func rights() (all []changed) {
	for _, form := range replies.Renderings() {
		all = append(all, changed{form.Name, func(a, _ string) string { return form.Of(a) }})
	}
	return append(all, changed{"with a zero at its end", func(a, _ string) string {
		if !decimalRE.MatchString(a) {
			return ""
		}
		return a + "0"
	}})
}

func checkRecall(ctx context.Context, b *bench, r *Result) {
	const most = 0.1
	if !b.answers() {
		playsOnly(b, r)
		return
	}
	all := rights()
	found, solved, err := trials(ctx, b, all, true)
	if err != nil || solved == 0 {
		r.not(unsolvedReason(err))
		return
	}
	info := b.subject.Scenario.TaskInfo()
	r.limit("refused", most)
	var some []string
	for k, t := range found {
		refused := t.asked - t.taken
		if refused == 0 || info.Refuses[all[k].name] != "" {
			continue
		}
		rate := refused / t.asked
		within := stats.Exact(refused, int(t.asked), confidence)
		r.measure(all[k].name, rate)
		told := fmt.Sprintf("the right answer %s is refused in %.2f of the problems", all[k].name, rate)
		w := t.example.witness("full reward for a right answer", "%.200q earns %v: %s", t.text, t.example.sum(), t.example.last().Why)
		if within.Low > most && isStrict(all[k].name) {
			r.Interval = &within
			r.fail(told, w)
			continue
		}
		some = append(some, all[k].name)
		r.warn("right answers are refused "+strings.Join(some, ", "), w)
	}
}

func isStrict(name string) bool { return slices.Contains(strict(), name) }

// solvedAt returns problems with their solutions, at most n.
func (b *bench) solvedAt(ctx context.Context, n int) (problems []quintain.Problem, all []solution) {
	for _, p := range b.problems(n) {
		if s := b.solve(ctx, &p); s.err == nil {
			problems, all = append(problems, p), append(all, s)
		}
	}
	return problems, all
}
