package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quintain-rl/quintain"
)

// tiny returns settings with small segments.
func tiny() Settings { return Settings{On: true, SegmentBytes: minSegment, MaxBytes: 4 * minSegment} }

func newWriter(t testing.TB, dir string, s Settings) *Writer {
	t.Helper()
	head := Head{
		Run: "run-1", Program: "quintain test", Scenarios: []quintain.ScenarioInfo{{Name: "reasoning_gym", Version: 1}},
		Settings: []byte(`{"group_size":8}`),
	}
	w, err := NewWriter(dir, head, s)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func writeAll(t testing.TB, w *Writer, records ...*Record) {
	t.Helper()
	for _, r := range records {
		if err := w.Write(r); err != nil {
			t.Fatal(err)
		}
	}
}

func open(t testing.TB, dir string) *Reader {
	t.Helper()
	r, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// readAll reads the matches of q.
func readAll(t testing.TB, r *Reader, q Query) (records []*Record) {
	t.Helper()
	for _, e := range r.Find(q) {
		record, err := r.Read(e.Ref)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, record)
	}
	return records
}

// testAre checks that a trace has exactly the given records, without damage.
func testAre(t testing.TB, r *Reader, want []*Record) {
	t.Helper()
	got := readAll(t, r, Query{})
	if len(got) != len(want) || r.Len() != len(want) {
		t.Fatalf("%d records, and Len is %d, want %d", len(got), r.Len(), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("record %d is\n%s\nwant\n%s", i, inJSON(got[i]), inJSON(want[i]))
		}
	}
	if n := r.Damaged(); n > 0 {
		t.Errorf("%d frames are damaged", n)
	}
}

func smalls(n int) (records []*Record) {
	s := newSpecimen()
	for i := range n {
		records = append(records, s.small(i))
	}
	return records
}

// slims returns small groups with two episodes each.
func slims(n int) []*Record {
	records := smalls(n)
	for _, r := range records {
		r.Episodes, r.Scores, r.Advantages = r.Episodes[:2], r.Scores[:2], r.Advantages[:2]
	}
	return records
}

// sizes returns the size of each segment of a folder.
func sizes(t testing.TB, dir string) (list []int64) {
	t.Helper()
	numbers, err := segmentNumbers(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range numbers {
		info, err := os.Stat(segmentPath(dir, n))
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, info.Size())
	}
	return list
}

func TestWriterKeepsWhatItIsGiven(t *testing.T) {
	dir, records := filepath.Join(t.TempDir(), "made", "trace"), smalls(400)
	w := newWriter(t, dir, Default())
	writeAll(t, w, records...)
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if err := w.Write(records[0]); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a write after the end: %v", err)
	}
	testAre(t, open(t, dir), records)
}

func TestWriterGoesOnInANewSegment(t *testing.T) {
	dir, records := t.TempDir(), smalls(60)
	for i := range 3 {
		w := newWriter(t, dir, Default())
		writeAll(t, w, records[20*i:][:20]...)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(sizes(t, dir)); n != 3 {
		t.Errorf("%d segments, want 3", n)
	}
	testAre(t, open(t, dir), records)
}

func TestWriterThatWroteNothingLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	w := newWriter(t, dir, Default())
	if err := errors.Join(w.Flush(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if n := len(sizes(t, dir)); n > 0 {
		t.Errorf("%d segments, want none", n)
	}
}

func TestSegmentsAreBoundedAndDescribeThemselves(t *testing.T) {
	dir, records := t.TempDir(), smalls(900)
	settings := tiny()
	settings.MaxBytes = 1 << 30
	w := newWriter(t, dir, settings)
	for i, r := range records {
		writeAll(t, w, r)
		if i%7 != 0 || i > 500 {
			continue
		}
		if err := w.Flush(); err != nil { // many small blocks have large indexes
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	all := sizes(t, dir)
	if len(all) < 4 {
		t.Fatalf("segments of %v bytes, want more of them", all)
	}
	for _, size := range all {
		if size > settings.SegmentBytes {
			t.Errorf("a segment of %d bytes, want %d at most", size, settings.SegmentBytes)
		}
	}
	r := open(t, dir)
	testAre(t, r, records)
	for _, e := range []Entry{r.Find(Query{})[0], r.Find(Query{Newest: true})[0]} {
		head, err := r.Head(e.Ref)
		if err != nil || head.Run != "run-1" || head.Program != "quintain test" || string(head.Settings) != `{"group_size":8}` ||
			len(head.Scenarios) != 1 || head.Scenarios[0].Name != "reasoning_gym" || head.Began.IsZero() {
			t.Errorf("segment %d has the head %+v, error %v", e.Segment, head, err)
		}
	}
	if _, err := r.Head(Ref{Segment: 99}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the head of a segment that is not there: %v", err)
	}
}

// TestIndexesCountTowardsTheSize writes records with indexes larger than their blocks.
func TestIndexesCountTowardsTheSize(t *testing.T) {
	dir, random := t.TempDir(), newSpecimen().rand
	w := newWriter(t, dir, Settings{SegmentBytes: minSegment, MaxBytes: 1 << 30})
	for n := range 400 {
		if n%5 == 0 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		name := make([]byte, 300)
		for i := range name {
			name[i] = '!' + byte(random.IntN(90))
		}
		writeAll(t, w, &Record{Problem: quintain.Problem{Task: string(name)}, Time: epoch})
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	all := sizes(t, dir)
	if len(all) < 2 {
		t.Errorf("segments of %v bytes, want more of them", all)
	}
	for _, size := range all {
		if size > minSegment {
			t.Errorf("a segment of %d bytes, want %d at most", size, minSegment)
		}
	}
}

func TestSegmentsOfManyBlocksAreClosed(t *testing.T) {
	dir, record := t.TempDir(), smalls(1)[0]
	w := newWriter(t, dir, Default())
	for range maxBlocks + 1 {
		writeAll(t, w, record)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if r := open(t, dir); len(r.segments) != 2 || !r.segments[0].closed || r.Len() != maxBlocks+1 {
		t.Errorf("%d segments with %d records, want two, of which the first is closed", len(r.segments), r.Len())
	}
}

func TestOldestSegmentsAreRemoved(t *testing.T) {
	dir, records, most := t.TempDir(), slims(4000), int64(0)
	for half := range 2 {
		w := newWriter(t, dir, tiny())
		for _, r := range records[2000*half:][:2000] {
			writeAll(t, w, r)
			total := int64(0)
			for _, size := range sizes(t, dir) {
				total += size
			}
			if total > tiny().MaxBytes {
				t.Fatalf("%d bytes are kept, want %d at most", total, tiny().MaxBytes)
			}
			most = max(most, total)
			if least := tiny().MaxBytes - 2*tiny().SegmentBytes; most > tiny().MaxBytes-tiny().SegmentBytes && total < least {
				t.Fatalf("%d bytes are kept, want %d or more", total, least)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	r := open(t, dir)
	n := r.Len()
	if n < 300 || n > 2000 {
		t.Fatalf("%d records are kept, want several segments", n)
	}
	testAre(t, r, records[len(records)-n:])
}

// TestRecordsDoNotWaitLongerThanASecond uses the clock of testing/synctest.
func TestRecordsDoNotWaitLongerThanASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, records := t.TempDir(), smalls(3)
		w := newWriter(t, dir, Default())
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			if err := w.Run(ctx); err != nil {
				t.Error(err)
			}
		})
		writeAll(t, w, records[:2]...)
		time.Sleep(flushEvery + time.Millisecond)
		synctest.Wait()
		testAre(t, open(t, dir), records[:2])

		writeAll(t, w, records[2])
		stop()
		running.Wait()
		testAre(t, open(t, dir), records)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		testAre(t, open(t, dir), records)
	})
}

func TestManyMayWriteAtOnce(t *testing.T) {
	dir, records := t.TempDir(), smalls(600)
	w := newWriter(t, dir, Settings{SegmentBytes: minSegment, MaxBytes: 1 << 30})
	var writing sync.WaitGroup
	for k := range 4 {
		writing.Go(func() {
			for i := k; i < len(records); i += 4 {
				if err := w.Write(records[i]); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writing.Wait()
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for _, r := range readAll(t, open(t, dir), Query{}) {
		got = append(got, inJSON(r))
	}
	for _, r := range records {
		want = append(want, inJSON(r))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d records, want each of %d once", len(got), len(want))
	}
}

// TestLargeRecordsHaveBlocksOfTheirOwn writes a record larger than a segment.
func TestLargeRecordsHaveBlocksOfTheirOwn(t *testing.T) {
	dir, records := t.TempDir(), smalls(3)
	s := newSpecimen()
	large := s.large(0)
	for range 3 {
		large.Episodes = append(large.Episodes, s.large(1).Episodes...)
		for i := range large.Episodes {
			large.Episodes[i].ID, large.Episodes[i].Problem = episodeID(large.Group(), i), large.Problem
		}
	}
	records = append(records, large)
	w := newWriter(t, dir, tiny())
	writeAll(t, w, records...)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	testAre(t, open(t, dir), records)
}

// A badDisk is a file that fails.
type badDisk struct {
	diskFile
	room  int   // free bytes
	stuck error // of Truncate
}

func (d *badDisk) WriteAt(b []byte, at int64) (int, error) {
	if len(b) <= d.room {
		d.room -= len(b)
		return d.diskFile.WriteAt(b, at)
	}
	n, _ := d.diskFile.WriteAt(b[:d.room], at)
	d.room = 0
	return n, syscall.ENOSPC
}

func (d *badDisk) Truncate(size int64) error {
	if d.stuck != nil {
		return d.stuck
	}
	return d.diskFile.Truncate(size)
}

func TestWriterOutlastsAFullDisk(t *testing.T) {
	for _, stuck := range []error{nil, io.ErrUnexpectedEOF} {
		dir, records := t.TempDir(), smalls(30)
		w := newWriter(t, dir, Default())
		writeAll(t, w, records[:10]...)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		disk := &badDisk{w.file, 100, stuck}
		w.file = disk
		writeAll(t, w, records[10:20]...)
		if err := w.Flush(); !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "10 groups lost") {
			t.Errorf("the disk is full: %v", err)
		}
		disk.room = 1 << 20
		writeAll(t, w, records[20:]...)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		w = newWriter(t, dir, Default()) // closes the open segment
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		testAre(t, open(t, dir), append(slices.Clone(records[:10]), records[20:]...))
	}
}

func TestFooterThatDoesNotFitIsWrittenLater(t *testing.T) {
	dir, records := t.TempDir(), smalls(10)
	w := newWriter(t, dir, Default())
	writeAll(t, w, records...)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	w.file = &badDisk{w.file, 10, nil}
	if err := w.Close(); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("the disk is full: %v", err)
	}
	testAre(t, open(t, dir), records)
	if w := newWriter(t, dir, Default()); len(w.older) != 1 {
		t.Errorf("segments %v, want the one that was left open", w.older)
	}
	testAre(t, open(t, dir), records)
}

// cutSegment returns a closed segment of three blocks of three records each, and the end
// of each block.
func cutSegment(t *testing.T, records []*Record) (whole []byte, ends []int64) {
	dir := t.TempDir()
	w := newWriter(t, dir, Default())
	for i := range 3 {
		writeAll(t, w, records[3*i:][:3]...)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		ends = append(ends, w.at.size)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(segmentPath(dir, 1))
	if err != nil {
		t.Fatal(err)
	}
	return whole, ends
}

// wholeBlocks counts the blocks that end within n bytes.
func wholeBlocks(n int, ends []int64) (blocks int) {
	for _, end := range ends {
		if int64(n) >= end {
			blocks++
		}
	}
	return blocks
}

// TestWhatIsCutIsReadUpToThere reads a segment cut at every byte, also while a writer cuts it off.
func TestWhatIsCutIsReadUpToThere(t *testing.T) {
	whole, ends := cutSegment(t, slims(9))
	growing := &segment{}
	for n := range whole {
		if n > len(magic) {
			shrinking := segment{end: int64(len(magic))}
			if err := shrinking.read(bytes.NewReader(whole[:n]), int64(len(whole))); err != nil || shrinking.records() != 3*wholeBlocks(n, ends) {
				t.Fatalf("cut at %d while it is read: error %v, %d records", n, err, shrinking.records())
			}
		}
		s := segment{}
		for _, s := range []*segment{&s, growing} {
			if err := s.read(bytes.NewReader(whole[:n]), int64(n)); err != nil {
				t.Fatal(err)
			}
			if want := 3 * wholeBlocks(n, ends); s.records() != want || s.damaged > 0 || s.closed {
				t.Fatalf("cut at %d: %d records, %d damaged, closed: %v, want %d", n, s.records(), s.damaged, s.closed, want)
			}
		}
	}
	if err := growing.read(bytes.NewReader(whole), int64(len(whole))); err != nil || !growing.closed || growing.records() != 9 {
		t.Errorf("the whole: error %v, closed: %v, %d records", err, growing.closed, growing.records())
	}
}

// TestWhatAKillLeavesIsCutAndClosed reopens segments of a killed writer.
func TestWhatAKillLeavesIsCutAndClosed(t *testing.T) {
	records := slims(9)
	whole, ends := cutSegment(t, records)
	cuts := []int{0, 1, len(magic), len(magic) + 5, int(ends[0]) / 2, len(whole) - 1, len(whole)}
	for _, end := range ends {
		cuts = append(cuts, int(end)-1, int(end), int(end)+1, int(end)+frameHead)
	}
	for _, n := range cuts {
		dir := t.TempDir()
		if err := os.WriteFile(segmentPath(dir, 1), whole[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		want := slices.Clone(records[:3*wholeBlocks(n, ends)])
		reader := open(t, dir)
		testAre(t, reader, want)
		w := newWriter(t, dir, Default())
		if len(want) == 0 && len(sizes(t, dir)) > 0 {
			t.Errorf("cut at %d: a segment without a block is left", n)
		}
		want = append(want, records[0])
		writeAll(t, w, records[0])
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		testAre(t, open(t, dir), want)
		if err := reader.Refresh(); err != nil {
			t.Fatal(err)
		}
		testAre(t, reader, want)
	}
}

// TestLongTornBlocksAreCut has a torn block longer than the footer.
func TestLongTornBlocksAreCut(t *testing.T) {
	dir, records := t.TempDir(), []*Record{newSpecimen().large(0), newSpecimen().large(1)}
	w := newWriter(t, dir, Default())
	for _, r := range records {
		writeAll(t, w, r)
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(segmentPath(dir, 1), w.at.size-1000); err != nil {
		t.Fatal(err)
	}
	newWriter(t, dir, Default())
	r := open(t, dir)
	testAre(t, r, records[:1])
	if !r.segments[0].closed {
		t.Error("the segment is not closed")
	}
}

// TestWhatCannotBeFoundIsNotRemoved damages the only index of a segment. The segment stays,
// because its block is complete.
func TestWhatCannotBeFoundIsNotRemoved(t *testing.T) {
	dir := t.TempDir()
	w := newWriter(t, dir, Default())
	writeAll(t, w, smalls(1)...)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(segmentPath(dir, 1), os.O_RDWR, 0)
	if err == nil {
		_, err = f.WriteAt([]byte{0xff}, w.at.size-1)
	}
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	size := w.at.size
	newWriter(t, dir, Default())
	if all := sizes(t, dir); len(all) != 1 || all[0] < size {
		t.Errorf("segments of %d bytes are left of one with %d", all, size)
	}
	if r := open(t, dir); r.Len() != 0 {
		t.Errorf("%d records, want none", r.Len())
	}
}

func TestWriterLeavesForeignFilesAlone(t *testing.T) {
	dir := t.TempDir()
	later := []byte("QNtrace\x02 and what nobody knows yet")
	for name, text := range map[string][]byte{"000007.trace": later, "7.trace": []byte("a"), "000001.trace.txt": nil, "notes": nil} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	w := newWriter(t, dir, Default())
	writeAll(t, w, smalls(1)...)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "000007.trace")); err != nil || string(got) != string(later) {
		t.Errorf("the segment of a later version is %q, %v", got, err)
	}
	r := open(t, dir)
	if n := r.Len(); n != 1 || r.Damaged() != 1 || r.Find(Query{})[0].Segment != 8 {
		t.Errorf("%d records, %d damaged, entries %+v", n, r.Damaged(), r.Find(Query{}))
	}
}

func TestWriterNeedsItsFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := NewWriter(path, Head{}, Default()); err == nil || !strings.HasPrefix(err.Error(), "trace: ") {
		t.Errorf("a folder that is a file: %v", err)
	}
	if _, err := NewWriter(t.TempDir(), Head{Settings: []byte("{")}, Default()); err == nil || !strings.Contains(err.Error(), "head") {
		t.Errorf("a head that is not JSON: %v", err)
	}
	if _, err := Open(path + "/none"); err == nil {
		t.Error("a reader of a folder that is not there")
	}
}

func ExampleNewWriter() {
	dir, err := os.MkdirTemp("", "trace")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	w, err := NewWriter(dir, Head{Run: "example"}, Default())
	if err != nil {
		fmt.Println(err)
		return
	}
	problem := quintain.Problem{Task: "chain_sum", Version: 1, Seed: 7, Index: 12, Prompt: "What is 2 + 2?"}
	played := quintain.Trajectory{Outcome: quintain.Scored, Turns: []quintain.Turn{{Reply: "4", Wrote: []quintain.Token{19}, Reward: 1}}}
	err = w.Write(&Record{
		Problem: problem, Episodes: []quintain.Trajectory{played}, Scores: []float64{1}, Time: time.Unix(1795322368, 0), Version: 3,
	})
	fmt.Println(err, w.Close())

	r, err := Open(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, entry := range r.Find(Query{Task: "chain_sum", Drop: Kept, Newest: true, Limit: 10}) {
		record, err := r.Read(entry.Ref)
		fmt.Println(entry.Group, *entry.Score, record.Episodes[0].Turns[0].Reply, err)
	}
	// Output:
	// <nil> <nil>
	// chain_sum.v1.s7.l0.12 1 4 <nil>
}

// Closing a segment fails if its name cannot be made durable.
func TestCloseMakesTheNameDurable(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "trace")
	w := newWriter(t, dir, Default())
	writeAll(t, w, smalls(1)...)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is gone: error %v", err)
	}
}
