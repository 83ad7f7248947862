//go:build amd64 || arm64

package native

import (
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
)

// Jobs that run at once do not mix, and leave no descriptor open.
func TestManyJobsAtOnce(t *testing.T) {
	dir := t.TempDir()
	passable(t, dir)
	b := openWith(t, Config{Dir: dir, Zygote: here(isolated)})
	if len(b.strength.Lacks) > 0 || !b.strength.Holds(LayerPIDSpace) {
		t.Logf("no job runs here: %+v", b.strength)
		return
	}
	run := func(n int) {
		want := strconv.Itoa(n)
		job := sandbox.Job{Argv: []string{"cat"}, Stdin: []byte(want), Limits: sandbox.Limits{Processes: 1 + n%2}}
		if n%3 == 0 && len(b.config.Zygote) > 0 {
			job.Argv, job.Limits.Processes = slices.Concat(isolated, []string{"-c", "print(input(), end='')"}), 1
		}
		got, err := b.Run(t.Context(), job)
		if err != nil || got.End != sandbox.Exited || got.Code != 0 || string(got.Stdout) != want {
			t.Errorf("%+v, error %v, want the output %s", got, err, want)
		}
	}
	spared := func() bool { return len(b.zygotes.all) == 0 || len(b.zygotes.all[0].spare) == 1 }
	run(0)
	until(t, "a fork is spare", spared)
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
	until(t, "a fork is spare", spared)
	until(t, "forks that are one too many are closed", func() bool { return descriptors(t) <= before })
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
