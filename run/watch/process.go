package watch

import (
	"math"
	"runtime"
	"strconv"

	"github.com/quintain-rl/quintain/internal/datadir"
	"github.com/quintain-rl/quintain/run/watch/words"
)

// A fact is a name and a value, as text.
type fact struct{ Name, Value string }

// ShowMachine adds this process to the page of the run: its processors, memory and
// goroutines, and the disk space of the data folder. It is for the process of the run or the
// hub. Call it before the first request.
func (s *Server) ShowMachine() { s.machine = newMachineMeter() }

// process lists facts of this process, and of the disk of a data folder.
func process(m *machineMeter, data string) []fact {
	const unknown = "not known" // this system does not tell
	use := m.use()
	disk, used, memory := unknown, unknown, unknown
	if free, total, known := datadir.Space(data); known {
		disk = words.Bytes(float64(free)) + " free of " + words.Bytes(float64(total))
	}
	if !math.IsNaN(use.Processors) {
		used = strconv.FormatFloat(use.Processors, 'f', 2, 64) + " of " + strconv.Itoa(runtime.NumCPU())
	}
	if !math.IsNaN(use.Memory) {
		memory = words.Bytes(use.Memory)
	}
	return []fact{{"Processors in use", used}, {"Memory", memory}, {"Goroutines", words.Count(runtime.NumGoroutine())}, {"Disk of the data folder", disk}}
}
