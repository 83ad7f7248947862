package journal

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain/internal/wal"
	"github.com/quintain-rl/quintain/internal/wal/waltest"
)

// A model is what a journal should have.
type model struct {
	items []item
	dying []string // sessions that are forgotten, perhaps not durably
	next  int      // number of the next append
}

// An item is a record, with the append that it came with.
type item struct {
	Record
	append int
	maybe  bool // its append failed, and nothing has succeeded since
}

// settled notes that a write succeeded: what failed before is not there, and what was forgotten
// is.
func (m *model) settled() {
	m.items = slices.DeleteFunc(m.items, func(i item) bool { return i.maybe || slices.Contains(m.dying, i.Session) })
	m.dying = nil
}

// compare compares what was replayed after a crash or a good end. What was replayed is then
// there.
func (m *model) compare(t *rapid.T, got []Record) {
	var after []item
	there := map[any]bool{} // by session or append: all of it or nothing
	left := got
	for _, i := range m.items {
		present := len(left) > 0 && left[0].Session == i.Session && left[0].Kind == i.Kind && bytes.Equal(left[0].Data, i.Data)
		var key any
		switch {
		case i.maybe:
			key = i.append
		case slices.Contains(m.dying, i.Session):
			key = i.Session
		case !present:
			t.Fatalf("%s:%s is missing; replayed %q", i.Session, i.Data, text(got))
		}
		if before, known := there[key]; key != nil && known && before != present {
			t.Fatalf("%v is there in part; replayed %q", key, text(got))
		}
		there[key] = present
		if present {
			left = left[1:]
			i.maybe = false
			after = append(after, i)
		}
	}
	if len(left) > 0 {
		t.Fatalf("replayed %q, of which %q should not be", text(got), text(left))
	}
	m.items, m.dying = after, nil
}

// records draws an append.
func (m *model) records(t *rapid.T) (list []item) {
	for range rapid.IntRange(1, 3).Draw(t, "records") {
		session := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "session")
		if slices.Contains(m.dying, session) {
			session += "'"
		}
		data := fmt.Sprintf("%d.%d", m.next, len(list))
		data += string(make([]byte, rapid.SampledFrom([]int{0, 0, 30, 300}).Draw(t, "bytes")))
		list = append(list, item{Record{session, byte('0' + len(list)), []byte(data)}, m.next, true})
	}
	m.next++
	return list
}

// play does one thing with the journal, and reports whether it goes on.
func (m *model) play(t *rapid.T, d *waltest.Disk, j *Journal) (on, clean bool) {
	switch rapid.SampledFrom([]string{"append", "append", "append", "append", "forget", "tidy", "fault", "heal", "read", "close", "crash"}).Draw(t, "do") {
	case "append":
		items := m.records(t)
		var records []Record
		for _, i := range items {
			records = append(records, i.Record)
		}
		m.items = append(m.items, items...)
		if err := j.Append(t.Context(), records...); err == nil {
			for i := range items {
				m.items[len(m.items)-1-i].maybe = false
			}
			m.settled()
		}
	case "forget":
		session := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "session")
		if !slices.Contains(m.dying, session) && !slices.ContainsFunc(m.items, func(i item) bool { return i.maybe }) {
			if err := j.Forget(session); err != nil {
				t.Fatal(err)
			}
			m.dying = append(m.dying, session)
		}
	case "tidy":
		pending := len(m.dying) > 0
		if err := j.tidy(); err == nil && pending {
			m.settled()
		}
	case "fault":
		op := rapid.SampledFrom([]string{waltest.Write, waltest.Sync, waltest.Truncate, waltest.Create, waltest.Names, waltest.Rename, waltest.Remove, waltest.Read}).Draw(t, "op")
		d.Fail(op, rapid.IntRange(1, 3).Draw(t, "times"))
	case "heal":
		d.Heal()
	case "read":
		m.read(t, j)
	case "close":
		err := j.Close()
		if pending := len(m.dying) > 0; err == nil && pending {
			m.settled()
		}
		return false, err == nil
	case "crash":
		return false, false
	}
	return true, false
}

// read compares a session.
func (m *model) read(t *rapid.T, j *Journal) {
	session := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(t, "session")
	var want []Record
	for _, i := range m.items {
		if i.Session == session && !i.maybe {
			want = append(want, i.Record)
		}
	}
	got, err := j.Read(session)
	if err == nil && text(got) != text(want) && !slices.Contains(m.dying, session) {
		t.Fatalf("read %q of %s, want %q", text(got), session, text(want))
	}
}

// markOn opens the mark on a disk.
func markOn(t *rapid.T, d *waltest.Disk) *wal.Mark[slot] {
	f, err := d.Open("mark")
	if err != nil {
		t.Fatal(err)
	}
	return wal.NewMark[slot](f, slots, 1)
}

// TestAgainstAModel appends, forgets and tidies up on a disk with faults, with good ends, kills
// and power cuts in between. What was confirmed comes back, in order; of what was not, an append
// as a whole or nothing, and a forgotten session as a whole or nothing.
func TestAgainstAModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &model{}
		d, marks := waltest.New(), waltest.New()
		o := Options{SegmentBytes: rapid.SampledFrom([]int64{1, 200, 1000, 5000}).Draw(t, "segment")}
		for range rapid.IntRange(1, 4).Draw(t, "lives") {
			o.ahead = rapid.SampledFrom([]int64{0, 100, 4000}).Draw(t, "ahead")
			o.mark = markOn(t, marks)
			j, got, err := openOn(d, o)
			if err != nil {
				t.Fatal(err)
			}
			m.compare(t, got)
			clean := false
			for range rapid.IntRange(0, 60).Draw(t, "deeds") {
				on, ended := m.play(t, d, j)
				if clean = ended; !on {
					break
				}
			}
			if clean {
				d.Heal()
				continue
			}
			cut := rapid.Bool().Draw(t, "the power is cut")
			d, marks = d.Crash(t, cut), marks.Crash(t, cut)
		}
		o.mark = markOn(t, marks)
		j, got, err := openOn(d, o)
		if err != nil {
			t.Fatal(err)
		}
		m.compare(t, got)
		if err := j.tidy(); err != nil {
			t.Fatal(err)
		}
		if st := j.Stats(); st.Bytes > 3*st.Live+o.SegmentBytes+1000 {
			t.Fatalf("tidied up: %+v", st)
		}
	})
}
