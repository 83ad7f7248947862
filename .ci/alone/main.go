// Command alone runs a test program with a folder of its own for temporary files, and sees what it leaves behind: go test
// -exec "alone FOLDER". In FOLDER, the file costs gets a line for each package: its folder and seconds of processor. A
// program that leaves a process or a file behind has failed. It needs Linux, whose kernel hands orphans to the nearest
// ancestor that asks.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	subreaper = 36               // PR_SET_CHILD_SUBREAPER: become the parent of orphans
	grace     = 20 * time.Second // for processes that were killed to end, on a busy machine
)

func main() {
	runtime.LockOSThread() // the death of this thread would kill the test
	code, err := run(os.Args[1], os.Args[2], os.Args[3:])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// run runs the program to its end, and returns its exit status.
func run(folder, program string, args []string) (int, error) {
	if _, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, subreaper, 1, 0); errno != 0 {
		return 0, errno
	}
	temp := filepath.Join(folder, strconv.Itoa(os.Getpid())) // short, for the paths of sockets
	if err := os.Mkdir(temp, 0o700); err != nil {
		return 0, err
	}
	if err := os.Chmod(temp, 0o777|os.ModeSticky); err != nil { // as that of the machine: tests become other users
		return 0, err
	}
	c := exec.Command(program, args...)
	c.Env = append(os.Environ(), "TMPDIR="+temp)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := c.Start(); err != nil {
		return 0, err
	}
	code, err := wait(c.Process.Pid)
	if err != nil {
		return 0, err
	}
	left := append(processes(), files(temp)...)
	if err := note(folder); err != nil {
		return 0, err
	}
	if len(left) > 0 && code == 0 {
		return 0, fmt.Errorf("the tests leave behind:\n\t%s", strings.Join(left, "\n\t"))
	}
	return code, nil
}

// wait waits for the program, and for orphans that end before it. It returns the exit status.
func wait(program int) (int, error) {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return 0, err
		case pid == program && status.Signaled():
			return 0, fmt.Errorf("the tests ended by the signal %v", status.Signal())
		case pid == program:
			return status.ExitStatus(), nil
		}
	}
}

// processes names the orphans that do not end, and kills them.
func processes() (left []string) {
	for end := time.Now().Add(grace); time.Now().Before(end); {
		pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
		if err == syscall.ECHILD {
			return nil
		}
		if pid == 0 {
			<-time.After(10 * time.Millisecond)
		}
	}
	self := strconv.Itoa(os.Getpid())
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, of := range all {
		stat, _ := os.ReadFile(filepath.Join(of, "stat"))
		line, _ := os.ReadFile(filepath.Join(of, "cmdline"))
		_, after, _ := strings.Cut(string(stat), ") ") // the state, then the parent
		if fields := strings.Fields(after); len(fields) > 1 && fields[1] == self {
			left = append(left, "process "+filepath.Base(of)+": "+strings.ReplaceAll(string(line), "\x00", " "))
			pid, _ := strconv.Atoi(filepath.Base(of))
			_ = syscall.Kill(pid, syscall.SIGKILL)
			_, _ = syscall.Wait4(pid, nil, 0, nil)
		}
	}
	return left
}

// files names what is left in the folder, or mounted there, and removes what it can.
func files(temp string) (left []string) {
	entries, err := os.ReadDir(temp)
	if err != nil {
		return []string{err.Error()}
	}
	for _, e := range entries {
		left = append(left, filepath.Join("$TMPDIR", e.Name()))
	}
	if err := os.RemoveAll(temp); err != nil {
		left = append(left, err.Error())
	}
	return left
}

// note appends the line of the package, whose folder this is, to the file of costs.
func note(folder string) error {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &used); err != nil {
		return err
	}
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(folder, "costs"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	processor := time.Duration(used.Utime.Nano() + used.Stime.Nano())
	_, err = fmt.Fprintf(f, "%s\t%.2f\n", here, processor.Seconds())
	if err == nil {
		err = f.Close()
	}
	return err
}
