//go:build heavy && linux

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// nobody is a user without rights.
const nobody = 65534

// programs are requests of /run_code that never end, and some that do.
var programs = []string{
	`{"language":"python","code":"while True: pass","run_timeout":100}`,
	`{"language":"python","code":"import time\ntime.sleep(1000)","run_timeout":100}`,
	`{"language":"bash","code":"sleep 1000 & (while :; do :; done) & setsid sleep 1000 & wait","run_timeout":100}`,
	`{"language":"python","code":"print(6 * 7)"}`,
	`{"language":"bash","code":"echo 42 | cat"}`,
	`{"language":"python","code":"import sys\nprint(42)"}`,
}

// A codeServer is a server in a process of its own, whose sandbox works below dir.
type codeServer struct {
	*exec.Cmd
	url, dir string
	clients  sync.WaitGroup
	answered atomic.Int64
}

// newCodeServer starts a server, as root or as a user without rights.
func newCodeServer(t *testing.T, user int) *codeServer {
	t.Helper()
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	r := &codeServer{dir: t.TempDir()}
	program := filepath.Join(r.dir, "program")
	temp := filepath.Join(r.dir, "temp")
	for _, dir := range []string{filepath.Dir(r.dir), r.dir} {
		if err := os.Chmod(dir, 0o711); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(program, self, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(temp, 0o711); err != nil { // jobs of root run as another user
		t.Fatal(err)
	}
	r.dir, r.Cmd = temp, exec.Command(program, "serve", "--protocols", "code", "--port", "0")
	r.Dir, r.Env = "/", append(os.Environ(), asProgram+"=1", "TMPDIR="+temp)
	if user != os.Geteuid() {
		if err := os.Chown(temp, user, user); err != nil {
			t.Fatal(err)
		}
		r.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
	}
	says, err := r.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(says); r.url == "" && lines.Scan(); {
		_, rest, _ := strings.Cut(lines.Text(), "listening on ")
		r.url, _, _ = strings.Cut(rest, ";")
	}
	return r
}

// end kills the server, and waits for it.
func (r *codeServer) end() {
	_ = r.Process.Kill()
	_ = r.Wait() // it was killed
	r.clients.Wait()
}

// load has programs run until the server is gone.
func (r *codeServer) load(t *testing.T, bodies []string) {
	for i := range 12 {
		r.clients.Go(func() {
			for n := i; ; n++ {
				reply, err := http.Post(r.url+"/run_code", "application/json", strings.NewReader(bodies[n%len(bodies)]))
				if err != nil {
					return
				}
				var a struct {
					Ran struct {
						Stdout string `json:"stdout"`
					} `json:"run_result"`
				}
				err = json.NewDecoder(reply.Body).Decode(&a)
				reply.Body.Close()
				if err == nil && reply.StatusCode == http.StatusOK && a.Ran.Stdout != "42\n" {
					t.Errorf("%s prints %q", bodies[n%len(bodies)], a.Ran.Stdout)
				}
				r.answered.Add(1)
			}
		})
	}
}

// workers are the processes that work below dir: jobs and zygotes.
func (r *codeServer) workers() (all []string) {
	files, _ := filepath.Glob("/proc/[0-9]*")
	for _, proc := range files {
		if dir, err := os.Readlink(proc + "/cwd"); err == nil && strings.HasPrefix(dir, r.dir) {
			all = append(all, proc)
		}
	}
	return all
}

// soon waits for something, and returns how long that took.
func soon(t *testing.T, what string, is func() bool) time.Duration {
	t.Helper()
	began := time.Now()
	for !is() {
		if time.Since(began) > time.Minute {
			t.Fatalf("not in a minute: %s", what)
		}
		later(2 * time.Millisecond)
	}
	return time.Since(began)
}

// forEachUser runs a test with a server of root, if the test is root's, and of a user without rights.
func forEachUser(t *testing.T, test func(t *testing.T, user int)) {
	for name, user := range map[string]int{"root": 0, "nobody": nobody} {
		if os.Geteuid() != 0 {
			user = os.Geteuid()
		}
		t.Run(name, func(t *testing.T) { test(t, user) })
	}
}

// A server that is killed leaves no process behind.
func TestAKilledServerTakesItsProgramsAlong(t *testing.T) {
	forEachUser(t, func(t *testing.T, user int) {
		var longest time.Duration
		for round := range 20 {
			r := newCodeServer(t, user)
			r.load(t, programs)
			soon(t, "programs run", func() bool { return len(r.workers()) > 2 })
			later(time.Duration(round) * 17 * time.Millisecond)
			r.end()
			longest = max(longest, soon(t, "all processes end", func() bool { return len(r.workers()) == 0 }))
		}
		t.Logf("of 20 servers the last process was gone after %v at most", longest)
	})
}

// A zygote that is killed makes no answer wrong, and the server has another.
func TestAKilledZygoteMakesNoAnswerWrong(t *testing.T) {
	forEachUser(t, func(t *testing.T, user int) {
		r := newCodeServer(t, user)
		defer r.end()
		r.load(t, programs[3:])
		for killed := 0; killed < 50; {
			answered := r.answered.Load()
			soon(t, "the server answers", func() bool { return r.answered.Load() > answered+5 })
			for _, proc := range r.workers() {
				var pid, parent int
				stat, _ := os.ReadFile(proc + "/stat")
				if _, err := fmt.Sscanf(string(stat), "%d (python3) S %d", &pid, &parent); err == nil && parent == r.Process.Pid {
					_ = syscall.Kill(pid, syscall.SIGKILL) // it may be gone
					killed++
				}
			}
		}
		t.Logf("%d answers", r.answered.Load())
	})
}
