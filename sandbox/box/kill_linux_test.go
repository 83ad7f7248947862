//go:build amd64 || arm64

package box

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestAKilledParentLeavesNothing kills a process that has trials open: all that ran in them ends, and the next trial removes
// their folders.
func TestAKilledParentLeavesNothing(t *testing.T) {
	scratch, n := t.TempDir(), 3
	if everything {
		n = 100
	}
	if everything && os.Geteuid() == 0 { // takes minutes
		n = 1000
	}
	c := exec.Command("/proc/self/exe")
	c.Env = append(os.Environ(), "QUINTAIN_TRIAL_PARENT="+scratch, fmt.Sprintf("QUINTAIN_TRIAL_COUNT=%d", n))
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	inits, lines := make([]int, n), bufio.NewReader(out)
	for i := range inits {
		line, _ := lines.ReadString('\n')
		var status int
		if _, err := fmt.Sscan(line, &inits[i], &status); err != nil || status != 0 {
			t.Fatalf("%q: %v", line, err)
		}
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	_ = c.Wait()
	gone := func(pid int) bool { // and with the init of a namespace all in it
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, state, _ := strings.Cut(string(text), ") ")
		return err != nil || strings.HasPrefix(state, "Z") // nobody of ours waits for it
	}
	for deadline := time.Now().Add(time.Minute); len(inits) > 0; {
		if inits = slices.DeleteFunc(inits, gone); time.Now().After(deadline) {
			t.Fatalf("%d trials live", len(inits))
		}
		<-time.After(5 * time.Millisecond)
	}
	t.Logf("%d trials have ended in %v", n, time.Since(began))
	folders := func() int {
		all, _ := filepath.Glob(filepath.Join(scratch, prefix+"*"))
		return len(all)
	}
	if folders() != n {
		t.Fatalf("%d folders, want those of %d trials", folders(), n)
	}
	one, err := New(Options{Lowers: image(t), Scratch: scratch})
	if err != nil {
		t.Fatal(err)
	}
	if folders() != 1 {
		t.Errorf("%d folders, want only the new one", folders())
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
}
