//go:build amd64 || arm64

package native

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// longest is the longest time between two looks of which idleness is told if something happened in it. In
// a longer one this process itself had no processor, and the job may have waited for it to write or read.
const longest = 200 * time.Millisecond

// An idleness finds how long all threads of a job slept or were stopped, by what the kernel's scheduler
// says of each.
type idleness struct {
	sum    time.Duration
	at     time.Time             // of the last look
	slept  bool                  // all threads did, then
	halted bool                  // all threads were stopped, then
	busy   map[int]time.Duration // of each thread then; nil: unknown
	cpu    time.Duration         // of all processes then, with that of the threads that had ended
	faults int64                 // of all processes then
}

// look looks at the threads of the processes of a job. If all sleep now, then the time since the last
// look was sleep but for that in which one of them ran or waited for a processor: of a thread that
// sleeps, the scheduler counts no wait that is not over. If a thread has ended meanwhile, how long it waited
// is unknown, so that all must have slept at the last look, too. A wait for a disk, or for us, is no sleep.
// Over reports that all threads are stopped, which nothing in the job can end.
func (i *idleness) look(all []Usage, owed bool) (over bool) {
	now, next := time.Now(), idleness{}
	next.busy, next.slept, next.halted, next.faults = threads(all)
	gap, worked, same := now.Sub(i.at), time.Duration(0), true
	for id, busy := range next.busy {
		worked += busy - i.busy[id]
	}
	for id := range i.busy {
		_, lives := next.busy[id]
		same = same && lives
	}
	for _, one := range all {
		next.cpu += one.CPU
	}
	if !same {
		worked = max(worked, next.cpu-i.cpu)
	}
	known := same && (gap <= longest || worked == 0) || i.slept && gap <= longest
	next.sum = i.sum
	if i.busy != nil && next.slept && known && next.faults <= i.faults && !owed {
		next.sum += max(0, gap-worked)
	}
	next.at, over = time.Now(), i.halted && next.halted
	*i = next
	return over
}

// threads returns how long each thread ran and waited for a processor, and whether all sleep, or are
// stopped. Busy is nil if the kernel does not say.
func threads(all []Usage) (busy map[int]time.Duration, sleeping, halted bool, faults int64) {
	busy, sleeping, halted = map[int]time.Duration{}, len(all) > 0, len(all) > 0
	for _, process := range all {
		dir := "/proc/" + strconv.Itoa(process.PID) + "/task/"
		faults += process.Faults
		names, err := os.ReadDir(dir)
		if err != nil {
			return nil, false, false, 0
		}
		for _, name := range names {
			one, lives := ReadUsage(dir + name.Name())
			time, known := scheduled(dir + name.Name())
			if !lives || !known {
				return nil, false, false, 0
			}
			busy[one.PID] = time
			halted = halted && one.State == 'T'
			sleeping = sleeping && one.State != 'R' && one.State != 'D' // a stopped one sleeps, and one that has ended
		}
	}
	return busy, sleeping, halted, faults
}

// scheduled returns how long a thread ran and waited for a processor.
func scheduled(dir string) (time.Duration, bool) {
	text, _ := os.ReadFile(dir + "/schedstat")
	fields := bytes.Fields(text)
	if len(fields) < 3 {
		return 0, false
	}
	var n [3]int64 // ran, waited: nanoseconds; how often
	for i := range n {
		v, err := strconv.ParseInt(string(fields[i]), 10, 64)
		if err != nil {
			return 0, false
		}
		n[i] = v
	}
	return time.Duration(n[0] + n[1]), n[2] > 0 // of a kernel that does not count: zeros
}
