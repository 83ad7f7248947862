package command

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

func TestProcessesThatLeftTheGroupEndToo(t *testing.T) {
	folder := t.TempDir()
	g, err := NewGroup(folder)
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command("sh", "-c", "sleep 1000 & echo started; wait")
	c.Env = append(os.Environ(), "RESULT="+filepath.Join(folder, "result"))
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out := untilStarted(t, func(out *os.File) {
		c.Stdout = out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
	})
	g.Kill()
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	if err := c.Wait(); err == nil {
		t.Error("the program ended by itself")
	}
}

func BenchmarkKillStrays(b *testing.B) {
	for b.Loop() {
		killStrays("/nowhere/at/all")
	}
}
