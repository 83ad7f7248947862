package command

import (
	"context"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/procstat"
)

// How often the watcher looks, and each how many looks it counts files.
const (
	watchEvery = 10 * time.Millisecond
	countEvery = 5
)

// cancelled stands for a job that nobody waits for any more.
const cancelled sandbox.End = "cancelled"

// watch kills the job at its limits, until it has ended.
func (r *running) watch(ctx context.Context, pid int, ended <-chan struct{}) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for n := 0; ; n++ {
		if why := r.look(pid, n%countEvery == countEvery-1); why != "" {
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

// look returns the limit that the job is beyond; empty: none. What the wrapper itself uses does not
// count, but for its time.
func (r *running) look(pid int, files bool) sandbox.End {
	if time.Since(r.began) > r.limits.Wall {
		return sandbox.WallLimit
	}
	var sum usage
	all := procstat.Below(pid)
	if one, is := procstat.Read(pid); is {
		all = append(all, one)
	}
	for _, one := range all {
		r.seen[one.PID] = one
		sum.count++
		sum.cpu += one.CPU
		sum.memory += one.Memory
		sum.threads += one.Threads
	}
	base := r.box.base
	r.most.count, r.most.threads = max(r.most.count, sum.count), max(r.most.threads, sum.threads)
	r.most.memory, r.most.cpu = max(r.most.memory, sum.memory-base.memory), max(r.most.cpu, sum.cpu)
	switch {
	case r.box.measures && sum.cpu > r.limits.CPU:
		return sandbox.CPULimit
	case sum.memory-base.memory > r.limits.Memory:
		return sandbox.MemoryLimit
	case sum.count-base.count > r.limits.Processes || sum.threads-base.threads > max(r.limits.Threads, r.limits.Processes):
		return sandbox.ProcessLimit
	}
	if files {
		if bytes, n := r.folder.Use(r.limits); bytes > r.limits.Disk || n > r.limits.Files {
			return sandbox.DiskLimit
		}
	}
	return ""
}

// burial is how long processes may take to end that were killed.
const burial = 5 * time.Second

// bury waits until the processes of the wrapper are gone, and kills those that are not.
func (r *running) bury() {
	for end := time.Now().Add(burial); len(r.seen) > 0 && time.Now().Before(end); {
		for pid, was := range r.seen {
			if is, alive := procstat.Read(pid); !alive || is.Begun != was.Begun || is.Ended() {
				delete(r.seen, pid)
			} else {
				killOne(pid)
			}
		}
		if len(r.seen) > 0 {
			<-time.After(time.Millisecond)
		}
	}
}
