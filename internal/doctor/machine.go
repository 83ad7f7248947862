package doctor

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/quintain-rl/quintain/internal/stats"
	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/tiny/transformer"
)

// kernels examines the arithmetic of the model in the box.
func kernels() Finding { return judgeKernels(transformer.Kernels(), runtime.GOARCH) }

func judgeKernels(name, arch string) Finding {
	f := ok("kernels", "%s, for the model in the box", name)
	if name != "portable" {
		return f
	}
	switch arch {
	case "amd64":
		return f.as(Warn, "training and sampling of the model in the box are several times slower: this processor, or its virtual machine, shows no AVX2 (with QEMU: -cpu host), or the program was built with the tag purego")
	case "arm64":
		return f.as(Warn, "training and sampling of the model in the box are several times slower: the program was built with the tag purego")
	}
	return f.as(Warn, "training and sampling of the model in the box are several times slower: there are kernels for amd64 and arm64, and this program is for "+arch)
}

// processors examines how many processors the process may use. Go has heard of the control group.
func processors() Finding { return judgeProcessors(runtime.GOMAXPROCS(0), runtime.NumCPU()) }

func judgeProcessors(may, has int) Finding {
	f := ok("processors", "%d", may)
	switch {
	case may < has:
		f = ok("processors", "%d of %d, by the limit of the control group or GOMAXPROCS", may, has)
	case may > has:
		return ok("processors", "%s on %s, by GOMAXPROCS", stats.Count(may, "thread"), stats.Count(has, "processor")).as(Warn, "threads wait for each other: unset GOMAXPROCS")
	}
	if may == 1 {
		return f.as(Warn, "a run plays, grades and trains on one processor in turns: give it two")
	}
	return f
}

// leastMemory is enough for a run with the model in the box, and for a hub.
const leastMemory = 512 << 20

// memory examines how much memory the process may take.
func memory() Finding { return judgeMemory(web.MachineMemory()) }

func judgeMemory(bytes int64) Finding {
	f := ok("memory", "%s, of the machine, its control group or GOMEMLIMIT, whichever is least", size(bytes))
	if bytes < leastMemory {
		return f.as(Warn, "the hub refuses large requests, and a run may be killed: give it "+size(leastMemory))
	}
	return f
}

// size is a number of bytes for people.
func size(bytes int64) string {
	if bytes >= 1<<30 {
		return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

const (
	leastFiles = 256  // the store, the log and a few connections
	wantFiles  = 8192 // the connections that a server takes at a time
)

// openFiles examines the limit of open files.
func openFiles() Finding { return judgeFiles(web.OpenFileLimit()) }

func judgeFiles(limit int) Finding {
	const how = "raise it with ulimit -n, LimitNOFILE= of systemd, or --ulimit nofile= of a container"
	if limit == 0 {
		return ok("open files", "no limit, or none that the system tells")
	}
	f := ok("open files", "at most %d", limit)
	switch {
	case limit < leastFiles:
		return f.as(Fail, fmt.Sprintf("the store and a few connections need %d: %s", leastFiles, how))
	case limit < wantFiles+wantFiles/4:
		return f.as(Warn, fmt.Sprintf("a server has room for %d connections, where it would take %d: %s", limit-min(limit/4, wantFiles/4), wantFiles, how))
	}
	return f
}

// A ticking is a look at the clocks.
type ticking struct {
	jump          time.Duration // of the wall clock, against the monotonic one
	step          time.Duration // least that the monotonic clock advanced by
	now           time.Time
	synced, tells bool // the system keeps the time by others' clocks, or says that it does not
}

// clock examines the clocks.
func clock() Finding { return judgeClock(watchClock(clockTime)) }

const (
	clockTime = 100 * time.Millisecond // of the look at the clocks
	maxJump   = 10 * time.Millisecond  // between the clocks meanwhile
	maxStep   = 20 * time.Millisecond  // old kernels of Windows have 15.6 ms
)

// watchClock looks at the clocks for a while. A single difference between them means nothing, since
// this process may have to wait between reading the one and the other: it compares medians.
func watchClock(d time.Duration) ticking {
	t := ticking{step: math.MaxInt64}
	first := time.Now()
	last, kept := first, first
	var apart []time.Duration
	for last.Sub(first) < d {
		now := time.Now()
		if step := now.Sub(last); step > 0 {
			t.step = min(t.step, step)
		}
		if last = now; now.Sub(kept) >= time.Millisecond {
			kept, apart = now, append(apart, now.Round(0).Sub(first.Round(0))-now.Sub(first))
		}
	}
	t.now, t.jump = last, jumped(apart)
	t.synced, t.tells = synced()
	return t
}

// jumped is the difference between the medians of the first and the last third.
func jumped(apart []time.Duration) time.Duration {
	third := len(apart) / 3
	if third == 0 {
		return 0
	}
	before, after := slices.Clone(apart[:third]), slices.Clone(apart[len(apart)-third:])
	slices.Sort(before)
	slices.Sort(after)
	return after[third/2] - before[third/2]
}

// written is when this check was written: no clock is right that tells an earlier time.
func written() time.Time { return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC) }

func judgeClock(t ticking) Finding {
	f := ok("clock", "%s, in steps of %v", t.now.UTC().Format(time.RFC3339), t.step)
	switch {
	case t.now.Before(written()):
		return f.as(Fail, "the time is wrong, so HTTPS refuses certificates: set the clock, and keep it by NTP")
	case t.jump.Abs() > maxJump:
		f.Found += fmt.Sprintf("; it jumped by %v meanwhile", t.jump)
		return f.as(Warn, "times of traces and logs are wrong around a jump: have NTP slew the clock instead of setting it")
	case t.step > maxStep:
		return f.as(Warn, "measured times are as coarse as that: look for another clock source of the virtual machine")
	case t.tells && !t.synced:
		f.Found += "; the kernel says that nothing keeps it right"
		return f.as(Warn, "times of several machines cannot be compared, and certificates may look invalid: run chrony or systemd-timesyncd here or on the host")
	}
	return f
}
