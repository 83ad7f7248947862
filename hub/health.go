package hub

import (
	_ "embed" // for the document of the API
	"net/http"
)

// openAPIText is the description of all routes.
//
//go:embed openapi.json
var openAPIText []byte

// openAPI shows the description of all routes.
func (s *Server) openAPI(c *call) { s.json(c, http.StatusOK, append([]byte(nil), openAPIText...)) }

// healthz says that the process answers.
func (s *Server) healthz(c *call) { s.json(c, http.StatusOK, []byte(`{"status":"ok"}`)) }

// readyz says whether the hub takes groups.
func (s *Server) readyz(c *call) {
	select {
	case <-s.stopped:
		s.json(c, http.StatusServiceUnavailable, []byte(`{"status":"stopping"}`))
		return
	default:
	}
	if s.draining.Load() {
		s.json(c, http.StatusServiceUnavailable, []byte(`{"status":"draining"}`))
		return
	}
	if _, err := s.queue.State(c.r.Context(), runKey); err != nil {
		s.fail(c, err)
		return
	}
	s.json(c, http.StatusOK, []byte(`{"status":"ready"}`))
}

// drain has the hub take no more groups, until undrain or a restart. What waits is
// handed out as before.
func (s *Server) drain(c *call) {
	s.draining.Store(true)
	s.log.Info("the hub takes no more groups")
	s.json(c, http.StatusOK, []byte(`{"status":"draining"}`))
}

// undrain has the hub take groups again.
func (s *Server) undrain(c *call) {
	s.draining.Store(false)
	s.log.Info("the hub takes groups again")
	s.json(c, http.StatusOK, []byte(`{"status":"ready"}`))
}
