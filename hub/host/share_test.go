package host

import (
	"testing"

	"github.com/quintain-rl/quintain/internal/web"
)

// Two ports take no more files than one.
func TestPortsShareFiles(t *testing.T) {
	all := web.FilesForConnections()
	for _, calls := range []int{0, all / 2} {
		one, two := web.Settings{Calls: calls}, web.Settings{Calls: calls}
		(&Apart{Port: 1}).share(&one)
		if one.Calls != calls {
			t.Errorf("without routes apart, calls take %d files, want %d", one.Calls, calls)
		}
		(&Apart{Port: 1, Routes: make([]web.Route, 1)}).share(&two)
		if got, most := 2*(all-two.Calls), all-calls; got < most || got > most+1 {
			t.Errorf("both ports take %d files, want %d", got, most)
		}
	}
}
