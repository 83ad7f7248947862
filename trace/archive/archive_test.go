package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/trace"
	"github.com/quintain-rl/quintain/trace/archive/archivetest"
)

// getenv is the environment of the tests.
func getenv(name string) string {
	return map[string]string{
		"AWS_ENDPOINT_URL": "http://server.test:9000", "AWS_ACCESS_KEY_ID": archivetest.ID, "AWS_SECRET_ACCESS_KEY": "the-secret",
	}[name]
}

// bucket returns an archive on a fake server.
func bucket(t testing.TB, f *archivetest.Server) *Bucket {
	t.Helper()
	b, err := open("s3://bucket/some/prefix/", getenv, f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// small makes a segment for each record with 64 KiB of text.
func small() trace.Settings {
	return trace.Settings{On: true, SegmentBytes: 64 << 10, MaxBytes: 1 << 30}
}

// record returns a group that fills a segment.
func record(i int) *trace.Record {
	text := make([]byte, 60<<10)
	rng := uint32(i + 1)
	for k := range text {
		rng = rng*1664525 + 1013904223
		text[k] = 'a' + byte(rng>>24)%26
	}
	return &trace.Record{Problem: quintain.Problem{Task: "a", Index: i, Prompt: string(text)}, Time: time.Unix(int64(i), 0)}
}

// write adds groups to the trace in a folder, a closed segment for each.
func write(t testing.TB, dir string, indices ...int) {
	t.Helper()
	for _, i := range indices {
		w, err := trace.NewWriter(dir, trace.Head{Run: "run-1"}, small())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(record(i)), w.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// archiver returns an archiver of a folder, and its log.
func archiver(t testing.TB, f *archivetest.Server, dir string) (*Archiver, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	return New(bucket(t, f), dir, "run-1", slog.New(slog.NewTextHandler(&log, nil))), &log
}

// runFor runs an archiver for some time, and closes it.
func runFor(t testing.TB, a *Archiver, d time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	if err := errors.Join(a.Run(ctx), a.Close()); err != nil {
		t.Fatal(err)
	}
}

// indices returns the groups that a reader of the archive finds.
func indices(t testing.TB, f *archivetest.Server) (all []int) {
	t.Helper()
	traces, err := bucket(t, f).Traces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := trace.Join(traces...)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Find(trace.Query{}) {
		got, err := r.Read(e.Ref)
		if err != nil {
			t.Fatal(err)
		}
		if got.Problem.Prompt != record(got.Problem.Index).Problem.Prompt {
			t.Errorf("group %d is another", got.Problem.Index)
		}
		all = append(all, got.Problem.Index)
	}
	return all
}

// TestFaults archives three segments on a server that has a fault at first.
func TestFaults(t *testing.T) {
	times := func(n, status int, code string) func(*http.Request) (int, string) {
		return func(*http.Request) (int, string) {
			if n--; n >= 0 {
				return status, code
			}
			return 0, ""
		}
	}
	for _, test := range []struct {
		name     string
		before   func(r *http.Request) (int, string)
		after    func(r *http.Request) error
		failures float64
		logs     string
	}{
		{"none", nil, nil, 0, ""},
		{"it is busy", times(3, http.StatusServiceUnavailable, "SlowDown"), nil, 3, "SlowDown"},
		{"it has no such bucket yet", times(2, http.StatusNotFound, "NoSuchBucket"), nil, 2, "NoSuchBucket"},
		{"it refuses the keys", times(2, http.StatusForbidden, "AccessDenied"), nil, 2, "AccessDenied"},
		{"it hangs", hangsOnce(), nil, 1, "deadline exceeded"},
		{"it has no conditional put", func(r *http.Request) (int, string) {
			if r.Method == http.MethodPut && time.Now().Before(time.Date(2000, 1, 1, 0, 0, 5, 0, time.UTC)) {
				return http.StatusNotImplemented, "NotImplemented"
			}
			return 0, ""
		}, nil, 3, "NotImplemented"},
		{"replies of puts are lost", nil, func(r *http.Request) error {
			if r.Method == http.MethodPut && r.ContentLength > 0 {
				return errors.New("connection reset")
			}
			return nil
		}, 3, "connection reset"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, dir := archivetest.New(), t.TempDir()
				f.Before, f.After = test.before, test.after
				write(t, dir, 0, 1, 2)
				a, log := archiver(t, f, dir)
				runFor(t, a, 10*time.Minute)
				if got := indices(t, f); !slices.Equal(got, []int{0, 1, 2}) || len(f.Puts) != 3 {
					t.Errorf("the archive has groups %v, after %d puts\n%s", got, len(f.Puts), log)
				}
				if n := testutil.ToFloat64(a.failures); n != test.failures || testutil.ToFloat64(a.left) != 0 || testutil.ToFloat64(a.lost) != 0 {
					t.Errorf("%v failures, want %v\n%s", n, test.failures, log)
				}
				if !strings.Contains(log.String(), test.logs) || strings.Contains(log.String(), "the-secret") || strings.Contains(log.String(), "the-id") {
					t.Errorf("the log is\n%s", log)
				}
			})
		})
	}
}

// hang answers nothing until the client gives up.
func hang(r *http.Request) (int, string) {
	<-r.Context().Done()
	return 0, ""
}

// hangsOnce hangs at the first request.
func hangsOnce() func(*http.Request) (int, string) {
	first := true
	return func(r *http.Request) (int, string) {
		if first {
			first = false
			return hang(r)
		}
		return 0, ""
	}
}

// TestOnlyClosedSegmentsAreArchived follows a writer; the last segment comes at its end.
func TestOnlyClosedSegmentsAreArchived(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, dir := archivetest.New(), t.TempDir()
		w, err := trace.NewWriter(dir, trace.Head{Run: "run-1"}, small())
		if err != nil {
			t.Fatal(err)
		}
		a, log := archiver(t, f, dir)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- a.Run(ctx) }()
		for i := range 3 {
			if err := errors.Join(w.Write(record(i)), w.Flush()); err != nil {
				t.Fatal(err)
			}
			<-time.After(2 * lookEvery)
			synctest.Wait()
			if len(f.Puts) != i {
				t.Errorf("after %d groups, %d segments are archived\n%s", i+1, len(f.Puts), log)
			}
		}
		stop()
		if err := errors.Join(<-ended, w.Close(), a.Close()); err != nil {
			t.Fatal(err)
		}
		if got := indices(t, f); !slices.Equal(got, []int{0, 1, 2}) {
			t.Errorf("the archive has groups %v", got)
		}
	})
}

// TestAnotherProcessGoesOn archives a part, and the rest by another archiver, which lists what is there.
func TestAnotherProcessGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, dir := archivetest.New(), t.TempDir()
		write(t, dir, 0, 1)
		f.Before = func(r *http.Request) (int, string) {
			if strings.HasSuffix(r.URL.Path, "000002.trace") {
				return http.StatusServiceUnavailable, "SlowDown"
			}
			return 0, ""
		}
		first, log := archiver(t, f, dir)
		runFor(t, first, time.Minute)
		if len(f.Puts) != 1 || testutil.ToFloat64(first.left) != 1 || !strings.Contains(log.String(), "the next process of the run tries again") {
			t.Fatalf("%v are archived, %v wait\n%s", f.Puts, testutil.ToFloat64(first.left), log)
		}
		f.Before = nil
		write(t, dir, 2)
		second, _ := archiver(t, f, dir)
		runFor(t, second, time.Minute)
		if got := indices(t, f); !slices.Equal(got, []int{0, 1, 2}) || len(f.Puts) != 3 || testutil.ToFloat64(second.files) != 2 {
			t.Errorf("the archive has groups %v, after puts of %v", got, f.Puts)
		}
		third, _ := archiver(t, f, dir)
		runFor(t, third, time.Minute)
		if len(f.Puts) != 3 {
			t.Errorf("again: %v", f.Puts)
		}
	})
}

// TestACopyOfAFolderGoesOnUnderAnotherName archives a folder and a copy that went another way.
func TestACopyOfAFolderGoesOnUnderAnotherName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, dir, twin := archivetest.New(), t.TempDir(), t.TempDir()
		write(t, dir, 0)
		a, _ := archiver(t, f, dir)
		runFor(t, a, time.Second)
		if err := os.CopyFS(filepath.Join(twin, "trace"), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		twin = filepath.Join(twin, "trace")
		write(t, dir, 1)
		b, _ := archiver(t, f, twin)
		runFor(t, b, time.Second) // lists before the first puts
		runFor(t, a, lookEvery)
		w, err := trace.NewWriter(twin, trace.Head{Run: "run-1", Program: "another"}, small())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(record(2)), w.Close()); err != nil {
			t.Fatal(err)
		}
		runFor(t, b, time.Minute)
		if got := indices(t, f); !slices.Equal(got, []int{0, 1, 2}) || len(f.Puts) != 4 {
			t.Errorf("the archive has groups %v, after puts of %v", got, f.Puts)
		}
		c, log := archiver(t, f, twin)
		runFor(t, c, time.Second)
		if len(f.Puts) != 4 {
			t.Errorf("another process writes %v\n%s", f.Puts[4:], log)
		}
	})
}

// TestARemovedSegmentIsCounted removes a segment that waits for the server.
func TestARemovedSegmentIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, dir := archivetest.New(), t.TempDir()
		f.Before = func(*http.Request) (int, string) { return http.StatusServiceUnavailable, "SlowDown" }
		write(t, dir, 0, 1)
		a, log := archiver(t, f, dir)
		runFor(t, a, time.Second)
		if err := os.Remove(trace.Folder(dir).Name(1)); err != nil {
			t.Fatal(err)
		}
		f.Before = nil
		runFor(t, a, time.Second)
		if got := indices(t, f); !slices.Equal(got, []int{1}) || testutil.ToFloat64(a.lost) != 1 || !strings.Contains(log.String(), "trace.max_bytes") {
			t.Errorf("the archive has groups %v, %v are lost\n%s", got, testutil.ToFloat64(a.lost), log)
		}
	})
}

// TestAHangingServerDelaysTheEndByAMinute closes an archiver whose server answers nothing.
func TestAHangingServerDelaysTheEndByAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, dir := archivetest.New(), t.TempDir()
		f.Before = hang
		write(t, dir, 0)
		a, _ := archiver(t, f, dir)
		begun := time.Now()
		runFor(t, a, time.Hour)
		if took := time.Since(begun); took > time.Hour+lastTime {
			t.Errorf("it took %v", took)
		}
		if n := testutil.ToFloat64(a.failures); n < 10 || n > 60 {
			t.Errorf("%v requests failed in an hour, want tries every five minutes", n)
		}
	})
}

// TestAFileIsReadInLargePieces counts the requests for a whole segment, and reads one that went.
func TestAFileIsReadInLargePieces(t *testing.T) {
	f, dir := archivetest.New(), t.TempDir()
	w, err := trace.NewWriter(dir, trace.Head{Run: "run-1"}, trace.Default())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if err := errors.Join(w.Write(record(i)), w.Flush()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	a, log := archiver(t, f, dir)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if got := indices(t, f); len(got) != 100 || f.Gets > 8 {
		t.Errorf("%d groups were read by %d requests\n%s", len(got), f.Gets, log)
	}
	traces, err := bucket(t, f).Traces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := trace.Join(traces...)
	if err != nil {
		t.Fatal(err)
	}
	clear(f.Objects)
	if _, err := r.Read(r.Find(trace.Query{})[50].Ref); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "s3://bucket/some/prefix/run-1/") {
		t.Errorf("a file that was removed: %v", err)
	}
	if _, err := bucket(t, f).Traces(t.Context()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty archive: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, test := range []struct{ name, endpoint, fault string }{
		{"bucket/prefix", "", "want s3://BUCKET/PREFIX"}, {"s3://", "", "want s3://BUCKET/PREFIX"}, {"s3:///a", "", "want s3://BUCKET/PREFIX"},
		{"s3://b/../a", "", "want s3://BUCKET/PREFIX"}, {"s3://b/a//c", "", "want s3://BUCKET/PREFIX"},
		{"s3://b", "server:9000", "https://HOST:PORT"}, {"s3://b", "http://the-id:the-secret@server", "https://HOST:PORT"}, {"s3://b", "http://server/path", "https://HOST:PORT"},
		{"s3://b", "https://server", ""}, {"s3://b/a/c/", "", ""},
	} {
		_, err := Open(test.name, func(name string) string { return map[string]string{"AWS_ENDPOINT_URL_S3": test.endpoint}[name] })
		if fault := fmt.Sprint(err); test.fault == "" && err != nil || !strings.Contains(fault, test.fault) || strings.Contains(fault, "the-secret") {
			t.Errorf("%s at %s: %v, want %q", test.name, test.endpoint, err, test.fault)
		}
	}
}

// TestOtherFilesAreNoSegments lists a bucket with files of others.
func TestOtherFilesAreNoSegments(t *testing.T) {
	f, dir := archivetest.New(), t.TempDir()
	write(t, dir, 0)
	a, _ := archiver(t, f, dir)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	for key, data := range maps.Clone(f.Objects) {
		for _, name := range []string{"1.trace", "000001.trace.tmp", "-00001.trace", "readme"} {
			f.Objects[filepath.Dir(key)+"/"+name] = data
		}
	}
	f.Objects["some/prefix/notes/readme"] = nil
	if got := indices(t, f); !slices.Equal(got, []int{0}) {
		t.Errorf("groups %v", got)
	}
}
