package files_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/queue"
	"github.com/quintain-rl/quintain/queue/files"
	"github.com/quintain-rl/quintain/queue/queuetest"
)

// The environment of a child process: its folder, and the number of its first group.
const (
	childDir   = "QUINTAIN_TEST_CHILD"
	childFirst = "QUINTAIN_TEST_FIRST"
)

// child puts, leases and acknowledges until it is killed, and reports on standard output: "put
// ID", "try ID" before an acknowledgement, "ack ID".
func child(dir string) {
	ctx := context.Background()
	store, err := files.Open(dir, files.Options{})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	q, err := queue.Open(ctx, store, queue.Options{})
	if err != nil {
		fmt.Println("error", err)
		return
	}
	first, _ := strconv.Atoi(os.Getenv(childFirst))
	say := func(what string, list ...string) {
		os.Stdout.WriteString(what + " " + strings.Join(list, " ") + "\n") // one write: whole or not at all
	}
	var wg sync.WaitGroup
	for p := range 2 {
		wg.Go(func() {
			for i := first + 100000*p; ; i += 3 {
				list := []*quintain.Group{queuetest.Group(i), queuetest.Group(i + 1), queuetest.Group(i + 2)}
				if p == 0 {
					_, err = q.PutAll(ctx, list)
				} else {
					list = list[:1]
					_, err = q.Put(ctx, list[0])
				}
				if err != nil {
					say("error", err.Error())
					return
				}
				for _, g := range list {
					say("put", g.ID)
				}
			}
		})
	}
	wg.Go(func() {
		for n := 0; ; n++ {
			changed := q.Changed()
			list, err := q.Lease(ctx, queue.Want{Consumer: "a", Max: 1 + n%4})
			if len(list) == 0 && err == nil {
				<-changed
				continue
			}
			var names []string
			var seqs []uint64
			for _, d := range list {
				names, seqs = append(names, d.ID), append(seqs, d.Seq)
			}
			say("try", names...)
			if err == nil {
				err = q.Ack(ctx, "a", seqs...)
			}
			if err != nil {
				say("error", err.Error())
				return
			}
			say("ack", names...)
		}
	})
	wg.Wait()
}

// A ledger is the reports of the children.
type ledger struct{ put, tried, acked map[string]bool }

func (l ledger) note(t *testing.T, line string) {
	words := strings.Fields(line)
	set := map[string]map[string]bool{"put": l.put, "try": l.tried, "ack": l.acked}[words[0]]
	if set == nil {
		t.Fatal(line)
	}
	for _, id := range words[1:] {
		if words[0] == "try" && l.acked[id] {
			t.Errorf("group %s is handed out again, and was acknowledged", id)
		}
		set[id] = true
	}
}

// TestKill kills a working process again and again. Confirmed puts are there, and confirmed
// acks are not handed out again. QUINTAIN_KILLS is how often it kills.
func TestKill(t *testing.T) {
	kills := kills
	if n, err := strconv.Atoi(os.Getenv("QUINTAIN_KILLS")); err == nil {
		kills = n
	}
	dir := t.TempDir()
	l := ledger{make(map[string]bool), make(map[string]bool), make(map[string]bool)}
	for round := range kills {
		runAndKill(t, dir, round, l)
		q := openDir(t, dir, files.Options{})
		waiting := queuetest.IDs(q)
		for id := range l.put {
			at := slices.Contains(waiting, id)
			if l.acked[id] && at {
				t.Errorf("round %d: group %s waits, and was acknowledged", round, id)
			}
			if !l.tried[id] && !at {
				t.Errorf("round %d: group %s is lost", round, id)
			}
		}
		n := 0
		for id := range l.acked {
			i, _ := strconv.Atoi(id[1:])
			if fresh, err := q.Put(context.Background(), queuetest.Group(i)); fresh || err != nil {
				t.Errorf("round %d: group %s is fresh: %v, error %v", round, id, fresh, err)
			}
			if n++; n == 20 {
				break
			}
		}
		if s := q.Stats(); s.Lost > 0 || s.Corrupt > 0 {
			t.Errorf("round %d: %d groups are missing, %d corrupt", round, s.Lost, s.Corrupt)
		}
		queuetest.Close(t, q)
	}
	t.Logf("%d kills: %d groups put, %d acknowledged", kills, len(l.put), len(l.acked))
}

// runAndKill runs a child until it has reported a random number of lines.
func runAndKill(t *testing.T, dir string, round int, l ledger) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, fmt.Sprintf("%s=%d", childFirst, 1000000*round))
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for left := 1 + rand.IntN(300); lines.Scan(); left-- {
		l.note(t, lines.Text())
		if left == 0 {
			cmd.Process.Kill()
		}
	}
	cmd.Wait() // fails, because of the kill
}
