//go:build amd64 || arm64

package native

import (
	"bytes"
	"context"
	"os"
	"strconv"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// How often the watcher looks, and each how many looks it counts files.
const (
	watchEvery = 10 * time.Millisecond
	countEvery = 5
)

// cancelled stands for a job that nobody waits for any more.
const cancelled sandbox.End = "cancelled"

// watch kills the job at its limits, until it has ended.
func (r *running) watch(ctx context.Context, ended <-chan struct{}) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		if why := r.look(n%countEvery == countEvery-1); why != "" {
			r.kill(why)
		}
		select {
		case <-ended:
			return
		case <-ctx.Done():
			r.kill(cancelled)
			<-ended
			return
		case <-tick.C:
		}
	}
}

// look returns the limit that the job is beyond; empty: none.
func (r *running) look(files bool) sandbox.End {
	if time.Since(r.began) > r.limits.Wall {
		return sandbox.WallLimit
	}
	if why := r.asks(); why != "" {
		return why
	}
	all := r.usage()
	sum := usage{cpu: -r.before}
	if r.forks() {
		init, _ := readUsage(r.pid)
		sum.cpu += init.cpu // of processes that nobody else waited for
	}
	for _, one := range all {
		sum.cpu += one.cpu
		sum.memory += one.memory
		sum.threads += one.threads
		r.peak = max(r.peak, one.memory)
	}
	switch {
	case sum.cpu > r.limits.CPU:
		return sandbox.CPULimit
	case sum.memory > r.limits.Memory:
		return sandbox.MemoryLimit
	case len(all) > r.limits.Processes || sum.threads > max(r.limits.Threads, r.limits.Processes):
		return sandbox.ProcessLimit
	}
	if r.owed != nil && time.Since(r.idle.at) > countEvery*watchEvery {
		r.idle.look(all, r.owed())
	}
	if files {
		if bytes, n := r.folder.Use(r.limits); bytes > r.limits.Disk || n > r.limits.Files {
			return sandbox.DiskLimit
		}
	}
	return ""
}

// A usage is what a process uses.
type usage struct {
	pid     int
	parent  int
	state   byte          // as in proc(5)
	faults  int64         // of pages that had to be read
	cpu     time.Duration // its children's included that it waited for
	memory  int64         // resident bytes
	threads int
}

// usage lists the processes of the job, without the init of its namespace.
func (r *running) usage() []usage {
	if !r.forks() {
		if one, ok := readUsage(r.pid); ok {
			return []usage{one}
		}
		return nil
	}
	all := map[int]usage{}
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			if one, ok := readUsage(pid); ok {
				all[pid] = one
			}
		}
	}
	var ours []usage
	for pid, one := range all {
		for up := one.parent; up > 1 && pid != r.pid; up = all[up].parent {
			if up == r.pid {
				ours = append(ours, one)
				break
			}
		}
	}
	return ours
}

// readUsage reads what a process uses. A process that has ended uses nothing.
func readUsage(pid int) (usage, bool) { return readStat("/proc/" + strconv.Itoa(pid)) }

// readStat reads what the process or thread of a folder of /proc uses.
func readStat(dir string) (usage, bool) {
	text, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return usage{}, false
	}
	id, text, _ := bytes.Cut(text, []byte(" ("))
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // from the third of proc(5) on
	if len(fields) < 22 {
		return usage{}, false
	}
	number := func(n int) int64 {
		v, _ := strconv.ParseInt(string(fields[n-3]), 10, 64)
		return v
	}
	pid, _ := strconv.Atoi(string(id))
	ticks := number(14) + number(15) + number(16) + number(17)
	return usage{
		pid: pid, state: fields[0][0], faults: number(12),
		parent: int(number(4)), cpu: time.Duration(ticks) * time.Second / 100, // USER_HZ
		threads: int(number(20)), memory: number(24) * int64(os.Getpagesize()),
	}, true
}
