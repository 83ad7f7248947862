//go:build amd64 || arm64

package box

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestAKilledParentLeavesNothing kills a process that has a trial open: all that ran in it ends, and the next trial removes
// its folder.
func TestAKilledParentLeavesNothing(t *testing.T) {
	scratch := t.TempDir()
	c := exec.Command("/proc/self/exe")
	c.Env = append(os.Environ(), "QUINTAIN_TRIAL_PARENT="+scratch)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	var init, status int
	if _, err := fmt.Sscan(line, &init, &status); err != nil || status != 0 {
		t.Fatalf("%q: %v", line, err)
	}
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	for deadline := time.Now().Add(10 * time.Second); ; {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d/stat", init)); err != nil {
			break // and with the init of a namespace all in it
		}
		if time.Now().After(deadline) {
			t.Fatal("the trial lives")
		}
		<-time.After(5 * time.Millisecond)
	}
	folders := func() int {
		all, _ := filepath.Glob(filepath.Join(scratch, prefix+"*"))
		return len(all)
	}
	if folders() != 1 {
		t.Fatalf("%d folders, want that of the trial", folders())
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
