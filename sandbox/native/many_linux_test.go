//go:build amd64 || arm64

package native

import (
	"os"
	"strconv"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
)

// Jobs that run at once do not mix, and leave no descriptor open.
func TestManyJobsAtOnce(t *testing.T) {
	dir := t.TempDir()
	passable(t, dir)
	b := open(t, dir)
	if len(b.strength.Lacks) > 0 || !b.strength.Holds(LayerPIDSpace) {
		t.Logf("no job runs here: %+v", b.strength)
		return
	}
	run := func(n int) {
		want := strconv.Itoa(n)
		got, err := b.Run(t.Context(), sandbox.Job{Argv: []string{"cat"}, Stdin: []byte(want), Limits: sandbox.Limits{Processes: 1 + n%2}})
		if err != nil || got.End != sandbox.Exited || got.Code != 0 || string(got.Stdout) != want {
			t.Errorf("%+v, error %v, want the output %s", got, err, want)
		}
	}
	run(0)
	before := descriptors(t)
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			for i := range 12 {
				run(100*n + i)
			}
		})
	}
	all.Wait()
	if after := descriptors(t); after > before {
		t.Errorf("%d open descriptors, %d before", after, before)
	}
}

// descriptors counts our open descriptors.
func descriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}
