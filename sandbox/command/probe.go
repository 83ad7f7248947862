package command

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// Names of layers. Each is tried by a small program within the wrapper.
const (
	LayerStart     = "it runs programs"
	LayerNetwork   = "no network"
	LayerFiles     = "no files but its own"
	LayerProcesses = "sees no other processes"
	LayerKill      = "all processes end"
	LayerMemory    = "memory, watched"
	LayerCPU       = "time on the processor"
)

// A tried is what came of trying a layer.
type tried struct {
	layer string
	lacks string // the promise that depends on it; empty: none
	note  string
	err   error // nil: it holds
}

// probe tries each layer.
func (b *Box) probe(ctx context.Context) (s sandbox.Strength) {
	s.Backend = Name
	add := func(t tried) bool {
		if t.err != nil {
			t.note = t.err.Error()
			if t.lacks != "" && !strings.Contains(strings.Join(s.Lacks, ","), t.lacks) {
				s.Lacks = append(s.Lacks, t.lacks)
			}
		}
		s.Layers = append(s.Layers, sandbox.Layer{Name: t.layer, Holds: t.err == nil, Note: t.note})
		return t.err == nil
	}
	if !add(b.tryStart(ctx)) {
		s.Lacks = []string{"a wrapper that runs programs"}
		return s
	}
	for _, try := range []func(context.Context) tried{b.tryNetwork, b.tryFiles, b.tryProcesses, b.tryKill, b.tryMemory, b.tryCPU} {
		add(try(ctx))
	}
	return s
}

// script runs a script of the shell in the wrapper.
func (b *Box) script(ctx context.Context, text string, limits sandbox.Limits, look func(*running)) (out string, got sandbox.Result, err error) {
	limits.Processes, limits.Threads = 16, 64
	got, err = b.run(ctx, sandbox.Job{Argv: []string{"sh", "-c", text}, Limits: limits}, look)
	return string(got.Stdout), got, err
}

// tryStart runs a program that waits a little, and measures what the wrapper itself uses.
func (b *Box) tryStart(ctx context.Context) tried {
	var most usage
	got, err := b.run(ctx, sandbox.Job{Argv: []string{"sleep", "0.3"}, Limits: sandbox.Limits{Processes: 1 << 10, Threads: 1 << 12}}, func(r *running) { most = r.most })
	switch {
	case err != nil:
	case got.End != sandbox.Exited || got.Code != 0:
		err = fmt.Errorf("%s %d: %.300s", got.End, got.Code, got.Stderr)
	default:
		b.base = usage{count: max(0, most.count-1), threads: max(0, most.threads-1), memory: max(0, most.memory-1<<20)}
	}
	return tried{layer: LayerStart, note: fmt.Sprintf("%s, with %d processes of its own", filepath.Base(b.line[0]), b.base.count), err: err}
}

// tryNetwork connects to this machine, and looks for routes.
func (b *Box) tryNetwork(ctx context.Context) tried {
	t := tried{layer: LayerNetwork, lacks: "no network"}
	var reached atomic.Int64
	var all strings.Builder
	var group sync.WaitGroup
	defer group.Wait() // the listeners close first
	for _, host := range hosts() {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
		if err != nil {
			continue // an address that cannot be listened on cannot be tried
		}
		defer l.Close()
		group.Go(func() {
			for c, err := l.Accept(); err == nil; c, err = l.Accept() {
				reached.Add(1)
				_ = c.Close()
			}
		})
		_, port, _ := net.SplitHostPort(l.Addr().String())
		fmt.Fprintf(&all, "try %s %s\n", host, port)
	}
	out, _, err := b.script(ctx, `try() {
	if command -v bash >/dev/null; then bash -c ': < /dev/tcp/$0/$1' $1 $2
	elif command -v python3 >/dev/null; then python3 -c 'import socket, sys; socket.create_connection((sys.argv[1], sys.argv[2]), 2)' $1 $2
	else echo untried; fi 2>/dev/null
}
[ -r /proc/net/route ] && while read -r to rest; do [ "$to" = Iface ] || echo route; done < /proc/net/route
`+all.String()+"echo end", sandbox.Limits{Wall: 20 * time.Second}, nil)
	switch {
	case err != nil:
		t.err = err
	case reached.Load() > 0:
		t.err = errors.New("a program reaches this machine")
	case strings.Contains(out, "route"):
		t.err = errors.New("a program has routes to other machines")
	case strings.Contains(out, "untried"):
		t.err = errors.New("it cannot be tried: the wrapper has neither bash nor python3")
	case out != "end\n":
		t.err = fmt.Errorf("it cannot be tried: %.300q", out)
	}
	return t
}

// hosts are addresses of this machine: of the loopback, and another one.
func hosts() []string {
	found := []string{"127.0.0.1"}
	all, _ := net.InterfaceAddrs()
	for _, one := range all {
		if ip, is := one.(*net.IPNet); is && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			return append(found, ip.IP.String())
		}
	}
	return found
}

// tryFiles reads and writes beside the job's folder.
func (b *Box) tryFiles(ctx context.Context) tried {
	t := tried{layer: LayerFiles, lacks: "no files but the job's"}
	secret := rand.Text()
	file, written := filepath.Join(b.dir, "other"), filepath.Join(b.dir, "written")
	if t.err = os.WriteFile(file, []byte(secret), 0o644); t.err != nil {
		return t
	}
	defer func() { _, _ = os.Remove(file), os.Remove(written) }()
	out, _, err := b.script(ctx, fmt.Sprintf("{ cat '%s' ../other; for f in /etc/passwd /etc/hostname; do cat $f; done; echo x > '%s'; echo x > ../written; } 2>/dev/null; echo end", file, written), sandbox.Limits{}, nil)
	_, statErr := os.Stat(written)
	switch {
	case err != nil:
		t.err = err
	case strings.Contains(out, secret):
		t.err = errors.New("a program reads files beside its folder")
	case statErr == nil:
		t.err = errors.New("a program writes files beside its folder")
	case shares(out, "/etc/hostname", "/etc/passwd"):
		t.err = errors.New("a program reads this machine's /etc")
	case !strings.HasSuffix(out, "end\n"):
		t.err = fmt.Errorf("it cannot be tried: %.300q", out)
	}
	return t
}

// shares reports whether an output has a file of this machine that is its own.
func shares(out string, names ...string) bool {
	for _, name := range names {
		if text, err := os.ReadFile(name); err == nil && len(text) > 0 && strings.Contains(out, string(text)) {
			return true
		}
	}
	return false
}

// tryProcesses sends this process a signal that does nothing.
func (b *Box) tryProcesses(ctx context.Context) tried {
	t := tried{layer: LayerProcesses, lacks: "a sure kill"}
	out, _, err := b.script(ctx, "kill -0 "+strconv.Itoa(os.Getpid())+" 2>/dev/null && echo reached; [ -d /proc/"+strconv.Itoa(os.Getpid())+" ] && echo seen; echo end", sandbox.Limits{}, nil)
	switch {
	case err != nil:
		t.err = err
	case out != "end\n":
		t.err = errors.New("a program sees this process, or can end it")
	}
	return t
}

// tryKill leaves a process that leaves its session and writes to the folder, and looks whether the
// folder still grows after the end. The process ends when its file "go" goes.
func (b *Box) tryKill(ctx context.Context) tried {
	t := tried{layer: LayerKill, lacks: "a sure kill"}
	var grown, begun bool
	look := func(r *running) {
		size := func() int64 {
			bytes, _ := r.folder.Use(sandbox.Limits{Disk: 1 << 40, Files: 10})
			return bytes
		}
		before := size()
		<-time.After(200 * time.Millisecond)
		begun, grown = before > 0, size() != before
		for end := time.Now().Add(burial); grown && time.Now().Before(end); {
			_ = os.Remove(filepath.Join(r.folder.Path, "go")) // an error: it has gone
			last := size()
			<-time.After(200 * time.Millisecond)
			if size() == last {
				break
			}
		}
	}
	_, _, err := b.script(ctx, `s=; command -v setsid >/dev/null && s=setsid; : > go
($s sh -c 'trap "" TERM HUP; while [ -e go ]; do echo x >> beat; done' </dev/null >/dev/null 2>&1 &)
while [ ! -s beat ]; do :; done`, sandbox.Limits{CPU: 5 * time.Second}, look)
	switch {
	case err != nil:
		t.err = err
	case grown:
		t.err = errors.New("a process goes on after its job")
	case !begun:
		t.err = errors.New("it cannot be tried: the program wrote nothing")
	}
	return t
}

// tryMemory takes 512 MiB with a limit of 64.
func (b *Box) tryMemory(ctx context.Context) tried {
	t := tried{layer: LayerMemory, lacks: "bounded memory"}
	_, got, err := b.script(ctx, "a=12345678; i=0; while [ $i -lt 26 ]; do a=$a$a; i=$((i+1)); done", sandbox.Limits{CPU: 20 * time.Second, Memory: 64 << 20}, nil)
	switch {
	case err != nil:
		t.err = err
	case got.End == sandbox.Exited && got.Code == 0:
		t.err = errors.New("a program takes 512 MiB, and the limit is 64")
	case got.End == sandbox.WallLimit || got.End == sandbox.CPULimit:
		t.err = errors.New("it cannot be tried: the machine is too busy")
	default:
		t.note = "a program beyond its limit: " + string(got.End)
	}
	return t
}

// tryCPU uses more time on the processor than it has.
func (b *Box) tryCPU(ctx context.Context) tried {
	t := tried{layer: LayerCPU, note: "every 10 ms"}
	b.measures = true
	_, got, err := b.script(ctx, "while :; do :; done", sandbox.Limits{CPU: 200 * time.Millisecond, Wall: 15 * time.Second}, nil)
	if err != nil || got.End != sandbox.CPULimit || got.Wall > 14*time.Second {
		b.measures = false
		t.err = errors.New("it is unknown: the kernel ends programs at whole seconds")
	}
	return t
}
