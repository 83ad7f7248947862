package hub

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain/queue"
)

// A modelBatch is a batch in the model.
type modelBatch struct {
	ids     string // of its groups, in order
	trainer string // its trainer; empty: none
	last    string // its last trainer; empty: none
	until   time.Time
	kept    bool // kept for that trainer across a restart
}

// A hubModel is a plain model of a hub.
type hubModel struct {
	batch   int            // sequences
	waiting []modelGroup   // in no batch, oldest first
	open    []*modelBatch  // in the order of forming
	numbers map[string]int // the hub's batch numbers, by the ids of groups
	seen    map[int]string // the trainer that acknowledged each group
	put     int
	step    int
	lease   time.Duration
}

type modelGroup struct{ id, sequences int }

// next is the batch that a trainer must get now, or nil.
func (m *hubModel) next(trainer string) *modelBatch {
	for _, b := range m.open {
		if b.trainer == "" || time.Now().After(b.until) || b.kept && b.trainer == trainer {
			return b
		}
	}
	return m.form()
}

// form forms a batch if enough waits: it begins with the oldest group, has the oldest others
// that fit, or else those that make it exact, if there are any.
func (m *hubModel) form() *modelBatch {
	chosen, sum, total := []int{}, 0, 0
	for i, g := range m.waiting {
		if total += g.sequences; sum < m.batch && (i == 0 || sum+g.sequences <= m.batch) {
			chosen, sum = append(chosen, i), sum+g.sequences
		}
	}
	if total < m.batch {
		return nil
	}
	if sum < m.batch {
		var others []queue.Entry
		for _, g := range m.waiting[1:] {
			others = append(others, queue.Entry{Sequences: int32(g.sequences)})
		}
		if exact := oldest(others, m.batch-m.waiting[0].sequences); exact != nil {
			chosen = []int{0}
			for _, i := range exact {
				chosen = append(chosen, i+1)
			}
		}
	}
	b := &modelBatch{}
	var ids []string
	for _, i := range chosen {
		ids = append(ids, fmt.Sprint(m.waiting[i].id))
	}
	for _, i := range slices.Backward(chosen) {
		m.waiting = slices.Delete(m.waiting, i, i+1)
	}
	b.ids = strings.Join(ids, " ")
	m.open = append(m.open, b)
	m.step++
	return b
}

// oldest chooses groups of the given sum, including the last one, without newer ones if
// possible; nil if there are none.
func oldest(all []queue.Entry, sum int) []int {
	if sum == 0 {
		return []int{}
	}
	if len(all) == 0 || sum < 0 {
		return nil
	}
	last := len(all) - 1
	if rest := oldest(all[:last], sum); rest != nil {
		return rest
	}
	if rest := oldest(all[:last], sum-int(all[last].Sequences)); rest != nil {
		return append(rest, last)
	}
	return nil
}

// drop removes a batch from its trainer.
func (m *hubModel) drop(b *modelBatch, by string) {
	m.open = slices.DeleteFunc(m.open, func(other *modelBatch) bool { return other == b })
	for word := range strings.FieldsSeq(b.ids) {
		var id int
		fmt.Sscan(word, &id)
		m.seen[id] = by
	}
}

// TestHistories plays random histories of posts, batches, acknowledgements, expiring leases,
// registrations and restarts, and compares the hub with the model at every step.
func TestHistories(t *testing.T) {
	for range historyRounds {
		rapid.Check(t, func(rt *rapid.T) {
			var fault any // a panic of rapid, which belongs in its own goroutine
			synctest.Test(t, func(t *testing.T) {
				defer func() { fault = recover() }()
				playHistory(t, rt)
			})
			if fault != nil {
				panic(fault)
			}
		})
	}
}

func playHistory(t *testing.T, rt *rapid.T) {
	lease := 10 * time.Minute
	f := newFixture(t, nil, Config{Settings: Settings{Lease: lease}})
	m := &hubModel{batch: rapid.SampledFrom([]int{1, 4, 6}).Draw(rt, "batch"), numbers: map[string]int{}, seen: map[int]string{}, lease: lease}
	f.register(m.batch, 0)
	steps := rapid.IntRange(1, 40).Draw(rt, "steps")
	for range steps {
		trainer := rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "trainer")
		switch rapid.SampledFrom([]string{"post", "post", "post", "take", "take", "ack", "nack", "sleep", "register", "restart", "atropos"}).Draw(rt, "what") {
		case "post":
			m.put++
			g := modelGroup{m.put, rapid.IntRange(1, 5).Draw(rt, "size")}
			m.waiting = append(m.waiting, g)
			f.put(group(g.id, g.sequences, -1))
		case "take":
			m.take(rt, f, trainer)
		case "atropos":
			m.atropos(rt, f)
		case "ack", "nack":
			m.tell(rt, f, trainer)
		case "sleep":
			time.Sleep(rapid.SampledFrom([]time.Duration{time.Minute, 6 * time.Minute, time.Hour}).Draw(rt, "time"))
		case "register":
			f.do("POST", "/register?trainer="+trainer, fmt.Sprintf(registerBody, m.batch, 0))
			m.release(trainer)
		case "restart":
			f.restart()
			m.restart()
		}
		if f.run.Step() != m.step {
			rt.Fatalf("step %d, want %d", f.run.Step(), m.step)
		}
	}
	m.drain(rt, f)
	f.stop()
	f.stop = func() {}
}

// release takes back a trainer's batches; "" is every trainer.
func (m *hubModel) release(trainer string) {
	for _, b := range m.open {
		if trainer == "" || b.trainer == trainer {
			b.trainer = ""
		}
	}
}

// restart takes back batches without a lease that survives a restart.
func (m *hubModel) restart() {
	for _, b := range m.open {
		if b.kept = b.trainer != unnamedTrainer && !time.Now().After(b.until); !b.kept {
			b.trainer = ""
		}
	}
}

// take asks for a batch by /v1.
func (m *hubModel) take(rt *rapid.T, f *fixture, trainer string) {
	want := m.next(trainer)
	number, ids := f.take("trainer=" + trainer)
	m.check(rt, want, ids)
	if want != nil {
		m.give(want, trainer)
		var n int
		fmt.Sscan(number, &n)
		if known, has := m.numbers[ids]; has && known != n {
			rt.Fatalf("batch %s was number %d, and is %d now", ids, known, n)
		}
		m.numbers[ids] = n
	}
}

// give gives a batch to a trainer.
func (m *hubModel) give(b *modelBatch, trainer string) {
	b.trainer, b.last, b.until, b.kept = trainer, trainer, time.Now().Add(m.lease), false
}

// atropos asks for a batch as trainers of Atropos do.
func (m *hubModel) atropos(rt *rapid.T, f *fixture) {
	for _, b := range slices.Clone(m.open) {
		if b.trainer == unnamedTrainer {
			m.drop(b, unnamedTrainer)
		}
	}
	want := m.next(unnamedTrainer)
	ids := f.batch()
	if ids == "null" {
		ids = ""
	}
	m.check(rt, want, ids)
	if want != nil {
		m.give(want, unnamedTrainer)
	}
}

// check compares a batch with the expected one, and checks that none of its groups was
// acknowledged.
func (m *hubModel) check(rt *rapid.T, want *modelBatch, ids string) {
	if want == nil && ids != "" || want != nil && ids != want.ids {
		rt.Fatalf("batch %q, want %+v", ids, want)
	}
	for word := range strings.FieldsSeq(ids) {
		var id int
		fmt.Sscan(word, &id)
		if by, has := m.seen[id]; has {
			rt.Fatalf("group %d came again, and %s has acknowledged it", id, by)
		}
	}
}

// tell acknowledges a batch, or gives it back, whether the trainer has it or not.
func (m *hubModel) tell(rt *rapid.T, f *fixture, trainer string) {
	names := slices.Sorted(maps.Keys(m.numbers))
	if len(names) == 0 {
		return
	}
	ids := rapid.SampledFrom(names).Draw(rt, "ids")
	verb := rapid.SampledFrom([]string{"ack", "nack"}).Draw(rt, "verb")
	at := slices.IndexFunc(m.open, func(b *modelBatch) bool { return b.ids == ids })
	w := f.do("POST", fmt.Sprintf("%s/batches/%d/%s?trainer=%s", mainPath, m.numbers[ids], verb, trainer), "")
	switch {
	case at < 0 && w.Code == 200 && verb == "ack" && strings.Contains(w.Body.String(), `"again":true`):
	case at < 0 && w.Code == 410 && verb == "nack":
	case at < 0:
		rt.Fatalf("%s of %s, which is acknowledged: %d %s", verb, ids, w.Code, w.Body)
	case m.open[at].last != "" && m.open[at].last != trainer:
		if w.Code != 409 {
			rt.Fatalf("%s of %s by %s, and %s had it last: %d", verb, ids, trainer, m.open[at].last, w.Code)
		}
	case w.Code != 200:
		rt.Fatalf("%s of %s by %s: %d %s", verb, ids, trainer, w.Code, w.Body)
	case verb == "ack":
		m.drop(m.open[at], trainer)
	default:
		m.open[at].trainer = ""
	}
}

// drain takes and acknowledges everything, and checks that every group came.
func (m *hubModel) drain(rt *rapid.T, f *fixture) {
	time.Sleep(2 * m.lease)
	for {
		before := len(m.seen)
		m.atropos(rt, f)
		if len(m.open) == 0 {
			break
		}
		if before > 10*m.put {
			rt.Fatal("no end")
		}
	}
	if len(m.seen)+len(m.waiting) != m.put {
		rt.Fatalf("%d groups were put, %d were acknowledged and %d wait", m.put, len(m.seen), len(m.waiting))
	}
}
