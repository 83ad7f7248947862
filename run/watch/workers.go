package watch

import (
	"fmt"
	"net/http"

	"github.com/quintain-rl/quintain/internal/web"
	"github.com/quintain-rl/quintain/run/fleet"
)

// A Fleet is the workers elsewhere that play the problems of a run. Many goroutines may call
// its method at once.
type Fleet interface{ Roster() fleet.Roster }

// ShowFleet adds the page of workers. Call it before the first request.
func (s *Server) ShowFleet(f Fleet) {
	s.fleet = f
}

// A workerPages shows workers.
type workerPages struct{ *Server }

// workers answers with the page of workers.
func (s workerPages) workers(c *web.Call) error {
	if s.fleet == nil {
		return web.Errorf(http.StatusNotFound, "this run has no workers: quintain run --workers leases its problems to some")
	}
	r := s.fleet.Roster()
	return s.show(c, view{"Workers", "workers", workersOf(&r)})
}

// workersNow is the state of workers as text, to notice changes.
func workersNow(of Fleet) string {
	if of == nil {
		return ""
	}
	r := of.Roster()
	return fmt.Sprint(len(r.Workers), len(r.Lost), r.Held, r.Wanted, r.Granted, r.Ended, len(r.Poison))
}
