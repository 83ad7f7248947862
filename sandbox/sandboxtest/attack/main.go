// Command attack does what sandboxes must not let a program do: one thing at a time, named by
// its first argument. It prints "done", or "refused: " and the error.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"time"
)

func main() {
	attack, known := attacks[os.Args[1]]
	if !known {
		fmt.Println("unknown")
		os.Exit(3)
	}
	arg := ""
	if len(os.Args) > 2 {
		arg = os.Args[2]
	}
	if err := attack(arg); err != nil {
		fmt.Printf("refused: %v\n", err)
		return
	}
	fmt.Println("done")
}

// attacks are all by name. Each gets the second argument.
var attacks = merged(everywhere, system())

// merged joins two tables.
func merged(a, b map[string]func(string) error) map[string]func(string) error {
	all := map[string]func(string) error{}
	for _, one := range []map[string]func(string) error{a, b} {
		maps.Copy(all, one)
	}
	return all
}

// everywhere needs no system calls of its own.
var everywhere = map[string]func(string) error{
	"read":   func(name string) error { _, err := os.ReadFile(name); return err },
	"list":   func(name string) error { _, err := os.ReadDir(name); return err },
	"write":  func(name string) error { return os.WriteFile(name, []byte("x"), 0o600) },
	"append": func(name string) error { _, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0); return err },
	"cut":    func(name string) error { return os.Truncate(name, 0) },
	"remove": os.Remove,
	"chmod":  func(name string) error { return os.Chmod(name, 0o777) },
	"chown":  func(name string) error { return os.Lchown(name, os.Getuid(), os.Getgid()) },
	"connect": func(network string) error {
		c, err := net.DialTimeout(network, os.Args[3], 2*time.Second)
		if err == nil {
			_ = c.Close()
		}
		return err
	},
	"touch": func(name string) error { return os.Chtimes(name, time.Time{}, time.Unix(1, 0)) },
	"link":  func(name string) error { return os.Link(name, "linked") },

	"spin": func(string) error {
		signal.Ignore() // all that can be ignored
		for n := 0; n >= 0; n = (n + 1) % 1000 {
			continue
		}
		return nil
	},
	"idle":  func(string) error { signal.Ignore(); <-time.After(time.Hour); return nil },
	"start": func(string) error { return exec.Command(os.Args[0], "idle").Start() },
	"keep": func(megabytes string) error {
		kept := eat(megabytes)
		<-time.After(time.Hour)
		runtime.KeepAlive(kept)
		return nil
	},
	"threads": func(count string) error {
		n, _ := strconv.Atoi(count)
		var all sync.WaitGroup
		for range n {
			all.Go(func() { runtime.LockOSThread(); <-time.After(time.Hour) })
		}
		all.Wait()
		return nil
	},

	"flood": func(where string) error {
		out := map[string]*os.File{"out": os.Stdout, "err": os.Stderr}[where]
		line := bytes.Repeat([]byte("a"), 1<<16)
		for {
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
	},
	"big": func(megabytes string) error {
		n, _ := strconv.Atoi(megabytes)
		f, err := os.Create("big")
		if err != nil {
			return err
		}
		defer f.Close()
		for range n {
			if _, err := f.Write(make([]byte, 1<<20)); err != nil {
				return err
			}
		}
		return nil
	},
	"sparse": func(string) error {
		f, err := os.Create("sparse")
		if err != nil {
			return err
		}
		defer f.Close()
		return f.Truncate(1 << 40)
	},
	"many": func(count string) error {
		n, _ := strconv.Atoi(count)
		for i := range n {
			if err := os.WriteFile("file"+strconv.Itoa(i), nil, 0o600); err != nil {
				return err
			}
		}
		<-time.After(time.Hour)
		return nil
	},
	"fill": func(count string) error { // files of 1 MB
		n, _ := strconv.Atoi(count)
		for i := range n {
			if err := os.WriteFile("part"+strconv.Itoa(i), make([]byte, 1<<20), 0o600); err != nil {
				return err
			}
		}
		<-time.After(time.Hour)
		return nil
	},
	"deep": func(string) error {
		for range 300 {
			if err := os.Mkdir("d", 0o300); err != nil {
				return err
			}
			if err := os.Chdir("d"); err != nil {
				return err
			}
		}
		return nil
	},

	"echo":    func(string) error { _, err := io.Copy(os.Stdout, os.Stdin); return err },
	"deaf":    func(string) error { os.Stdin.Close(); return nil },
	"bytes":   func(string) error { _, err := os.Stdout.WriteString("\xff\xc3\x00\xe2\x82"); return err },
	"exit":    func(code string) error { n, _ := strconv.Atoi(code); os.Exit(n); return nil },
	"environ": func(string) error { fmt.Println(os.Environ()); return nil },
	"results": func(target string) error { // a file, and things that look like one
		if err := os.WriteFile("plain", []byte("ours"), 0o600); err != nil {
			return err
		}
		for name, to := range map[string]string{"symbolic": target, "inner": "plain"} {
			if err := os.Symlink(to, name); err != nil && !errors.Is(err, errors.ErrUnsupported) {
				return err
			}
		}
		return os.Mkdir("folder", 0o700)
	},
}

// eat takes memory.
func eat(megabytes string) (kept [][]byte) {
	n, _ := strconv.Atoi(megabytes)
	for range n {
		kept = append(kept, bytes.Repeat([]byte{1}, 1<<20))
	}
	return kept
}
