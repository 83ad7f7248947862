//go:build amd64 || arm64

package native

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/sandboxtest"
)

// asHost, set in the environment to a folder, makes the test binary run a job that never ends.
const asHost = "TEST_SANDBOX_HOST"

func TestMain(m *testing.M) {
	if dir := os.Getenv(asHost); dir != "" {
		host(dir)
	}
	os.Exit(m.Run())
}

// host runs three jobs that never end, one of several processes, one of a zygote, and panics if they do.
func host(dir string) {
	b, err := New(Config{Dir: dir, Zygote: here(isolated)})
	if err != nil {
		panic(err)
	}
	run := func(processes int, argv ...string) {
		limits := sandbox.Limits{CPU: time.Hour, Processes: processes}
		got, err := b.Run(context.Background(), sandbox.Job{Argv: argv, Limits: limits})
		panic(fmt.Sprintf("%+v, error %v", got, err))
	}
	long := seconds(os.Getppid())
	go run(5, "sh", "-c", "sleep "+long+" & sleep "+long)
	if len(b.config.Zygote) > 0 {
		go run(1, slices.Concat(isolated, []string{"-c", launch, "/bin/sleep", long})...)
	}
	run(1, "sleep", long)
}

// A process that is killed takes its jobs along, and the next one removes their folders.
func TestJobsEndWithTheProcess(t *testing.T) {
	if b := open(t, t.TempDir()); len(b.strength.Lacks) > 0 || !b.strength.Holds(LayerPIDSpace) {
		t.Logf("no job runs here: %+v", b.strength)
		return
	}
	dir := t.TempDir()
	passable(t, dir)
	c := exec.Command(os.Args[0])
	c.Env, c.Stderr = append(os.Environ(), asHost+"="+dir), os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	want := 3
	if len(here(isolated)) > 0 {
		want = 4
	}
	until(t, "all processes sleep", func() bool { return sleepers() == want })
	if err := c.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // it was killed
	until(t, "no process sleeps", func() bool { return sleepers() == 0 })
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("the folder has %v before", left)
	}
	b, err := New(Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%v are left", left)
	}
}

// seconds is for how long the jobs sleep that a test has started: that of no other process.
func seconds(test int) string { return strconv.Itoa(1<<30 + test) }

// sleepers counts the processes of the host's jobs that sleep.
func sleepers() (n int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range files {
		if line, _ := os.ReadFile(name); strings.HasSuffix(string(line), "sleep\x00"+seconds(os.Getpid())+"\x00") {
			n++
		}
	}
	return n
}

// until waits for something.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(5 * time.Minute); !is(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in five minutes: %s", what)
		}
	}
}

// passable lets users without rights pass through a folder of the test.
func passable(t *testing.T, dir string) {
	t.Helper()
	for _, one := range []string{dir, filepath.Dir(dir)} {
		if err := os.Chmod(one, 0o711); err != nil {
			t.Fatal(err)
		}
	}
}

// If the test runs as root, the same holds for a user without rights.
func TestUnprivileged(t *testing.T) {
	dir := t.TempDir()
	passable(t, dir)
	attack, self := filepath.Join(dir, "attack"), filepath.Join(dir, "self")
	program, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	for file, program := range map[string][]byte{self: program, attack: sandboxtest.Program(t)} {
		if err := os.WriteFile(file, program, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	temp := filepath.Join(dir, "tmp")
	if err := os.Mkdir(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, "-test.run", unprivileged, "-test.v")
	c.Dir, c.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + temp, sandboxtest.Attack + "=" + attack}
	if os.Geteuid() == 0 {
		if err := os.Chown(temp, nobody, nobody); err != nil {
			t.Fatal(err)
		}
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := c.CombinedOutput()
	if err != nil {
		for lines := bufio.NewScanner(strings.NewReader(string(out))); lines.Scan(); {
			if text := lines.Text(); !strings.Contains(text, "=== ") && !strings.Contains(text, "--- PASS") {
				t.Log(text)
			}
		}
		t.Fatal(err)
	}
}
