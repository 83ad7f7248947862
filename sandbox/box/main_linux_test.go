//go:build amd64 || arm64

package box

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// TestMain runs the tests as the user who starts them, and if that is root, again as an ordinary one.
func TestMain(m *testing.M) {
	if role := os.Getenv("QUINTAIN_TRIAL_PARENT"); role != "" {
		parent(role)
		return
	}
	if kind := os.Getenv("QUINTAIN_TRIAL_SURROUNDINGS"); kind != "" {
		surrounded(kind)
		return
	}
	if os.Getenv("QUINTAIN_TRIAL_ATTACK") != "" {
		fmt.Print(strings.Join(reached(), "\n"))
		return
	}
	code := m.Run()
	if os.Geteuid() == 0 && code == 0 && flag.Lookup("test.fuzz").Value.String() == "" {
		if err := ordinary(); err != nil {
			fmt.Fprintln(os.Stderr, "as an ordinary user:", err)
			code = 1
		}
	}
	os.Exit(code)
}

// ordinary runs this program as an ordinary user.
func ordinary() error {
	dir, err := os.MkdirTemp("", "quintain-box-test-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, err := copyProgram(dir)
	if err != nil {
		return err
	}
	for _, name := range []string{dir, filepath.Join(dir, "tmp")} {
		_ = os.Mkdir(name, 0o755)
		if err := os.Chmod(name, 0o777); err != nil {
			return err
		}
	}
	c := exec.Command(program)
	for _, arg := range os.Args[1:] {
		if !strings.HasPrefix(arg, "-test.testlogfile") && !strings.Contains(arg, "profile=") {
			c.Args = append(c.Args, arg)
		}
	}
	if !everything {
		c.Args = append(c.Args, "-test.run=TestCalls|TestFilesA|TestMany|TestSurr|TestPhases|TestAListener|TestAKilled|TestNothing|TestTheFilter")
	}
	c.Dir, c.Stdout, c.Stderr = dir, os.Stdout, os.Stderr
	c.Env = append(os.Environ(), "TMPDIR="+filepath.Join(dir, "tmp"))
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	return c.Run()
}

// copyProgram copies this program to a folder.
func copyProgram(dir string) (string, error) {
	own, err := os.Open("/proc/self/exe")
	if err != nil {
		return "", err
	}
	defer own.Close()
	name := filepath.Join(dir, "box.test")
	to, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o755)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, own)
	if e := to.Close(); err == nil {
		err = e
	}
	return name, err
}

// surrounded is a program in a namespace of users and one of mounts, which tells whether a trial starts there.
func surrounded(kind string) {
	var err error
	switch kind {
	case "no namespaces":
		err = os.WriteFile("/proc/sys/user/max_user_namespaces", []byte("0"), 0)
	case "a masked /proc":
		err = syscall.Mount("tmpfs", "/proc/tty", "tmpfs", 0, "")
	}
	fmt.Print(errors.Join(err, Probe(context.Background(), "")))
}

// parent is a program that opens trials, names their inits, and waits to be killed.
func parent(scratch string) {
	base := filepath.Join(scratch, "image")
	_ = os.MkdirAll(filepath.Join(base, "etc"), 0o755)
	n, _ := strconv.Atoi(os.Getenv("QUINTAIN_TRIAL_COUNT"))
	for range max(1, n) {
		one, err := New(Options{Lowers: []Lower{{Dir: base}, {Dir: "/usr", At: "/usr"}, {Dir: "/lib64", At: "/lib64"}, {Dir: "/lib", At: "/lib"}}, Scratch: scratch})
		if err != nil {
			fmt.Println(err)
			return
		}
		s, err := one.Start(context.Background(), Phase{})
		if err != nil {
			fmt.Println(err)
			return
		}
		r, err := s.Run(context.Background(), Command{Args: []string{"/usr/bin/bash", "-c", "/usr/bin/mkdir -m 000 /closed; /usr/bin/sleep 100000 & /usr/bin/setsid /usr/bin/sleep 100000 & echo"}})
		fmt.Println(s.pid, r.Exit, err)
	}
	select {}
}
