//go:build heavy

package trace

import (
	"bufio"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"testing"
)

// childDir is the environment variable that names the folder of a child process, which writes
// until it is killed.
const childDir = "QUINTAIN_TEST_TRACE"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		writeForever(dir)
		return
	}
	os.Exit(m.Run())
}

// writeForever writes groups, and prints a line now and then.
func writeForever(dir string) {
	settings := Settings{SegmentBytes: 4 * minSegment, MaxBytes: 1 << 40}
	w, err := NewWriter(dir, Head{Run: "killed"}, settings)
	s := newSpecimen()
	for i := 0; err == nil; i++ {
		if err = w.Write(s.small(i)); err == nil && i%7 == 0 {
			err = w.Flush()
		}
		if i%20 == 0 {
			os.Stdout.WriteString("on\n")
		}
	}
	os.Stdout.WriteString(err.Error() + "\n")
}

// TestKill kills a writing process 50 times. All records that a reader saw before are still
// there, and all are complete.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir)
	for round := range 50 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childDir+"="+dir)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		var seen []Entry
		lines := bufio.NewScanner(out)
		for left := 1 + rand.IntN(30); lines.Scan(); left-- {
			if lines.Text() != "on" {
				t.Fatal(lines.Text())
			}
			if left%5 == 0 {
				if err := r.Refresh(); err != nil {
					t.Fatal(err)
				}
				seen = r.Find(Query{})
			}
			if left == 0 {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); !errors.As(err, new(*exec.ExitError)) && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		fresh := open(t, dir)
		found := fresh.Find(Query{})
		if len(found) < len(seen) || !reflect.DeepEqual(found[:len(seen)], seen) {
			t.Fatalf("round %d: a reader saw %d records, of which some are not among the %d found now", round, len(seen), len(found))
		}
		for _, e := range found[max(0, len(seen)-200):] {
			if record, err := fresh.Read(e.Ref); err != nil || record.Group() != e.Group {
				t.Fatalf("round %d: %+v: %v", round, e, err)
			}
		}
		if n := fresh.Damaged(); n > 0 {
			t.Fatalf("round %d: %d frames are damaged", round, n)
		}
	}
	t.Logf("%d records in %d segments outlived 50 kills", open(t, dir).Len(), len(sizes(t, dir)))
}
