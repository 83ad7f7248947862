package journal

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// The environment of a child process: its folder, and what its sessions are called.
const (
	childDir   = "QUINTAIN_TEST_JOURNAL"
	childRound = "QUINTAIN_TEST_ROUND"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		child(dir, os.Getenv(childRound))
		return
	}
	os.Exit(m.Run())
}

// ofKills are the options of child and parent.
func ofKills() Options { return Options{SegmentBytes: 64 << 10} }

// callsOfChild is how many records a session has at its end.
const callsOfChild = 6

// call is a record of a session of the child.
func call(session string, i int) Record {
	return Record{session, byte(i), bytes.Repeat([]byte(session), len(session)*i*i%200)}
}

// child appends, forgets and tidies up until it is killed, and says "ok SESSION" after each
// append, and "end SESSION" before it forgets.
func child(dir, round string) {
	say := func(words ...any) { fmt.Println(words...) } // one write: whole or not at all
	j, err := Open(dir, ofKills(), func(Record) error { return nil })
	if err != nil {
		say("error", err)
		return
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for n := 0; err == nil; n++ {
				session := fmt.Sprintf("%s.%d.%d", round, g, n)
				for i := range callsOfChild {
					if err := j.Append(context.Background(), call(session, i)); err != nil {
						say("error", err)
						return
					}
					say("ok", session)
				}
				if n%5 == g%5 {
					continue
				}
				say("end", session)
				if err := j.Forget(session); err != nil {
					say("error", err)
				}
			}
		})
	}
	for err == nil {
		if err := j.tidy(); err != nil {
			say("error", err)
			return
		}
	}
	wg.Wait()
}

// A told is what the child said of a session.
type told struct {
	ok  int
	end bool
}

// runAndKill runs a child until it has said a random number of lines.
func runAndKill(t *testing.T, dir string, round int, said map[string]told) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, fmt.Sprintf("%s=%d", childRound, round))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for left := rand.IntN(400); lines.Scan(); left-- {
		what, session, _ := strings.Cut(lines.Text(), " ")
		s := said[session]
		switch what {
		case "ok":
			s.ok++
		case "end":
			s.end = true
		default:
			t.Fatal(lines.Text())
		}
		said[session] = s
		if left == 0 {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	cmd.Wait() // fails, because of the kill
}

// TestKill kills a working process again and again: at 1,000 points with -tags heavy. What was
// confirmed is there, in order, once; a forgotten session is there as a whole or not at all.
func TestKill(t *testing.T) {
	_, dir := inData(t)
	said := map[string]told{}
	gone := map[string]bool{}
	records := 0
	for round := range kills {
		runAndKill(t, dir, round, said)
		found := map[string]int{}
		j, err := Open(dir, ofKills(), func(r Record) error {
			i := found[r.Session]
			if want := call(r.Session, i); r.Kind != want.Kind || !bytes.Equal(r.Data, want.Data) {
				t.Errorf("round %d: session %s: record %d comes as number %d, or changed", round, r.Session, r.Kind, i)
			}
			if gone[r.Session] {
				t.Errorf("round %d: session %s is back after a good end", round, r.Session)
			}
			found[r.Session]++
			return nil
		})
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		for session, s := range said {
			n := found[session]
			if s.end && n != 0 && n != callsOfChild || !s.end && n < s.ok && !gone[session] {
				t.Errorf("round %d: session %s has %d records of %d, ended: %v", round, session, n, s.ok, s.end)
			}
			if s.end && n == 0 {
				delete(said, session)
			}
		}
		for session, n := range found {
			records += n
			first, _, _ := strings.Cut(session, ".")
			if of, _ := strconv.Atoi(first); of > round-3 {
				continue
			}
			if err := j.Forget(session); err != nil {
				t.Fatal(err)
			}
			gone[session] = true
			delete(said, session)
		}
		shut(t, j)
	}
	t.Logf("%d kills, %d records replayed", kills, records)
}
