package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/backend"
)

// asHost is a variable of the environment that makes the test binary a server: the file for its address.
const asHost = "TEST_SANDBOX_SERVE"

func TestMain(m *testing.M) {
	if file := os.Getenv(asHost); file != "" {
		host(file)
	}
	os.Exit(m.Run())
}

// host serves until it is killed.
func host(file string) {
	s := Defaults()
	s.Jobs, s.Server.Port, s.Server.Announce = 8, 0, file
	if err := (Verbs{Stderr: os.Stderr}).Serve(context.Background(), s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// nobody is a user without rights.
const nobody = 65534

// serving starts a server as a process of its own, and returns its address and how to kill it. Weak
// says that it refuses to start on this machine.
func serving(t *testing.T, user int) (url string, kill func(), weak bool) {
	t.Helper()
	dir := t.TempDir()
	self, announced, temp := filepath.Join(dir, "self"), filepath.Join(dir, "announced", "address"), filepath.Join(dir, "tmp")
	program, err := os.ReadFile(os.Args[0])
	if err = errors.Join(err, os.WriteFile(self, program, 0o755), os.Mkdir(filepath.Dir(announced), 0o777), os.Mkdir(temp, 0o711),
		os.Chmod(dir, 0o711), os.Chmod(filepath.Dir(dir), 0o711), os.Chmod(filepath.Dir(announced), 0o777)); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=" + temp, asHost + "=" + announced}
	var said strings.Builder
	c.Stderr, c.Dir = &said, "/"
	if user >= 0 {
		if err := os.Chown(temp, user, user); err != nil {
			t.Fatal(err)
		}
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = c.Wait(); close(ended) }()
	kill = func() { _ = c.Process.Kill(); <-ended }
	t.Cleanup(kill)
	until(t, "it serves", func() bool {
		select {
		case <-ended:
			return true
		default:
		}
		text, err := os.ReadFile(announced)
		url = strings.TrimSpace(string(text))
		return err == nil && url != ""
	})
	if url == "" {
		if !strings.Contains(said.String(), sandbox.ErrWeak.Error()) {
			t.Fatalf("it does not serve: %s", said.String())
		}
		return "", kill, true
	}
	if !strings.Contains(url, "://") {
		url = "http://" + url
	}
	return url, kill, false
}

// until waits for something.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); <-time.After(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in a minute: %s", what)
		}
	}
}

// sleepers counts the processes that sleep for so many seconds.
func sleepers(seconds string) (n int) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range files {
		if line, _ := os.ReadFile(name); strings.HasSuffix(string(line), "sleep\x00"+seconds+"\x00") {
			n++
		}
	}
	return n
}

// A server that is killed under load takes its jobs along, and no client has a result of them.
func TestAKilledServerLeavesNothing(t *testing.T) {
	users := []int{-1}
	if os.Geteuid() == 0 {
		users = append(users, nobody)
	}
	for i, user := range users {
		seconds := fmt.Sprint(400_000 + 10*i + os.Getpid()%1000*100)
		t.Run(fmt.Sprintf("user %d", user), func(t *testing.T) {
			url, kill, weak := serving(t, user)
			if weak {
				t.Log("no job runs here")
				return
			}
			b, err := backend.NewRemote(backend.RemoteConfig{URLs: []string{url}, Within: time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			errs := make(chan error)
			for range 5 {
				go func() {
					job := sandbox.Job{Argv: []string{"sh", "-c", "sleep " + seconds + " & sleep " + seconds}, Limits: sandbox.Limits{CPU: 20 * time.Minute, Wall: time.Hour, Processes: 9}}
					got, err := b.Run(t.Context(), job)
					if err == nil {
						err = fmt.Errorf("a result: %+v", got)
					} else if errors.Is(err, sandbox.ErrBusy) {
						err = nil
					}
					errs <- err
				}()
			}
			until(t, "all processes sleep", func() bool { return sleepers(seconds) == 10 })
			kill()
			begun := time.Now()
			until(t, "no process sleeps", func() bool { return sleepers(seconds) == 0 })
			t.Logf("no process is left after %v", time.Since(begun))
			for range 5 {
				if err := <-errs; err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// Ctrl-C ends what waits at once, and what runs after a while: with status 504, and never as a failure.
func TestAServerEnds(t *testing.T) {
	s := Defaults()
	s.Jobs, s.Server.Port, s.Server.Drain = 1, 0, 2*time.Second
	s.Server.Announce = filepath.Join(t.TempDir(), "address")
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- Verbs{Stderr: io.Discard}.Serve(ctx, s) }()
	var url string
	until(t, "it serves or not", func() bool {
		text, _ := os.ReadFile(s.Server.Announce)
		url = strings.TrimSpace(string(text))
		return url != "" || len(ended) > 0
	})
	if url == "" {
		if err := <-ended; !errors.Is(err, sandbox.ErrWeak) {
			t.Error(err)
		}
		return
	}
	if !strings.Contains(url, "://") {
		url = "http://" + url
	}
	seconds := fmt.Sprint(300_000 + os.Getpid())
	statuses := make(chan int, 2)
	ask := func() {
		body := `{"language": "bash", "code": "sleep ` + seconds + `", "run_timeout": 100}`
		r, err := http.Post(url+"/run_code", "application/json", strings.NewReader(body))
		if err != nil {
			t.Error(err)
			statuses <- 0
			return
		}
		defer r.Body.Close()
		statuses <- r.StatusCode
	}
	go ask()
	until(t, "a job runs", func() bool { return sleepers(seconds) > 0 })
	go ask()
	until(t, "another one waits", func() bool { return strings.Contains(page(t, url+"/metrics"), "\nquintain_sandbox_waiting 1\n") })
	stop()
	for range 2 {
		if status := <-statuses; status != http.StatusGatewayTimeout {
			t.Errorf("status %d", status)
		}
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := sleepers(seconds); n > 0 {
		t.Errorf("%d processes are left", n)
	}
}

// page reads a page.
func page(t *testing.T, url string) string {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A server needs a key to be reached from elsewhere, and a sandbox.
func TestServersThatDoNotStart(t *testing.T) {
	t.Parallel()
	weak := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"backend": "native", "lacks": ["no network"]}`)
	}))
	defer weak.Close()
	for why, change := range map[string]func(*Settings){
		"host":              func(s *Settings) { s.Server.Host = "0.0.0.0" },
		"too weak":          func(s *Settings) { s.Sandbox.Where = weak.URL },
		"want native, none": func(s *Settings) { s.Sandbox.Where = "docker" },
	} {
		s := Defaults()
		s.Server.Port = 0
		change(&s)
		if err := (Verbs{Stderr: io.Discard}).Serve(t.Context(), s); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: error %v", why, err)
		}
	}
}
