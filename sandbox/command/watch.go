package command

import (
	"time"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/procstat"
)

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
