package native

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// A Usage is what a process uses.
type Usage struct {
	PID, Parent int // of a thread: its own number
	Session     int
	State       byte          // as in proc(5), such as S for one that sleeps
	Faults      int64         // of pages that had to be read
	CPU         time.Duration // its children's included that it waited for
	Memory      int64         // resident bytes
	Threads     int
	Alive       int // a thread of it that has not ended
}

// readProcess reads what a process uses. A process that has ended uses nothing. If its first thread alone has, the
// kernel tells of the memory by another one.
func readProcess(pid int) (Usage, bool) {
	dir := "/proc/" + strconv.Itoa(pid)
	one, ok := ReadUsage(dir)
	if ok && one.Memory == 0 && one.Threads > 1 {
		names, _ := os.ReadDir(dir + "/task")
		for _, name := range names {
			if other, ok := ReadUsage(dir + "/task/" + name.Name()); ok && other.Memory > 0 {
				one.Memory, one.Alive = other.Memory, other.PID
			}
		}
	}
	return one, ok
}

// ReadUsage reads what the process or thread of a folder of /proc uses. One that has ended uses nothing.
func ReadUsage(dir string) (Usage, bool) {
	text, err := os.ReadFile(dir + "/stat")
	if err != nil {
		return Usage{}, false
	}
	id, text, _ := bytes.Cut(text, []byte(" ("))
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:]) // from the third of proc(5) on
	if len(fields) < 22 {
		return Usage{}, false
	}
	number := func(n int) int64 {
		v, _ := strconv.ParseInt(string(fields[n-3]), 10, 64)
		return v
	}
	pid, _ := strconv.Atoi(string(id))
	ticks := number(14) + number(15) + number(16) + number(17)
	return Usage{
		PID: pid, Alive: pid, State: fields[0][0], Faults: number(12), Parent: int(number(4)), Session: int(number(6)),
		CPU:     time.Duration(ticks) * time.Second / 100, // USER_HZ
		Threads: int(number(20)), Memory: number(24) * int64(os.Getpagesize()),
	}, true
}

// processesBelow lists the processes that descend from a process, without itself. It does not look at strangers, and
// adds to them those that do not descend from it: a machine has many.
func processesBelow(pid int, strangers map[int]bool) (below []Usage) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	all := map[int]Usage{}
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		if n, err := strconv.Atoi(name); err == nil && !strangers[n] {
			if one, ok := readProcess(n); ok {
				all[n] = one
			}
		}
	}
	for n, one := range all {
		up, known := one.Parent, true
		for known && up > 1 && up != pid && !strangers[up] {
			var next Usage
			next, known = all[up] // one that has ended meanwhile is not known
			up = next.Parent
		}
		if known && up == pid {
			below = append(below, one)
		} else if known && n != pid {
			strangers[n] = true
		}
	}
	return below
}
