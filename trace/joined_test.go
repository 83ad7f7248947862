package trace

import (
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestAJoinedTraceIsAScanOfAll compares the index of several sources with a scan of all records.
func TestAJoinedTraceIsAScanOfAll(t *testing.T) {
	packer := newPacker()
	rapid.Check(t, func(t *rapid.T) {
		records := rapid.SliceOfN(rapid.Custom(played), 0, 16).Draw(t, "records")
		const sources = 3
		r, numbers, from := &Reader{sources: make([]Folder, sources)}, map[Ref]int{}, make([]int, len(records))
		for k := range sources {
			r.segments = append(r.segments, &segment{source: k, number: 1})
		}
		for i, record := range records {
			from[i] = rapid.IntRange(0, sources-1).Draw(t, "source")
			at := Ref{Segment: 1, Block: int64(8 + 100*i), Source: from[i]}
			r.segments[from[i]].learn(t, packer, record, at)
			numbers[at] = i
		}
		r.joined = join(r.segments)
		r.joined = join(r.segments) // as after a refresh
		if n := len(r.joined); r.Len() != n {
			t.Fatalf("%d groups, and Len is %d", n, r.Len())
		}
		q := query(t)
		var want []int
		for i, record := range records {
			if q.wants(record) && counts(records, from, i) {
				want = append(want, i)
			}
		}
		slices.SortStableFunc(want, func(i, k int) int {
			a, b := records[i], records[k]
			if q.By == ByTime {
				return cmp.Or(a.Time.Compare(b.Time), cmp.Compare(from[i], from[k]))
			}
			return cmp.Or(cmp.Compare(place(a, q.By), place(b, q.By)), cmp.Compare(from[i], from[k]))
		})
		if q.Newest {
			slices.Reverse(want)
		}
		testFinds(t, r, q, numbers, want)
	})
}

// counts reports whether record i is from the source whose record of the group counts: the newest
// kept one, or the newest; of two from one moment that of the later source.
func counts(records []*Record, from []int, i int) bool {
	best := -1
	for k, r := range records {
		if r.Group() != records[i].Group() {
			continue
		}
		if best < 0 {
			best = k
			continue
		}
		b := records[best]
		kept, before := r.Drop == "", b.Drop == ""
		if kept && !before || kept == before && cmp.Or(r.Time.Compare(b.Time), cmp.Compare(from[k], from[best])) >= 0 {
			best = k
		}
	}
	return from[best] == from[i]
}

// TestARunThatAnotherFolderTookOverIsOne joins the folders of two processes of a run, and of
// another run with the same problems.
func TestARunThatAnotherFolderTookOverIsOne(t *testing.T) {
	for _, test := range []struct {
		name   string
		run    string   // of the second folder
		drops  []string // of groups 2, 3 and 4 there; the first has 0 to 3
		first  []int    // groups shown of the first folder
		second []int    // and of the second
	}{
		{"played again", "run-1", []string{"", "", ""}, []int{0, 1}, []int{2, 3, 4}},
		{"kept before, dropped later", "run-1", []string{"stale", "", ""}, []int{0, 1, 2}, []int{3, 4}},
		{"another run", "run-2", []string{"", "", ""}, []int{0, 1, 2, 3}, []int{2, 3, 4}},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, b := t.TempDir(), t.TempDir()
			records := smalls(5)
			w := newWriter(t, a, Default())
			writeAll(t, w, records[:4]...)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			w, err := NewWriter(b, Head{Run: test.run}, Default())
			if err != nil {
				t.Fatal(err)
			}
			var again []*Record
			for i, drop := range test.drops {
				r := *records[2+i]
				r.Drop, r.Time = drop, records[4].Time.Add(time.Duration(i+1)*time.Second)
				again = append(again, &r)
			}
			writeAll(t, w, again...)
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			r, err := Join(Folder(a), Folder(b))
			if err != nil {
				t.Fatal(err)
			}
			got := map[int][]int{}
			for _, e := range r.Find(Query{}) {
				record, err := r.Read(e.Ref)
				if err != nil {
					t.Fatal(err)
				}
				if h, err := r.Head(e.Ref); err != nil || (h.Run == "run-1") != (e.Source == 0 || test.run == "run-1") {
					t.Errorf("%v has the head of run %q, error %v", e.Ref, h.Run, err)
				}
				if back, err := ParseRef(e.Text()); err != nil || back != e.Ref {
					t.Errorf("%v is read back as %v, error %v", e.Ref, back, err)
				}
				got[e.Source] = append(got[e.Source], slices.IndexFunc(records, func(r *Record) bool { return r.Group() == record.Group() }))
			}
			if !slices.Equal(got[0], test.first) || !slices.Equal(got[1], test.second) {
				t.Errorf("shown are %v, want %v of the first folder and %v of the second", got, test.first, test.second)
			}
		})
	}
}

// TestAMissingFolderMayComeLater joins a folder with one that another process makes later.
func TestAMissingFolderMayComeLater(t *testing.T) {
	a, b := t.TempDir(), filepath.Join(t.TempDir(), "b")
	if _, err := Join(Folder(b), Folder(filepath.Join(a, "none"))); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("two missing folders: %v", err)
	}
	records := smalls(3)
	first := newWriter(t, a, Default())
	writeAll(t, first, records[:2]...)
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := Join(Folder(a), Folder(b))
	if err != nil || r.Len() != 2 {
		t.Fatalf("%v, %d groups", err, r.Len())
	}
	second := newWriter(t, b, Default())
	writeAll(t, second, records[1:]...)
	if err := errors.Join(second.Close(), r.Refresh()); err != nil {
		t.Fatal(err)
	}
	if r.Len() != 3 || len(r.Find(Query{})) != 3 || r.Find(Query{Newest: true, Limit: 1})[0].Source != 1 {
		t.Errorf("after the refresh: %+v", r.Find(Query{}))
	}
	if _, err := r.Read(Ref{Segment: 1, Block: 8, Source: 7}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a source that is none: %v", err)
	}
}
