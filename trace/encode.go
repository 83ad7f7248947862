package trace

import (
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain"
)

// An encoder adds a record to a block.
type encoder struct {
	*block
	record *Record
	group  string         // its ID
	first  *quintain.Turn // of the record; nil until it is written
	runs   int            // numbers written as runs
}

// encode writes the record: the long lists to columns, and the rest as JSON with their lengths
// in their places.
func (e *encoder) encode() {
	r, j := e.record, &e.text
	j.put(`{"problem":`)
	e.problem(&r.Problem)
	e.time(`,"time":`, "time", r.Time, 0)
	j.int(`,"version":`, int64(r.Version))
	j.given(`,"drop":`, r.Drop)
	j.given(`,"worker":`, r.Worker)
	j.given(`,"model":`, r.Model)
	j.list(`,"scores":`, lengthOf(r.Scores), func(i int) { j.float("", "a score", r.Scores[i]) })
	j.list(`,"advantages":`, lengthOf(r.Advantages), func(i int) { e.advantages(r.Advantages[i]) })
	if r.Sequences != nil {
		j.list(`,"sequences":`, len(r.Sequences), func(i int) { j.int("", int64(r.Sequences[i])) })
	}
	j.list(`,"episodes":`, lengthOf(r.Episodes), func(i int) {
		j.put("{")
		if id := r.Episodes[i].ID; !isEpisode(id, e.group, i) {
			j.text(`"id":`, id)
			j.put(",")
		}
		e.episode(&r.Episodes[i])
	})
	j.put("}")
}

// episodeID is the ID that the engine gives to an episode of a group.
func episodeID(group string, i int) string { return group + "#" + strconv.Itoa(i) }

// isEpisode reports whether id is episodeID(group, i).
func isEpisode(id, group string, i int) bool {
	number, ok := strings.CutPrefix(strings.TrimPrefix(id, group), "#")
	return ok && number == strconv.Itoa(i) && strings.HasPrefix(id, group)
}

// problem appends a problem in the form of [quintain.Problem].
func (e *encoder) problem(p *quintain.Problem) {
	j := &e.text
	j.text(`{"task":`, p.Task)
	j.given(`,"scenario":`, p.Scenario)
	j.int(`,"version":`, int64(p.Version))
	j.put(`,"seed":"`)
	j.b = strconv.AppendUint(j.b, p.Seed, 10)
	j.int(`","level":`, int64(p.Level))
	j.int(`,"index":`, int64(p.Index))
	j.raw(`,"params":`, "problem.params", p.Params)
	j.text(`,"prompt":`, p.Prompt)
	if instance, err := p.Instance.JSON(); err != nil {
		j.fail("problem.instance: %w", err)
	} else {
		j.raw(`,"instance":`, "problem.instance", instance)
	}
	if p.Seat != nil {
		j.int(`,"seat":`, int64(*p.Seat))
	}
	j.put("}")
}

// time appends a time as nanoseconds after since, which is in nanoseconds since 1970.
func (e *encoder) time(before, field string, t time.Time, since int64) {
	ns := t.UnixNano()
	if !time.Unix(0, ns).Equal(t) {
		e.text.fail("%s is %v, want a year from 1678 to 2262", field, t)
	}
	e.text.int(before, ns-since)
}

// episode appends everything after the ID.
func (e *encoder) episode(t *quintain.Trajectory) {
	j := &e.text
	j.text(`"outcome":`, string(t.Outcome))
	j.text(`,"end":`, string(t.End))
	j.given(`,"error":`, t.Error)
	j.given(`,"output":`, t.Output)
	j.raw(`,"tools":`, "tools", t.Tools)
	j.match(t.Match)
	j.talks(`,"helpers":`, t.Helpers)
	if t.Replays != 0 {
		j.int(`,"replays":`, int64(t.Replays))
	}
	j.text(`,"vocabulary":`, t.Vocabulary)
	if !t.Started.IsZero() {
		e.time(`,"started":`, "started", t.Started, e.record.Time.UnixNano())
	}
	j.int(`,"took":`, int64(t.Took))
	j.list(`,"turns":`, lengthOf(t.Turns), func(k int) { e.turn(&t.Turns[k], k) })
	j.put("}")
}

// turn appends turn k of its episode. If it observed and read the same as the record's first turn, it
// refers to that turn.
func (e *encoder) turn(t *quintain.Turn, k int) {
	j := &e.text
	j.put("{")
	if e.first != nil && sameOpening(t, e.first) {
		j.put(`"opening":true`)
	} else {
		j.list(`"observed":`, lengthOf(t.Observed), func(i int) { j.message(&t.Observed[i]) })
		j.count(`,"read":`, lengthOf(t.Read))
		e.tokens = append(e.tokens, t.Read...)
	}
	if e.first == nil {
		e.first = t
	}
	j.text(`,"reply":`, t.Reply)
	j.given(`,"reasoning":`, t.Reasoning)
	j.calls(t.ToolCalls)
	j.given(`,"call_fault":`, t.CallFault)
	j.count(`,"wrote":`, lengthOf(t.Wrote))
	e.tokens = append(e.tokens, t.Wrote...)
	j.count(`,"logprobs":`, lengthOf(t.LogProbs))
	for _, p := range t.LogProbs {
		e.logProbs = append(e.logProbs, math.Float32bits(p))
	}
	e.versions(t.Versions)
	j.text(`,"finish":`, string(t.Finish))
	if t.Fork {
		j.put(`,"fork":true`)
	}
	if t.Realigned {
		j.put(`,"realigned":true`)
	}
	j.raw(`,"tools":`, "tools", t.Tools)
	j.call(t.Call, k)
	j.given(`,"answer":`, t.Answer)
	j.float(`,"reward":`, "a reward", t.Reward)
	if t.Right {
		j.put(`,"right":true`)
	}
	if t.Malformed {
		j.put(`,"malformed":true`)
	}
	if t.Illegal {
		j.put(`,"illegal":true`)
	}
	if t.Value != nil {
		j.float(`,"value":`, "a value", *t.Value)
	}
	j.given(`,"why":`, t.Why)
	j.metrics(t.Metrics)
	if t.Record != nil {
		j.raw(`,"record":`, "a turn's record", t.Record)
	}
	j.put("}")
}

// metrics appends the metrics of a turn, by name, if there are any.
func (j *jsonText) metrics(all map[string]float64) {
	before := `,"metrics":{`
	for _, name := range slices.Sorted(maps.Keys(all)) {
		j.text(before, name)
		j.float(":", "a metric", all[name])
		before = ","
	}
	if len(all) > 0 {
		j.put("}")
	}
}

// sameOpening reports whether two turns observed and read the same.
func sameOpening(a, b *quintain.Turn) bool {
	return lengthOf(a.Read) == lengthOf(b.Read) && slices.Equal(a.Read, b.Read) &&
		lengthOf(a.Observed) == lengthOf(b.Observed) && slices.EqualFunc(a.Observed, b.Observed, sameMessage)
}

// sameMessage reports whether two messages are equal. It avoids reflection, which is
// slow, for plain messages.
func sameMessage(a, b quintain.Message) bool {
	plain := func(m *quintain.Message) bool { return m.Parts == nil && m.ToolCalls == nil && m.Extra == nil }
	if plain(&a) && plain(&b) {
		return a.Content == b.Content && a.Role == b.Role && a.Reasoning == b.Reasoning &&
			a.ToolCallID == b.ToolCallID && a.Name == b.Name
	}
	return reflect.DeepEqual(a, b)
}

// versions appends the versions of a turn as runs: count, value, count, value, ….
func (e *encoder) versions(list []int32) {
	j := &e.text
	j.put(`,"versions":`)
	if list == nil {
		j.put("null")
		return
	}
	e.runs += len(list)
	j.put("[")
	sep := ""
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n] == list[0] {
			n++
		}
		j.int(sep, int64(n))
		j.int(",", int64(list[0]))
		sep, list = ",", list[n:]
	}
	j.put("]")
}

// advantages appends the advantages of a sequence as runs.
func (e *encoder) advantages(row []float64) {
	j := &e.text
	if row == nil {
		j.put("null")
		return
	}
	e.runs += len(row)
	j.put("[")
	sep := ""
	for len(row) > 0 {
		n, bits := 1, math.Float64bits(row[0]) // -0 is not 0
		for n < len(row) && math.Float64bits(row[n]) == bits {
			n++
		}
		j.int(sep, int64(n))
		j.float(",", "an advantage", row[0])
		sep, row = ",", row[n:]
	}
	j.put("]")
}
