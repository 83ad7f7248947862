package screen

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/run"
	"github.com/quintain-rl/quintain/run/rollout"
	"github.com/quintain-rl/quintain/run/watch/words"
	"github.com/quintain-rl/quintain/sandbox"
)

// Report prints the report of a run.
func Report(on *Terminal, r *run.Report) error {
	p := &paper{on: on}
	p.table(r)
	p.facts(r)
	p.replay(r)
	if len(r.Advice) > 0 {
		p.line("", "")
	}
	for _, advice := range r.Advice {
		p.fact("note", "%s", advice)
	}
	_, err := io.WriteString(on.Out, p.text.String())
	return err
}

// A paper is a printed report.
type paper struct {
	on   *Terminal
	text strings.Builder
}

// line prints a line in a style.
func (p *paper) line(s style, text string) { p.text.WriteString(p.on.in(s, text) + "\n") }

// factIndent is the width of the names of facts.
const factIndent = 15

// fact prints a fact after its name, in lines that fit.
func (p *paper) fact(name, form string, args ...any) {
	text := strings.Join(strings.Fields(Plain(fmt.Sprintf(form, args...))), " ")
	for _, line := range WrapLine(text, p.on.room()-1-factIndent) {
		p.text.WriteString(strings.TrimRight(fmt.Sprintf("%-*s%s", factIndent, name, line), " ") + "\n")
		name = ""
	}
}

// table prints how the tasks went that were played or examined; nothing if no group was played.
func (p *paper) table(r *run.Report) {
	shown := moving(r.Tasks, len(r.Tasks))
	if played(r) == 0 {
		return
	}
	of := progress{tasks: shown, room: p.on.room()}
	table := of.lines()
	p.line(bold, table[0])
	for _, line := range table[1:] {
		p.line("", line)
	}
	if strings.Contains(table[0], levelsHead) {
		for _, line := range WrapLine(levelsHead+": their held-out problems score two thirds or more", p.on.room()-1) {
			p.line(faint, line)
		}
	}
	p.line("", "")
}

// facts prints the counts of a run, without those of what did not happen.
func (p *paper) facts(r *run.Report) {
	if r.ExamBefore != nil {
		p.fact("held out", "%s", strings.TrimPrefix(headline(r), "held-out score "))
	}
	if r.Steps+played(r) == 0 {
		p.fact("played", "nothing to its end, in %s", elapsed(r.Seconds))
	} else {
		p.fact("steps", "%s in %s, to version %s", words.Count(r.Steps), elapsed(r.Seconds), known("%s", words.Count(r.Version), r.Version >= 0))
		p.fact("groups kept", "%s", words.Count(r.GroupsMade))
	}
	if r.GroupsSent > 0 {
		p.fact("groups sent", "%s", words.Count(r.GroupsSent))
	}
	if sum(r.Episodes)+sum(r.GroupsDropped) > 0 {
		p.fact("groups dropped", "%s", counted(r.GroupsDropped))
		p.fact("episodes", "%s", counted(r.Episodes))
	}
	for i := range r.Tasks {
		p.told(&r.Tasks[i])
	}
	if r.NoLogProbs > 0 {
		p.fact("no logprobs", "%s", stats.Count(r.NoLogProbs, "sequence"))
	}
	if r.Unscored > 0 {
		p.fact("no teacher", "%s: %s", stats.Count(r.Unscored, "group"), Fault(r.TeacherFault))
	}
	if r.Replays > 0 || r.PlayedAgain > 0 {
		p.fact("played again", "%s, %s", stats.Count(r.Replays, "episode"), stats.Count(r.PlayedAgain, "problem"))
	}
	if r.Tokens > 0 {
		p.fact(r.Unit, "%s, %s a second", words.Count(r.Tokens), words.Count(int(r.Rate())))
	}
	for _, player := range slices.Sorted(maps.Keys(r.Others)) {
		of := r.Others[player]
		p.fact("others", "%s wrote %s, %s tokens (%.0f %% of all), in %.0f %% of its episodes' time", player, stats.Count(of.Replies, "reply"), words.Count(of.Tokens), 100*float64(of.Tokens)/float64(max(1, of.Tokens+r.Tokens)), 100*of.Share())
	}
	if r.Turns != (run.Turns{}) {
		p.fact("further turns", "%v", r.Turns)
	}
	if len(r.SolvedAt) > 1 {
		p.fact("solved", "%.1f %% of them at a later turn than the first", 100*solvedLater(r.SolvedAt))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Games)) {
		p.fact("moves", "%s: %v, over %s episodes", name, r.Games[name], words.Count(r.Games[name].Episodes))
	}
	p.staleness(r)
	if r.Judge != nil {
		for _, line := range r.Judge.Lines() {
			p.fact("judge", "%s", line)
		}
	}
	for _, s := range r.Sandboxes {
		p.ran(s)
	}
	if r.Failed() > 0 {
		p.fact("last fault", "%s", Fault(r.LastFault))
	}
}

// told prints the scores of a task's seats, and the means of its environment's further numbers, the first by name.
func (p *paper) told(task *run.TaskReport) {
	for _, seat := range slices.Sorted(maps.Keys(task.Seats)) {
		p.fact(fmt.Sprintf("seat %d", seat), "%.3f of each match of %s", task.Seats[seat], task.Label)
	}
	const most = 8
	var told []string
	for _, name := range slices.Sorted(maps.Keys(task.Metrics)) {
		told = append(told, fmt.Sprintf("%s %.4g", Safe(name), task.Metrics[name]))
	}
	if len(told) > most {
		told = append(told[:most], "…")
	}
	if told != nil {
		p.fact("metrics", "%s: %s", task.Label, strings.Join(told, ", "))
	}
}

// ran prints what ran programs, in red if that was no sandbox.
func (p *paper) ran(s *sandbox.Setup) {
	at := p.text.Len()
	p.fact("sandbox", "%v", s)
	if text := p.text.String(); s.Trusts() {
		p.text.Reset()
		p.text.WriteString(text[:at])
		for line := range strings.Lines(text[at:]) {
			p.line(red, strings.TrimSuffix(line, "\n"))
		}
	}
}

// solvedLater is the share of solved episodes, counted by turn, with a wrong first reply.
func solvedLater(at []int) float64 {
	all := 0
	for _, n := range at {
		all += n
	}
	if all == 0 {
		return 0
	}
	return 1 - float64(at[0])/float64(all)
}

// staleness prints how old the groups were, and how the stale ones differ from the others.
func (p *paper) staleness(r *run.Report) {
	if _, ok := r.Lag(); played(r) > 0 {
		p.fact("staleness", "%s", known("%s", counted(r.Staleness), ok))
	}
	late, fate := r.Stale, "dropped as stale"
	if late.Groups == 0 {
		return
	}
	if r.GroupsDropped[rollout.DropWithheld] > 0 {
		fate = "withheld"
	}
	base, of := r.Trained, "trained on"
	if base.Groups == 0 {
		base, of = r.Kept, "kept"
	}
	p.fact("too old", "%s: %s groups, mean %.0f %s an episode against %.0f %s (%+.0f %%), %.1f s a group against %.1f",
		fate, words.Count(late.Groups), late.Length(), r.Unit, base.Length(), of, 100*late.Longer(base), late.Duration(), base.Duration())
}

// replay prints the held-out problem that gained most: the reply then and the reply now.
func (p *paper) replay(r *run.Report) {
	if r.Replay == nil {
		return
	}
	then, now := &r.Replay.Before, &r.Replay.After
	names := []string{"asked", "version " + words.Count(r.Replay.VersionBefore), "version " + words.Count(r.Replay.VersionAfter)}
	width := min(p.on.room(), textWidth)
	b := block{on: p.on, indent: 4 + max(len(names[1]), len(names[2])), width: width}
	p.line("", "")
	all := WrapLine("a held-out problem of "+then.Label, width-1)
	all = append(all, b.lines(names[0], then.Question)...)
	for i, e := range []*run.Example{then, now} {
		word, style := verdict(e)
		b.style = style
		all = append(all, b.lines(names[1+i], word+": "+withWhy(e))...)
	}
	for _, line := range all {
		p.line("", line)
	}
}

// Version writes the version of the policy's weights.
func Version(version int) string {
	if version < 0 {
		return "unknown"
	}
	return fmt.Sprint(version)
}

// counted writes a map of counters, sorted by key, without zeros.
func counted[K ~string | ~int](m map[K]int) string {
	var parts []string
	sum := 0
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if sum += m[key]; m[key] > 0 {
			parts = append(parts, fmt.Sprintf("%v: %s", key, words.Count(m[key])))
		}
	}
	if parts == nil {
		return "0"
	}
	return fmt.Sprintf("%s (%s)", words.Count(sum), strings.Join(parts, ", "))
}
