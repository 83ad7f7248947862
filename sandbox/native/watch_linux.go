//go:build amd64 || arm64

package native

import (
	"context"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/procstat"
)

// idleEvery is the least time between two looks at whether a job is idle.
const idleEvery = 50 * time.Millisecond

// watch kills the job at its limits, until it has ended.
func (r *running) watch(ctx context.Context, ended <-chan struct{}) {
	procstat.Watch(ctx, ended, r.look, r.kill)
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
	sum := procstat.Usage{CPU: -r.before}
	if r.forks() {
		init, _ := procstat.Read(r.pid)
		sum.CPU += init.CPU // of processes that nobody else waited for
	}
	for _, one := range all {
		sum.CPU += one.CPU
		sum.Memory += one.Memory
		sum.Threads += one.Threads
		r.peak = max(r.peak, one.Memory)
	}
	switch {
	case sum.CPU > r.limits.CPU:
		return sandbox.CPULimit
	case sum.Memory > r.limits.Memory:
		return sandbox.MemoryLimit
	case len(all) > r.limits.Processes || sum.Threads > max(r.limits.Threads, r.limits.Processes):
		return sandbox.ProcessLimit
	}
	if r.owed != nil && time.Since(r.idle.at) > idleEvery {
		r.idle.look(all, r.owed())
	}
	if files {
		if bytes, n := r.folder.Use(r.limits); bytes > r.limits.Disk || n > r.limits.Files {
			return sandbox.DiskLimit
		}
	}
	return ""
}

// usage lists the processes of the job, without the init of its namespace.
func (r *running) usage() []procstat.Usage {
	if r.forks() {
		return procstat.Below(r.pid)
	}
	if one, ok := procstat.Read(r.pid); ok {
		return []procstat.Usage{one}
	}
	return nil
}
