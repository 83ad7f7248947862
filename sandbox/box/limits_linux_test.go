//go:build amd64 || arm64

package box

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLimits runs what goes beyond a limit. After it the session runs the next command.
func TestLimits(t *testing.T) {
	one := trial(t, Limits{Memory: 200 << 20, Storage: 30 << 20, File: 20 << 20, Processes: 50, Descriptors: 100})
	for _, row := range []struct {
		why, script string
		command     Command
		ok          func(Result) bool
	}{
		{"time: interrupted", "echo begun; sleep 100", Command{Time: 200 * time.Millisecond}, func(r Result) bool {
			return r.TimedOut && r.Signal == 2 && string(r.Output) == "begun\n" && r.Wall < grace
		}},
		{"time: killed if it will not end, with all that it started", "trap '' INT; (trap '' INT; while :; do sleep 1; done) & while :; do sleep 1; done", Command{Time: 100 * time.Millisecond}, func(r Result) bool {
			return r.TimedOut && r.Signal == 9
		}},
		{"nothing of it is left", "pgrep -c sleep", Command{}, func(r Result) bool { return string(r.Output) == "0\n" }},
		{"processor", "while :; do :; done", Command{CPU: 100 * time.Millisecond}, func(r Result) bool {
			return r.OverCPU && !r.TimedOut && r.Signal == 2 && r.CPU >= 100*time.Millisecond
		}},
		{"processor of its children", "(while :; do :; done)& wait", Command{CPU: 100 * time.Millisecond}, func(r Result) bool { return r.OverCPU }},
		{"output", "head -c 100000 /dev/zero | tr '\\0' x; printf end", Command{Output: 1000}, func(r Result) bool {
			return r.Cut == 100003-1000 && r.Head == 400 && len(r.Output) == 1000 && strings.HasSuffix(string(r.Output), "xend")
		}},
		{"file", "head -c 50000000 /dev/zero > big", Command{}, func(r Result) bool { return r.Exit == 153 || r.Exit == 1 }},
		{"descriptors", "for ((i = 3; i < 200; i++)); do eval \"exec $i</dev/null\" || exit 7; done 2>/dev/null", Command{}, func(r Result) bool { return r.Exit != 0 }},
		{"processes", "for ((i = 0; i < 200; i++)); do sleep 5 & done; echo all", Command{Time: time.Second}, func(r Result) bool {
			return strings.Contains(string(r.Output), "Resource temporarily unavailable")
		}},
		{"no program", "", Command{Args: []string{"nosuch"}}, func(r Result) bool {
			return r.Exit == 127 && strings.HasPrefix(string(r.Output), "nosuch: no such file")
		}},
		{"not to be executed", "", Command{Args: []string{"/workspace"}}, func(r Result) bool { return r.Exit == 126 }},
		{"unreachable", "exec 3<>/dev/tcp/192.0.2.1/80", Command{}, func(r Result) bool { return r.Unreachable && r.Exit != 0 }},
		{"reached", "echo x", Command{}, func(r Result) bool { return !r.Unreachable }},
		{"memory", "head -c 400000000 /dev/zero | tail", Command{}, func(r Result) bool { return r.MemoryKilled }},
	} {
		t.Run(row.why, func(t *testing.T) {
			s := begin(t, one, Phase{Dir: "/workspace"})
			defer s.Close()
			if row.script != "" {
				row.command.Args = []string{"bash", "-c", row.script}
			}
			r, err := s.Run(t.Context(), row.command)
			if err != nil || !row.ok(r) {
				r.Output = r.Output[:min(len(r.Output), 200)]
				t.Errorf("%v %+v, output %q", err, r, r.Output)
			}
		})
	}
}

func TestAFullDiskEndsProcessesAndNotThePhase(t *testing.T) {
	s := begin(t, trial(t, Limits{Storage: 30 << 20}), Phase{Dir: "/workspace"})
	r := bash(t, s, "while :; do i=$((i+1)); head -c 5000000 /dev/zero > $i; done")
	if !r.StorageFull || r.Signal != 9 {
		t.Errorf("%+v", r)
	}
	if r := bash(t, s, "rm *; echo on"); string(r.Output) != "on\n" {
		t.Errorf("after it: %+v %q", r, r.Output)
	}
}

func TestFilesThatHideCount(t *testing.T) {
	s := begin(t, trial(t, Limits{Storage: 30 << 20}), Phase{Dir: "/workspace"})
	deep := "d=$(printf 'x/%.0s' {1..300}); for i in 1 2; do mkdir -p $d; cd $d; done; sleep 100"
	for _, script := range []string{"exec 3>x; rm x; while :; do head -c 5000000 /dev/zero >&3; done", deep} {
		if r := bash(t, s, script); !r.StorageFull || r.Signal != 9 {
			t.Errorf("%s: %+v", script, r)
		}
	}
}

func TestTwiceTooMuchMemoryEndsThePhase(t *testing.T) {
	s := begin(t, trial(t, Limits{Memory: 100 << 20}), Phase{})
	hog := Command{Args: []string{"bash", "-c", "head -c 300000000 /dev/zero | tail"}}
	if r, err := s.Run(t.Context(), hog); err != nil || !r.MemoryKilled {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := s.Run(t.Context(), hog); !errors.Is(err, ErrOver) {
		t.Errorf("the second time: %v, want %v", err, ErrOver)
	}
}

func TestACancelledCallEnds(t *testing.T) {
	s := begin(t, trial(t, Limits{}), Phase{})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := s.Run(ctx, Command{Args: []string{"sleep", "100"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if r := bash(t, s, "pgrep -c sleep"); string(r.Output) != "0\n" {
		t.Errorf("it lives: %q", r.Output)
	}
	if _, err := s.Run(t.Context(), Command{Args: []string{"echo", strings.Repeat("x", messageSize)}}); !errors.Is(err, ErrTooLong) {
		t.Errorf("a long command: %v", err)
	}
}

// TestAListenerIsInside asks a server of ours from inside; nobody else reaches anybody.
func TestAListenerIsInside(t *testing.T) {
	s := begin(t, trial(t, Limits{}), Phase{Listen: []int{8000, 8001}})
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })}
	done := make(chan error)
	go func() { done <- server.Serve(s.Listener(8000)) }()
	r := bash(t, s, `exec 3<>/dev/tcp/127.0.0.1/8000; printf 'GET / HTTP/1.0\r\n\r\n' >&3; tail -n 1 <&3`)
	if string(r.Output) != "hello" || s.Listener(8001) == nil || s.Listener(8002) != nil {
		t.Errorf("%q, listeners %v %v", r.Output, s.Listener(8001), s.Listener(8002))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	<-done
}

// TestPhases looks at what one phase leaves to the next.
func TestPhases(t *testing.T) {
	one := trial(t, Limits{})
	tests := t.TempDir()
	if err := os.WriteFile(filepath.Join(tests, "test.sh"), []byte("echo tests\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	agent := begin(t, one, Phase{Dir: "/workspace"})
	bash(t, agent, "setsid sleep 1000 & echo mine > /etc/profile; echo x > /evil; mkdir /evil.d /usr2; touch /dev/shm/x; rm -rf /tmp; ln -s /etc /tmp")
	if err := agent.Close(); err != nil {
		t.Fatal(err)
	}
	phase := Phase{Dir: "/workspace", Mounts: []Mount{{Host: tests, At: "/tests"}}, Pristine: []string{"/", "/etc", "/usr", "/bin", "/nosuch"}}
	s := begin(t, one, phase)
	for _, row := range []struct{ why, script, output string }{
		{"processes are gone", "pgrep -c sleep", "0\n"},
		{"shared memory is", "ls /dev/shm", ""},
		{"the mount is read-only", "bash /tests/test.sh; touch /tests/x 2>&1 | grep -o Read-only", "tests\nRead-only\n"},
		{"the loopback still has a name", "getent hosts localhost | head -c 3", "::1"},
		{"its owner is root", "stat -c %u /tests/test.sh", "0\n"},
		{"system folders are the image's", "cat /etc/profile 2>&1 | grep -o 'No such'; touch /usr/x 2>&1 | grep -o Read-only", "No such\nRead-only\n"},
		{"new names in the root are hidden", "ls -d /evil* 2>/dev/null | wc -l", "0\n"},
		{"names that the image has are not", "readlink /tmp", "/etc\n"},
	} {
		if r := bash(t, s, row.script); string(r.Output) != row.output {
			t.Errorf("%s: %q, want %q", row.why, r.Output, row.output)
		}
	}
	if _, err := one.Start(t.Context(), Phase{}); err == nil {
		t.Error("two phases at once")
	}
	if err := one.Close(); err == nil {
		t.Error("a trial with an open session was closed")
	}
}

// TestNothingIsLeft counts what the kernel and the disk have before and after trials.
func TestNothingIsLeft(t *testing.T) {
	scratch := t.TempDir()
	lowers := image(t)
	count := func() string {
		fds, _ := os.ReadDir("/proc/self/fd")
		mounts, _ := os.ReadFile("/proc/self/mounts")
		folders, _ := os.ReadDir(scratch)
		return fmt.Sprintf("%d descriptors, %d mounts, %d folders", len(fds), strings.Count(string(mounts), "\n"), len(folders))
	}
	var before string
	for i := range 4 {
		one, err := New(Options{Lowers: lowers, Scratch: scratch})
		if err != nil {
			t.Fatal(err)
		}
		s, err := one.Start(t.Context(), Phase{Listen: []int{80}, Mounts: []Mount{{At: "/m"}}})
		if err != nil {
			t.Fatal(err)
		}
		bash(t, s, "sleep 1000 & mkdir -p a/b/c; touch a/b/c/d; chmod 000 a/b/c a/b a; mknod w c 0 0; ln -s / l; d=$(printf 'xxxxxxxxxxxxxxxxxxxx/%.0s' {1..150}); for i in 1 2; do mkdir -p $d; cd $d; done")
		if _, err := one.Start(t.Context(), Phase{}); err == nil {
			t.Error("two phases at once")
		}
		if err := errors.Join(s.Close(), one.Close(), s.Close(), one.Close()); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			before = count()
		}
	}
	if after := count(); after != before {
		t.Errorf("%s; before %s", after, before)
	}
}

func TestATrialSeesItsProcessors(t *testing.T) {
	s := begin(t, trial(t, Limits{CPUs: 0.5}), Phase{})
	if r := bash(t, s, "nproc"); string(r.Output) != "1\n" {
		t.Errorf("%q processors, want 1", r.Output)
	}
}
