package trace

import (
	"cmp"
	"errors"
	"math"
	"os"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/quintain-rl/quintain"
)

func TestReaderFollowsAWriter(t *testing.T) {
	dir, records := t.TempDir(), slims(1200)
	w := newWriter(t, dir, tiny())
	r := open(t, dir)
	testAre(t, r, nil)
	for i, record := range records {
		writeAll(t, w, record)
		if i%200 != 0 {
			continue
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := r.Refresh(); err != nil {
			t.Fatal(err)
		}
		testAre(t, r, records[:i+1][i+1-r.Len():])
		if newest := r.Find(Query{Newest: true, Limit: 1}); len(newest) != 1 || newest[0].Group != record.Group() {
			t.Fatalf("the newest after %d records is %+v", i+1, newest)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Refresh(); err != nil {
		t.Fatal(err)
	}
	gone := r.Find(Query{Limit: 1})[0]
	if err := errors.Join(os.Remove(segmentPath(dir, gone.Segment)), r.Refresh()); err != nil {
		t.Fatal(err)
	}
	if r.Find(Query{Limit: 1})[0].Segment == gone.Segment {
		t.Error("a segment that was removed is found after Refresh")
	}
	fresh := open(t, dir)
	if _, err := fresh.Read(gone.Ref); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a record that was removed: %v", err)
	}
}

// TestSegmentsThatGoWhileTheyAreListedArePassedOver has a name in the folder that cannot be
// opened.
func TestSegmentsThatGoWhileTheyAreListedArePassedOver(t *testing.T) {
	dir, records := t.TempDir(), smalls(1)
	w := newWriter(t, dir, Default())
	writeAll(t, w, records...)
	if err := errors.Join(w.Close(), os.Symlink("gone", segmentPath(dir, 2))); err != nil {
		t.Fatal(err)
	}
	testAre(t, open(t, dir), records)
}

func TestReaderSeesAFolderThatWasBegunAnew(t *testing.T) {
	dir, records := t.TempDir(), smalls(20)
	write := func(records []*Record) {
		w := newWriter(t, dir, Default())
		writeAll(t, w, records...)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write(records[:15])
	r := open(t, dir)
	if err := os.Remove(segmentPath(dir, 1)); err != nil {
		t.Fatal(err)
	}
	write(records[15:])
	if err := r.Refresh(); err != nil {
		t.Fatal(err)
	}
	testAre(t, r, records[15:])
}

// TestDamageIsSkippedAndCounted changes the bytes of a segment one by one. Every readable
// record is as written, and at most one block is lost.
func TestDamageIsSkippedAndCounted(t *testing.T) {
	records := slims(9)
	whole, ends := cutSegment(t, records)
	for _, closed := range []bool{true, false} {
		if !closed {
			whole = whole[:ends[2]]
		}
		dir := t.TempDir()
		for at := len(magic); at < len(whole); at += 23 {
			bad := slices.Clone(whole)
			bad[at] ^= 0x10
			if err := os.WriteFile(segmentPath(dir, 1), bad, 0o666); err != nil {
				t.Fatal(err)
			}
			r := open(t, dir)
			read := 0
			for _, e := range r.Find(Query{}) {
				record, err := r.Read(e.Ref)
				if errors.Is(err, ErrDamaged) {
					continue
				}
				if i := e.at(ends); err != nil || !reflect.DeepEqual(record, records[i]) {
					t.Fatalf("byte %d is changed: error %v, record %d came back as\n%s", at, err, i, inJSON(record))
				}
				read++
			}
			if closed && (read < 6 || read < 9 && r.Damaged() == 0) {
				t.Errorf("byte %d is changed, and %d records are read, %d damaged; blocks end at %v", at, read, r.Damaged(), ends)
			}
			if before := 3 * wholeBlocks(at, ends); read < before {
				t.Errorf("byte %d of what is not closed is changed, and %d records are read, want the %d before", at, read, before)
			}
		}
	}
}

// at returns the number of a record of cutSegment.
func (e Entry) at(ends []int64) int { return 3*wholeBlocks(int(e.Block), ends) + e.Record }

func TestReadRefusesWhatIsNoRecord(t *testing.T) {
	dir := t.TempDir()
	w := newWriter(t, dir, Default())
	writeAll(t, w, smalls(2)...)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir)
	good := r.Find(Query{})[0].Ref
	for _, bad := range []Ref{
		{good.Segment, good.Block, 2, 0}, {good.Segment, good.Block, -1, 0}, {good.Segment, good.Block + 1, 0, 0},
		{good.Segment, 8, 0, 0}, {good.Segment, -1, 0, 0}, {good.Segment, 1 << 60, 0, 0},
	} {
		if _, err := r.Read(bad); !errors.Is(err, ErrDamaged) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := r.Read(Ref{Segment: 2, Block: good.Block}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("another segment: %v", err)
	}
	if n := r.Damaged(); n != 6 {
		t.Errorf("%d damaged, want 6", n)
	}
}

func TestManyMayReadAtOnce(t *testing.T) {
	dir, records := t.TempDir(), smalls(300)
	w := newWriter(t, dir, tiny())
	r := open(t, dir)
	var reading sync.WaitGroup
	for range 3 {
		reading.Go(func() {
			for range 30 {
				if err := r.Refresh(); err != nil {
					t.Error(err)
				}
				for _, e := range r.Find(Query{Newest: true, Limit: 3}) {
					if record, err := r.Read(e.Ref); err != nil || record.Group() != e.Group {
						t.Errorf("%+v: error %v", e, err)
					}
				}
			}
		})
	}
	for i, record := range records {
		writeAll(t, w, record)
		if i%20 == 0 {
			if err := w.Flush(); err != nil {
				t.Error(err)
			}
		}
	}
	reading.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestEntriesAreThoseOfTheRecords compares the index with the records.
func TestEntriesAreThoseOfTheRecords(t *testing.T) {
	dir, records := t.TempDir(), smalls(200)
	records[3].Scores, records[3].Drop = nil, "infra_failed"
	records[3].Episodes[1].Outcome = quintain.InfraFailed
	w := newWriter(t, dir, tiny())
	writeAll(t, w, records...)
	if err := w.Flush(); err != nil { // the last segment has no footer
		t.Fatal(err)
	}
	for i, e := range open(t, dir).Find(Query{}) {
		want := entryOf(records[i], records[i].Group())
		want.Ref = e.Ref
		slices.SortFunc(want.Outcomes, func(a, b quintain.Outcome) int {
			return slices.Index(quintain.Outcomes, a) - slices.Index(quintain.Outcomes, b)
		})
		if !reflect.DeepEqual(e, want) {
			t.Errorf("entry %d is\n%+v\nwant\n%+v", i, e, want)
		}
	}
}

// played draws records to search, with few values, so that queries match.
func played(t *rapid.T) *Record {
	word := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "word") }
	r := &Record{
		Problem: quintain.Problem{Task: word("a", "b"), Scenario: word("", "s.v1"), Index: rapid.IntRange(0, 3).Draw(t, "index")},
		Drop:    word("", "", "stale", "equal_scores"), Version: rapid.IntRange(0, 3).Draw(t, "version"),
		Time: epoch.Add(time.Duration(rapid.IntRange(0, 5).Draw(t, "time"))),
	}
	r.Problem.Level = rapid.IntRange(0, 1).Draw(t, "level")
	if rapid.Bool().Draw(t, "scored") {
		r.Scores = rapid.SliceOfN(rapid.SampledFrom([]float64{-1, 0, 0.5}), 1, 2).Draw(t, "scores")
	}
	for range rapid.IntRange(0, 2).Draw(t, "episodes") {
		r.Episodes = append(r.Episodes, quintain.Trajectory{Outcome: rapid.SampledFrom(quintain.Outcomes).Draw(t, "outcome")})
	}
	return r
}

// query draws a query on such records.
func query(t *rapid.T) Query {
	word := func(of ...string) string { return rapid.SampledFrom(of).Draw(t, "word") }
	version := func() *int {
		if rapid.Bool().Draw(t, "any version") {
			return nil
		}
		return new(rapid.IntRange(0, 3).Draw(t, "version"))
	}
	score := func() *float64 {
		return rapid.SampledFrom([]*float64{nil, nil, nil, new(-0.5), new(0.0), new(0.5)}).Draw(t, "score")
	}
	at := func() time.Time {
		return rapid.SampledFrom([]time.Time{{}, {}, epoch, epoch.Add(3), epoch.Add(9), time.Unix(-1<<40, 0), time.Unix(1<<40, 0)}).Draw(t, "time")
	}
	return Query{
		Group: word("", "", "", "a.v0.s0.l0.1", "s.v1/b.v0.s0.l0.2", "nobody"), Task: word("", "a", "c"), Scenario: word("", "s.v1"),
		Outcome: quintain.Outcome(word("", "scored", "cancelled")), Drop: word("", Kept, Dropped, "stale", "refused"),
		MinVersion: version(), MaxVersion: version(), From: at(), To: at(), MinScore: score(), MaxScore: score(),
		Level:  rapid.SampledFrom([]*int{nil, nil, new(0), new(1), new(2)}).Draw(t, "level"),
		By:     Order(word("", "score", "spread", "tokens", "version")),
		Newest: rapid.Bool().Draw(t, "newest"), Limit: rapid.IntRange(0, 4).Draw(t, "limit"),
	}
}

// wants reports whether r matches q.
func (q *Query) wants(r *Record) bool {
	score, scored := r.score()
	switch {
	case q.Level != nil && r.Problem.Level != *q.Level,
		q.MinScore != nil && (!scored || score < *q.MinScore), q.MaxScore != nil && (!scored || score > *q.MaxScore):
		return false
	case q.Group != "" && r.Group() != q.Group, q.Task != "" && r.Problem.Task != q.Task,
		q.Scenario != "" && r.Problem.Scenario != q.Scenario,
		q.Drop == Kept && r.Drop != "", q.Drop == Dropped && r.Drop == "",
		q.Drop != "" && q.Drop != Kept && q.Drop != Dropped && r.Drop != q.Drop,
		q.MinVersion != nil && r.Version < *q.MinVersion, q.MaxVersion != nil && r.Version > *q.MaxVersion,
		!q.From.IsZero() && r.Time.Before(q.From), !q.To.IsZero() && !r.Time.Before(q.To):
		return false
	}
	return q.Outcome == "" || slices.ContainsFunc(r.Episodes, func(e quintain.Trajectory) bool { return e.Outcome == q.Outcome })
}

// place is the rank of a record in an order.
func place(r *Record, by Order) float64 {
	score, scored := r.score()
	switch {
	case by == ByTokens:
		return float64(r.tokens())
	case by == ByVersion:
		return float64(r.Version)
	case by == ByTime:
		return 0
	case !scored:
		return math.Inf(-1)
	case by == BySpread:
		spread, _ := r.Spread()
		return spread
	}
	return score
}

// TestFindIsAScan compares the index with a scan of all records, page by page.
func TestFindIsAScan(t *testing.T) {
	packer := newPacker()
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(rapid.Custom(played), 0, 12).Draw(t, "records")
		r, numbers := &Reader{}, map[Ref]int{}
		at := Ref{Segment: 1, Block: 8}
		for i, record := range records { // a block of each, closed in segments at random
			if len(r.segments) == 0 || rapid.Bool().Draw(t, "new segment") {
				r.segments = append(r.segments, &segment{number: len(r.segments) + 1})
				at = Ref{Segment: len(r.segments), Block: 8}
			}
			r.segments[len(r.segments)-1].learn(t, packer, record, at)
			numbers[at] = i
			at.Block += 100
		}
		q := query(t)
		var want []int
		for i, record := range records {
			if q.wants(record) {
				want = append(want, i)
			}
		}
		slices.SortStableFunc(want, func(i, k int) int { return cmp.Compare(place(records[i], q.By), place(records[k], q.By)) })
		if q.Newest {
			slices.Reverse(want)
		}
		testFinds(t, r, q, numbers, want)
	})
}

// learn adds the index of a block with one record.
func (s *segment) learn(t *rapid.T, packer *packer, record *Record, at Ref) {
	var b block
	if err := b.add(record); err != nil {
		t.Fatal(err)
	}
	b.index.blocks = [][2]int64{{at.Block, 1}}
	payload, err := inflate(b.index.pack(packer), maxPayload)
	if err != nil {
		t.Fatal(err)
	}
	x, err := readIndex(payload, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	x.call(&s.head)
	s.parts = append(s.parts, x)
}

// testFinds reads the pages of q, and compares the numbers of the records with want.
func testFinds(t *rapid.T, r *Reader, q Query, numbers map[Ref]int, want []int) {
	if n := r.Count(q).Groups; n != len(want) {
		t.Fatalf("%+v counts %d, want %d", q, n, len(want))
	}
	var got []int
	for {
		page, n := r.Page(q)
		if n != len(want) || !reflect.DeepEqual(page, r.Find(q)) {
			t.Fatalf("%+v has a page of %d among %d, want %v among %d", q, len(page), n, r.Find(q), len(want))
		}
		for _, e := range page {
			got = append(got, numbers[e.Ref])
		}
		if q.Limit > 0 && len(page) > q.Limit {
			t.Fatalf("a page of %d, want %d at most", len(page), q.Limit)
		}
		if q.Limit == 0 || len(page) < q.Limit {
			break
		}
		q.After = page[len(page)-1].Ref
	}
	if !slices.Equal(got, want) {
		t.Fatalf("%+v found %v, want %v", q, got, want)
	}
}

func TestLevelsOfTheRunAreFound(t *testing.T) {
	dir := t.TempDir()
	rung := func(params string, index int) *Record {
		return &Record{Problem: quintain.Problem{Task: "a", Level: quintain.OwnParams, Index: index, Params: []byte(params)}, Time: epoch}
	}
	easy, hard, other := rung(`{"n":1}`, 12), rung(`{"n":2}`, 7), rung(`{"n":3}`, 0)
	var head Head
	head.Call(rung(`{"n":1}`, 0).Problem, 0)
	head.Call(hard.Problem, 1)
	head.Call(quintain.Problem{Task: "a", Level: 5}, 1) // has a level of its task
	w, err := NewWriter(dir, head, Default())
	if err != nil {
		t.Fatal(err)
	}
	writeAll(t, w, easy, hard, other)
	for _, state := range []string{"growing", "closed"} {
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		r := open(t, dir)
		for level, want := range map[int]string{0: easy.Group(), 1: hard.Group(), quintain.OwnParams: other.Group()} {
			if found := r.Find(Query{Level: &level}); len(found) != 1 || found[0].Group != want || found[0].Level != level {
				t.Errorf("%s: level %d has %+v, want %s", state, level, found, want)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(head.Levels) != 2 {
		t.Errorf("levels %v, want two", head.Levels)
	}
}
