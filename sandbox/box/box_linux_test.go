//go:build amd64 || arm64

package box

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// image makes a root file system of the machine's own folders and a folder of ours.
func image(t *testing.T) []Lower {
	t.Helper()
	base := t.TempDir()
	for _, name := range []string{"etc", "tmp", "root", "var", "workspace", "usr"} {
		if err := os.Mkdir(filepath.Join(base, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	lowers := []Lower{{Dir: base}, {Dir: "/usr", At: "/usr"}}
	for _, name := range []string{"bin", "lib", "lib64", "sbin"} {
		if target, err := os.Readlink("/" + name); err == nil {
			if err := os.Symlink(target, filepath.Join(base, name)); err != nil {
				t.Fatal(err)
			}
		} else if _, err := os.Stat("/" + name); err == nil {
			lowers = append(lowers, Lower{Dir: "/" + name, At: "/" + name})
		}
	}
	return lowers
}

// trial makes one of the machine's folders.
func trial(t *testing.T, limits Limits) *Trial {
	t.Helper()
	one, err := New(Options{Lowers: image(t), Scratch: t.TempDir(), Limits: limits})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := one.Close(); err != nil {
			t.Error(err)
		}
	})
	return one
}

// search is the PATH inside.
const search = "PATH=/usr/local/bin:/usr/bin:/bin"

// begin begins a phase.
func begin(t *testing.T, one *Trial, p Phase) *Session {
	t.Helper()
	if p.Env == nil {
		p.Env = []string{search, "HOME=/root"}
	}
	s, err := one.Start(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// bash runs a script.
func bash(t *testing.T, s *Session, script string) Result {
	t.Helper()
	r, err := s.Run(t.Context(), Command{Args: []string{"bash", "--noprofile", "--norc", "-c", script}, Time: 20 * time.Second, State: true})
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return r
}

// TestCalls looks at what a call tells, in one phase: each row goes on where the last one ended.
func TestCalls(t *testing.T) {
	s := begin(t, trial(t, Limits{}), Phase{Dir: "/workspace/deep"})
	for _, row := range []struct{ why, script, output string }{
		{"the user is root, the working folder is made", "id -u; pwd", "0\n/workspace/deep\n"},
		{"both outputs go to one file, in order", "echo a; echo b >&2; echo c", "a\nb\nc\n"},
		{"standard input is empty", "cat; echo done", "done\n"},
		{"what stays in the background neither keeps the call nor loses its output", "sleep 60 & echo started", "started\n"},
		{"and lives on", "pgrep -c sleep", "1\n"},
		{"the loopback has a name", "getent hosts localhost | head -c 3", "::1"},
		{"the image's folders can be written to", "echo x > /etc/new && cat /etc/new", "x\n"},
		{"no descriptor of ours is", "echo $(ls /proc/self/fd)", "0 1 19 2 3\n"},
		{"devices are there", "head -c 4 /dev/zero | wc -c; echo gone > /dev/null; ls /dev/pts", "4\nptmx\n"},
		{"a process sees those of its trial alone", "n=$(ls /proc | grep -c '^[0-9]*$'); echo $((n < 10))", "1\n"},
	} {
		r := bash(t, s, row.script)
		if string(r.Output) != row.output || r.Exit != 0 || r.Signal != 0 || r.Cut != 0 {
			t.Errorf("%s: %s: status %d, signal %d, output %q, want %q", row.why, row.script, r.Exit, r.Signal, r.Output, row.output)
		}
	}
}

func TestACallTellsItsFolderAndVariables(t *testing.T) {
	s := begin(t, trial(t, Limits{}), Phase{})
	r := bash(t, s, `export A=$'x\n\ty' B='a"b$c`+"`d\\"+`' C= ; D=1; export E; cd /tmp; exit 3`)
	if r.Dir != "/tmp" || r.Exit != 3 {
		t.Errorf("folder %q, status %d; want /tmp, 3", r.Dir, r.Exit)
	}
	again, err := s.Run(t.Context(), Command{Args: []string{"bash", "-c", `printf '%s|%s|%s|%s|%s' "$PWD" "$A" "$B" "$C" "${D-no}"`}, Dir: r.Dir, Env: r.Env})
	if want := "/tmp|x\n\ty|a\"b$c`d\\||no"; err != nil || string(again.Output) != want {
		t.Errorf("%q %v, want %q", again.Output, err, want)
	}
}

func TestFilesAreSaved(t *testing.T) {
	s := begin(t, trial(t, Limits{}), Phase{Dir: "/workspace", Mounts: []Mount{{At: "/logs/artifacts", Writable: true}}})
	bash(t, s, "mkdir deep; echo hi > deep/answer; ln -s /etc/passwd link; mkfifo fifo; mkdir -m 000 closed; touch no; chmod 000 no; rm /etc/hosts; echo x > /usr/new; echo a > /logs/artifacts/a")
	if err := s.Save("", t.TempDir()); err == nil {
		t.Error("files are saved while the session is open")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	if err := errors.Join(s.Save("", to), s.Save("/logs/artifacts", filepath.Join(to, "artifacts"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"workspace/deep/answer": "hi\n", "usr/new": "x\n", "artifacts/a": "a\n"} {
		if got, err := os.ReadFile(filepath.Join(to, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q, error %v", name, got, err)
		}
	}
	names, err := os.ReadDir(filepath.Join(to, "workspace"))
	if link, _ := os.Readlink(filepath.Join(to, "workspace/link")); err != nil || len(names) != 2 || link != "/etc/passwd" {
		t.Errorf("%v, the link leads to %s, error %v", names, link, err)
	}
}

func TestFilesAndChanges(t *testing.T) {
	one := trial(t, Limits{})
	s := begin(t, one, Phase{Dir: "/workspace", Mounts: []Mount{{At: "/logs/verifier", Writable: true}}})
	bash(t, s, "echo 1 > /logs/verifier/reward.txt; echo hi > answer; ln -s answer link; touch /etc/new; rm -rf /root; mkdir -p /new/folder; touch conftest.py; mkdir -m 000 closed")
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, want string
		err        error
	}{
		{"/logs/verifier/reward.txt", "1\n", nil},
		{"/logs/verifier/none", "", ErrAbsent},
		{"/workspace/answer", "hi\n", nil},
		{"/workspace/link", "", ErrNotRegular},
		{"/workspace", "", ErrNotRegular},
		{"/workspace/answer/x", "", ErrAbsent},
	} {
		got, err := s.Read(row.name, 100)
		if string(got) != row.want || !errors.Is(err, row.err) {
			t.Errorf("%s: %q, %v; want %q, %v", row.name, got, err, row.want, row.err)
		}
	}
	if _, err := s.Read("/workspace/answer", 2); !errors.Is(err, ErrTooLarge) {
		t.Errorf("three bytes of two: %v", err)
	}
	c, err := one.Changes()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, change := range c.Some {
		got = append(got, fmt.Sprintf("%s %s %d %v", change.Kind, change.Path, change.Bytes, change.System))
	}
	want := []string{
		"file /etc/new 0 true",
		"folder /new 0 false", "folder /new/folder 0 false", "removed /root 0 false", "file /workspace/answer 3 false",
		"folder /workspace/closed 0 false", "file /workspace/conftest.py 0 true", "link /workspace/link 0 false",
	}
	if !slices.Equal(got, want) || c.Count != len(want) || c.Bytes != 3 {
		t.Errorf("changes %q, want %q; %+v", got, want, c)
	}
}

func TestProbe(t *testing.T) {
	if err := Probe(t.Context(), t.TempDir()); err != nil {
		t.Error(err)
	}
	for _, row := range []struct{ step, dir, want string }{
		{"clone", "/", "user namespaces are forbidden here: "},
		{"uid_map", "/", "user namespaces are forbidden here: "},
		{"overlay", "/proc", "needs Linux 5.12"},
		{"proc: mount", "/", "procMount: Unmasked"},
		{"open /x", "/", "open /x: operation not permitted"},
	} {
		if err := explain(&stepError{row.step, unix.EPERM}, row.dir); !strings.Contains(err.Error(), row.want) || !errors.Is(err, unix.EPERM) {
			t.Errorf("%s: %v, want %s", row.step, err, row.want)
		}
	}
}

// TestSurroundings starts trials in namespaces such as containers have.
func TestSurroundings(t *testing.T) {
	for kind, want := range map[string]string{
		"one user": "<nil>", "no namespaces": "sysctl -w user.max_user_namespaces=10000", "a masked /proc": "procMount: Unmasked",
	} {
		c := exec.Command("/proc/self/exe")
		c.Env = append(os.Environ(), "QUINTAIN_TRIAL_SURROUNDINGS="+kind)
		c.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS, UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
		}
		if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %s, %v; want %s", kind, out, err, want)
		}
	}
}

// TestAnOverlayIsNoPlaceForTrials has the scratch folder on an overlay, which takes root to mount.
func TestAnOverlayIsNoPlaceForTrials(t *testing.T) {
	if os.Geteuid() != 0 {
		return
	}
	dir := t.TempDir()
	for _, name := range []string{"low", "up", "work", "at"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	at := filepath.Join(dir, "at")
	if err := unix.Mount("overlay", at, "overlay", 0, fmt.Sprintf("lowerdir=%[1]s/low,upperdir=%[1]s/up,workdir=%[1]s/work", dir)); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Unmount(at, 0) }()
	if err := Probe(t.Context(), at); err == nil || !strings.Contains(err.Error(), "is on an overlay") {
		t.Errorf("%v", err)
	}
}

// TestManyLayers lays many folders over each other, as many as an overlay takes if there is time, and has the topmost win.
func TestManyLayers(t *testing.T) {
	lowers, dir, n := image(t), t.TempDir(), mostGiven+10
	if everything {
		n = 490
	}
	for i := range n {
		layer := filepath.Join(dir, fmt.Sprintf("a-layer-with-a-long-name-%d", i))
		if err := errors.Join(os.Mkdir(layer, 0o755), os.WriteFile(filepath.Join(layer, "last"), fmt.Append(nil, i), 0o644), os.WriteFile(filepath.Join(layer, fmt.Sprint(i)), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
		lowers = slices.Insert(lowers, 0, Lower{Dir: layer})
	}
	one, err := New(Options{Lowers: lowers, Scratch: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	s := begin(t, one, Phase{Pristine: []string{"/etc"}})
	defer s.Close()
	if r := bash(t, s, "cat /last; ls / | grep -c ^[0-9]; touch /etc/x 2>&1 | grep -o Read-only"); string(r.Output) != fmt.Sprintf("%d%d\nRead-only\n", n-1, n) {
		t.Errorf("%q", r.Output)
	}
}
