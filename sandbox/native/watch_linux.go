//go:build amd64 || arm64

package native

import (
	"cmp"
	"context"
	"time"

	"github.com/quintain-rl/quintain/sandbox"
)

// idleEvery is the least time between two looks at whether a job is idle.
const idleEvery = 50 * time.Millisecond

// forgetEvery is after how many looks the processes that are none of the job's are looked at again.
const forgetEvery = 16

// watch kills the job at its limits, until it has ended.
func (r *running) watch(ctx context.Context, ended <-chan struct{}) {
	mostly := every
	if r.talk != nil {
		mostly = rare
	}
	watchUsage(ctx, ended, mostly, r.look, r.kill)
}

// look returns the limit that the job is beyond, empty: none; and whether it comes near that of its disk.
func (r *running) look() (why sandbox.End, near bool) {
	if time.Since(r.began) > r.limits.Wall {
		return sandbox.WallLimit, false
	}
	if why := r.asks(); why != "" {
		return why, false
	}
	all := r.usage()
	sum := Usage{CPU: -r.before}
	if r.forks() {
		init, _ := readProcess(r.pid)
		sum.CPU += init.CPU // of processes that nobody else waited for
	}
	for _, one := range all {
		sum.CPU += one.CPU
		sum.Memory += one.Memory
		sum.Threads += one.Threads
		r.peak = max(r.peak, one.Memory)
	}
	if r.owed != nil && time.Since(r.idle.at) > idleEvery && r.idle.look(all, r.owed()) {
		r.idle.sum = cmp.Or(r.limits.Idle, r.limits.Wall) // as it would be in the end
		return sandbox.WallLimit, false
	}
	if r.looks++; r.looks > 1 { // most jobs end before the second look
		var beyond bool
		if beyond, near = r.beyond(all); beyond {
			return sandbox.DiskLimit, near
		}
	}
	switch {
	case sum.CPU > r.limits.CPU:
		return sandbox.CPULimit, near
	case sum.Memory > r.limits.Memory:
		return sandbox.MemoryLimit, near
	case len(all) > r.limits.Processes || sum.Threads > max(r.limits.Threads, r.limits.Processes):
		return sandbox.ProcessLimit, near
	case r.limits.Idle > 0 && sum.CPU+r.idle.sum > r.limits.Idle:
		return sandbox.WallLimit, near
	}
	return "", near
}

// usage lists the processes of the job, without the init of its namespace.
func (r *running) usage() []Usage {
	if r.forks() {
		if r.looks%forgetEvery == 0 { // a number may be another's by now
			r.strangers = map[int]bool{}
		}
		return processesBelow(r.pid, r.strangers)
	}
	if one, ok := readProcess(r.pid); ok {
		return []Usage{one}
	}
	return nil
}
