//go:build heavy && linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A lab is a network of hosts on this machine: a network namespace each, all at one bridge. The
// test itself is the host .1. It needs root.
type lab struct {
	t     *testing.T
	name  string // prefix of what it makes
	net   string // first three bytes of the addresses
	dir   string
	hosts []*labHost
}

// A labHost is a process in a namespace of its own.
type labHost struct {
	*exec.Cmd
	name  string
	addr  string
	link  string // its end at the bridge
	space string
	args  []string // of the program
	env   []string
	said  *os.File
	ended chan struct{} // closed when the process is no more
	lab   *lab
}

// newLab returns a lab without hosts.
func newLab(t *testing.T) *lab {
	t.Helper()
	if os.Getuid() != 0 {
		t.Fatal("namespaces need root")
	}
	pid := os.Getpid()
	l := &lab{t: t, name: fmt.Sprintf("qc%d", pid%100_000), net: fmt.Sprintf("10.213.%d", pid%250), dir: t.TempDir()}
	t.Cleanup(func() {
		_ = exec.Command("ip", "link", "del", l.name).Run() // at once: that of a namespace goes some time after it
		_ = exec.Command("ip", "netns", "del", l.name).Run()
	})
	l.ip("netns", "add", l.name)
	l.ip("-n", l.name, "link", "add", "bridge", "type", "bridge")
	l.ip("-n", l.name, "link", "set", "bridge", "up")
	l.ip("link", "add", l.name, "type", "veth", "peer", "name", "self", "netns", l.name)
	l.ip("-n", l.name, "link", "set", "self", "master", "bridge", "up")
	l.ip("addr", "add", l.net+".1/24", "dev", l.name)
	l.ip("link", "set", l.name, "up")
	return l
}

// ip runs a command of iproute2.
func (l *lab) ip(args ...string) {
	l.t.Helper()
	if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
		l.t.Fatalf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// host adds a host that runs the program with args; {addr} in them is its address.
func (l *lab) host(name string, number int, env []string, args ...string) *labHost {
	l.t.Helper()
	h := &labHost{name: name, addr: fmt.Sprintf("%s.%d", l.net, number), link: name, space: l.name + name, env: env, lab: l}
	for _, a := range args {
		h.args = append(h.args, strings.ReplaceAll(a, "{addr}", h.addr))
	}
	var err error
	if h.said, err = os.Create(filepath.Join(l.dir, name+".log")); err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		if h.Cmd != nil {
			h.stop()
		}
		_ = exec.Command("ip", "netns", "del", h.space).Run()
		h.said.Close()
	})
	l.ip("netns", "add", h.space)
	l.ip("-n", l.name, "link", "add", h.link, "type", "veth", "peer", "name", "eth", "netns", h.space)
	l.ip("-n", l.name, "link", "set", h.link, "master", "bridge", "up")
	l.ip("-n", h.space, "addr", "add", h.addr+"/24", "dev", "eth")
	l.ip("-n", h.space, "link", "set", "eth", "up")
	l.ip("-n", h.space, "link", "set", "lo", "up")
	l.hosts = append(l.hosts, h)
	h.start()
	return h
}

// start starts the process.
func (h *labHost) start() {
	h.lab.t.Helper()
	self, err := os.Executable()
	if err != nil {
		h.lab.t.Fatal(err)
	}
	h.Cmd = exec.Command("ip", append([]string{"netns", "exec", h.space, self}, h.args...)...) // which becomes the program
	h.Env, h.Stdout, h.Stderr = append(os.Environ(), h.env...), h.said, h.said
	if err := h.Start(); err != nil {
		h.lab.t.Fatal(err)
	}
	ended, c := make(chan struct{}), h.Cmd
	h.ended = ended
	go func() {
		_ = c.Wait() // the rounds kill it
		close(ended)
	}()
}

// stop kills the process.
func (h *labHost) stop() {
	h.signal(syscall.SIGKILL)
	<-h.ended
}

// signal sends the process a signal.
func (h *labHost) signal(s syscall.Signal) { _ = h.Process.Signal(s) } // fails if it has ended

// cut takes the host off the network.
func (h *labHost) cut() { h.lab.ip("-n", h.lab.name, "link", "set", h.link, "down") }

// heal undoes what was done to the host: its process runs and is on the network.
func (h *labHost) heal() {
	h.lab.ip("-n", h.lab.name, "link", "set", h.link, "up")
	h.signal(syscall.SIGCONT)
	select {
	case <-h.ended:
		h.start()
	default:
	}
}

// last returns the end of what the process said.
func (h *labHost) last() string {
	text, err := os.ReadFile(h.said.Name())
	if err != nil {
		return err.Error()
	}
	return string(text[max(0, len(text)-2000):])
}

// nodes adds three synced NATS servers, each with a small disk of its own, and returns them and
// their address.
func (l *lab) nodes() (all []*labHost, urls string) {
	l.t.Helper()
	var routes, addrs []string
	for i := range 3 {
		routes = append(routes, fmt.Sprintf("%s.%d:6222", l.net, 11+i))
		addrs = append(addrs, fmt.Sprintf("nats://%s.%d:4222", l.net, 11+i))
	}
	for i := range 3 {
		name := fmt.Sprintf("nats%d", i)
		disk := filepath.Join(l.dir, name)
		if err := os.Mkdir(disk, 0o700); err != nil {
			l.t.Fatal(err)
		}
		if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1g"); err != nil {
			l.t.Fatal(err)
		}
		l.t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
		text, err := json.Marshal(natsNode{Name: name, Dir: filepath.Join(disk, "store"), Host: fmt.Sprintf("%s.%d", l.net, 11+i), Port: 4222, Route: 6222, Routes: routes})
		if err != nil {
			l.t.Fatal(err)
		}
		all = append(all, l.host(name, 11+i, []string{asNode + "=" + string(text)}))
	}
	return all, strings.Join(addrs, ",")
}

// fill fills the disk of a NATS server until free is called.
func (h *labHost) fill() (free func()) {
	name := filepath.Join(h.lab.dir, h.name, "full")
	f, err := os.Create(name)
	if err != nil {
		h.lab.t.Fatal(err)
	}
	block := make([]byte, 1<<20)
	for {
		if _, err := f.Write(block); err != nil { // the disk is full
			break
		}
	}
	f.Close()
	return func() {
		if err := os.Remove(name); err != nil {
			h.lab.t.Error(err)
		}
	}
}

// later waits, unless the test ends first.
func later(d time.Duration) { <-time.After(d) }
