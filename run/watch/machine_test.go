package watch

import (
	"math"
	"testing"
)

// What a system tells of a process is more than nothing; what it does not tell is NaN.
func TestAProcessUsesItsMachine(t *testing.T) {
	m := newMachineMeter()
	for range 2 { // the second within the least time of a measurement
		if use := m.use(); use.Processors < 0 || math.IsInf(use.Processors, 0) || use.Memory <= 0 {
			t.Errorf("it uses %+v", use)
		}
	}
}
