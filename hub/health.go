package hub

import (
	"net/http"

	_ "embed" // for the document of the API

	"github.com/quintain-rl/quintain/internal/web"
)

// openAPIText describes all routes, written by hand.
//
//go:embed openapi.json
var openAPIText []byte

func (s *Server) openAPI(c *web.Call) error { return c.JSON(http.StatusOK, openAPIText) }

// healthz says that the process answers.
func (s *Server) healthz(c *web.Call) error { return c.JSON(http.StatusOK, []byte(`{"status":"ok"}`)) }

// readyz reports whether a post of groups would succeed, and whatever else is served here answers.
func (s *Server) readyz(c *web.Call) error {
	select {
	case <-s.web.Stopping():
		return c.JSON(http.StatusServiceUnavailable, []byte(`{"status":"stopping"}`))
	default:
	}
	if s.draining.Load() {
		return c.JSON(http.StatusServiceUnavailable, []byte(`{"status":"draining"}`))
	}
	if ready := s.config.Ready; ready != nil && !ready() {
		return c.JSON(http.StatusServiceUnavailable, []byte(`{"status":"starting"}`))
	}
	if err := s.main.queue.Ready(c.Context()); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, []byte(`{"status":"ready"}`))
}

// drain has the hub refuse groups until undrain or a restart. It still hands out batches.
func (s *Server) drain(c *web.Call) error {
	s.draining.Store(true)
	s.config.Log.Info("the hub takes no more groups")
	return c.JSON(http.StatusOK, []byte(`{"status":"draining"}`))
}

// verifyMath compares mathematical answers with their references.
func (s *Server) verifyMath(c *web.Call) error {
	body, err := verifyMath(c)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, body)
}

// undrain has the hub take groups again.
func (s *Server) undrain(c *web.Call) error {
	s.draining.Store(false)
	s.config.Log.Info("the hub takes groups again")
	return c.JSON(http.StatusOK, []byte(`{"status":"ready"}`))
}
